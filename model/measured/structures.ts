import { isVentricle } from "@/model/regions/measures.ts";
import { isCortex, isInverted, PARTS, regionOf } from "@/model/regions/regions.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { Ranker } from "@/model/norms/ranks.ts";

/** Volumes of one structure in mm³ with ranks by age, sex and ICV. */
export interface Measured {
  left: number | null;
  right: number | null;
  total: number;
  rank: Record<"left" | "right" | "total", PercentileRank | null>;
  isInverted: boolean;
}

/**
 * Makes volumes in mm³ with ranks, for single parts and for aggregates.
 * @param ranks Function that ranks by age, sex and ICV.
 */
export function measureOf(volumesMm3: readonly number[], ranks: Ranker) {
  const sum = (keep: (label: number) => boolean) =>
    volumesMm3.reduce(
      (total, mm3, label) => label > 0 && label < 105 && keep(label) ? total + mm3 : total,
      0,
    );
  return {
    /** Asymmetry of a pair of regions, computed as in all other outputs. */
    part(name: string): Measured {
      const { labels } = PARTS.find(({ part }) => part === name)!,
        pair = labels as readonly [number, number];
      const [left, right] = [volumesMm3[pair[0]]!, volumesMm3[pair[1]]!];
      return {
        left,
        right,
        total: left + right,
        rank: ranks.pair(pair, [left, right]),
        isInverted: isInverted(pair[0]),
      };
    },
    cortex(): Measured {
      const side = (hemisphere: "L" | "R") =>
        sum((label) => isCortex(label) && regionOf(label)?.hemisphere === hemisphere);
      const leftMm3 = side("L"), right = side("R"), total = leftMm3 + right;
      return {
        left: leftMm3,
        right,
        total,
        rank: {
          left: ranks.volume("cortex_left", leftMm3),
          right: ranks.volume("cortex_right", right),
          total: ranks.volume("cortex", total),
        },
        isInverted: false,
      };
    },
    /** Labels of the norms' "brain without ventricles": all except ventricles and fluid. */
    brain(): Measured {
      const total = sum((label) => !isVentricle(label));
      return {
        left: null,
        right: null,
        total,
        rank: { left: null, right: null, total: ranks.volume("brain", total) },
        isInverted: false,
      };
    },
  };
}
