import { LESION_SITES, type LesionSite } from "@/model/regions/lesion_site.ts";
import type {
  LesionChange,
  LesionChangeKind,
  LesionChangeList,
} from "@/model/schema/reading/lesion_changes.ts";
import { type Language, textIn } from "@/model/text.ts";
import { lesionCountText as texts } from "@/model/text/lesions/lesion_counts.ts";

/** How many lesions changed, without those that a reader rejected. */
export interface LesionCounts {
  /** sure ones, and those that a reader confirmed */
  sure: Record<LesionChangeKind, number>;
  possible: number;
  confirmed: number;
  /**
   * difference of the lesion numbers of both studies that new and resolved lesions leave: lesions
   * that joined, divided or were outlined at one study only
   */
  unexplained: number;
}

/** Whether a change is counted: beyond doubt, or confirmed by a reader. */
export const isCountedChange = (
  { is_sure, is_confirmed }: Pick<LesionChange, "is_sure" | "is_confirmed">,
): boolean => is_confirmed ?? is_sure;

/**
 * The changes that a reader has not rejected, as the report lists them: the counted ones first, which
 * begin with those that a reader confirmed.
 */
export function acceptedChanges({ lesions }: Pick<LesionChangeList, "lesions">): LesionChange[] {
  const orderOf = (change: LesionChange) =>
    2 * Number(isCountedChange(change)) + Number(change.is_confirmed === true);
  return lesions.filter(({ is_confirmed }) => is_confirmed !== false)
    .toSorted((a, b) => orderOf(b) - orderOf(a));
}

/** Counts of a comparison. */
export function lesionCountsOf(list: LesionChangeList): LesionCounts {
  const { counted } = list, accepted = acceptedChanges(list);
  const changes = accepted.filter(isCountedChange);
  const count = (kind: LesionChangeKind) => changes.filter((change) => change.kind === kind).length;
  const sure = {
    new: count("new"),
    enlarging: count("enlarging"),
    shrinking: count("shrinking"),
    gone: count("gone"),
  };
  return {
    sure,
    possible: accepted.length - changes.length,
    confirmed: accepted.filter(({ is_confirmed }) => is_confirmed).length,
    unexplained: counted ? Math.abs(counted.after - counted.before - sure.new + sure.gone) : 0,
  };
}

/** Changes of the lesions at one place. */
export interface ChangesAt {
  site: LesionSite;
  /** sure ones, and those that a reader confirmed */
  counts: Record<LesionChangeKind, number>;
  possible: number;
}

/**
 * The changes of a comparison by their places, in the order of reports; a place that is no
 * criterion is left out when it has none.
 * @returns `undefined` without changes, and where some lesion has no place: sums would be too small.
 */
export function changesByPlace(list: Pick<LesionChangeList, "lesions">): ChangesAt[] | undefined {
  const accepted = acceptedChanges(list);
  if (accepted.length === 0 || !accepted.every(({ place }) => place)) return undefined;
  return LESION_SITES.map((site): ChangesAt => {
    const there = accepted.filter(({ place }) => place!.site === site);
    const counted = there.filter(isCountedChange);
    const count = (kind: LesionChangeKind) => counted.filter((one) => one.kind === kind).length;
    return {
      site,
      counts: {
        new: count("new"),
        enlarging: count("enlarging"),
        shrinking: count("shrinking"),
        gone: count("gone"),
      },
      possible: there.length - counted.length,
    };
  }).filter(({ site, counts, possible }) =>
    site !== "deep_grey" || possible > 0 || Object.values(counts).some((n) => n > 0)
  );
}

/** "Lesions: 27 before, 28 now; 1 new, 0 resolved …": all counts of a comparison in one sentence. */
export function lesionCountSentence(list: LesionChangeList, language: Language): string {
  const { sure, possible, unexplained } = lesionCountsOf(list), { counted } = list;
  const sentence = counted
    ? textIn(texts.counts, language, {
      before: counted.before,
      now: counted.after,
      ...sure,
      possible,
    })
    : textIn(texts.changes, language, { ...sure, possible });
  return unexplained > 0
    ? `${sentence} ${textIn(texts.others, language, { n: unexplained })}`
    : sentence;
}
