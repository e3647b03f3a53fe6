import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import { deletePatients, getListCounts } from "@/client/api/studies/patients.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { restoreStudy } from "@/client/api/studies/bin.ts";
import { queryClient } from "@/client/page/query.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";

/**
 * Number of days that deleted studies can be restored;
 * 0 when they are deleted permanently, or when it is unknown.
 */
export const binDays = (): Promise<number> =>
  queryClient.fetchQuery({
    queryKey: queryKeys.listCounts,
    queryFn: ({ signal }) => getListCounts(browserApi, signal),
    staleTime: Infinity,
  }).then(({ bin_days = 0 }) => bin_days, () => 0);

/** Restores studies that have just been deleted. */
async function restoreDeleted(pids: readonly number[]): Promise<void> {
  const results = await Promise.allSettled(pids.map((pid) => restoreStudy(browserApi, pid)));
  const n = results.filter(({ status }) => status === "fulfilled").length;
  if (n > 0) presentToast("study.restored", { n });
  const failed = results.find((result) => result.status === "rejected");
  if (failed) presentError(failed.reason, "worklist.some_error");
  await queryClient.invalidateQueries({ queryKey: queryKeys.patients });
}

/**
 * Deletes studies and reports the result; `reasonOf` converts a code to text, `why` is the reason
 * stored in the bin; `isRestorable` offers to undo it.
 * @returns the deleted studies, including those that another user deleted first.
 */
export async function deleteChecked(
  pids: readonly number[],
  reasonOf: (code: ErrorCode) => string,
  why = "",
  isRestorable = false,
): Promise<number[]> {
  const { deleted, excluded } = await deletePatients(browserApi, [...pids], why.trim());
  const isGone = ({ code }: { code: string }) =>
    code === "study.deleted" || code === "entity.not_found";
  const gone = [...deleted, ...excluded.filter(isGone).map(({ pid }) => pid)];
  const refused = excluded.filter((each) => !isGone(each)), code = refused[0]?.code;
  if (gone.length > 0) {
    const undo = deleted.length > 0 && isRestorable
      ? () => void restoreDeleted(deleted)
      : undefined;
    presentToast("study.removed", { n: gone.length }, undo);
  }
  if (code !== undefined) {
    const reason = reasonOf(isErrorCode(code) ? code : "internal");
    presentToast("study.remove_failed", { failed: refused.length, n: pids.length, reason });
  }
  return gone;
}
