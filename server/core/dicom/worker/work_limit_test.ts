import assert from "node:assert/strict";
import process from "node:process";
import { limitWork, LONGEST_WAIT } from "@/server/core/dicom/worker/work_limit.ts";

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Until a limit is reached: time by the clock and of the processor, ms, while a worker computes
 * (`isBusy`) or nothing happens.
 */
async function timesUntilEnd(
  limitMs: number,
  isBusy: boolean,
): Promise<{ ms: number; workedMs: number }> {
  const spin = `onmessage = ({ data }) => { const end = performance.now() + data;
    while (performance.now() < end); postMessage("over"); }`;
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(spin)}`, { type: "module" });
  const started = Promise.withResolvers<void>();
  worker.onmessage = () => started.resolve();
  worker.postMessage(0);
  await started.promise;
  const ended = Promise.withResolvers<void>(), start = performance.now(), worked = processorMs();
  limitWork(limitMs, ended.resolve);
  if (isBusy) worker.postMessage(2 * LONGEST_WAIT * limitMs);
  await ended.promise;
  worker.terminate();
  return { ms: performance.now() - start, workedMs: processorMs() - worked };
}

/** Waits until this process has nothing to do: earlier tests of it may have left work. */
async function idle(): Promise<void> {
  for (let workedMs = Infinity; workedMs > 20;) {
    const start = processorMs();
    await new Promise((resolve) => setTimeout(resolve, 100));
    workedMs = processorMs() - start;
  }
}

Deno.test("limitWork() counts computing; waiting ends it ten times later", async () => {
  await idle();
  const waiting = await timesUntilEnd(200, false);
  // work left by earlier tests of this process may end the waiting earlier, as it counts too
  assert.ok(
    waiting.ms > 1000 || waiting.workedMs >= 200,
    `ended after ${waiting.ms} ms of waiting and ${waiting.workedMs} ms of computing`,
  );
  const { ms, workedMs } = await timesUntilEnd(200, true);
  // other programs take the processor from both on a busy machine, but its time is this process's
  assert.ok(ms >= 200 && workedMs < 1500, `ended after ${workedMs} ms of computing`);
});

Deno.test("limitWork() does not end work that was stopped", async () => {
  let isEnded = false;
  const stop = limitWork(20, () => isEnded = true);
  stop();
  await new Promise((resolve) => setTimeout(resolve, 20 * LONGEST_WAIT + 100));
  assert.equal(isEnded, false);
});
