import { getPriority, setPriority } from "node:os";

/** Nice value added for the engine's threads, which then get a third of a contended core. */
export const NICE_INCREMENT = 5;
const MAX_NICE = 19;

/** Thread id of the calling thread in the operating system; `null` where a thread has none. */
export function threadId(): number | null {
  try {
    const id = Number(/\/task\/(\d+)$/.exec(Deno.readLinkSync("/proc/thread-self"))?.[1]);
    return id > 0 ? id : null;
  } catch {
    return null;
  }
}

/**
 * Lowers the priority of this thread below that of the thread that serves requests.
 * The site then stays responsive on two cores during an analysis.
 * Only on Linux, where priorities belong to threads; no effect elsewhere, or on the main thread.
 */
export function lowerPriority(): void {
  const id = threadId();
  if (id === null || id === Deno.pid) return;
  try {
    setPriority(id, Math.min(MAX_NICE, getPriority(id) + NICE_INCREMENT));
  } catch { /* a system that forbids it analyses all the same */ }
}
