/** "L 33  P 59  S 24": a place as whole mm towards the patient's sides. @param rasMm RAS mm. */
export const placeDigits = ([r, a, s]: readonly [number, number, number]): string =>
  ([[r, "R", "L"], [a, "A", "P"], [s, "S", "I"]] as const).map(([mm, plus, minus]) =>
    `${mm < 0 ? minus : plus} ${Math.abs(Math.round(mm))}`
  ).join("  ");

/** A kind below this volume, mL, is not printed: it would read 0.00 mL. */
const MIN_ML = 0.005;

/** Kind of a lesion: one, or both where each has a volume that is printed. */
export function lesionKindOf(deepMl: number, periMl: number): "both" | "deep" | "periventricular" {
  if (deepMl >= MIN_ML && periMl >= MIN_ML) return "both";
  return deepMl >= periMl ? "deep" : "periventricular";
}

/**
 * Whether a lesion's volume is more than 0.00 mL as it is printed; smaller ones are not counted.
 */
export const isCounted = (ml: number): boolean => ml >= MIN_ML;
