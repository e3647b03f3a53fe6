/** Leading-edge throttle: runs the first call at once, then ignores calls for `ms` milliseconds. */
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
