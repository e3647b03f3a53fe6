import {
  isOpinionKey,
  NO_OPINION,
  type OpinionEdit,
  type OpinionKey,
  opinionText,
} from "@/model/report/opinions.ts";
import { isOutside } from "@/model/findings/sentences.ts";
import { isClearOfLow, isLowLevel } from "@/model/norms/bands.ts";
import type { Conclusion } from "@/model/schema/report/finding.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { MainRowKey, ReportResponse } from "@/model/schema/report/report.ts";

/** Structures that must be normal for the opinion "normal brain". */
const OPINION_ROWS: readonly MainRowKey[] = ["hippocampus", "cortex", "lateral_ventricles"];

/** Values of a report from which the opinion is derived. */
type ReportFindings = Pick<
  ReportResponse,
  "main_page" | "wmh" | "qc" | "threshold_list" | "atrophy_score" | "conclusion"
>;

/**
 * Opinion suggested from the percentile bands; the most specific finding decides.
 * A structure is called low only if it is low despite the measurement error.
 * "Normal" is suggested only if score and structures are certainly normal despite the error.
 * Nothing is suggested from results of grade C, or from lesions of low confidence.
 */
export function opinionKeyOf(findings: ReportFindings): OpinionKey {
  const key = keyOfTotals(findings), { conclusion } = findings;
  if (!conclusion || WITHOUT_FIGURES.has(key)) return key;
  const ofConclusion = keyOfConclusion(conclusion, key);
  // without norms, a change or a missing structure is not compared with an expected range
  return ofConclusion === "other" && rankedRows(findings).length === 0 ? "no_norms" : ofConclusion;
}

const rankedRows = ({ main_page }: Pick<ReportResponse, "main_page">) =>
  main_page.rows.filter(({ rank_total }) => rank_total?.has_bands);

/** Opinions that do not depend on percentiles. */
const WITHOUT_FIGURES = new Set<OpinionKey>(["no_norms", "no_wmh", "flair_alone"]);

/** Opinion that follows from findings about sides, lobes and total volumes. */
function keyOfConclusion({ state, findings }: Conclusion, key: OpinionKey): OpinionKey {
  const outside = findings.filter(isOutside);
  const marked = outside.filter(({ certainty }) => certainty !== "possible");
  const has = (part: string) =>
    marked.some((finding) => finding.part === part && finding.measure === "volume");
  if (has("Hippocampus")) return "hippocampus";
  if (has("cortex")) return "cortex";
  if (has("Lateral ventricle")) return "ventricles";
  if (findings.some(({ kind, certainty }) => kind !== "lesions" && certainty !== "possible")) {
    return "other";
  }
  if (outside.some(({ part, measure }) => OPINION_PARTS.has(part) && measure === "volume")) {
    return "possible";
  }
  if (key === "wmh") return key;
  if (state === "usual") return "usual";
  // a total volume that is possibly low, but not low enough to be listed on the first page, is
  // not named in the comment
  const hasLesionsOnly = state === "findings" || state === "single";
  return key === "possible" && hasLesionsOnly ? "wmh" : "uncertain";
}

/** Atlas parts that the opinion about a possible deviation names. */
const OPINION_PARTS = new Set(["Hippocampus", "cortex", "Lateral ventricle"]);

function keyOfTotals(findings: Omit<ReportFindings, "conclusion">): OpinionKey {
  const { main_page, wmh, qc, threshold_list: thresholds, atrophy_score: score } = findings;
  if (qc.grade !== "A" && qc.grade !== "B") return "no_norms";
  const rankOf = (key: MainRowKey) =>
    main_page.rows.find((row) => row.key === key)?.rank_total ?? null;
  const isLow = (level: number | undefined) => level !== undefined && isLowLevel(level, thresholds);
  const isClear = (rank: PercentileRank | null, isInverted: boolean) =>
    isClearOfLow(rank, thresholds, isInverted);
  const isFirm = (key: MainRowKey) => isLow(rankOf(key)?.level);
  if (isFirm("hippocampus")) return "hippocampus";
  if (isFirm("cortex")) return "cortex";
  if (isFirm("lateral_ventricles")) return "ventricles";
  // checked before lesions, because a low or possibly low structure must be named
  if (main_page.rows.some(({ key }) => isFirm(key)) || isLow(score?.level)) return "other";
  if (OPINION_ROWS.some((key) => isLow(rankOf(key)?.possible_level))) return "possible";
  if (wmh && !wmh.is_minimal && !wmh.is_low_confidence) return "wmh";
  const ranked = rankedRows(findings);
  if (ranked.length > 0) {
    const isUsual = OPINION_ROWS.every((key) =>
      isClear(rankOf(key), key === "lateral_ventricles")
    ) &&
      ranked.every(({ rank_total: rank }) =>
        rank!.doubt === null && !isLow(rank!.possible_level)
      ) &&
      (score === null || isClear(score.rank, false));
    return isUsual ? "usual" : "uncertain";
  }
  // FLAIR alone has no percentiles, so only lesions decide about the opinion
  const isFlairAlone = main_page.rows.find(({ key }) => key === "cortex")?.volume_total == null;
  if (!isFlairAlone) return "no_norms";
  return wmh?.is_low_confidence === false && wmh.is_minimal ? "no_wmh" : "flair_alone";
}

/**
 * Opinion of a report in the report's language, in the wording that the user has set.
 * @param chosen Key of an opinion or {@link NO_OPINION}; otherwise the suggested opinion is used.
 */
export function opinionOf(
  report: ReportFindings & Pick<ReportResponse, "language">,
  edits: readonly OpinionEdit[],
  chosen?: string,
): ReportResponse["opinion"] {
  if (chosen === NO_OPINION) return { opinion_id: 0, message: "" };
  if (chosen !== undefined && isOpinionKey(chosen)) {
    return opinionText(chosen, report.language, edits);
  }
  return { ...opinionText(opinionKeyOf(report), report.language, edits), is_suggested: true };
}
