import assert from "node:assert/strict";

/** Waits until a probe answers with something, however busy the machine. @returns that answer. @throws Error after three minutes. */
export async function until<T>(probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const start = Date.now(); Date.now() - start < 180_000;) {
    const answer = await probe();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It did not happen in 180 s");
}

/** Waits until something reads as expected, however busy the machine. @throws AssertionError with the last reading. */
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
