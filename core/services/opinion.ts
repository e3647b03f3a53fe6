import {
  isOpinionKey,
  NO_OPINION,
  type OpinionEdit,
  type OpinionKey,
  opinionText,
} from "@/model/opinions.ts";
import type { MainRowKey, ReportResponse } from "@/model/schema/report.ts";

/** Percentile at which a volume counts as low, and 100 minus it as high. */
const LOW_PERCENTILE = 5;

/** What of a report the opinion follows from. */
export type ReportFindings = Pick<ReportResponse, "main_page" | "wmh" | "qc">;

/**
 * The opinion that the figures suggest, the most specific finding first. A negative is never suggested from grade C or
 * from a volume of low confidence.
 */
export function opinionKeyOf({ main_page, wmh, qc }: ReportFindings): OpinionKey {
  const percentile = (key: MainRowKey) => main_page.rows.find((row) => row.key === key)?.np_total ?? null;
  const hippocampus = percentile("hippocampus"), cortex = percentile("cortex");
  const ventricles = percentile("lateral_ventricles");
  if (hippocampus !== null && hippocampus <= LOW_PERCENTILE) return "hippocampus";
  if (cortex !== null && cortex <= LOW_PERCENTILE) return "cortex";
  if (ventricles !== null && ventricles >= 100 - LOW_PERCENTILE) return "ventricles";
  if (wmh && !wmh.is_minimal && !wmh.is_low_confidence) return "wmh";
  if (qc.grade !== "C" && (hippocampus !== null || cortex !== null)) return "usual";
  // a FLAIR series alone has no percentiles
  const isFlairAlone = main_page.rows.find((row) => row.key === "cortex")?.volume_total == null;
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
