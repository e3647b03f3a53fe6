// Outcome of each series of an upload: predicted from its attributes, and as decided by the server.
import {
  classify,
  type ClassifyRules,
  DEFAULT_RULES,
  namedAttributes,
  type SeriesKind,
} from "@/model/dicom/classify.ts";
import { derivationOf, isLocalizer, MIN_SLICES } from "@/model/dicom/unused_series.ts";
import type { StoredSeries, UploadFailure } from "@/model/schema/studies/upload.ts";
import { isUploadReason, type UploadReason } from "@/model/text/worklist/upload.ts";
import type { StudyProgress } from "@/model/worklist/upload_progress.ts";
import {
  type FoundSeries,
  type FoundStudy,
  READ_ATTRIBUTES,
} from "@/model/worklist/upload_study.ts";

/** SOP class of single-frame MR images: a series of them has as many slices as files. */
const MR_IMAGE_STORAGE = "1.2.840.10008.5.1.4.1.1.4";
/**
 * SOP class UIDs of MR, Enhanced MR and Legacy Converted Enhanced MR images begin with this text.
 */
const isMrImage = (sopClassUid: string) =>
  sopClassUid === MR_IMAGE_STORAGE || sopClassUid.startsWith(`${MR_IMAGE_STORAGE}.`);

/** Predicted outcome of a series; `null` where its attributes do not suffice. */
export interface Foreseen {
  kind: SeriesKind | null;
  /** reason for which the server is expected to refuse the series */
  reason: UploadReason | null;
  details: Readonly<Record<string, string | number>>;
}

const open = (kind: SeriesKind | null): Foreseen => ({ kind, reason: null, details: {} });
const refused = (kind: SeriesKind | null, reason: UploadReason, details = {}): Foreseen => (
  { kind, reason, details }
);

/**
 * Predicts the outcome of a series before it is sent. Only certain refusals are predicted: slices
 * of multi-frame files cannot be counted, and series of the same name may be parts of one volume.
 */
export function foresee(
  series: FoundSeries,
  { series: all, patients }: FoundStudy,
  rules: ClassifyRules,
): Foreseen {
  const { first } = series;
  if (patients !== undefined) return refused(null, "mixed_patients");
  if (!first?.contrast) return open(null);
  const { imageType, seriesDescription, protocolName = "", contrast } = first;
  const names = { imageType, seriesDescription, protocolName };
  if (isLocalizer(names)) return refused(null, "localizer");
  const derived = derivationOf(names);
  if (derived !== undefined) return refused(null, "derived", { imageType: derived });
  const isChosen = rules.seriesType === "t1" || rules.seriesType === "t2";
  const isRead = [rules.t1wTag, rules.t2wTag].flatMap(namedAttributes).every((name) =>
    READ_ATTRIBUTES.includes(name)
  );
  const isPlain = first.sopClassUid === MR_IMAGE_STORAGE;
  if (!isChosen && !(isRead && isPlain)) return open(null);
  const kind = classify(contrast, rules)?.kind ?? null;
  if (kind === null) return refused(null, "unclassified");
  const isAlone = all.filter(({ description }) => description === series.description).length === 1;
  const minimum = MIN_SLICES[kind];
  return isPlain && isAlone && series.slices < minimum
    ? refused(kind, "too_few_slices", { slices: series.slices, minimum })
    : open(kind);
}

/** Whether no series of a study is usable, as far as its attributes show. */
export const isForeseenUnused = (study: FoundStudy, rules: ClassifyRules): boolean =>
  study.series.length > 0 &&
  study.series.every((one) => foresee(one, study, rules).reason !== null);

/** Outcome of a series after the upload. */
export interface SeriesOutcome {
  series: FoundSeries;
  /** kind (T1w or FLAIR) as which the series was accepted; `null`: refused */
  takenAs: SeriesKind | null;
  /** kind of the series by the server, or by its tags if the server could read none of its files */
  kind: SeriesKind | null;
  /** reason why the series was refused, from one of its files */
  failure: UploadFailure | null;
  /** problems of single files of an accepted series, or in addition to the series' own problem */
  lost: UploadFailure[];
  /** number of slices that were sent; a file that the server could not read counts as one slice */
  slices: number;
  /** number of slices in the volume, if the series contains slices that are not in it */
  usedSlices: number | null;
  /** series that was analysed instead, because this series was the second choice */
  instead: string | null;
  /** the study is complete without this series: a localizer, a map, or a second series of a kind */
  isMinor: boolean;
}

/** Reasons for refusal that depend on the image content: the series is neither T1w nor FLAIR. */
const NOT_ANATOMICAL: ReadonlySet<UploadReason> = new Set<UploadReason>([
  "time_points",
  "repeated_positions",
  "quantity",
  "label_map",
]);
/** Reasons of refusals that do not matter, because no analysis uses such series. */
const MINOR: ReadonlySet<UploadReason> = new Set<UploadReason>([
  "localizer",
  "derived",
  "duplicate_instance",
  "modality",
  "no_pixel_data",
  "other_series_chosen",
  "other_images",
  ...NOT_ANATOMICAL,
]);
/** Codes of refusals of a whole image that do not state its kind. */
const OF_STACK: ReadonlySet<unknown> = new Set<UploadReason>([
  "other_acquisition",
  "localizer",
  "derived",
  "unclassified",
  "other_images",
  "time_points",
  "repeated_positions",
  "quantity",
]);
/** Codes of refusals because the study has a better series of the same kind. */
const UNFIT: ReadonlySet<UploadReason> = new Set<UploadReason>([
  "too_few_slices",
  "slices_too_thick",
  "unclassified",
]);
/**
 * A damaged series with at least this fraction of the slices of the series that was used is
 * reported: undamaged, it might have been used instead.
 */
const MISSED_FRACTION = 0.8;

/** Whether a refusal is unimportant, because no analysis uses series of this sort. */
export const isMinorReason = (reason: UploadReason): boolean => MINOR.has(reason);

const kindIn = ({ details }: UploadFailure): SeriesKind | null =>
  details?.kind === "t1" || details?.kind === "t2" ? details.kind : null;

/** Kind of a series according to its tags; `undefined` if the tags are not sufficient. */
function kindByTags({ first }: FoundSeries): SeriesKind | null | undefined {
  if (!first?.contrast) return undefined;
  const { imageType, seriesDescription, protocolName = "", sopClassUid = "" } = first;
  // screen captures, reports and the like
  if (sopClassUid !== "" && !isMrImage(sopClassUid)) return null;
  const names = { imageType, seriesDescription, protocolName };
  if (isLocalizer(names) || derivationOf(names) !== undefined) return null;
  const kind = classify(first.contrast, DEFAULT_RULES)?.kind ?? null;
  return kind !== null || sopClassUid === MR_IMAGE_STORAGE ? kind : undefined;
}

/** The problem that most files of a series share, and those of its other files. */
function mainFailure(failures: readonly UploadFailure[]): [UploadFailure | null, UploadFailure[]] {
  const byReason = [...Map.groupBy(failures, ({ reason }) => reason).values()]
    .sort((a, b) => b.length - a.length);
  // the server's verdict about the whole series states its kind
  const main = byReason.find(([first]) => kindIn(first!) !== null) ?? byReason[0];
  return [main?.[0] ?? null, byReason.filter((same) => same !== main).flat()];
}

/** Outcome of each series of an uploaded study, most important first. */
export function seriesOutcomes(
  { study, stage, failures, taken = [] }: StudyProgress,
): SeriesOutcome[] {
  const stored = new Map(taken.map((one) => [one.series_uid, one]));
  const takenOf = (kind: SeriesKind) => taken.find((one) => one.kind === kind);
  const isMissed = ({ slices }: FoundSeries, { series_uid, slices: used }: StoredSeries) => {
    const usedSlices = used ??
      study.series.find(({ seriesUid }) => seriesUid === series_uid)?.slices ?? 0;
    return slices >= MISSED_FRACTION * usedSlices;
  };
  const nameOf = ({ series_uid }: StoredSeries) =>
    study.series.find(({ seriesUid }) => seriesUid === series_uid)?.description || null;
  const outcomes = study.series.map((series): SeriesOutcome => {
    const own = failures.filter((each) => each.series?.series_uid === series.seriesUid);
    const used = stored.get(series.seriesUid);
    if (used) {
      const { kind, slices, sent_slices: sent = series.slices } = used;
      const usedSlices = slices !== undefined && slices < sent ? slices : null;
      // counts the slices of other images of the series, which have separate verdicts
      const lost = own.filter((each) => kindIn(each) === null && !OF_STACK.has(each.reason));
      return {
        ...{ series, takenAs: kind, kind, failure: null, lost, slices: sent, usedSlices },
        ...{ instead: null, isMinor: false },
      };
    }
    const [failure, lost] = mainFailure(own);
    const tagged = kindByTags(series), kind = (failure && kindIn(failure)) ?? tagged ?? null;
    const slices = failure?.series?.slices ?? series.slices;
    const outcome = {
      ...{ series, takenAs: null, kind, failure, lost },
      ...{ slices, usedSlices: null, instead: null },
    };
    if (failure === null) return { ...outcome, isMinor: false };
    const reason = isUploadReason(failure.reason) ? failure.reason : null;
    if (reason !== null && isMinorReason(reason)) {
      // a user may have chosen the type of such a series, and must see the reason
      return { ...outcome, isMinor: stage !== "refused" || !NOT_ANATOMICAL.has(reason) };
    }
    const other = kind === null ? undefined : takenOf(kind);
    if (other) {
      // unit: a series of images and quantitative maps has no damage that would be reported
      const isUnfit = reason === null || UNFIT.has(reason) || failure.details?.what === "unit";
      const isMinor = isUnfit || !isMissed(series, other);
      const instead = isMinor || failure.details?.instead !== undefined ? null : nameOf(other);
      return { ...outcome, instead, isMinor };
    }
    const isMinor = kind === null && (
      takenOf("t1") !== undefined && takenOf("t2") !== undefined ||
      // examinations always contain T2w, diffusion and similar series, which no analysis uses
      (reason === "unclassified" ? takenOf("t1") !== undefined : tagged === null)
    );
    return { ...outcome, isMinor };
  });
  const rank = ({ takenAs, failure, isMinor }: SeriesOutcome) =>
    takenAs !== null ? 0 : failure && !isMinor ? 1 : 2;
  return outcomes.sort((a, b) => rank(a) - rank(b));
}

/** Whether a stored study lacks usable series, or files of a series, that were uploaded. */
export const isPartly = (progress: StudyProgress): boolean =>
  progress.stage === "stored" &&
  seriesOutcomes(progress).some(({ takenAs, failure, lost, isMinor }) =>
    takenAs !== null
      ? lost.some(({ reason }) => !isUploadReason(reason) || !isMinorReason(reason))
      : failure !== null && !isMinor
  );

/**
 * Kinds as which a refused series may be sent again. One click must not turn a T2w, diffusion or
 * thick T1w series into another contrast, so series that are neither T1w nor FLAIR are offered only
 * when their headers lack timing.
 */
export function otherKinds(
  { failure, series }: SeriesOutcome,
  taken: readonly StoredSeries[] = [],
): SeriesKind[] {
  if (failure === null) return [];
  const refusedKind = kindIn(failure),
    free = (kind: SeriesKind) => taken.every((one) => one.kind !== kind);
  switch (failure.reason) {
    case "unclassified":
      return series.first?.contrast?.echoTimeMs === undefined
        ? (["t1", "t2"] as const).filter(free)
        : [];
    case "other_series_chosen":
    case "reading_ended":
      return refusedKind === null ? [] : [refusedKind];
    default:
      return [];
  }
}
