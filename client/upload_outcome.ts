import { type Language, textIn } from "@/model/text.ts";
import { uploadToast, uploadToastTitle } from "@/model/text/upload.ts";
import type { StudyProgress } from "@/model/upload_progress.ts";
import type { ToastKind } from "@/client/notices.ts";

/** One message about an upload. */
export interface UploadToast {
  kind: ToastKind;
  title: string;
  text: string;
}

/** Codes that mean that the server is at fault. */
const SERVER_CODES: readonly string[] = ["internal", "engine.crashed", "job.failed", "core.unreachable"];

/**
 * What is said at the end of an upload: what kept studies out, once each, and then how many went in. Studies
 * that the person gave up do not count.
 */
export function uploadToasts(studies: readonly StudyProgress[], language: Language): UploadToast[] {
  const counted = studies.filter(({ stage }) => stage !== "canceled");
  const total = counted.length, success = counted.filter(({ stage }) => stage === "stored").length;
  if (total === 0) return [];
  const out = counted.filter(({ stage }) => stage === "failed" || stage === "refused");
  const toasts: UploadToast[] = [];
  const say = (
    kind: "warning" | "error",
    key: keyof typeof uploadToast,
    values: Record<string, string | number> = {},
  ) =>
    toasts.push({
      kind,
      title: textIn(uploadToastTitle[kind === "error" ? "failed" : "warning"], language),
      text: textIn(uploadToast[key], language, values),
    });
  const has = (...codes: string[]) => out.some(({ code }) => code !== null && codes.includes(code));

  if (has("storage.full")) say("error", success === 0 ? "storageAll" : "storageSome");
  const busy = out.filter(({ code }) => code === "study.being_analyzed");
  if (busy.length > 0) {
    const pids = [...new Set(busy.flatMap(({ pids }) => pids))].join(", ");
    say("warning", "beingAnalyzed", { errorPID: pids });
  }
  if (has("credit.none")) say("warning", "noCredit");
  if (has("upload.format_not_supported")) say("warning", "formatNotSupported");
  if (has(...SERVER_CODES)) say("error", "server");

  const completion = textIn(uploadToast.completion, language, { success, total });
  const [kind, title, first] = success === 0
    ? ["error", "failed", uploadToast.failed] as const
    : success < total
    ? ["warning", "warning", null] as const
    : ["success", "completed", uploadToast.success] as const;
  toasts.push({
    kind,
    title: textIn(uploadToastTitle[title], language),
    text: first ? `${textIn(first, language)} ${completion}` : completion,
  });
  return toasts;
}
