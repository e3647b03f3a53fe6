import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import { deletePatients } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentToast } from "@/client/notices/present_error.ts";

/**
 * Deletes studies and reports the outcome; `reasonOf` gives a code as text, `why` is the reason stored in the bin.
 * @returns those that are gone, including those that another user deleted first.
 */
export async function deleteChecked(
  pids: readonly number[],
  reasonOf: (code: ErrorCode) => string,
  why = "",
): Promise<number[]> {
  const { deleted, excluded } = await deletePatients(browserApi, [...pids], why.trim());
  const isGone = ({ code }: { code: string }) => code === "study.deleted" || code === "entity.not_found";
  const gone = [...deleted, ...excluded.filter(isGone).map(({ pid }) => pid)];
  const refused = excluded.filter((each) => !isGone(each)), code = refused[0]?.code;
  if (gone.length > 0) presentToast("study.removed", { n: gone.length });
  if (code !== undefined) {
    const reason = reasonOf(isErrorCode(code) ? code : "internal");
    presentToast("study.remove_failed", { failed: refused.length, n: pids.length, reason });
  }
  return gone;
}
