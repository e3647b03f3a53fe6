import { AppError } from "@/model/errors.ts";
import {
  type ClassifiedBy,
  classify,
  classifyByTags,
  type ClassifyRules,
  type SeriesKind,
} from "@/model/dicom/classify.ts";
import { derivationOf, isLocalizer, MIN_SLICES } from "@/model/dicom/unused_series.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { hasContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import { checkAnatomical, isMixedByUnit } from "@/server/core/dicom/choice/other_images.ts";
import { partMixedPatients } from "@/server/core/dicom/choice/patients.ts";
import { continuedStacks, dividedStacks } from "@/server/core/dicom/stack/divided.ts";
import { slicesOf, type SliceStack, stackOf } from "@/server/core/dicom/stack/even_stack.ts";
import { type InstanceFile, partRepeated, stacksOf } from "@/server/core/dicom/stack/parts.ts";
import {
  differenceOf,
  otherImagesError,
  partStrays,
  strayError,
} from "@/server/core/dicom/stack/strays.ts";
import {
  conflictError,
  rejected,
  type Verdict,
  verdictOf,
  withKind,
} from "@/server/core/dicom/read/verdict.ts";
import type { UploadReason } from "@/model/text/worklist/upload.ts";

export type { InstanceFile, SliceStack };

/** A stack of slices that can be analysed. */
export interface SeriesGroup extends SliceStack {
  kind: SeriesKind;
  classifiedBy: ClassifiedBy;
}

/**
 * A study, which is one row of the worklist; it has at most one series of each kind (T1w, FLAIR).
 */
export interface StudyGroup {
  studyUid: string;
  /** header of the first series' first file, which gives the identity and the study date */
  header: InstanceHeader;
  series: SeriesGroup[];
  /** more series that can be analysed, best first, in case a chosen series turns out unreadable */
  alternatives: SeriesGroup[];
}

/** Maximum slice spacing of a T1w and a FLAIR series, mm. */
const MAX_STEP_MM: Readonly<Record<SeriesKind, number>> = { t1: 3.5, t2: 6 };

/**
 * Reasons for not analysing a series that can nevertheless be viewed:
 * wrong kind or incomplete coverage, but correct geometry.
 */
const VIEWABLE: ReadonlySet<unknown> = new Set<UploadReason>([
  "unclassified",
  "other_series_chosen",
  "derived",
  "too_few_slices",
  "divided_series",
  "slices_too_thick",
  "time_points",
  "quantity",
]);
/** Slices needed to verify even spacing: one slice has no gap, two have a single gap. */
const MIN_SLICES_VIEWED = 3;
/**
 * Maximum number of 16-bit voxels for `decodeNifti`; larger series are not converted at all.
 */
const MAX_VOXELS_VIEWED = 150e6;

/**
 * Sorts files into studies and series.
 * Every file belongs to one series of `studies`, or to one entry of `rejected`.
 *
 * If the files of a study belong to different patients, the whole study is refused.
 * Slices of another acquisition in a series are not used, see stack/strays.ts.
 *
 * A series is first split by image type, orientation and echo time, then each part is assessed.
 * Parts of one acquisition with several Series Instance UIDs are joined, see stack/parts.ts.
 * Of several series of one kind the best is used, by this order: classified by rules rather than
 * timing, original magnitude, no contrast agent, no noisy uniform image, 3D, smallest slice
 * spacing, most slices, prescan-normalised (NORM), distortion-corrected, lowest series number,
 * shortest echo.
 * The other series are rejected with `other_series_chosen`, other images of the chosen series, such
 * as a second echo, with `other_images`.
 *
 * `viewable` contains the largest evenly spaced stack of each series that is not analysed.
 *
 * @param instances  Headers from {@link readInstance}, in any order, of any number of studies.
 */
export function groupSeries(
  instances: readonly InstanceFile[],
  rules: ClassifyRules,
): { studies: StudyGroup[]; rejected: Verdict[]; viewable: SliceStack[] } {
  const viewable: SliceStack[] = [], { unique, verdicts } = partUnusable(instances);
  const accepted = new Map<string, SeriesGroup[]>(),
    stacks = stacksOf(unique),
    alone = countLoneSlices(stacks);
  const refused: { stack: readonly InstanceFile[]; error: AppError }[] = [];
  const divided = new Map([...continuedStacks(stacks), ...dividedStacks(stacks)]);
  for (const stack of stacks) {
    const { main, strays, error } = partStrays(stack);
    for (const [{ fileName }, what] of strays) verdicts.push(verdictOf(fileName, strayError(what)));
    try {
      const series = judge(
        main,
        rules,
        alone.get(loneSliceOf(stack)) ?? 0,
        error ?? divided.get(stack) ?? null,
      );
      const studyUid = series.header.studyUid;
      accepted.set(studyUid, [...(accepted.get(studyUid) ?? []), series]);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ stack: main, error });
      const canView = VIEWABLE.has(error.details.reason) || isMixedByUnit(error);
      if (canView) viewable.push(...viewableIn(main));
    }
  }
  const studies = [...accepted].map(([studyUid, all]) => studyOf(studyUid, all, rules));
  const used = headersByFile([...accepted.values()].flat());
  const chosen = headersByFile(studies.flatMap(({ series }) => series));
  for (const { stack, error } of refused) {
    const reason = strayOf(stack, error, used) ?? otherImageOf(stack, error, chosen) ?? error;
    verdicts.push(...stack.map((f) => verdictOf(f.fileName, reason)));
  }
  for (const { files, kind, header } of studies.flatMap(({ alternatives }) => alternatives)) {
    const series = chosen.get(`${header.studyUid}|${header.seriesUid}`);
    const error = withKind(series ? otherImagesError(series, header) : otherSeriesError(), kind);
    verdicts.push(...files.map((f) => verdictOf(f.fileName, error)));
  }
  viewable.push(...studies.flatMap(({ alternatives }) => alternatives));
  return { studies, rejected: verdicts, viewable: largestOfSeries(viewable) };
}

/**
 * Removes files of mixed patients, repeated files, and files whose content contradicts the
 * transfer syntax.
 */
function partUnusable(
  instances: readonly InstanceFile[],
): { unique: InstanceFile[]; verdicts: Verdict[] } {
  const verdicts: Verdict[] = [], { clear, mixed } = partMixedPatients(instances);
  for (const [{ fileName }, error] of mixed) verdicts.push(verdictOf(fileName, error));
  const readable: InstanceFile[] = [];
  for (const file of clear) {
    const { fileName, header: { syntaxConflict } } = file;
    if (syntaxConflict) verdicts.push(verdictOf(fileName, conflictError(syntaxConflict)));
    else readable.push(file);
  }
  const { unique, repeated, confused } = partRepeated(readable);
  for (const { fileName } of repeated) {
    const error = rejected("duplicate_instance", "Cannot use instance: sent twice");
    verdicts.push(verdictOf(fileName, error));
  }
  for (const [fileName, error] of confused) verdicts.push(verdictOf(fileName, error));
  return { unique, verdicts };
}

const otherSeriesError = (): AppError =>
  rejected("other_series_chosen", "Cannot use series: another one of the study is better");

/** The best T1w and the best FLAIR of the usable series of a study. */
function studyOf(studyUid: string, all: readonly SeriesGroup[], rules: ClassifyRules): StudyGroup {
  const series: SeriesGroup[] = [], alternatives: SeriesGroup[] = [];
  for (const kind of ["t1", "t2"] as const) {
    const [best, ...others] = all.filter((s) => s.kind === kind).sort(byPreference(rules));
    if (best) series.push(best);
    alternatives.push(...others);
  }
  return { studyUid, header: series[0]!.header, series, alternatives };
}

/** Headers of stacks by study and by each Series Instance UID of their files. */
function headersByFile(stacks: readonly SeriesGroup[]): Map<string, InstanceHeader> {
  const headers = new Map<string, InstanceHeader>();
  for (const { header, files } of stacks) {
    for (const file of files) {
      headers.set(`${file.header.studyUid}|${file.header.seriesUid}`, header);
    }
  }
  return headers;
}

/**
 * Error of a few slices in a series with an analysable image that does not need them, such as a
 * localizer of the same UID: they do not mean that slices are missing. `null` for other stacks.
 */
function strayOf(
  stack: readonly InstanceFile[],
  error: AppError,
  used: ReadonlyMap<string, InstanceHeader>,
): AppError | null {
  const { header } = stack[0]!, series = used.get(`${header.studyUid}|${header.seriesUid}`);
  const { reason } = error.details, count = slicesOf(stack).length;
  const isFew = reason === "too_few_slices" ||
    (reason === "unclassified" && count < Math.min(...Object.values(MIN_SLICES)));
  if (!isFew || !series) return null;
  const what = differenceOf(series, header);
  return what && strayError(what);
}

/**
 * Error for a stack that is neither T1w nor FLAIR, if another image of the same series is used: for
 * example, for the long echo if the short echo is a T1w. `null` for other stacks.
 */
function otherImageOf(
  stack: readonly InstanceFile[],
  error: AppError,
  chosen: ReadonlyMap<string, InstanceHeader>,
): AppError | null {
  const { header } = stack[0]!, series = chosen.get(`${header.studyUid}|${header.seriesUid}`);
  return series && error.details.reason === "unclassified"
    ? otherImagesError(series, header)
    : null;
}

/**
 * Minimum number of single-slice series of one name that count as one divided acquisition.
 */
const MIN_LONE_SLICES = 10;

/** Study and series name of a stack with one slice; empty for a larger stack. */
const loneSliceOf = ([first, ...others]: readonly InstanceFile[]): string =>
  others.length > 0 || first!.header.planes.length > 1
    ? ""
    : `${first!.header.studyUid}|${first!.header.seriesDescription}`;

/** Number of stacks with one slice, by study and series description. */
function countLoneSlices(stacks: readonly (readonly InstanceFile[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of stacks.map(loneSliceOf)) {
    if (name !== "") counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/**
 * @param alone Number of single-slice stacks with the same name, if this stack is one of them.
 * @param mixture Error of {@link partStrays}, {@link dividedStacks} or {@link continuedStacks};
 * thrown for a T1w or FLAIR.
 */
function judge(
  stack: readonly InstanceFile[],
  rules: ClassifyRules,
  alone: number,
  mixture: AppError | null,
): SeriesGroup {
  const header = stack[0]!.header;
  if (isLocalizer(header)) throw rejected("localizer", "Cannot use series: localizer");
  const derived = derivationOf(header);
  if (derived) {
    throw rejected("derived", "Cannot use series: not a magnitude image", { imageType: derived });
  }
  const classification = classify(header, rules);
  // before `unclassified`, which advises to choose the series type: that would not help here
  checkAnatomical(slicesOf(stack), classification?.kind ?? null);
  if (!classification) {
    throw rejected("unclassified", "Cannot use series: neither T1w nor FLAIR by its tags");
  }
  try {
    if (mixture) throw mixture;
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

/** Slices that can be viewed in a stack that is not analysed; empty for unevenly spaced slices. */
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

const UNIFORM_NAME = /(?<![a-z])uni(?![a-z])/i, DENOISED_NAME = /uni[ _-]?den|denoised/i;

/**
 * Whether a series is MP2RAGE's uniform image, in which air is as noisy and bright as the brain.
 * The denoised uniform image that scanners also compute (UNI-DEN) does not match.
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
      h.echoTimeMs ?? 0,
    ];
  };
  return (a: SeriesGroup, b: SeriesGroup): number => {
    const ra = rank(a), rb = rank(b);
    const at = ra.findIndex((v, i) => v !== rb[i]);
    return at < 0 ? (a.seriesUid < b.seriesUid ? -1 : 1) : ra[at]! - rb[at]!;
  };
}
