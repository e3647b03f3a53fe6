import { type ReactNode, useState } from "react";
import { isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { stageText } from "@/model/text/stages.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { startAnalyses, startReanalysis } from "@/client/api/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { reasonTextOf } from "@/client/failure_reason.ts";
import { useLanguage, useText } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { informInModal, presentError, presentToast } from "@/client/present_error.ts";
import { queryClient } from "@/client/query.ts";
import { runningStages } from "@/client/worklist_cache.ts";
import { AnalyzeButton } from "@/components/worklist/AnalyzeButton.tsx";
import { failureText, StatusCell } from "@/components/worklist/StatusCell.tsx";

interface RowStatus {
  /** what happens with a study, and the button that starts its analysis; `id` begins the ids of its elements */
  statusOf: (row: PatientRow, id: string) => ReactNode;
  /** changes with what `statusOf` makes of the same row */
  statusKeyOf: (row: PatientRow) => string;
}

/** Status of the rows, in words. Reads signals: the caller follows them. */
export function useRowStatus(): RowStatus {
  const language = useLanguage(), text = useText(worklistText);
  const [isRequesting, setRequesting] = useState(false);
  const stages = runningStages.value;

  const analyze = async (row: PatientRow) => {
    setRequesting(true);
    try {
      const isAgain = failureText(row) !== null;
      const answer =
        await (isAgain ? startReanalysis(browserApi, row.pid) : startAnalyses(browserApi, [row.pid]));
      const code = answer.excluded[0]?.code;
      if (code === undefined) presentToast("analysis.requested");
      else presentToast(isErrorCode(code) ? code : "analysis.some_failed");
      await queryClient.invalidateQueries({ queryKey: queryKeys.patients });
    } catch (error) {
      presentError(error, "worklist.some_error");
    } finally {
      setRequesting(false);
    }
  };
  const stageOf = ({ pid }: PatientRow): string | null => {
    const stage = stages[`${pid}/t1`] ?? stages[`${pid}/t2`];
    return stage === undefined ? null : stageText(stage, language);
  };
  const reasonOf = ({ analysis_error: failure }: PatientRow): string | null => {
    if (!failure) return null;
    const { code, reason } = failure;
    return reasonTextOf(reason, language) ?? messageOf(isErrorCode(code) ? code : "internal", {}, language);
  };
  const statusOf = (row: PatientRow, id: string) => (
    <StatusCell
      id={id}
      row={row}
      language={language}
      stage={stageOf(row)}
      reason={reasonOf(row)}
      onReason={(reason) => informInModal("analysis.reason", { reason })}
      action={
        <AnalyzeButton
          label={text(failureText(row) === null ? "analyze" : "reanalyze")}
          isDisabled={isRequesting}
          onClick={() => void analyze(row)}
        />
      }
    />
  );
  return { statusOf, statusKeyOf: (row) => `${isRequesting} ${stageOf(row)}` };
}
