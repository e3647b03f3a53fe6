/** Throttle: calls at most once per interval; a skipped call runs at the end of the interval. */
export function atMostEvery(ms: number, act: () => void): () => void {
  let last = -Infinity, isWaiting = false;
  const run = () => {
    isWaiting = false;
    last = performance.now();
    act();
  };
  return () => {
    if (isWaiting) return;
    const waitMs = last + ms - performance.now();
    if (waitMs <= 0) return run();
    isWaiting = true;
    setTimeout(run, waitMs);
  };
}
