import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { isReadable, namedNumber } from "@/model/worklist/worklist_row.ts";
import { startAnalyses, startReanalysis } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { watchAnalyses } from "@/client/tray/tray.ts";
import { chooseInModal, presentToast } from "@/client/notices/present_error.ts";

interface Analyses {
  /** studies without results as far as this page knows; the server skips analysed studies */
  others: number[];
  /** analysed studies that are to be analysed again */
  again: number[];
  /** number of analysed studies among the checked ones, whether analysed again or not */
  done: number;
}

/**
 * Asks before the results of studies are replaced.
 * Checks persist across pages: the last displayed state of each study counts.
 * @returns studies to analyse; `null` if the user cancelled.
 */
export async function chooseAnalyses(
  pids: readonly number[],
  rowOf: (pid: number) => PatientRow | undefined,
): Promise<Analyses | null> {
  const isDone = (pid: number) => {
    const row = rowOf(pid);
    return row !== undefined && isReadable(row);
  };
  const done = pids.filter(isDone), others = pids.filter((pid) => !isDone(pid)), n = done.length;
  if (n === 0) return { others, again: [], done: 0 };
  const answer = await chooseInModal(others.length > 0 ? "analysis.again_some" : "analysis.again", {
    n,
  });
  return answer === "cancel" ? null : { others, again: answer === "confirm" ? done : [], done: n };
}

/**
 * Starts the analyses and shows the result. `reasonOf` converts a code to text; `rowOf` is as in
 * {@link chooseAnalyses}.
 */
export async function startChosen(
  { others, again, done }: Analyses,
  reasonOf: (code: ErrorCode) => string,
  rowOf: (pid: number) => PatientRow | undefined,
): Promise<void> {
  const answers = [
    ...others.length > 0 ? [await startAnalyses(browserApi, others)] : [],
    ...await Promise.all(again.map((pid) => startReanalysis(browserApi, pid))),
  ];
  watchAnalyses(answers.flatMap((answer) => answer.accepted));
  const isFinished = ({ code }: { code: string }) => code === "study.already_analyzed";
  const accepted = answers.flatMap((answer) => answer.accepted);
  const allExcluded = answers.flatMap((answer) => answer.excluded);
  const excluded = allExcluded.filter((each) => !isFinished(each)), code = excluded[0]?.code;
  if (accepted.length > 0) presentToast("analysis.started", { n: accepted.length });
  if (again.length < done || allExcluded.some(isFinished)) {
    presentToast("analysis.analyzed_excluded");
  }
  if (code !== undefined) {
    const reason = reasonOf(isErrorCode(code) ? code : "internal");
    const pids = excluded.map(({ pid }) => namedNumber(pid, rowOf(pid)));
    presentToast("analysis.excluded", { n: excluded.length, pids, reason });
  }
}
