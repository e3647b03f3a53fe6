import { doesAgree } from "@/model/findings/agreement.ts";
import type { Block } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";

/** Notice that the opinion (prepared comment) selected by a user contradicts the findings. */
export const disagreementOf = ({ opinion, conclusion, language }: ReportResponse): Block[] =>
  !conclusion || opinion.message === "" || opinion.is_suggested || doesAgree(opinion, conclusion)
    ? []
    : [{ kind: "notice", text: textIn(conclusionText.disagrees, language), isStrong: true }];
