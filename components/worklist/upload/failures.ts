import { isErrorCode } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { isStudyReason, isUploadReason, refusalIn } from "@/model/text/worklist/upload.ts";
import type { StudyProgress } from "@/model/worklist/upload_progress.ts";
import { numbersOf } from "@/components/worklist/upload/upload_outcome.ts";
import { messageOf } from "@/client/notices/messages.ts";

/** Text of an error code in a language. */
export const failureText = (language: Language) => (code: string): string =>
  messageOf(isErrorCode(code) ? code : "internal", {}, language);

/** Reason why a study was not uploaded; problems of single files appear in a table below. */
export function studyReason(
  progress: StudyProgress,
  language: Language,
): string | null {
  const { stage, code, failures } = progress;
  if ((stage !== "failed" && stage !== "refused") || code === null) return null;
  if (code === "study.being_analyzed") {
    return textIn(refusalText.beingAnalyzed, language, {
      errorPID: numbersOf(progress).join(", "),
    });
  }
  if (code === "storage.full") return textIn(refusalText.storageAll, language);
  const [first] = failures;
  if (code !== "upload.format_not_supported" || !first) return failureText(language)(code);
  // no text here: reasons of series and files are shown below
  const { reason, details, patients } = first;
  if (!isUploadReason(reason)) return null;
  const isSame = failures.every((one) =>
    one.reason === reason && (isStudyReason(reason) || !one.series)
  );
  return isSame ? refusalIn(language, { reason, details, patients }) : null;
}
