// covers: D1-2.14
import assert from "node:assert/strict";
import { SerialQueue } from "@/client/serial_queue.ts";
import { until } from "@/tests/sites/until.ts";

/** A task that ends when the test resolves it, or when it is aborted. */
function workOf(log: string[], name: string) {
  const end = Promise.withResolvers<void>();
  const run = async (signal: AbortSignal) => {
    log.push(`${name} begins`);
    signal.addEventListener("abort", () => end.resolve());
    await end.promise;
    log.push(signal.aborted ? `${name} is stopped` : `${name} ends`);
  };
  return { run, end: () => end.resolve() };
}

Deno.test("SerialQueue begins one work after the other, and says when nothing is left", async () => {
  const log: string[] = [], turns = new SerialQueue(() => log.push("idle"));
  const [first, second] = [workOf(log, "first"), workOf(log, "second")];
  turns.add(first.run);
  turns.add(second.run);
  await until(() => log.length === 1);
  first.end();
  await until(() => log.length === 3);
  second.end();
  await until(() => log.includes("idle"));
  assert.deepEqual(log, ["first begins", "first ends", "second begins", "second ends", "idle"]);
});

Deno.test("SerialQueue.stop() ends what runs and what waits, and nothing that is given later", async () => {
  const log: string[] = [], turns = new SerialQueue(() => log.push("idle"));
  const [first, second, third] = ["first", "second", "third"].map((name) => workOf(log, name));
  turns.add(first!.run);
  turns.add(second!.run);
  await until(() => log.length === 1);
  turns.stop();
  turns.add(third!.run);
  third!.end();
  await until(() => log.includes("idle"));
  assert.deepEqual(log, ["first begins", "first is stopped", "third begins", "third ends", "idle"]);
});
