import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import { deletePatients, getListCounts } from "@/client/api/studies/patients.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { restoreStudy } from "@/client/api/studies/bin.ts";
import { queryClient } from "@/client/page/query.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";

/**
 * Number of days in which deleted studies can be restored.
 * 0 if studies are deleted permanently, or if the number is unknown.
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

/** Result of a deletion: the deleted studies, and the studies that other users are editing. */
interface Deletion {
  /** deleted studies, including those that another user deleted first */
  gone: number[];
  /** names of users who are editing, by the number of the study, which was therefore not deleted */
  editors: ReadonlyMap<number, string>;
}

/**
 * Deletes studies and shows the result, except for studies that are being edited:
 * the caller asks again about these studies.
 *
 * @param asked `edited`: studies for which the user confirmed that an edit is lost.
 * `why`: reason stored in the bin. `isRestorable`: offers to undo the deletion.
 * @param reasonOf Converts an error code to text.
 */
export async function deleteChecked(
  pids: readonly number[],
  asked: { edited: readonly number[]; why: string; isRestorable: boolean },
  reasonOf: (code: ErrorCode) => string,
): Promise<Deletion> {
  const { deleted, excluded } = await deletePatients(
    browserApi,
    [...pids],
    asked.why.trim(),
    asked.edited,
  );
  const isGone = ({ code }: { code: string }) =>
    code === "study.deleted" || code === "entity.not_found";
  const isEdited = ({ code }: { code: string }) => code === "study.being_edited";
  const gone = [...deleted, ...excluded.filter(isGone).map(({ pid }) => pid)];
  const refused = excluded.filter((each) => !isGone(each) && !isEdited(each));
  const code = refused[0]?.code;
  if (gone.length > 0) {
    const undo = deleted.length > 0 && asked.isRestorable
      ? () => void restoreDeleted(deleted)
      : undefined;
    presentToast("study.removed", { n: gone.length }, undo);
  }
  if (code !== undefined) {
    const reason = reasonOf(isErrorCode(code) ? code : "internal");
    presentToast("study.remove_failed", { failed: refused.length, n: pids.length, reason });
  }
  const editors = excluded.filter(isEdited).map(({ pid, user = "" }) => [pid, user] as const);
  return { gone, editors: new Map(editors) };
}
