import assert from "node:assert/strict";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { openProxy } from "@/tests/endurance/faults/proxy.ts";

const SEED = 37;

Deno.test("the fault proxy passes whole connections on, and breaks others in every way", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(new Uint8Array(300_000)),
  );
  const proxy = await openProxy(() => server.addr.port, new Random(SEED), { share: 1 });
  const load = async () => {
    const signal = AbortSignal.timeout(500), headers = { connection: "close" };
    const answer = await fetch(`http://127.0.0.1:${proxy.port}`, { signal, headers });
    return (await answer.bytes()).length;
  };
  try {
    assert.equal(await load(), 300_000);
    proxy.isFaulty = true;
    const sizes = await Promise.all(Array.from({ length: 60 }, () => load().catch(() => 0)));
    const { whole, ...broken } = proxy.counts;
    assert.ok(whole >= 1);
    for (const [fate, count] of Object.entries(broken)) assert.ok(count > 0, fate);
    assert.ok(sizes.some((size) => size < 300_000));
  } finally {
    await proxy.close();
    await server.shutdown();
  }
});
