import assert from "node:assert/strict";
import { isBrokenOff } from "@/client/page/stale_page.ts";

Deno.test("isBrokenOff() tells a part whose load was broken off, as by leaving a page in Firefox, from one that is gone", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => new Response(null, { status: url.endsWith("/there.js") ? 200 : 404 }),
  );
  const at = `http://127.0.0.1:${server.addr.port}`;
  const said = (text: string) => isBrokenOff(new TypeError(text));
  try {
    assert.equal(await said(`error loading dynamically imported module: ${at}/there.js`), true);
    assert.equal(await said(`Failed to fetch dynamically imported module: ${at}/there.js`), true);
    assert.equal(await said(`error loading dynamically imported module: ${at}/gone.js`), false);
    assert.equal(await said("Importing a module script failed."), false);
  } finally {
    await server.shutdown();
  }
});
