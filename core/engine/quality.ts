import { hasPercentile, isBrain, PARTS, REGIONS } from "@/model/regions.ts";
import type { EngineWarning } from "@/core/engine/result.ts";

export interface QualityFigures {
  ncc: number;
  isRetried: boolean;
  hasConverged: boolean;
  icvMm3: number;
  /** index = label */
  volumesMm3: readonly number[];
}

/** Label that has no prior: hypointensities come from FLAIR. */
const HYPOINTENSITIES = 28;

/**
 * Rules that fired on one analysis. Limits: correlation 0.75; intracranial volume 1.0..2.1 L; brain
 * (ventricles included) over intracranial volume 0.65..0.92; left over right of a deep structure 0.6..1.67.
 */
export function warningsOf(figures: QualityFigures): EngineWarning[] {
  const { ncc, icvMm3, volumesMm3 } = figures;
  const brainMm3 = volumesMm3.reduce((sum, v, label) => isBrain(label) ? sum + v : sum, 0);
  const ratio = brainMm3 / icvMm3;
  const isDeep = (group: string) => group === "deep grey" || group === "medial temporal";
  const fired: [EngineWarning, boolean][] = [
    ["registration_retried", figures.isRetried],
    ["correlation_low", !(ncc >= 0.75)],
    ["not_converged", !figures.hasConverged],
    ["icv_out_of_range", !(icvMm3 >= 1.0e6 && icvMm3 <= 2.1e6)],
    ["brain_icv_ratio_out_of_range", !(ratio >= 0.65 && ratio <= 0.92)],
    [
      "region_empty",
      REGIONS.some((r) =>
        r.label !== HYPOINTENSITIES && hasPercentile(r.label) && !(volumesMm3[r.label]! > 0)
      ),
    ],
    [
      "pair_unequal",
      PARTS.some(({ group, labels: [left, right] }) => {
        if (right === undefined || left > 36 || !isDeep(group)) return false;
        const quotient = volumesMm3[left]! / volumesMm3[right]!;
        return !(quotient >= 0.6 && quotient <= 1.67);
      }),
    ],
  ];
  return fired.filter(([, isFired]) => isFired).map(([warning]) => warning);
}
