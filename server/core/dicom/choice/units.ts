/** Units of the values of MR images, as their headers state them. */
import type { DataSet } from "dicom-parser";
import { sequenceItem } from "@/server/core/dicom/read/plane.ts";

/** Maximum length of a unit; longer texts are no unit. */
const MAX_UNIT_BYTES = 64;

/** Units of relaxation times and rates, frequency, phase, susceptibility and fractions. */
const QUANTITY = new RegExp(
  "^(" + [
    "[mµμ]?s|m?sec|(milli)?seconds?",
    "(1|hz)?/([mu]?s|sec|min)|[muµμ]?s\\^?-1",
    "k?hz|rad(ians?)?(/s)?|deg(rees?)?|°",
    "\\[?pp[mb]\\]?|%|percent|pct",
    // diffusion, velocity, flow, concentration, stiffness, magnetic field
    ".*[muµμ]m(\\^?2|²)(/[mu]?s|\\.[mu]?s\\^?-1)|[cm]?m/s|.*ml/.*|m?mol/m?l|k?pa|[uµμ]t",
  ].join("|") + ")$",
  "i",
);

/**
 * Whether a text is the unit of a measured quantity. Others, such as "normalized", "no units", "1"
 * and "US" (unspecified, PS3.3 C.11.1.1.2), are those of arbitrary intensities.
 */
export const isQuantity = (unit: string): boolean => QUANTITY.test(unit.trim());

/**
 * Units of the values of images (frames), each once, from Rescale Type and the real-world values
 * (PS3.3 C.7.6.16.2.9, C.7.6.16.2.11). If they differ, the unit of a quantity counts: Enhanced MR
 * images have the Rescale Type "US". Empty where the header states none.
 * @param numbers Frame numbers from 0; only the units of these frames are read.
 */
export function unitsOf(dataSet: DataSet, numbers: readonly number[]): string[] {
  const shared = sequenceItem(dataSet, "x52009229"), perFrame = dataSet.elements.x52009230?.items;
  const text = (from: DataSet | undefined, tag: string) => {
    const element = from?.elements[tag];
    return element && element.length <= MAX_UNIT_BYTES ? from!.string(tag)?.trim() ?? "" : "";
  };
  const mapped = (from: DataSet | undefined): string[] =>
    (from?.elements.x00409096?.items ?? []).map((item) =>
      text(sequenceItem(item.dataSet, "x004008ea"), "x00080100")
    );
  return [
    ...new Set(numbers.map((number) => {
      const places = [perFrame?.[number]?.dataSet, shared, dataSet];
      const stated = [
        ...places.map((place) => text(sequenceItem(place, "x00289145"), "x00281054")),
        text(dataSet, "x00281054"),
        ...places.flatMap(mapped),
      ].filter((unit) => unit !== "");
      return stated.find(isQuantity) ?? stated[0] ?? "";
    })),
  ];
}
