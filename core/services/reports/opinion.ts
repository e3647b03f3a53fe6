import {
  isOpinionKey,
  NO_OPINION,
  type OpinionEdit,
  type OpinionKey,
  opinionText,
} from "@/model/report/opinions.ts";
import type { MainRow, MainRowKey, ReportResponse } from "@/model/schema/report.ts";

/** Percentile at which a volume counts as low, and 100 minus it as high. */
const LOW_PERCENTILE = 5;
/** What the sentence of a usual brain speaks of. */
const SPOKEN_OF: readonly MainRowKey[] = ["hippocampus", "cortex", "lateral_ventricles"];

/** What of a report the opinion follows from. */
type ReportFindings = Pick<ReportResponse, "main_page" | "wmh" | "qc" | "threshold_list">;

/** The 80 % interval does not reach what counts as low. */
const isClear = ({ rank_total: rank, is_inverted }: MainRow): boolean =>
  rank !== null && rank.doubt === null &&
  (is_inverted ? rank.high < 100 - LOW_PERCENTILE : rank.low > LOW_PERCENTILE);

/**
 * The opinion that the bands suggest, the most specific finding first. What is firmly low is said to be low; the usual is
 * said only where the error of the method leaves no doubt of it, and never from grade C or from lesions of low confidence.
 */
export function opinionKeyOf({ main_page, wmh, qc, threshold_list: thresholds }: ReportFindings): OpinionKey {
  const rowOf = (key: MainRowKey) => main_page.rows.find((row) => row.key === key);
  const isLow = (level: number | undefined) =>
    level !== undefined && level > 0 &&
    thresholds[thresholds.length - level]! <= Math.max(LOW_PERCENTILE, thresholds[0]!);
  const isFirm = (key: MainRowKey) => isLow(rowOf(key)?.rank_total?.level);
  if (isFirm("hippocampus")) return "hippocampus";
  if (isFirm("cortex")) return "cortex";
  if (isFirm("lateral_ventricles")) return "ventricles";
  if (wmh && !wmh.is_minimal && !wmh.is_low_confidence) return "wmh";
  const ranked = main_page.rows.filter(({ rank_total }) => rank_total?.has_bands);
  if (ranked.length > 0 && qc.grade !== "C") {
    const isUsual = ranked.every((row) =>
      SPOKEN_OF.includes(row.key)
        ? isClear(row)
        : row.rank_total!.doubt === null && !isLow(row.rank_total!.possible_level)
    );
    return isUsual ? "usual" : "uncertain";
  }
  // a FLAIR series alone has no percentiles
  const isFlairAlone = rowOf("cortex")?.volume_total == null;
  const isSure = qc.grade !== "C" && wmh?.is_low_confidence === false;
  return isFlairAlone && isSure && wmh.is_minimal ? "no_wmh" : "no_norms";
}

/**
 * The opinion of a report in its language, in the words of the reader's settings.
 * @param chosen Name of an opinion or {@link NO_OPINION}; anything else gives the one that the figures suggest.
 */
export function opinionOf(
  report: ReportFindings & Pick<ReportResponse, "language">,
  edits: readonly OpinionEdit[],
  chosen?: string,
): OpinionEdit {
  if (chosen === NO_OPINION) return { opinion_id: 0, message: "" };
  const key = chosen !== undefined && isOpinionKey(chosen) ? chosen : opinionKeyOf(report);
  return opinionText(key, report.language, edits);
}
