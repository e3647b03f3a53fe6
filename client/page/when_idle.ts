/** Maximum delay in ms: Chromium may not report a page as idle before its next frame. */
const IDLE_MS = 1000;

/** Runs a function when the browser is idle. */
export function whenIdle(task: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(task, { timeout: IDLE_MS });
  else setTimeout(task);
}

/**
 * Preloads code when the page is idle, so that later use does not wait; use retries a failed load.
 */
export const loadAhead = (load: () => Promise<unknown>): void =>
  whenIdle(() => void load().catch(() => {/* the later use reports it */}));
