import assert from "node:assert/strict";
import { sendable, UnwrittenAnswer } from "@/core/api/unwritten_answer.ts";
import { createSite } from "@/fresh.config.ts";

Deno.test("an answer that was made to be read in the process is sent with its text", async () => {
  const answer = new UnwrittenAnswer({ pid: 7 }, 201);
  answer.headers.set("x-a", "1");
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => sendable(answer));
  const sent = await fetch(`http://127.0.0.1:${server.addr.port}/`);
  assert.deepEqual([sent.status, sent.headers.get("x-a"), await sent.json()], [201, "1", { pid: 7 }]);
  await server.shutdown();
  const other = new Response("x");
  assert.equal(sendable(other), other);
});

Deno.test("no answer leaves the site unwritten, whatever the core gives it", async () => {
  const site = await createSite({
    core: {
      fetch: () => Promise.resolve(new UnwrittenAnswer({ pid: 7 }, 200)),
      subscribe: () => () => {},
      verifyToken: () => Promise.resolve(null),
    },
    settings: { dataDir: null },
  });
  const headers = { authorization: "Bearer own" };
  const answer = await site.fetch(new Request("http://site/api/v1/patients/7", { headers }));
  assert.ok(!(answer instanceof UnwrittenAnswer));
  assert.deepEqual(await answer.json(), { pid: 7 });
  site.close();
});
