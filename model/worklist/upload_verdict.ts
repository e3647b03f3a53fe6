// Outcome of each series of an upload: predicted from its attributes, and as decided by the server.
import {
  classify,
  type ClassifyRules,
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

/** Whether a series has single-frame MR images: then it has as many slices as files. */
const MR_IMAGE_STORAGE = "1.2.840.10008.5.1.4.1.1.4";

/** Predicted outcome of a series; `null` where its attributes do not suffice. */
export interface Foreseen {
  kind: SeriesKind | null;
  /** expected reason for a refusal */
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
  { series: all }: FoundStudy,
  rules: ClassifyRules,
): Foreseen {
  const { first } = series;
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
  /** kind as which the series was accepted; `null`: refused */
  takenAs: SeriesKind | null;
  /** reason of the refusal, from one of its files */
  failure: UploadFailure | null;
  /** the study is complete without this series: a localizer, a map, or a second series of a kind */
  isMinor: boolean;
}

/** Reasons of refusals that do not matter, because no analysis uses such series. */
const MINOR: ReadonlySet<UploadReason> = new Set<UploadReason>([
  "localizer",
  "derived",
  "duplicate_instance",
  "other_series_chosen",
]);

/** Whether a refusal is unimportant, because no analysis uses series of this sort. */
export const isMinorReason = (reason: UploadReason): boolean => MINOR.has(reason);

const kindIn = ({ details }: UploadFailure): SeriesKind | null =>
  details?.kind === "t1" || details?.kind === "t2" ? details.kind : null;

/** Kind of a refused series, if the server could determine it. */
export const refusedKind = ({ failure }: SeriesOutcome): SeriesKind | null =>
  failure && kindIn(failure);

/** Outcome of each series of an uploaded study, most important first. */
export function seriesOutcomes({ study, failures, taken = [] }: StudyProgress): SeriesOutcome[] {
  const kinds = new Map(taken.map(({ series_uid, kind }) => [series_uid, kind]));
  const isTaken = (kind: SeriesKind) => [...kinds.values()].includes(kind);
  const outcomes = study.series.map((series): SeriesOutcome => {
    const takenAs = kinds.get(series.seriesUid) ?? null;
    const failure = takenAs !== null
      ? null
      : failures.find((each) => each.series?.series_uid === series.seriesUid) ?? null;
    if (failure === null) return { series, takenAs, failure, isMinor: false };
    const kind = kindIn(failure), { reason } = failure;
    const isMinor = isUploadReason(reason) && isMinorReason(reason) ||
      (kind !== null ? isTaken(kind) : isTaken("t1") && isTaken("t2")) ||
      // T2w, diffusion and similar series are part of every examination
      (reason === "unclassified" && isTaken("t1"));
    return { series, takenAs, failure, isMinor };
  });
  const rank = ({ takenAs, failure, isMinor }: SeriesOutcome) =>
    takenAs !== null ? 0 : failure && !isMinor ? 1 : 2;
  return outcomes.sort((a, b) => rank(a) - rank(b));
}

/** Whether a stored study lacks a series that a retry could add. */
export const isPartly = (progress: StudyProgress): boolean =>
  progress.stage === "stored" &&
  seriesOutcomes(progress).some(({ failure, isMinor }) => failure !== null && !isMinor);

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
