import assert from "node:assert/strict";
import { until } from "@/tests/sites/until.ts";
import { unlessAborted } from "@/server/core/jobs/unless_aborted.ts";

Deno.test("unlessAborted() gives what is waited for, its error, or the reason of the signal", async () => {
  const { signal } = new AbortController(), leaving = new AbortController();
  assert.equal(await unlessAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(unlessAborted(Promise.reject(new Error("no")), signal), /no/);
  const late = unlessAborted(new Promise(() => {}), leaving.signal);
  leaving.abort(new Error("left"));
  await assert.rejects(late, /left/);
  await assert.rejects(unlessAborted(Promise.resolve(1), leaving.signal), /left/);
});

Deno.test("unlessAborted() keeps nothing of what it has given", async () => {
  const { signal } = new AbortController(), size = 1 << 20, before = Deno.memoryUsage().external;
  const give = async () => {
    const bytes = await unlessAborted(Promise.resolve(new Uint8Array(size)), signal);
    assert.equal(bytes.length, size);
    // memory is given back between two turns of the event loop
    await new Promise((resolve) => setTimeout(resolve));
  };
  const heldBytes = () => Deno.memoryUsage().external - before;
  for (let n = 0; n < 256; n++) await give();
  // a busy machine collects later: if each result were kept, the memory would grow with each
  await until(async () => {
    await give();
    return heldBytes() < 128 * size;
  });
});
