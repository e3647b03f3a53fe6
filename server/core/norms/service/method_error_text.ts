import { METHOD_ERROR_SOURCES } from "@/model/norms/method_error.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { methodErrorSourceText } from "@/model/text/report/pages/reading.ts";
import { rankText } from "@/model/text/ranks.ts";

/**
 * Number and description of the labelled heads with which the error of percentiles was measured.
 */
export const METHOD_ERROR_HEADS = METHOD_ERROR_SOURCES
  .filter(({ kind }) => kind === "labelled" || kind === "published")
  .reduce((sum, { heads }) => sum + heads, 0);

/** Text about the data with which the error of percentiles was measured, for reports and pages. */
export function methodErrorOfReport(
  language: Language,
  hasPercentiles: boolean,
): Pick<
  ReportResponse["reference"],
  "method_error" | "method_error_heads" | "method_error_sources"
> {
  return {
    method_error: hasPercentiles
      ? textIn(rankText.source, language, { heads: METHOD_ERROR_HEADS })
      : null,
    method_error_heads: METHOD_ERROR_HEADS,
    method_error_sources: METHOD_ERROR_SOURCES.map(({ name, kind, scanner, heads }) =>
      kind in methodErrorSourceText
        ? textIn(methodErrorSourceText[kind as keyof typeof methodErrorSourceText], language, {
          scanners: Number.parseInt(scanner),
          heads,
        })
        : `${name} (${scanner}, n = ${heads})`
    ),
  };
}
