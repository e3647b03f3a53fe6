/** Everything that is printed: quantity, place, figure. */
export type Printed = [quantity: string, place: string, figure: string];

/** Of a region, in the order of the tables. */
export const SIDES = ["left", "right", "total"] as const;
/** Two decimals, as figures are printed; a dash where there is none. */
export const two = (value: unknown): string => typeof value === "number" ? value.toFixed(2) : "–";
