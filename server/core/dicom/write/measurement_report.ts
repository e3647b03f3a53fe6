import {
  type Code,
  code,
  codeItem,
  MILLIMETRE,
  ownSchemes,
  PERCENT,
  PERCENTILE,
  THICKNESS,
  VOLUME,
} from "@/server/core/dicom/write/codes.ts";
import {
  type Dataset,
  type DicomFile,
  dicomFile,
} from "@/server/core/dicom/write/dataset_writer.ts";
import {
  algorithmOf,
  derivedModules,
  type Maker,
  referencedSeries,
  SOP_CLASS,
} from "@/server/core/dicom/write/derived_object.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import {
  coded,
  container,
  context,
  dateTimeOf,
  imageLibrary,
  item,
  text,
  uidref,
} from "@/server/core/dicom/write/sr_items.ts";
import { type Signature, verification } from "@/server/core/dicom/write/verification.ts";

const FINDING_SITE = code("SCT", "363698007", "Finding Site");
const LATERALITY = code("SCT", "272741003", "Laterality");
const PLACE = code("SCT", "106233006", "Topographical modifier");
const FINDING = code("DCM", "121071", "Finding"), COMMENT = code("DCM", "121106", "Comment");
const MEAN = code("SCT", "373098007", "Mean");
const MILLILITRE = code("UCUM", "mL", "milliliter");
const LESION_VOLUME = code(
  "99SULCUS",
  "LESIONVOL",
  "Volume of the whole lesion, not of the part that changed",
);
const LESION_COUNT = code("99SULCUS", "LESIONCOUNT", "Number of lesions");
const LESION_UNIT = code("UCUM", "{lesions}", "lesions");

const PERCENTILE_LOW = code(
  "99SULCUS",
  "PCTLOW",
  "Percentile ranking, lower limit of the 80\u00a0% interval",
);
const PERCENTILE_HIGH = code(
  "99SULCUS",
  "PCTHIGH",
  "Percentile ranking, upper limit of the 80\u00a0% interval",
);
const PERCENTILE_BAND = code("99SULCUS", "PCTBAND", "Mark of the percentile ranking");
const POPULATION = code("DCM", "121405", "Population description");
const AUTHORITY = code("DCM", "121406", "Reference Authority");

/** Rank of a measured value among healthy people, with the measurement error. */
export interface MeasuredPercentile {
  /** percentile, 0 to 100; `null` if the measurement error is too large */
  percentile: number | null;
  /** interval of the percentile; `null` if it is too wide to be informative */
  interval: { low: number; high: number } | null;
  band: string;
  /** reference population, and source of the norms */
  population: string;
  authority: string;
}

/** Units of linear measures: widths in mm, a ratio, and an angle in degrees. */
const LINEAR_CODES = {
  evans: code("99SULCUS", "EVANS", "Evans index"),
  frontal_horns: code("99SULCUS", "FRONTHORNS", "Width of the frontal horns"),
  third_ventricle: code("99SULCUS", "THIRDWIDTH", "Width of the third ventricle"),
  callosal_angle: code("99SULCUS", "CALLANGLE", "Callosal angle"),
} as const;
const RATIO = code("UCUM", "{ratio}", "ratio"), DEGREE = code("UCUM", "deg", "degree");

/**
 * A measured number: `volume` and `lesion_volume` in mL, `thickness` in mm, `count` as a number.
 * Units of all other kinds are in {@link LINEAR_CODES}.
 * `lesion_volume` is the whole lesion's volume, although the segment is only the changed part.
 */
interface Measurement {
  kind: "volume" | "lesion_volume" | "thickness" | "count" | keyof typeof LINEAR_CODES;
  value: number;
  percentile?: MeasuredPercentile | null;
  /** comment on the number; absent if there is none */
  comment?: string;
}

/**
 * Measurements of a structure as a measurement group (PS3.16 TID 1411; without segment TID 1501).
 */
export interface MeasuredStructure {
  /** name of the structure, shown to readers */
  name: string;
  trackingUid: string;
  /** code of a finding, for a structure that is not normal anatomy */
  finding: Code | null;
  site: Code;
  side: Code | null;
  /** modifier that locates the structure within the finding site */
  place: Code | null;
  /** segment on which the structure was measured */
  segment:
    | { sopClassUid: string; sopInstanceUid: string; number: number; seriesUid: string }
    | null;
  engine: string;
  measurements: readonly Measurement[];
  /** user who last corrected the structure, and the time; `null` if it was never corrected */
  corrected: Correction | null;
}

/** Author and time of a reader's correction of labels. */
export interface Correction {
  /** author's name; empty for a deleted account */
  by: string;
  /** time of the correction, ISO 8601 */
  at: string;
}

/** Quality grade, warnings, and remarks about the segmentations. */
interface Quality {
  grade: string;
  warnings: readonly string[];
  /** findings as sentences; the heading says that no physician has confirmed them */
  comment?: readonly string[];
  note: string;
}

export interface MeasurementReport {
  /** source series; the first gives patient and study */
  sources: readonly SourceSeries[];
  maker: Maker;
  /** segmentations to which the measurement groups refer */
  segmentations: readonly { sopClassUid: string; sopInstanceUid: string; seriesUid: string }[];
  structures: readonly MeasuredStructure[];
  /** signed text of the report, with the notice that precedes it */
  impression?: { label: string; text: string } | null;
  /** `null`: not signed, or the results have changed since */
  signature: Signature | null;
  /** grade and warnings of the engine's quality control */
  quality: Quality | null;
}

/** Private codes that measurement reports use. */
const OWN_CODES = [
  THICKNESS,
  LESION_VOLUME,
  LESION_COUNT,
  PERCENTILE_LOW,
  PERCENTILE_HIGH,
  PERCENTILE_BAND,
  ...Object.values(LINEAR_CODES),
];

const CONCEPTS: Readonly<Record<Measurement["kind"], Code>> = {
  volume: VOLUME,
  lesion_volume: LESION_VOLUME,
  thickness: THICKNESS,
  count: LESION_COUNT,
  ...LINEAR_CODES,
};
const UNITS: Readonly<Record<Measurement["kind"], Code>> = {
  volume: MILLILITRE,
  lesion_volume: MILLILITRE,
  thickness: MILLIMETRE,
  count: LESION_UNIT,
  evans: RATIO,
  frontal_horns: MILLIMETRE,
  third_ventricle: MILLIMETRE,
  callosal_angle: DEGREE,
};

/** Properties of a measurement (TID 311): lower and upper end of the percentile's interval. */
function ranking(
  { percentile, interval, band, population, authority }: MeasuredPercentile,
): Dataset[] {
  const rank = (name: Code, value: number, below: readonly Dataset[] = []) =>
    item("HAS PROPERTIES", "NUM", name, {
      MeasuredValueSequence: [{
        NumericValue: value,
        MeasurementUnitsCodeSequence: [codeItem(PERCENT)],
      }],
      ...below.length > 0 ? { ContentSequence: below } : {},
    });
  const compared = [
    text("HAS PROPERTIES", POPULATION, population),
    text("HAS PROPERTIES", AUTHORITY, authority),
  ];
  return [
    ...percentile === null ? [] : [rank(PERCENTILE, percentile, compared)],
    ...interval === null ? [] : [
      rank(PERCENTILE_LOW, interval.low, percentile === null ? compared : []),
      rank(PERCENTILE_HIGH, interval.high),
    ],
    text("HAS PROPERTIES", PERCENTILE_BAND, band),
  ];
}

/** Measurement (TID 1419) with the derivation of a mean and the rank among healthy people. */
function numeric({ kind, value, percentile, comment }: Measurement): Dataset {
  const measured = {
    NumericValue: Math.round(value * 1e6) / 1e6,
    FloatingPointValue: value,
    MeasurementUnitsCodeSequence: [codeItem(UNITS[kind])],
  };
  const content = [
    ...kind === "thickness"
      ? [coded("HAS CONCEPT MOD", code("DCM", "121401", "Derivation"), MEAN)]
      : [],
    ...percentile ? ranking(percentile) : [],
    ...comment ? [text("HAS PROPERTIES", COMMENT, comment)] : [],
  ];
  return item("CONTAINS", "NUM", CONCEPTS[kind], {
    MeasuredValueSequence: [measured],
    ...content.length > 0 ? { ContentSequence: content } : {},
  });
}

const CORRECTED_COMMENT = "Corrected by hand. The volume follows from the corrected labels.";

/** Observer of a corrected measurement: the person (TID 1003), not the program. */
const observer = ({ by }: Correction): Dataset[] => [
  coded("HAS OBS CONTEXT", code("DCM", "121005", "Observer Type"), code("DCM", "121006", "Person")),
  item("HAS OBS CONTEXT", "PNAME", code("DCM", "121008", "Person Observer Name"), {
    PersonName: by || "Unknown",
  }),
];

/**
 * Measurement group of a structure.
 * @param regions Content items that outline the structure in the images, instead of a segment.
 */
export function group(structure: MeasuredStructure, regions: readonly Dataset[] = []): Dataset {
  const { finding, site, side, place, segment, engine, corrected } = structure;
  const algorithm = algorithmOf(engine);
  const modifiers = [
    ...side ? [coded("HAS CONCEPT MOD", LATERALITY, side)] : [],
    ...place ? [coded("HAS CONCEPT MOD", PLACE, place)] : [],
  ];
  const content = [
    ...corrected ? observer(corrected) : [],
    text("HAS OBS CONTEXT", code("DCM", "112039", "Tracking Identifier"), structure.name),
    uidref(
      "HAS OBS CONTEXT",
      code("DCM", "112040", "Tracking Unique Identifier"),
      structure.trackingUid,
    ),
    ...finding ? [coded("CONTAINS", FINDING, finding)] : [],
    ...regions,
    ...segment && regions.length === 0
      ? [
        item("CONTAINS", "IMAGE", code("DCM", "121191", "Referenced Segment"), {
          ReferencedSOPSequence: [{
            ReferencedSOPClassUID: segment.sopClassUid,
            ReferencedSOPInstanceUID: segment.sopInstanceUid,
            ReferencedSegmentNumber: segment.number,
          }],
        }),
        uidref(
          "CONTAINS",
          code("DCM", "121232", "Source series for segmentation"),
          segment.seriesUid,
        ),
      ]
      : [],
    text("HAS CONCEPT MOD", code("DCM", "111001", "Algorithm Name"), algorithm.name),
    text("HAS CONCEPT MOD", code("DCM", "111003", "Algorithm Version"), algorithm.version),
    coded(
      "HAS CONCEPT MOD",
      FINDING_SITE,
      site,
      modifiers.length > 0 ? { ContentSequence: modifiers } : {},
    ),
    ...structure.measurements.map(numeric),
    ...corrected ? [text("CONTAINS", COMMENT, CORRECTED_COMMENT)] : [],
  ];
  return {
    ...container(
      code("DCM", "125007", "Measurement Group"),
      content,
      segment || regions.length > 0 ? "1411" : "1501",
    ),
    ...corrected ? { ObservationDateTime: dateTimeOf(corrected.at) } : {},
  };
}

/** The signed text, unchanged, and the line with author and time. */
const signedImpression = ({ label, text: signed }: { label: string; text: string }): Dataset[] => [
  text("CONTAINS", code("DCM", "121073", "Impression"), signed),
  text("CONTAINS", COMMENT, label),
];

/** Signed text and quality control, as qualitative evaluations that concern the whole report. */
function evaluations(
  quality: Quality | null,
  impression: MeasurementReport["impression"],
): Dataset {
  const { grade, warnings, comment = [], note } = quality ??
    { grade: null, warnings: [], note: null };
  return container(code("UMLS", "C0034375", "Qualitative Evaluations"), [
    ...impression ? signedImpression(impression) : [],
    ...grade ? [text("CONTAINS", code("99SULCUS", "QCGRADE", "Segmentation quality"), grade)] : [],
    ...warnings.map((warning) =>
      text("CONTAINS", code("99SULCUS", "QCWARNING", "Quality warning"), warning)
    ),
    ...comment.map((sentence) => text("CONTAINS", COMMENT, sentence)),
    ...note ? [text("CONTAINS", COMMENT, note)] : [],
  ]);
}

/** References to all objects that the report mentions, grouped by series (PS3.3 C.17.2). */
export function evidence(
  { sources, segmentations }: Pick<MeasurementReport, "sources" | "segmentations">,
): Dataset {
  return {
    StudyInstanceUID: sources[0]!.studyUid,
    ReferencedSeriesSequence: [
      ...sources.flatMap((source) => referencedSeries(source, "ReferencedSOPSequence")),
      ...segmentations.map(({ seriesUid, sopClassUid, sopInstanceUid }) => ({
        SeriesInstanceUID: seriesUid,
        ReferencedSOPSequence: [{
          ReferencedSOPClassUID: sopClassUid,
          ReferencedSOPInstanceUID: sopInstanceUid,
        }],
      })),
    ],
  };
}

/** Measurements as an Enhanced SR document by TID 1500, Measurement Report (PS3.16). */
export function measurementReportFile(report: MeasurementReport): DicomFile {
  const { sources, maker, structures, quality, impression, signature } = report;
  const content = [
    ...context(maker),
    imageLibrary(sources),
    container(code("DCM", "126010", "Imaging Measurements"), structures.map((one) => group(one))),
    ...quality || impression ? [evaluations(quality, impression ?? null)] : [],
  ];
  const modules = derivedModules(sources[0]!, maker, {
    sopClassUid: SOP_CLASS.enhancedSr,
    modality: "SR",
    kind: "MEASUREMENTS",
    content: [JSON.stringify(content), JSON.stringify(signature)],
    seriesNumber: 9103,
    description: "Sulcus: measurements",
  });
  return dicomFile({ ...modules, ...documentModules(content, evidence(report), signature) });
}

/** Attributes of a Measurement Report (TID 1500) in any of the SR object types. */
export const documentModules = (
  content: readonly Dataset[],
  evidence: Dataset,
  signature: Signature | null,
): Dataset => ({
  ...ownSchemes(OWN_CODES),
  ReferencedPerformedProcedureStepSequence: [],
  CompletionFlag: "COMPLETE",
  ...verification(signature),
  PerformedProcedureCodeSequence: [],
  CurrentRequestedProcedureEvidenceSequence: [evidence],
  ValueType: "CONTAINER",
  ConceptNameCodeSequence: [codeItem(code("DCM", "126000", "Imaging Measurement Report"))],
  ContinuityOfContent: "SEPARATE",
  ContentTemplateSequence: [{ MappingResource: "DCMR", TemplateIdentifier: "1500" }],
  ContentSequence: content,
});
