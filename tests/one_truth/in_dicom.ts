import assert from "node:assert/strict";
import { intervalDigits, percentileDigits } from "@/model/norms/rank_format.ts";
import { linearDigits, type PrintedLinear } from "@/model/linear/printed_linear.ts";
import { sidedPartName } from "@/model/text/regions.ts";
import { isMeasured, PARTS, REGIONS } from "@/model/regions/regions.ts";
import { LESION_SITES } from "@/model/regions/lesion_site.ts";
import { lesionSiteText } from "@/model/text/lesions/lesion_place.ts";
import {
  flairStructures,
  lesionSegments,
  regionSegments,
  t1Structures,
} from "@/server/core/exports/service/dicom_segments.ts";
import type { MeasuredStructure } from "@/server/core/dicom/write/measurement_report.ts";
import type { Segment, SegmentationSubject } from "@/server/core/dicom/write/segmentation.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import type { Printed } from "@/tests/one_truth/figures.ts";
import { figuresOf } from "@/tests/one_truth/in_viewer.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

export const SOURCE = {
  identity: {},
  studyUid: "1.2",
  seriesUid: "1.2.3",
  slices: [],
} as unknown as SourceSeries;
export const subjectOf = (
  kind: "REGIONS" | "LESIONS",
  segments: readonly Segment[],
): SegmentationSubject => ({
  source: SOURCE,
  maker: { version: "0", engine: "sulcus-engine 0", finishedAt: "2026-01-02T00:00:00Z" },
  kind,
  description: "",
  seriesNumber: 1,
  family: { value: "", scheme: "", meaning: "" } as never,
  segments,
  mapIdentity: "x",
  isLabelMap: false,
});

/** Checks that every segment with a volume is referenced once, by its own number. */
function checkReferences(
  structures: readonly MeasuredStructure[],
  segments: readonly Segment[],
): void {
  const referred = structures.flatMap(({ name, segment }) =>
    segment ? [[name, segment.number]] : []
  );
  const numbered = segments.map(({ name, label }, at) => ({ name, label, number: at + 1 }));
  const measured = numbered.filter(({ label }) => segments.length < 3 || isMeasured(label));
  assert.deepEqual(referred, measured.map(({ name, number }) => [name, number]));
}

/** All figures in the DICOM measurements. */
export function inDicom({ results, flair, age, method }: Truth): Printed[] {
  const out: Printed[] = [];
  if (results) {
    const segments = regionSegments(results);
    const structures = t1Structures(
      subjectOf("REGIONS", segments),
      results,
      figuresOf({ results, flair, age, method }),
    );
    checkReferences(structures, segments);
    const byName = new Map(structures.map((each) => [each.name, each.measurements[0]!]));
    for (const { part, labels } of PARTS.filter(({ labels }) => isMeasured(labels[0]))) {
      if (labels.length === 2) {
        for (const [side, hemisphere] of [["left", "L"], ["right", "R"]] as const) {
          const found = byName.get(sidedPartName(part, hemisphere, "en"));
          if (found) out.push([`${part} ${side}`, "SR", found.value.toFixed(2)]);
        }
      } else if (byName.has(sidedPartName(part, "", "en"))) {
        const { value, percentile } = byName.get(sidedPartName(part, "", "en"))!;
        out.push([`${part} total`, "SR", value.toFixed(2)]);
        if (percentile?.percentile != null) {
          const p = percentileDigits(percentile.percentile);
          const shown = intervalDigits(percentile.interval!, "en");
          out.push([`${part} percentile`, "SR", p === shown ? p : `${p}, ${shown}`]);
          // the viewer shows no words for values in the expected range
          const words = percentile.band.toLowerCase();
          if (!/^not (?:low|high) \(|^not graded$|^not determined$/.test(words)) {
            out.push([`${part} band`, "SR", words]);
          }
        }
      }
    }
    const widths = structures.find(({ name }) => name === "Ventricles, widths and angle");
    for (const { kind, value, comment } of widths?.measurements ?? []) {
      const range = /^Range ([\d.]+) to ([\d.]+):/.exec(comment ?? "") ?? assert.fail(comment);
      out.push([kind, "SR", linearDigits(kind as PrintedLinear, value)]);
      out.push([`${kind} range`, "SR", `${range[1]}–${range[2]}`]);
    }
    out.push(["ICV", "SR", byName.get("Intracranial volume")!.value.toFixed(2)]);
    // each percentile has an interval, a population and the norms
    for (const { measurements } of age !== null && age >= 18 ? structures : []) {
      for (const { percentile } of measurements) {
        if (percentile) {
          const { interval } = percentile;
          assert.ok((interval === null || interval.low <= interval.high) && percentile.population);
          assert.ok(percentile.authority && (interval !== null || percentile.percentile === null));
        }
      }
    }
  }
  if (flair) {
    const segments = lesionSegments(flair), engine = "sulcus-engine 0";
    const marked = subjectOf("LESIONS", segments);
    const structures = flairStructures({ source: SOURCE, engine, subject: marked }, flair);
    checkReferences(structures, segments);
    const names: Record<string, string> = {
      "White matter hyperintensities": "WMH",
      "Periventricular white matter hyperintensities": "periventricular WMH",
      "Deep white matter hyperintensities": "deep WMH",
      "Intracranial volume": "ICV",
    };
    for (const { name, measurements } of structures) {
      const place = LESION_SITES.find((site) => name === `Lesions: ${lesionSiteText[site].en}`);
      if (place) {
        out.push(
          [`lesions ${place}`, "SR", String(measurements[0]!.value)],
          [`volume ${place}`, "SR", measurements[1]!.value.toFixed(2)],
        );
        continue;
      }
      const number = /^Lesion (\d+): (.*)$/.exec(name);
      if (number) {
        out.push(
          [`lesion ${number[1]} place`, "SR", number[2]!],
          [`lesion ${number[1]}`, "SR", measurements[0]!.value.toFixed(2)],
        );
        continue;
      }
      const side = /^(Left|Right) /.exec(name)?.[1],
        region = REGIONS.find((one) => sidedPartName(one.part, one.hemisphere, "en") === name);
      const key = region
        ? `${region.part} ${side?.toLowerCase() ?? "total"} on FLAIR`
        : names[name]!;
      out.push([key, "SR", measurements[0]!.value.toFixed(2)]);
    }
  }
  return out;
}
