import { partInSentence } from "@/model/findings/sentences.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";

const SIDES = { L: "outlinedL", R: "outlinedR", both: "outlinedBoth" } as const;

/** Sentence that names the structure outlined in the pictures. */
export function outlineNoteOf(
  { part, side }: NonNullable<ReportResponse["outlined_place"]>,
  language: Language,
): string {
  const name = partInSentence(part, language);
  const place = side === "" ? name : textIn(reportText[SIDES[side]], language, { part: name });
  return textIn(reportText.outlined, language, { place });
}
