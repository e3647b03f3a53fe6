import { LESION_SITES, type LesionSite } from "@/model/regions/lesion_site.ts";
import type {
  LesionChange,
  LesionChangeKind,
  LesionChangeList,
} from "@/model/schema/reading/lesion_changes.ts";
import { type Language, textIn } from "@/model/text.ts";
import { lesionCountText as texts } from "@/model/text/lesions/lesion_counts.ts";

/** Number of changed lesions, without changes that a user rejected. */
export interface LesionCounts {
  /** high-confidence changes, and changes confirmed by a user */
  sure: Record<LesionChangeKind, number>;
  possible: number;
  confirmed: number;
  /**
   * difference between both studies' lesion counts that new and resolved lesions do not explain:
   * lesions that merged, split, or were segmented in one study only
   */
  unexplained: number;
}

/** Whether a change is counted: high-confidence, or confirmed by a user. */
export const isCountedChange = (
  { is_sure, is_confirmed }: Pick<LesionChange, "is_sure" | "is_confirmed">,
): boolean => is_confirmed ?? is_sure;

/**
 * All changes that no user rejected, in the order of the report: counted changes first,
 * beginning with changes that a user confirmed.
 */
export function acceptedChanges({ lesions }: Pick<LesionChangeList, "lesions">): LesionChange[] {
  const orderOf = (change: LesionChange) =>
    2 * Number(isCountedChange(change)) + Number(change.is_confirmed === true);
  return lesions.filter(({ is_confirmed }) => is_confirmed !== false)
    .toSorted((a, b) => orderOf(b) - orderOf(a));
}

/** Counts all changes of a comparison. */
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

/** Number of lesion changes at one site. */
export interface ChangesAt {
  site: LesionSite;
  /** high-confidence changes, and changes confirmed by a user */
  counts: Record<LesionChangeKind, number>;
  possible: number;
}

/**
 * Changes of a comparison by site, in the report's order.
 * A site that is not a McDonald criterion is listed only if something changed there.
 * @returns `undefined` without changes, or if any lesion has no site: the sums would be too small.
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

/** All lesion counts of a comparison in one sentence: "Lesions: 27 before, 28 now; 1 new, …". */
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
