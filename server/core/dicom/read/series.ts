import { AppError } from "@/model/errors.ts";
import { type Affine, cross, dot, type Shape, type Vec3 } from "@/model/geometry.ts";
import {
  type ClassifiedBy,
  classify,
  classifyByTags,
  type ClassifyRules,
  type SeriesKind,
} from "@/model/dicom/classify.ts";
import { derivationOf, isLocalizer, MIN_SLICES } from "@/model/dicom/unused_series.ts";
import { affineOfStack, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { hasContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import type { SlicePlane } from "@/server/core/dicom/read/plane.ts";
import {
  type InstanceFile,
  isParallel,
  partRepeated,
  stacksOf,
} from "@/server/core/dicom/stack/parts.ts";
import { rejected, type Verdict, verdictOf, withKind } from "@/server/core/dicom/read/verdict.ts";
import type { UploadReason } from "@/model/text/worklist/upload.ts";

export type { InstanceFile };

/** One complete stack of slices that can become a volume. */
export interface SliceStack {
  seriesUid: string;
  /** header of the first slice, the source of the series' stored attributes */
  header: InstanceHeader;
  /**
   * files in stack order (increasing position · (row × column)); one file for a multi-frame series
   */
  files: InstanceFile[];
  /** [columns, rows, slices] */
  shape: Shape;
  /** affine to RAS mm from [column, row, slice], from the headers alone */
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** distance between slices, mm */
  stepMm: number;
}

/** A stack that can be analysed. */
export interface SeriesGroup extends SliceStack {
  kind: SeriesKind;
  classifiedBy: ClassifiedBy;
}

/** One study = one patient row; at most one series of each kind. */
export interface StudyGroup {
  studyUid: string;
  /** header of the first file of the first series: source of identity and study date */
  header: InstanceHeader;
  series: SeriesGroup[];
  /** further analysable series, best first, in case one of `series` turns out to be unreadable */
  alternatives: SeriesGroup[];
}

/** Maximum slice spacing by kind, mm. */
const MAX_STEP_MM: Readonly<Record<SeriesKind, number>> = { t1: 3.5, t2: 6 };
/** Relative tolerance of the gaps between slices, compared with the median. */
const GAP_TOLERANCE = 0.05;

/**
 * Reasons for not analysing a series that can still be viewed:
 * wrong kind or incomplete coverage, not wrong geometry.
 */
const VIEWABLE: ReadonlySet<unknown> = new Set<UploadReason>([
  "unclassified",
  "other_series_chosen",
  "derived",
  "too_few_slices",
  "slices_too_thick",
]);
/** Minimum number of slices to verify even spacing: one has no spacing, two have a single gap. */
const MIN_SLICES_VIEWED = 3;
/**
 * Maximum number of 16-bit voxels that `decodeNifti` accepts; larger series need not be converted.
 */
const MAX_VOXELS_VIEWED = 150e6;

/** Patient identity in a file or a stored study. */
interface PatientIdentity {
  patientId: string;
  patientName: string;
  /** YYYY-MM-DD */
  birthDate?: string | null | undefined;
}

/**
 * Whether two identities may belong to one patient: equal patient ids and no contradicting birth
 * dates. Names have many spellings and are compared only when both lack an id.
 */
export function isSamePatient(a: PatientIdentity, b: PatientIdentity): boolean {
  if (a.patientId !== b.patientId) return false;
  if (a.birthDate && b.birthDate && a.birthDate !== b.birthDate) return false;
  return a.patientId !== "" || a.patientName === b.patientName;
}

/**
 * Sorts files into studies and series.
 * Every file ends up in one series of `studies` or in one entry of `rejected`.
 *
 * If the files of a study belong to different patients, the whole study is refused.
 *
 * A series is split by image type, orientation and echo time before it is assessed. Parts of one
 * acquisition with several Series Instance UIDs or files are joined, see stack/parts.ts.
 * Of several series of one kind the best is used: classified by rules rather than by timing,
 * original magnitude rather than derived, no contrast agent, no noisy uniform image, 3D, smallest
 * slice spacing, most slices, prescan-normalised (NORM), distortion-corrected, lowest series
 * number. The others are rejected with `other_series_chosen`.
 *
 * `viewable` contains the displayable parts of unused series:
 * the largest evenly spaced stack of each.
 *
 * @param instances  Headers from {@link readInstance}, in any order, of any number of studies.
 */
export function groupSeries(
  instances: readonly InstanceFile[],
  rules: ClassifyRules,
): { studies: StudyGroup[]; rejected: Verdict[]; viewable: SliceStack[] } {
  const verdicts: Verdict[] = [], viewable: SliceStack[] = [];
  const { clear, mixed: unclear } = partMixedPatients(instances);
  for (const file of unclear) {
    verdicts.push(
      verdictOf(
        file.fileName,
        rejected("mixed_patients", "Cannot use instance: its study names two patients"),
      ),
    );
  }
  const { unique, repeated, confused } = partRepeated(clear);
  for (const file of repeated) {
    verdicts.push(
      verdictOf(file.fileName, rejected("duplicate_instance", "Cannot use instance: sent twice")),
    );
  }
  for (const [fileName, error] of confused) verdicts.push(verdictOf(fileName, error));
  const studies = new Map<string, SeriesGroup[]>(),
    stacks = stacksOf(unique),
    alone = countLoneSlices(stacks);
  for (const stack of stacks) {
    try {
      const series = judge(stack, rules, alone.get(loneSliceOf(stack)) ?? 0);
      const studyUid = series.header.studyUid;
      studies.set(studyUid, [...(studies.get(studyUid) ?? []), series]);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      verdicts.push(...stack.map((f) => verdictOf(f.fileName, error)));
      if (VIEWABLE.has(error.details.reason)) viewable.push(...viewableIn(stack));
    }
  }
  const studyGroups: StudyGroup[] = [];
  for (const [studyUid, all] of studies) {
    const series: SeriesGroup[] = [], alternatives: SeriesGroup[] = [];
    for (const kind of ["t1", "t2"] as const) {
      const [best, ...others] = all.filter((s) => s.kind === kind).sort(byPreference(rules));
      if (best) series.push(best);
      const error = rejected(
        "other_series_chosen",
        "Cannot use series: another one of the study is better",
        {
          kind,
        },
      );
      for (const group of others) {
        verdicts.push(...group.files.map((f) => verdictOf(f.fileName, error)));
      }
      viewable.push(...others);
      alternatives.push(...others);
    }
    studyGroups.push({ studyUid, header: series[0]!.header, series, alternatives });
  }
  return { studies: studyGroups, rejected: verdicts, viewable: largestOfSeries(viewable) };
}

/** Files of studies with a single patient, and files of studies with several. */
function partMixedPatients(instances: readonly InstanceFile[]) {
  const first = new Map<string, InstanceHeader>(), mixedStudies = new Set<string>();
  for (const { header } of instances) {
    const firstHeader = first.get(header.studyUid);
    if (firstHeader === undefined) first.set(header.studyUid, header);
    else if (!isSamePatient(firstHeader, header)) mixedStudies.add(header.studyUid);
    // the first file may lack attributes that others have
    else if (!firstHeader.birthDate && header.birthDate) first.set(header.studyUid, header);
  }
  const isMixed = (file: InstanceFile) => mixedStudies.has(file.header.studyUid);
  return { clear: instances.filter((file) => !isMixed(file)), mixed: instances.filter(isMixed) };
}

interface Slice extends InstanceFile {
  plane: SlicePlane;
  positionMm: number;
}

/**
 * Minimum number of single-slice series with the same name that count as one divided acquisition.
 */
const MIN_LONE_SLICES = 10;

/** Study and name of a single-slice stack; empty for any other stack. */
const loneSliceOf = ([first, ...others]: readonly InstanceFile[]): string =>
  others.length > 0 || first!.header.planes.length > 1
    ? ""
    : `${first!.header.studyUid}|${first!.header.seriesDescription}`;

/** Number of single-slice stacks in a study, by name. */
function countLoneSlices(stacks: readonly (readonly InstanceFile[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of stacks.map(loneSliceOf)) {
    if (name !== "") counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** @param alone Single-slice stacks with the same name, if this is one. */
function judge(stack: readonly InstanceFile[], rules: ClassifyRules, alone: number): SeriesGroup {
  const header = stack[0]!.header;
  if (isLocalizer(header)) throw rejected("localizer", "Cannot use series: localizer");
  const derived = derivationOf(header);
  if (derived) {
    throw rejected("derived", "Cannot use series: not a magnitude image", { imageType: derived });
  }
  const classification = classify(header, rules);
  if (!classification) {
    throw rejected("unclassified", "Cannot use series: neither T1w nor FLAIR by its tags");
  }
  try {
    return judgeSlices(stack, classification, alone);
  } catch (error) {
    throw error instanceof AppError ? withKind(error, classification.kind) : error;
  }
}

/** Checks number and geometry of the slices of a T1w or FLAIR series. */
function judgeSlices(
  stack: readonly InstanceFile[],
  { kind, by }: { kind: SeriesKind; by: ClassifiedBy },
  alone: number,
): SeriesGroup {
  const slices = slicesOf(stack), minimum = MIN_SLICES[kind];
  checkParts(stack);
  if (slices.length === 1 && alone >= MIN_LONE_SLICES) {
    throw rejected("series_per_slice", "Cannot use series: each slice is one", { series: alone });
  }
  if (slices.length < minimum) {
    throw rejected("too_few_slices", `Cannot use series: ${slices.length} slices`, {
      slices: slices.length,
      minimum,
    });
  }
  const even = stackOf(slices), maximum = MAX_STEP_MM[kind];
  if (even.stepMm > maximum * 1.001) {
    const step = Number(even.stepMm.toFixed(2));
    throw rejected("slices_too_thick", `Cannot use series: step is ${step} mm`, { step, maximum });
  }
  return { ...even, kind, classifiedBy: by };
}

/** @throws {AppError} when files of a divided image are missing (PS3.3 C.7.6.16.1.1). */
function checkParts(stack: readonly InstanceFile[]): void {
  for (const [uid, parts] of Map.groupBy(stack, ({ header }) => header.concatenationUid)) {
    const total = Math.max(...parts.map(({ header }) => header.concatenationTotal ?? 0));
    if (uid === "" || parts.length >= total) continue;
    throw rejected("missing_parts", `Cannot use series: ${parts.length} of ${total} files`, {
      files: parts.length,
      total,
    });
  }
}

const slicesOf = (stack: readonly InstanceFile[]): Slice[] =>
  stack.flatMap((file): Slice[] =>
    file.header.planes.map((plane) => ({ ...file, plane, positionMm: stackPositionMm(plane) }))
  ).sort((a, b) => a.positionMm - b.positionMm);

/**
 * Checks the geometry of slices in stack order, independent of the image content.
 * @throws {AppError} `upload.format_not_supported` when they do not form an evenly spaced volume.
 */
function stackOf(slices: readonly Slice[]): SliceStack {
  checkSameGrid(slices);
  const stepMm = checkSteps(slices), { header } = slices[0]!;
  return {
    seriesUid: header.seriesUid,
    header,
    files: [
      ...new Map(slices.map((s) => [s.fileName, { fileName: s.fileName, header: s.header }]))
        .values(),
    ],
    shape: [header.columns, header.rows, slices.length],
    rasFromIjk: affineOfStack(slices.map((s) => s.plane)),
    stepMm,
  };
}

/** Viewable slices of a stack that is not analysed; empty when they are not evenly spaced. */
function viewableIn(stack: readonly InstanceFile[]): SliceStack[] {
  const slices = slicesOf(stack), { columns, rows } = slices[0]!.header;
  if (slices.length < MIN_SLICES_VIEWED || columns * rows * slices.length > MAX_VOXELS_VIEWED) {
    return [];
  }
  try {
    return [stackOf(slices)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [];
  }
}

/** Of each series, the stack with the most slices. */
const largestOfSeries = (stacks: readonly SliceStack[]): SliceStack[] =>
  [...Map.groupBy(stacks, ({ header, seriesUid }) => `${header.studyUid}|${seriesUid}`).values()]
    .map((all) => all.reduce((most, one) => one.shape[2] > most.shape[2] ? one : most));

const mixed = (what: string) =>
  rejected("mixed_slices", `Cannot stack slices: ${what} differs`, { what });

function checkSameGrid(slices: readonly Slice[]): void {
  const first = slices[0]!;
  for (const { header: h, plane } of slices) {
    if (h.rows !== first.header.rows || h.columns !== first.header.columns) {
      throw mixed("matrix size");
    }
    if (
      plane.pixelSpacingMm.some((s, axis) =>
        Math.abs(s / first.plane.pixelSpacingMm[axis]! - 1) > 1e-3
      )
    ) {
      throw mixed("pixel spacing");
    }
    if (!isParallel(plane.orientationLps, first.plane.orientationLps)) throw mixed("orientation");
    if (
      h.bitsAllocated !== first.header.bitsAllocated || h.isSigned !== first.header.isSigned ||
      h.photometric !== first.header.photometric
    ) throw mixed("pixel format");
  }
}

/** Slice spacing, mm; the stack must be evenly spaced, complete and straight. */
function checkSteps(slices: readonly Slice[]): number {
  if (slices.length < 2) return slices[0]!.header.sliceThicknessMm ?? 0;
  const gaps = slices.slice(1).map((s, i) => s.positionMm - slices[i]!.positionMm);
  const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]!;
  const smallest = Math.min(...gaps), largest = Math.max(...gaps);
  // half of all positions occur twice: two acquisitions share one series number
  if (smallest < 0.01 * Math.max(median, 0.1)) throw mixed("position");
  const stepsIn = (gap: number) => Math.round(gap / median);
  const missing = gaps.reduce((sum, gap) => sum + Math.max(0, stepsIn(gap) - 1), 0);
  const isUneven = (gap: number) => Math.abs(gap / median - 1) > GAP_TOLERANCE;
  if (
    missing > 0 &&
    gaps.every((g) =>
      stepsIn(g) >= 1 && Math.abs(g / median - stepsIn(g)) <= GAP_TOLERANCE * stepsIn(g)
    )
  ) {
    throw rejected("missing_slice", `Cannot stack slices: ${missing} missing`, { missing });
  }
  if (gaps.some(isUneven)) {
    throw rejected("slice_gap", "Cannot stack slices: gaps differ", {
      smallest: Number(smallest.toFixed(2)),
      largest: Number(largest.toFixed(2)),
    });
  }
  const [row, column] = slices[0]!.plane.orientationLps, normal = cross(row, column);
  const first = slices[0]!.plane.positionLpsMm, last = slices.at(-1)!.plane.positionLpsMm;
  const run = last.map((p, axis) => p - first[axis]!) as Vec3;
  const along = dot(run, normal), across = Math.hypot(dot(run, row), dot(run, column));
  // sheared stacks (slices shifted within their plane) have no rigid affine
  if (across > 0.01 * along + 0.5) throw mixed("in-plane position");
  return (slices.at(-1)!.positionMm - slices[0]!.positionMm) / (slices.length - 1);
}

const UNIFORM_NAME = /(?<![a-z])uni(?![a-z])/i, DENOISED_NAME = /uni[ _-]?den|denoised/i;

/**
 * Uniform image of MP2RAGE, in which air is as noisy and bright as the brain. Scanners also compute
 * a denoised one (UNI-DEN), which is not matched.
 */
const isNoisyUniform = ({ imageType, seriesDescription }: InstanceHeader): boolean =>
  (imageType.includes("UNI") || UNIFORM_NAME.test(seriesDescription)) &&
  !DENOISED_NAME.test(seriesDescription);

function byPreference(rules: ClassifyRules) {
  const rank = (s: SeriesGroup): number[] => {
    const h = s.header, byTags = classifyByTags(h, rules);
    return [
      byTags?.kind === s.kind ? (byTags.by === "includes" ? 0 : 1) : byTags ? 3 : 2,
      h.imageType[0] === "DERIVED" ? 1 : 0,
      hasContrastAgent(h) ? 1 : 0,
      isNoisyUniform(h) ? 1 : 0,
      h.acquisitionType === "3D" ? 0 : 1,
      Math.round(s.stepMm * 10),
      -s.shape[2],
      h.imageType.includes("NORM") ? 0 : 1,
      h.imageType.some((t) => t.startsWith("DIS3D")) ? 0 : 1,
      h.seriesNumber ?? Infinity,
    ];
  };
  return (a: SeriesGroup, b: SeriesGroup): number => {
    const ra = rank(a), rb = rank(b);
    const at = ra.findIndex((v, i) => v !== rb[i]);
    return at < 0 ? (a.seriesUid < b.seriesUid ? -1 : 1) : ra[at]! - rb[at]!;
  };
}
