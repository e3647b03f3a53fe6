import { doesAgree } from "@/model/findings/agreement.ts";
import type { Block } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";

/** Notice below a user's opinion that contradicts the findings; empty if it does not. */
export const disagreementOf = ({ opinion, conclusion, language }: ReportResponse): Block[] =>
  !conclusion || opinion.message === "" || opinion.is_suggested || doesAgree(opinion, conclusion)
    ? []
    : [{ kind: "notice", text: textIn(conclusionText.disagrees, language), isStrong: true }];
