import type { ErrorCode } from "@/model/errors.ts";
import type { ToastCode } from "@/model/notice_codes.ts";
import type { StudyProgress } from "@/model/worklist/upload_progress.ts";
import { isPartly } from "@/model/worklist/upload_verdict.ts";
import { namedNumber } from "@/model/worklist/worklist_row.ts";
import type { NoticeValues } from "@/client/notices/notices.ts";

/** A message about an upload. */
interface UploadToast {
  code: ToastCode | ErrorCode;
  values: NoticeValues;
}

/** Error codes that indicate a fault of the server. */
const SERVER_CODES: readonly string[] = [
  "internal",
  "engine.crashed",
  "job.failed",
  "server.busy",
  "storage.unavailable",
  "core.unreachable",
];

/** Study numbers in an error, each with the patient's name. */
export const numbersOf = ({ pids, study: { patientName } }: StudyProgress): string[] =>
  pids.map((pid) => namedNumber(pid, { patient_name: patientName }));

/** Heading of a finished upload: a key of `uploadDialogText`. */
export function uploadResult(
  studies: readonly StudyProgress[],
  unusedFiles: number,
): "resultNone" | "resultPart" | "resultSome" | "resultAll" {
  const isThere = ({ stage }: StudyProgress) => stage === "stored" || stage === "known";
  if (!studies.some(isThere)) return "resultNone";
  if (!studies.every(isThere)) return "resultPart";
  return unusedFiles > 0 ? "resultSome" : "resultAll";
}

/**
 * Messages at the end of an upload: distinct reasons of failed studies, then the number of uploaded
 * studies. Studies cancelled by the user do not count.
 * Studies that the server already had are listed separately.
 */
export function uploadToasts(studies: readonly StudyProgress[]): UploadToast[] {
  const knownCount = studies.filter(({ stage }) => stage === "known").length;
  const counted = studies.filter(({ stage }) => stage !== "canceled" && stage !== "known");
  const total = counted.length, success = counted.filter(({ stage }) => stage === "stored").length;
  if (total + knownCount === 0) return [];
  const out = counted.filter(({ stage }) => stage === "failed" || stage === "refused");
  const toasts: UploadToast[] = [];
  const say = (code: UploadToast["code"], values: NoticeValues = {}) =>
    toasts.push({ code, values });
  const has = (...codes: string[]) => out.some(({ code }) => code !== null && codes.includes(code));

  if (has("storage.full")) say(success === 0 ? "upload.storage_all" : "upload.storage_some");
  if (has("storage.read_only")) say("storage.read_only");
  const busy = out.filter(({ code }) => code === "study.being_analyzed");
  if (busy.length > 0) {
    say("upload.being_analyzed", { errorPID: [...new Set(busy.flatMap(numbersOf))].join(", ") });
  }
  if (has("credit.none")) say("upload.no_credit");
  const refused = out.filter(({ code }) => code === "upload.format_not_supported");
  const explained = refused.filter(({ failures }) => failures.some(({ series }) => series)).length;
  if (refused.length > explained) say("upload.format_not_supported");
  if (explained > 0) say("upload.not_used", { count: explained });
  if (has(...SERVER_CODES)) say("internal");
  if (knownCount > 0) say("upload.known", { count: knownCount });
  const partly = counted.filter(isPartly).length;
  // one message: "1 / 1 uploaded" alone would suggest that the whole study was uploaded
  if (partly > 0) say("upload.partly", { success, total, count: partly });
  else if (total > 0) {
    const isAll = success === total;
    say(success === 0 ? "upload.failed" : isAll ? "upload.completed" : "upload.some", {
      success,
      total,
    });
  }
  return toasts;
}
