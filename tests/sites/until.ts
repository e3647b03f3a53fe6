import assert from "node:assert/strict";

/** Time after which a test fails, s; a whole analysis takes minutes on a machine with other work. */
const LIMIT_S = 600;

/** Shortest and longest time between two probes, ms. */
const SHORTEST_MS = 10, LONGEST_MS = 250;

/**
 * Time until the next probe, ms. A probe of a site is a whole request: asked every 10 ms, it takes
 * the processor from the analysis that the test waits for. A tenth of the time waited so far makes
 * a wait at most a tenth longer.
 */
export const pauseAfter = (waitedMs: number): number =>
  Math.min(LONGEST_MS, Math.max(SHORTEST_MS, waitedMs / 10));

/** Waits until a probe returns a value. @returns that value. @throws {Error} after the limit. */
export async function until<T>(probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const start = Date.now(); Date.now() - start < LIMIT_S * 1000;) {
    const answer = await probe();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(Date.now() - start)));
  }
  throw new Error(`It did not happen in ${LIMIT_S} s`);
}

/** Waits until a reading is as expected. @throws {AssertionError} with the last reading. */
export async function untilEqual<T>(read: () => Promise<T>, expected: T): Promise<void> {
  let last: T | undefined;
  await until(async () => {
    last = await read();
    return JSON.stringify(last) === JSON.stringify(expected);
  }).catch((error) => {
    assert.deepEqual(last, expected);
    throw error;
  });
}
