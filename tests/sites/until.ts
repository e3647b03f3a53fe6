/** Waits until something is so, however busy the machine. @throws Error after 60 s. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = Date.now(); Date.now() - start < 60_000;) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It did not happen in 60 s");
}
