/**
 * 100 × (left − right) / mean of both, positive when the left is larger;
 * `null` for a mean of 0 or a missing side.
 */
export const asymmetryPercent = (left: number | null, right: number | null): number | null =>
  left === null || right === null || left + right <= 0
    ? null
    : 200 * (left - right) / (left + right);
