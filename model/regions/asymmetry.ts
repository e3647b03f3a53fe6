/**
 * 100 × (left − right) / mean of both, positive when the left is larger;
 * `null` for a mean of 0 or a missing side.
 */
export const asymmetryPercent = (left: number | null, right: number | null): number | null =>
  left === null || right === null || left + right <= 0
    ? null
    : 200 * (left - right) / (left + right);

/** Asymmetry in percent as printed: "+3.2", "−11.0", "0.0". */
export function asymmetryDigits(percent: number): string {
  const digits = Math.abs(percent).toFixed(1);
  return Number(digits) === 0 ? digits : `${percent < 0 ? "−" : "+"}${digits}`;
}
