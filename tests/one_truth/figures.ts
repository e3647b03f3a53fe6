import assert from "node:assert/strict";

/** A printed figure with its quantity and the output that prints it. */
export type Printed = [quantity: string, place: string, figure: string];

/** Sides of a region in the order of the tables. */
export const SIDES = ["left", "right", "total"] as const;
/** A number with two decimals, as printed; a dash without a number. */
export const two = (value: unknown): string => typeof value === "number" ? value.toFixed(2) : "–";

/** Texts in tables and DICOM objects for values without a sign (▼▽▲△) elsewhere. */
const WITHOUT_SIGN = [
  "expected range",
  "not clearly outside the expected range",
  "not determined",
  "not determined: check segmentation",
  "not graded",
];

/** Sign for the band that tables and DICOM objects express in words. */
export function signOf(words: string): string {
  const signs = { "very low": "▼", low: "▽", "very high": "▲", high: "△" } as const;
  const one = (name: string) =>
    signs[name as keyof typeof signs] ?? assert.fail(`no sign for ${words}`);
  if (WITHOUT_SIGN.includes(words)) return "";
  if (words === "check segmentation") return "!";
  const [firm, possible] = words.split(/(?:^|, )possibly /);
  return (firm ? one(firm) : "") + (possible ? `(${one(possible)})` : "");
}
