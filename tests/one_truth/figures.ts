import assert from "node:assert/strict";

/** Everything that is printed: quantity, place, figure. */
export type Printed = [quantity: string, place: string, figure: string];

/** Of a region, in the order of the tables. */
export const SIDES = ["left", "right", "total"] as const;
/** Two decimals, as figures are printed; a dash where there is none. */
export const two = (value: unknown): string => typeof value === "number" ? value.toFixed(2) : "–";

/** Words of tables and DICOM objects for a value that gets no sign. */
const WITHOUT_SIGN = [
  "expected range",
  "not clearly outside the expected range",
  "not determined",
  "not determined: check segmentation",
  "not graded",
];

/** The sign of a band that tables and DICOM objects have in words. */
export function signOf(words: string): string {
  const signs = { "very low": "▼", low: "▽", "very high": "▲", high: "△" } as const;
  const one = (name: string) =>
    signs[name as keyof typeof signs] ?? assert.fail(`no sign for ${words}`);
  if (WITHOUT_SIGN.includes(words)) return "";
  if (words === "check segmentation") return "!";
  const [firm, possible] = words.split(/(?:^|, )possibly /);
  return (firm ? one(firm) : "") + (possible ? `(${one(possible)})` : "");
}
