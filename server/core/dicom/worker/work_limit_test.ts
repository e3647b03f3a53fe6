import assert from "node:assert/strict";
import { limitWork, LONGEST_WAIT } from "@/server/core/dicom/worker/work_limit.ts";

/** Time until a limit is reached, ms, while a worker computes (`isBusy`) or nothing happens. */
async function timeUntilEnd(limitMs: number, isBusy: boolean): Promise<number> {
  const spin = `onmessage = ({ data }) => { const end = performance.now() + data;
    while (performance.now() < end); postMessage("over"); }`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(spin)}`, { type: "module" });
  const started = Promise.withResolvers<void>();
  worker.onmessage = () => started.resolve();
  worker.postMessage(0);
  await started.promise;
  const ended = Promise.withResolvers<void>(), start = performance.now();
  limitWork(limitMs, ended.resolve);
  if (isBusy) worker.postMessage(2 * LONGEST_WAIT * limitMs);
  await ended.promise;
  worker.terminate();
  return performance.now() - start;
}

Deno.test("limitWork() counts computing; waiting ends it ten times later", async () => {
  const waitingMs = await timeUntilEnd(200, false);
  assert.ok(waitingMs > 1000, `ended after ${waitingMs} ms of waiting`);
  const busyMs = await timeUntilEnd(200, true);
  assert.ok(busyMs >= 200 && busyMs < 2000 + waitingMs, `ended after ${busyMs} ms of computing`);
});

Deno.test("limitWork() does not end work that was stopped", async () => {
  let isEnded = false;
  const stop = limitWork(20, () => isEnded = true);
  stop();
  await new Promise((resolve) => setTimeout(resolve, 20 * LONGEST_WAIT + 100));
  assert.equal(isEnded, false);
});
