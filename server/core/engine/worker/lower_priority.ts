import { getPriority, setPriority } from "node:os";

/**
 * How much nicer the engine's threads are than the rest of the process: they get a third of a
 * contended core.
 */
export const NICE_INCREMENT = 5;
const MAX_NICE = 19;

/**
 * Number of the thread that runs this, as the system knows it; `null` where a thread has none of
 * its own.
 */
export function threadId(): number | null {
  try {
    const id = Number(/\/task\/(\d+)$/.exec(Deno.readLinkSync("/proc/thread-self"))?.[1]);
    return id > 0 ? id : null;
  } catch {
    return null;
  }
}

/**
 * Lets the thread that answers requests go before this one, so that the site stays quick on two
 * cores while both are analysing. Only on Linux, where a priority belongs to a thread; elsewhere,
 * and on the main thread, nothing happens.
 */
export function lowerPriority(): void {
  const id = threadId();
  if (id === null || id === Deno.pid) return;
  try {
    setPriority(id, Math.min(MAX_NICE, getPriority(id) + NICE_INCREMENT));
  } catch { /* a system that forbids it analyses all the same */ }
}
