import { isCounted } from "@/model/regions/lesion_kind.ts";
import { LESION_SITES, type LesionPlace } from "@/model/regions/lesion_site.ts";
import type { LesionsAt, WmhDetail } from "@/model/schema/studies/patients.ts";

const round2 = (value: number) => Math.round(value * 100) / 100;
/** Below this volume lesions cannot be distinguished from noise, mm³. */
const MINIMAL_MM3 = 3000;

/** Lesion volumes and white matter volume of one FLAIR analysis, mm³. */
export interface LesionVolumes {
  periMm3: number;
  deepMm3: number;
  /** volume of the cerebral white matter including lesions */
  whiteMatterMm3: number;
  lesionCount: number;
  lesions?: {
    periMm3: number;
    deepMm3: number;
    centreRasMm: [number, number, number];
    /** label that names the location of the lesion; absent in results of earlier versions */
    nearLabel?: number | null;
    /** location of the lesion; absent in results of earlier versions */
    place?: LesionPlace | null;
  }[];
  isLowConfidence: boolean;
  /** quality grade of the analysis; results of grade C are of low confidence */
  grade?: string;
  tissue: "t1" | "flair";
}

/**
 * Lesion volumes of a patient, mL with 2 decimals.
 * `wmh` is exactly the sum of the two printed parts.
 */
export interface LesionData {
  wm: number;
  wmh: number;
  deep_wmh: number;
  peri_wmh: number;
  wmh_detail: WmhDetail;
}

const listed = (
  { periMm3, deepMm3, centreRasMm, nearLabel, place }: NonNullable<
    LesionVolumes["lesions"]
  >[number],
) => ({
  peri_ml: periMm3 / 1000,
  deep_ml: deepMm3 / 1000,
  centre_ras_mm: centreRasMm,
  ...(nearLabel && { near_label: nearLabel }),
  ...(place && { place }),
});

/**
 * Numbers and volumes of the listed lesions by site, in the report's order.
 * A site that is not a McDonald criterion is left out without lesions.
 * @returns `undefined` if any lesion has no site, because the sums would be too small.
 */
export function lesionsByPlace(
  lesions: readonly { peri_ml: number; deep_ml: number; place?: LesionPlace }[],
): LesionsAt[] | undefined {
  if (lesions.length === 0 || !lesions.every(({ place }) => place)) return undefined;
  return LESION_SITES.map((site): LesionsAt => {
    const there = lesions.filter(({ place }) => place!.site === site);
    const ml = there.reduce((sum, { peri_ml, deep_ml }) => sum + peri_ml + deep_ml, 0);
    return { site, count: there.length, volume: round2(ml) };
  }).filter(({ site, count }) => site !== "deep_grey" || count > 0);
}

/**
 * White matter hyperintensities as printed in the patient record and the report.
 * @param t1Grade  Grade of the T1w result of the study; lesion volumes are never more reliable.
 */
export function lesionDataOf(volumes: LesionVolumes, t1Grade?: unknown): LesionData {
  const isUnreliable = volumes.grade === "C" || t1Grade === "C";
  const { periMm3, deepMm3, whiteMatterMm3 } = volumes, totalMm3 = periMm3 + deepMm3;
  const peri = round2(periMm3 / 1000), deep = round2(deepMm3 / 1000);
  const lesions = volumes.lesions?.filter(({ periMm3, deepMm3 }) =>
    isCounted((periMm3 + deepMm3) / 1000)
  ).map(listed);
  const places = lesions && lesionsByPlace(lesions);
  return {
    wm: round2(whiteMatterMm3 / 1000),
    wmh: round2(peri + deep),
    deep_wmh: deep,
    peri_wmh: peri,
    wmh_detail: {
      ratio_percent: whiteMatterMm3 > 0 ? round2(100 * totalMm3 / whiteMatterMm3) : null,
      lesion_count: lesions?.length ?? volumes.lesionCount,
      ...(lesions && { lesions }),
      ...(places && { places }),
      is_low_confidence: volumes.isLowConfidence || isUnreliable,
      is_minimal: totalMm3 < MINIMAL_MM3,
      ...(isUnreliable && { is_unreliable: true }),
      tissue: volumes.tissue,
    },
  };
}
