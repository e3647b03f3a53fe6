/** A function that acts at once, and then drops calls until `ms` have passed. */
export function throttle<A extends unknown[]>(
  ms: number,
  act: (...values: A) => void,
): (...values: A) => void {
  let last = -Infinity;
  return (...values) => {
    const nowMs = performance.now();
    if (nowMs - last < ms) return;
    last = nowMs;
    act(...values);
  };
}
