import type { NormValues } from "@/model/norms/local_norms.ts";
import type { HealthyPart } from "@/model/norms/indirect/indirect_norm.ts";

/** z scores of the 5th and 95th percentile. */
const Z95 = 1.6448536;
/** Fraction of measures that may leave the 90 % interval by chance before an alarm is raised. */
const BY_CHANCE = 0.1;

/**
 * Measures with a newly estimated offset outside the 90 % interval of the norms in use.
 * Also reports whether there are so many of them that the scanner must have changed.
 */
export function driftOf(
  inForce: NormValues,
  estimates: Readonly<Record<string, Pick<HealthyPart, "offset"> | null>>,
): { moved: string[]; isAlarm: boolean } {
  const compared = Object.keys(inForce).filter((name) => estimates[name]);
  const moved = compared.filter((name) => {
    const { offset, offsetSd } = inForce[name]!;
    return Math.abs(estimates[name]!.offset - offset) > Z95 * offsetSd;
  });
  return { moved, isAlarm: moved.length > BY_CHANCE * compared.length };
}
