import { DEEP as DEEP_WHITE, LESION_COLOURS, PERIVENTRICULAR as PERI } from "@/model/lesions.ts";
import { isCortex, REGIONS } from "@/model/regions.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import {
  ABNORMAL_STRUCTURE,
  ANATOMICAL_STRUCTURE,
  code,
  CRANIAL_CAVITY,
  DEEP,
  isAbnormal,
  LEFT,
  PERIVENTRICULAR,
  regionCode,
  RIGHT,
  sideCode,
  WHITE_MATTER_HYPERINTENSITY,
} from "@/core/dicom/codes.ts";
import type { MeasuredStructure, MeasurementReport } from "@/core/dicom/measurement_report.ts";
import {
  type Segment,
  segmentationReference,
  type SegmentationSubject,
  trackingUid,
} from "@/core/dicom/segmentation.ts";
import type { SourceSeries } from "@/core/dicom/source_series.ts";
import { uidOf } from "@/core/dicom/uid.ts";
import type { AnalysisResults, FlairResults } from "@/core/storage/analyses.ts";
import { qualityOf } from "@/core/services/patients.ts";

const CEREBRAL_WHITE_MATTER = code("SCT", "68523003", "Cerebral White Matter");
const CEREBRAL_CORTEX = code("SCT", "40146001", "Cerebral cortex");

/** The regions that were found, as segments in the order of their labels. */
export function regionSegments({ volumesMm3 }: AnalysisResults): Segment[] {
  return REGIONS.filter(({ label }) => (volumesMm3[label] ?? 0) > 0).map((region) => ({
    label: region.label,
    name: region.name,
    description: `FreeSurfer ${region.freesurferId}`,
    category: isAbnormal(region.label) ? ABNORMAL_STRUCTURE : ANATOMICAL_STRUCTURE,
    type: regionCode(region),
    modifier: sideCode(region.hemisphere),
    rgb: region.rgb,
  }));
}

/** Lesions by their place, in the colours of the images. */
export const lesionSegments = ({ periMm3, deepMm3 }: FlairResults): Segment[] =>
  [
    { label: PERI, name: "Periventricular", volume: periMm3, modifier: PERIVENTRICULAR },
    { label: DEEP_WHITE, name: "Deep", volume: deepMm3, modifier: DEEP },
  ].filter(({ volume }) => volume > 0).map(({ name, label, modifier }) => ({
    label,
    modifier,
    rgb: LESION_COLOURS[label as keyof typeof LESION_COLOURS],
    name: `${name} white matter hyperintensities`,
    description: "",
    category: ABNORMAL_STRUCTURE,
    type: WHITE_MATTER_HYPERINTENSITY,
  }));

type SegmentOf = (label: number) => Pick<MeasuredStructure, "segment" | "trackingUid">;

/** Where a label of a segmentation is referred to. */
function segmentOf(subject: SegmentationSubject): SegmentOf {
  const { sopInstanceUid, segmentNumbers } = segmentationReference(subject);
  return (label) => {
    const number = segmentNumbers.get(label);
    return {
      trackingUid: trackingUid(subject, label),
      segment: number === undefined ? null : { sopInstanceUid, number, seriesUid: subject.source.seriesUid },
    };
  };
}

/** A structure of which there is no segment. */
const whole = (
  source: SourceSeries,
  engine: string,
  name: string,
  rest: Partial<MeasuredStructure> & Pick<MeasuredStructure, "site" | "measurements">,
): MeasuredStructure => ({
  name,
  trackingUid: uidOf("tracking", source.seriesUid, engine, name),
  finding: null,
  side: null,
  place: null,
  segment: null,
  engine,
  ...rest,
});

/** Everything measured on the T1w series: volumes in mL, thickness in mm. */
export function t1Structures(subject: SegmentationSubject, results: AnalysisResults): MeasuredStructure[] {
  const { source, maker: { engine } } = subject, reference = segmentOf(subject);
  const { volumesMm3, thicknessMm, thicknessSidesMm, icvMm3 } = results;
  const regions = REGIONS.filter(({ label }) => (volumesMm3[label] ?? 0) > 0).map(
    (region): MeasuredStructure => {
      const mm = isCortex(region.label) ? thicknessMm?.[region.label] ?? 0 : 0;
      const isLesion = isAbnormal(region.label);
      return {
        name: region.name,
        ...reference(region.label),
        finding: isLesion ? WHITE_MATTER_HYPERINTENSITY : null,
        site: isLesion ? CEREBRAL_WHITE_MATTER : regionCode(region),
        side: sideCode(region.hemisphere),
        place: null,
        engine,
        measurements: [
          { kind: "volume", value: volumesMm3[region.label]! / 1000 },
          ...mm > 0 ? [{ kind: "thickness" as const, value: mm }] : [],
        ],
      };
    },
  );
  const sides = ([["Left", LEFT], ["Right", RIGHT]] as const).flatMap(([name, side], at) => {
    const mm = thicknessSidesMm?.[at] ?? 0;
    const measurements = [{ kind: "thickness" as const, value: mm }];
    return mm > 0
      ? [whole(source, engine, `${name} cerebral cortex`, { site: CEREBRAL_CORTEX, side, measurements })]
      : [];
  });
  return [...icvStructure(source, engine, icvMm3), ...regions, ...sides];
}

function icvStructure(source: SourceSeries, engine: string, icvMm3: number): MeasuredStructure[] {
  const measurements = [{ kind: "volume" as const, value: icvMm3 / 1000 }];
  return [whole(source, engine, "Intracranial volume", { site: CRANIAL_CAVITY, measurements })];
}

/**
 * Everything measured on the FLAIR series, mL.
 * @param subject `null` when no lesion was found: then there is no segmentation.
 */
export function flairStructures(
  { source, engine, subject }: { source: SourceSeries; engine: string; subject: SegmentationSubject | null },
  { periMm3, deepMm3, icvMm3 }: FlairResults,
): MeasuredStructure[] {
  const lesions = { finding: WHITE_MATTER_HYPERINTENSITY, site: CEREBRAL_WHITE_MATTER };
  const millilitres = (mm3: number) => ({ measurements: [{ kind: "volume" as const, value: mm3 / 1000 }] });
  const part = (label: number, name: string, place: MeasuredStructure["place"], mm3: number) =>
    whole(source, engine, `${name} white matter hyperintensities`, {
      ...lesions,
      place,
      ...millilitres(mm3),
      ...subject ? segmentOf(subject)(label) : {},
    });
  return [
    ...icvMm3 === null ? [] : icvStructure(source, engine, icvMm3),
    whole(source, engine, "White matter hyperintensities", { ...lesions, ...millilitres(periMm3 + deepMm3) }),
    part(PERI, "Periventricular", PERIVENTRICULAR, periMm3),
    part(DEEP_WHITE, "Deep", DEEP, deepMm3),
  ];
}

/** The quality control of the analysis that the figures come from, in English as the whole document. */
export function qualityOfReport(
  t1: AnalysisResults | null,
  flair: FlairResults | null,
): MeasurementReport["quality"] {
  const { grade, warnings } = t1 ? qualityOf(t1.quality) : { grade: flair?.grade ?? null, warnings: [] };
  const texts: Readonly<Record<string, { en: string }>> = qualityWarningText;
  const all = [...warnings, ...flair?.warnings ?? []];
  return grade && { grade, warnings: all.map((warning) => texts[warning]?.en ?? warning) };
}
