/** Label values of the lesion volume (D2 §9). */
export const PERIVENTRICULAR = 1, DEEP = 2;

/**
 * Colours of lesions: periventricular amber, deep magenta.
 * With red-green colour blindness both remain distinguishable, also from grey.
 */
export const LESION_COLOURS: Record<
  typeof PERIVENTRICULAR | typeof DEEP,
  readonly [red: number, green: number, blue: number]
> = {
  [PERIVENTRICULAR]: [255, 183, 3],
  [DEEP]: [232, 62, 168],
};
