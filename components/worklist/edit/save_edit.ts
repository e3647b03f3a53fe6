import { AppError, asAppError, type ErrorCode, isRetryable } from "@/model/errors.ts";
import type { Language } from "@/model/text.ts";
import { startReanalysis } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { fetchRow } from "@/client/live/live_cache.ts";
import { messageOf } from "@/client/notices/messages.ts";
import type { PatientEdit } from "@/client/patient_edit.ts";
import {
  chooseInModal,
  informInModal,
  presentError,
  presentToast,
} from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { refreshStudies } from "@/client/live/worklist_cache.ts";

/** Whether the text of the edit conflict remains below the row after this error. */
const isExplained = (code: ErrorCode): boolean =>
  code === "study.being_analyzed" || isRetryable(code);

/**
 * Asks whether to analyse an edited study again. Both answers end with a modal and a return to
 * the home page (D1 §4); without an answer, the page is unchanged.
 */
async function askReanalysis(pid: number): Promise<void> {
  const answer = await chooseInModal("edit.reanalyze");
  if (answer === "cancel") return;
  let isStarted = false;
  if (answer === "confirm") {
    try {
      const { excluded } = await startReanalysis(browserApi, pid);
      isStarted = excluded.length === 0;
      if (!isStarted) presentToast("analysis.some_failed");
    } catch (error) {
      presentError(error);
      // the modal of this error gives the reason and leads to the home page
      if (error instanceof AppError && error.code === "study.deleted") return;
    }
  }
  informInModal(isStarted ? "edit.reanalyzed" : "edit.kept", {}, () => location.assign("/"));
}

/**
 * Stores an edit and reports the result;
 * `onEnd` is called when editing has ended, which is not the case after an error.
 */
export async function saveEdit(
  edit: PatientEdit,
  language: Language,
  onEnd: () => void,
): Promise<void> {
  try {
    const isAffected = await edit.save();
    presentToast("edit.saved");
    onEnd();
    await refreshStudies(queryClient, [edit.row.pid], fetchRow);
    if (isAffected) await askReanalysis(edit.row.pid);
  } catch (error) {
    const code = asAppError(error).code;
    if (code === "study.duplicate") presentError(error);
    else if (code === "study.deleted" || code === "entity.not_found") {
      presentToast("edit.deleted");
    } else if (
      code === "study.being_edited" || (error instanceof AppError && error.status === 401)
    ) {
      presentError(error);
    } else {
      const why = isExplained(code) ? messageOf(code, { pid: edit.row.pid }, language) : "";
      presentToast("edit.failed", { why });
    }
  }
}
