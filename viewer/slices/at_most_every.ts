/** Calls at most once within a time; a skipped call is made up for at the end of the time. */
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
