import { printedInterval, printedPercentile, shownRank } from "@/model/norms/rank_format.ts";
import { bandNameOf } from "@/server/core/norms/service/band_names.ts";
import { bandOfRank, DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import {
  DEEP as DEEP_WHITE,
  LESION_COLOURS,
  PERIVENTRICULAR as PERI,
} from "@/model/regions/lesions.ts";
import {
  linearDigits,
  linearOf,
  PRINTED_LINEAR,
  printedValue,
} from "@/model/linear/printed_linear.ts";
import { NORMS_CITATION } from "@/model/norms/norms_source.ts";
import {
  isCortex,
  isInverted,
  isMeasured,
  type Region,
  regionOf,
  REGIONS,
} from "@/model/regions/regions.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { sidedPartName } from "@/model/text/regions.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import {
  ABNORMAL_STRUCTURE,
  ANATOMICAL_STRUCTURE,
  CEREBRAL_WHITE_MATTER,
  code,
  CRANIAL_CAVITY,
  DEEP,
  isAbnormal,
  LEFT,
  lobeCode,
  PERIVENTRICULAR,
  placeCode,
  regionCode,
  RIGHT,
  sideCode,
  WHITE_MATTER_HYPERINTENSITY,
} from "@/server/core/dicom/write/codes.ts";
import { type CorrectionNote, correctionOf } from "@/server/core/reading/service/corrected.ts";
import type {
  Correction,
  MeasuredPercentile,
  MeasuredStructure,
  MeasurementReport,
} from "@/server/core/dicom/write/measurement_report.ts";
import {
  type Segment,
  segmentationReference,
  type SegmentationSubject,
  trackingUid,
} from "@/server/core/dicom/write/segmentation.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import type { AnalysisResults, FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import { flairStructuresOf } from "@/server/core/analyses/service/files/flair_structures.ts";
import {
  lesionPlaceStructures,
  wholeStructure,
} from "@/server/core/exports/service/lesion_structures.ts";
import { lesionDataOf } from "@/model/measured/lesion_data.ts";
import { lesionFigureText } from "@/model/text/lesions/lesion_figure.ts";
import { textIn } from "@/model/text.ts";
import type { MeasuredStudy } from "@/model/measured/measured_study.ts";

const CEREBRAL_CORTEX = code("SCT", "40146001", "Cerebral cortex");

/** States in DICOM objects why a segment's voxel count differs from the measured volume. */
const SEGMENT_NOTE =
  "Resampled to the slices of the series; volumes are measured on the grid of the analysis and can differ from its voxel count.";

/** Whether a reader corrected a label; earlier versions did not record which labels changed. */
const isTouched = (note: CorrectionNote | null, label: number): boolean =>
  note !== null && (note.labels?.includes(label) ?? true);

/** Author and time of the last correction of some labels; `null` without corrections. */
const whoCorrected = (note: CorrectionNote | null, ...labels: number[]): Correction | null =>
  note && labels.some((label) => isTouched(note, label)) ? { by: note.by, at: note.at } : null;

/** English name of a region, as printed in reports. */
const nameOf = ({ part, hemisphere }: Region): string => sidedPartName(part, hemisphere, "en");

/** Segments of the brain regions, in the order of their labels. */
export function regionSegments(results: AnalysisResults): Segment[] {
  const { volumesMm3 } = results, note = correctionOf(results);
  return REGIONS.filter(({ label }) => (volumesMm3[label] ?? 0) > 0).map((region) => ({
    label: region.label,
    name: nameOf(region),
    description: `FreeSurfer ${region.freesurferId}. ${SEGMENT_NOTE}`,
    category: isAbnormal(region.label) ? ABNORMAL_STRUCTURE : ANATOMICAL_STRUCTURE,
    type: regionCode(region),
    modifier: sideCode(region.hemisphere) ?? placeCode(region),
    within: lobeCode(region),
    rgb: region.rgb,
    isCorrected: isTouched(note, region.label),
  }));
}

/** Segments of the lesions by kind, in the colours of the report's pictures. */
export const lesionSegments = (flair: FlairResults): Segment[] =>
  [
    { label: PERI, name: "Periventricular", volume: flair.periMm3, modifier: PERIVENTRICULAR },
    { label: DEEP_WHITE, name: "Deep", volume: flair.deepMm3, modifier: DEEP },
  ].filter(({ volume }) => volume > 0).map(({ name, label, modifier }) => ({
    label,
    modifier,
    within: null,
    rgb: LESION_COLOURS[label as keyof typeof LESION_COLOURS],
    name: `${name} white matter hyperintensities`,
    description: SEGMENT_NOTE,
    category: ABNORMAL_STRUCTURE,
    type: WHITE_MATTER_HYPERINTENSITY,
    isCorrected: isTouched(correctionOf(flair), label),
  }));

/** Rounds to two decimals, as in reports and tables. */
const round2 = (value: number) => Math.round(value * 100) / 100;

type SegmentOf = (label: number) => Pick<MeasuredStructure, "segment" | "trackingUid">;

/** Returns for a label the reference to its segment in a segmentation object. */
function segmentOf(subject: SegmentationSubject): SegmentOf {
  const { sopClassUid, sopInstanceUid, segmentNumbers } = segmentationReference(subject);
  return (label) => {
    const number = segmentNumbers.get(label);
    return {
      trackingUid: trackingUid(subject, label),
      segment: number === undefined
        ? null
        : { sopClassUid, sopInstanceUid, number, seriesUid: subject.source.seriesUid },
    };
  };
}

/** Description of the people with whom a percentile compares the patient. */
const population = (by: string) =>
  `Healthy people of the same ${by}; error of the method taken into account`;
const POPULATIONS = {
  volume: population("age, sex and intracranial volume"),
  volumeBySex: population("age and sex"),
  thickness: population("age and sex"),
  icv: population("sex"),
} as const;

function percentileOf(
  rank: PercentileRank | null,
  isFluid: boolean,
  among: keyof typeof POPULATIONS,
  norms: string,
): MeasuredPercentile | null {
  return rank && {
    percentile: printedPercentile(rank),
    interval: printedInterval(rank),
    // the report's words for the band, which contain the percentile at which the band begins
    band: among === "icv"
      ? (rank.doubt ? "Check the segmentation" : "none")
      : bandOfRank(rank, DEFAULT_THRESHOLDS, isFluid, "en")?.text ??
        bandNameOf(rank, isFluid, "en"),
    population: POPULATIONS[among],
    authority: `${norms}. ${NORMS_CITATION}`,
  };
}

/**
 * All measurements of the T1w series: volumes in mL, thickness in mm, with percentiles.
 * Regions that are too unreliable for a volume are omitted.
 * @param study   measured values and percentiles of the study.
 * @param norms   citation of the norms for the percentiles.
 */
export function t1Structures(
  subject: SegmentationSubject,
  results: AnalysisResults,
  { regions: rows, thickness: thicknessRows, meanThickness, icvMm3, icvRank, normSubject }:
    MeasuredStudy,
  norms = normsName(null, "en"),
): MeasuredStructure[] {
  const { source, maker: { engine } } = subject, reference = segmentOf(subject);
  const { volumesMm3, thicknessMm } = results, note = correctionOf(results);
  const volumesAmong = normSubject?.icvMl === null ? "volumeBySex" : "volume";
  const thicknessRanks = new Map(
    (thicknessRows ?? []).flatMap((
      { part_index: [left, right], rank_thick_left, rank_thick_right },
    ) => [
      [left, rank_thick_left] as const,
      [right, rank_thick_right] as const,
    ]),
  );
  const ranks = new Map(
    rows.flatMap((row) =>
      row.part_index.map((label, at) => [
        label,
        shownRank(row, row.part_index.length === 1 ? "total" : at === 0 ? "left" : "right"),
      ])
    ),
  );
  // lesions of grade C are listed only with the FLAIR structures, where they are marked unreliable
  const isUnreliable = (label: number) => isAbnormal(label) && results.quality.grade === "C";
  const regions = REGIONS.filter(({ label }) =>
    isMeasured(label) && (volumesMm3[label] ?? 0) > 0 && !isUnreliable(label)
  )
    .map(
      (region): MeasuredStructure => {
        const mm = isCortex(region.label) ? thicknessMm?.[region.label] ?? 0 : 0;
        const isLesion = isAbnormal(region.label);
        return {
          name: nameOf(region),
          ...reference(region.label),
          finding: isLesion ? WHITE_MATTER_HYPERINTENSITY : null,
          site: isLesion ? CEREBRAL_WHITE_MATTER : regionCode(region),
          side: sideCode(region.hemisphere),
          place: placeCode(region),
          engine,
          corrected: whoCorrected(note, region.label),
          measurements: [
            {
              kind: "volume",
              value: round2(volumesMm3[region.label]! / 1000),
              percentile: percentileOf(
                ranks.get(region.label) ?? null,
                isInverted(region.label),
                volumesAmong,
                norms,
              ),
            },
            ...mm > 0
              ? [{
                kind: "thickness" as const,
                value: round2(mm),
                percentile: percentileOf(
                  thicknessRanks.get(region.label) ?? null,
                  false,
                  "thickness",
                  norms,
                ),
              }]
              : [],
          ],
        };
      },
    );
  const sides = ([["Left", LEFT], ["Right", RIGHT]] as const).flatMap(([name, side], at) => {
    const { leftMm, rightMm, rank } = meanThickness, mm = at === 0 ? leftMm : rightMm;
    const percentile = percentileOf(
      at === 0 ? rank.left : rank.right,
      false,
      "thickness",
      norms,
    );
    const measurements = [{ kind: "thickness" as const, value: round2(mm), percentile }];
    return mm > 0
      ? [
        wholeStructure(source, engine, `${name} cerebral cortex`, {
          site: CEREBRAL_CORTEX,
          side,
          measurements,
        }),
      ]
      : [];
  });
  const icv = icvMm3 === null ? [] : icvStructure(source, engine, icvMm3, icvRank, norms);
  return [...icv, ...regions, ...sides, ...linearStructure(source, engine, results)];
}

/** Widths and angle of the ventricles, each with its error range as text; empty if unmeasured. */
function linearStructure(
  source: SourceSeries,
  engine: string,
  results: AnalysisResults,
): MeasuredStructure[] {
  const measures = linearOf(results);
  const measurements = PRINTED_LINEAR.flatMap((kind) => {
    const measured = printedValue(measures, kind);
    if (!measured) return [];
    const [low, high] = [measured.low, measured.high].map((value) => linearDigits(kind, value));
    const comment = `Range ${low} to ${high}: head tilted by 3 degrees, borders half a voxel away`;
    return [{ kind, value: measured.value, comment }];
  });
  const site = regionCode(regionOf(LATERAL_VENTRICLE)!);
  return measurements.length === 0
    ? []
    : [wholeStructure(source, engine, "Ventricles, widths and angle", { site, measurements })];
}
const LATERAL_VENTRICLE = 15;

function icvStructure(
  source: SourceSeries,
  engine: string,
  icvMm3: number,
  rank: PercentileRank | null,
  norms = "",
): MeasuredStructure[] {
  const percentile = percentileOf(rank, false, "icv", norms);
  const measurements = [{ kind: "volume" as const, value: round2(icvMm3 / 1000), percentile }];
  return [
    wholeStructure(source, engine, "Intracranial volume", { site: CRANIAL_CAVITY, measurements }),
  ];
}

/**
 * Marks a lesion volume of grade C as "not reliable" in its name and in a comment on each number.
 * Viewers show the name before the numbers.
 */
export const asUnreliable = (lesion: MeasuredStructure): MeasuredStructure => ({
  ...lesion,
  name: textIn(lesionFigureText.figure, "en", { figure: lesion.name }),
  measurements: lesion.measurements.map((measurement) => ({
    ...measurement,
    comment: lesionFigureText.reason.en,
  })),
});

/**
 * All measurements of the FLAIR series; volumes in mL.
 * @param subject Segmentation of the lesions; `null` without lesions.
 * @param t1      T1w results of the study; deep structures are measured on T1w if there are any.
 */
export function flairStructures(
  { source, engine, subject }: {
    source: SourceSeries;
    engine: string;
    subject: SegmentationSubject | null;
  },
  flair: FlairResults,
  t1: AnalysisResults | null = null,
): MeasuredStructure[] {
  const { icvMm3 } = flair,
    { wmh, peri_wmh, deep_wmh, wmh_detail } = lesionDataOf(flair, t1?.quality.grade),
    note = correctionOf(flair);
  const lesions = { finding: WHITE_MATTER_HYPERINTENSITY, site: CEREBRAL_WHITE_MATTER };
  const millilitres = (value: number) => ({ measurements: [{ kind: "volume" as const, value }] });
  const named = wmh_detail.is_unreliable ? asUnreliable : (lesion: MeasuredStructure) => lesion;
  const part = (label: number, name: string, place: MeasuredStructure["place"], ml: number) =>
    named(wholeStructure(source, engine, `${name} white matter hyperintensities`, {
      ...lesions,
      place,
      ...millilitres(ml),
      corrected: whoCorrected(note, label),
      ...subject ? segmentOf(subject)(label) : {},
    }));
  return [
    ...icvMm3 === null ? [] : icvStructure(source, engine, icvMm3, null),
    named(wholeStructure(source, engine, "White matter hyperintensities", {
      ...lesions,
      ...millilitres(wmh),
      corrected: whoCorrected(note, PERI, DEEP_WHITE),
    })),
    part(PERI, "Periventricular", PERIVENTRICULAR, peri_wmh),
    part(DEEP_WHITE, "Deep", DEEP, deep_wmh),
    ...lesionPlaceStructures(source, engine, wmh_detail).map(named),
    ...flairStructuresOf(flair, t1).flatMap((
      { part_index, volume_left, volume_right, volume_total },
    ) =>
      part_index.map((label, at): MeasuredStructure => {
        const region = regionOf(label)!;
        const ml = part_index.length === 1 ? volume_total : at === 0 ? volume_left! : volume_right!;
        return wholeStructure(source, engine, nameOf(region), {
          site: regionCode(region),
          side: sideCode(region.hemisphere),
          place: placeCode(region),
          ...millilitres(ml),
        });
      })
    ),
  ];
}

/** Quality grade and warnings of the analysis, in English like the whole document. */
export function qualityOfReport(
  study: Pick<MeasuredStudy, "quality">,
  flair: FlairResults | null,
  comment: readonly string[] = [],
): MeasurementReport["quality"] {
  const { grade, warnings } = study.quality ?? { grade: flair?.grade ?? null, warnings: [] };
  const texts: Readonly<Record<string, { en: string }>> = qualityWarningText;
  const allWarnings = [...warnings, ...flair?.warnings ?? []];
  return grade &&
    {
      grade,
      warnings: allWarnings.map((warning) => texts[warning]?.en ?? warning),
      comment,
      note: `Segments: ${SEGMENT_NOTE}`,
    };
}
