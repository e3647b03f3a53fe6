/**
 * Formats a position as "L 33  P 59  S 24": whole mm towards the patient's sides. @param rasMm RAS
 * mm.
 */
export const placeDigits = ([r, a, s]: readonly [number, number, number]): string =>
  ([[r, "R", "L"], [a, "A", "P"], [s, "S", "I"]] as const).map(([mm, plus, minus]) =>
    `${mm < 0 ? minus : plus} ${Math.abs(Math.round(mm))}`
  ).join("  ");

/** Minimum printed volume of a lesion kind, mL: smaller volumes would read 0.00 mL. */
const MIN_ML = 0.005;

/** Kinds of a lesion: both if each of them has a volume large enough to print. */
export function lesionKindOf(deepMl: number, periMl: number): "both" | "deep" | "periventricular" {
  if (deepMl >= MIN_ML && periMl >= MIN_ML) return "both";
  return deepMl >= periMl ? "deep" : "periventricular";
}

/**
 * Smallest lesion that is counted and listed, mm: diameter of a sphere of the lesion's volume.
 * Smaller lesions only contribute to the total volumes.
 *
 * @see Montalban et al. 2025 (McDonald criteria 2024), and Filippi et al. 2019,
 *   doi:10.1093/brain/awz144: a lesion is at least 3 mm long.
 */
export const SMALLEST_LESION_MM = 3;
/** Volume of the smallest counted lesion, mm³. */
export const SMALLEST_LESION_MM3 = Math.PI / 6 * SMALLEST_LESION_MM ** 3;

/** Whether a lesion of this volume is counted and listed, see {@link SMALLEST_LESION_MM}. */
export const isCounted = (ml: number): boolean => 1000 * ml >= SMALLEST_LESION_MM3;
