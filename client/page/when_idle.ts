/**
 * ms after which it is done in any case: Chromium may not call a page idle before its next frame.
 */
const IDLE_MS = 1000;

/** Does something when the browser has time for it. */
export function whenIdle(task: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(task, { timeout: IDLE_MS });
  else setTimeout(task);
}

/**
 * Loads a part of the page before it is asked for, so that it is there at once; one that does not
 * come is asked for again.
 */
export const loadAhead = (load: () => Promise<unknown>): void =>
  whenIdle(() => void load().catch(() => {/* the later use reports it */}));
