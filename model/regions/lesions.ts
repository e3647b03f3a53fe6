/** Marks of a lesion volume (D2 §9). */
export const PERIVENTRICULAR = 1, DEEP = 2;

/**
 * Periventricular amber, deep magenta: distinguishable with red-green colour blindness, and both
 * from grey.
 */
export const LESION_COLOURS: Record<
  typeof PERIVENTRICULAR | typeof DEEP,
  readonly [red: number, green: number, blue: number]
> = {
  [PERIVENTRICULAR]: [255, 183, 3],
  [DEEP]: [232, 62, 168],
};
