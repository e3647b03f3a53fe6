import { isMeasured, PARTS } from "@/model/regions/regions.ts";
import { lesionSegments, regionSegments } from "@/server/core/exports/service/dicom_segments.ts";
import { type Printed, SIDES } from "@/tests/one_truth/figures.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

/** Quantities that may have a segment: regions by side, and lesions by place. */
const REGIONS = new Set(
  PARTS.filter(({ labels }) => isMeasured(labels[0])).flatMap(({ part, labels }) =>
    (labels.length === 2 ? SIDES.slice(0, 2) : ["total"]).map((side) => `${part} ${side}`)
  ),
);
const LESIONS = new Set(["periventricular WMH", "deep WMH"]);
const ABSENT = ["–", "0.00"];

/** Numbers of regions and of lesion kinds in each output and in the segmentations. */
export function counted({ results, flair }: Truth, printed: readonly Printed[]): Printed[] {
  const numberIn = (place: string, of: ReadonlySet<string>): number =>
    new Set(
      printed.filter(([quantity, where, figure]) =>
        where === place && of.has(quantity) && !ABSENT.includes(figure)
      ).map(([quantity]) => quantity),
    ).size;
  const out: Printed[] = [];
  if (results) {
    // labels without a measured volume have only a segment
    const segments = regionSegments(results).filter(({ label }) => isMeasured(label));
    out.push(["number of regions", "SEG", String(segments.length)]);
    for (const place of ["Regions", "viewer", "table", "SR"]) {
      out.push(["number of regions", place, String(numberIn(place, REGIONS))]);
    }
  }
  if (flair) {
    out.push(["kinds of lesions", "SEG", String(lesionSegments(flair).length)]);
    for (const place of ["WMH", "viewer", "table", "SR"]) {
      out.push(["kinds of lesions", place, String(numberIn(place, LESIONS))]);
    }
  }
  return out;
}
