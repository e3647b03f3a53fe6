/** Waits until a probe answers with something, however busy the machine. @returns that answer. @throws Error after three minutes. */
export async function until<T>(probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const start = Date.now(); Date.now() - start < 180_000;) {
    const answer = await probe();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It did not happen in 180 s");
}
