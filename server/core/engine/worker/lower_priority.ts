import { getPriority, setPriority } from "node:os";

/** Added nice value of the engine's threads: they get a third of a core that others also need. */
export const NICE_INCREMENT = 5;
const MAX_NICE = 19;

/** Thread id of this thread in the operating system; `null` where threads have no id. */
export function threadId(): number | null {
  try {
    const id = Number(/\/task\/(\d+)$/.exec(Deno.readLinkSync("/proc/thread-self"))?.[1]);
    return id > 0 ? id : null;
  } catch {
    return null;
  }
}

/**
 * Lowers this thread's priority below that of the thread that handles HTTP requests.
 * Pages then stay responsive on a machine with two cores during an analysis.
 * Only on Linux, where priorities belong to threads; no effect elsewhere, or on the main thread.
 */
export function lowerPriority(): void {
  const id = threadId();
  if (id === null || id === Deno.pid) return;
  try {
    setPriority(id, Math.min(MAX_NICE, getPriority(id) + NICE_INCREMENT));
  } catch { /* a system that forbids it analyses all the same */ }
}
