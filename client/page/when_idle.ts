/** Maximum delay in ms: Chromium may not report a page as idle before its next frame. */
const IDLE_MS = 1000;

/** Runs a function when the browser is idle. */
export function whenIdle(task: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(task, { timeout: IDLE_MS });
  else setTimeout(task);
}

/**
 * Preloads a part of the page, so that later use does not wait; a failed load is retried on use.
 */
export const loadAhead = (load: () => Promise<unknown>): void =>
  whenIdle(() => void load().catch(() => {/* the later use reports it */}));
