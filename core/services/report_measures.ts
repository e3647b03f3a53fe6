import { normOfTotal } from "@/model/curves.ts";
import { normOf, type NormSubject, percentileOf } from "@/model/norms.ts";
import { isCortex, isInverted, regionOf } from "@/model/regions.ts";
import type { RegionData } from "@/model/schema/patients.ts";

const round2 = (value: number) => Math.round(value * 100) / 100;

/** Volumes of one structure in mm³ with their percentiles by age, sex and ICV. */
export interface Measured {
  left: number | null;
  right: number | null;
  total: number;
  np: { left: number | null; right: number | null; total: number | null };
  isInverted: boolean;
}

/** Volumes in mm³ with their percentiles, for single parts and for sums of many labels. */
export function measureOf(
  volumesMm3: readonly number[],
  regions: readonly RegionData[],
  subject: NormSubject | null,
) {
  const sum = (keep: (label: number) => boolean) =>
    volumesMm3.reduce(
      (total, mm3, label) => label > 0 && label < 105 && keep(label) ? total + mm3 : total,
      0,
    );
  const against = (key: string, mm3: number) => {
    const norm = subject && normOf(key, "volume", subject);
    return norm ? round2(percentileOf(mm3, norm)) : null;
  };
  return {
    /** The part as everywhere else in the product; its total against left + right where the table has none. */
    part(name: string): Measured {
      const region = regions.find((r) => r.brain_regions === name)!;
      const [left, right] = region.part_index as [number, number];
      const total = volumesMm3[left]! + volumesMm3[right]!;
      const norm = subject && normOfTotal([left, right], subject);
      return {
        left: volumesMm3[left]!,
        right: volumesMm3[right]!,
        total,
        np: {
          left: region.np_icv_left,
          right: region.np_icv_right,
          total: region.np_icv_total ?? (norm ? round2(percentileOf(total, norm)) : null),
        },
        isInverted: isInverted(left),
      };
    },
    cortex(): Measured {
      const side = (hemisphere: "L" | "R") =>
        sum((label) => isCortex(label) && regionOf(label)?.hemisphere === hemisphere);
      const left = side("L"), right = side("R"), total = left + right;
      return {
        left,
        right,
        total,
        np: {
          left: against("cortex_left", left),
          right: against("cortex_right", right),
          total: against("cortex", total),
        },
        isInverted: false,
      };
    },
    /** Every label but the ventricles and the fluid, as the norms' "brain without ventricles". */
    brain(): Measured {
      const total = sum((label) => !((label >= 15 && label <= 18) || (label >= 25 && label <= 27)));
      return {
        left: null,
        right: null,
        total,
        np: { left: null, right: null, total: against("brain", total) },
        isInverted: false,
      };
    },
  };
}
