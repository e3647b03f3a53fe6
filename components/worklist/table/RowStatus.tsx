import { useSignals } from "@preact/signals-react/runtime";
import { useState } from "react";
import { isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type { Language } from "@/model/text.ts";
import { stageText } from "@/model/text/stages.ts";
import { isOrder, isReadable, namedNumber } from "@/model/worklist/worklist_row.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { startAnalyses } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { messageLater, reasonTextOf } from "@/client/notices/failure_reason.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import {
  chooseInModal,
  informInModal,
  presentError,
  presentToast,
} from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { watchAnalyses } from "@/client/tray/tray.ts";
import { runningStages } from "@/client/live/worklist_cache.ts";
import { useMay } from "@/client/page/user.ts";
import { AnalyzeButton } from "@/components/worklist/table/AnalyzeButton.tsx";
import { OrderStatus } from "@/components/worklist/table/order_parts.tsx";
import { failureText, StatusCell } from "@/components/worklist/table/StatusCell.tsx";

/**
 * Starts or repeats the analysis of a study and reports the result.
 * Asks before results of a series are replaced.
 */
async function analyze(row: PatientRow): Promise<void> {
  if (isReadable(row) && await chooseInModal("analysis.again", { n: 1 }) !== "confirm") return;
  try {
    watchAnalyses([row.pid]);
    const { excluded } = await startAnalyses(browserApi, [row.pid]);
    const code = excluded[0]?.code;
    if (code === undefined) presentToast("analysis.requested");
    else {presentToast(isErrorCode(code) ? code : "analysis.some_failed", {
        pid: namedNumber(row.pid, row),
      });}
    await queryClient.invalidateQueries({ queryKey: queryKeys.patients });
  } catch (error) {
    presentError(error, "worklist.some_error");
  }
}

/**
 * Reason for a failed analysis as text;
 * `null` without a failure, and while texts are loading. Reads signals.
 */
function reasonOf({ analysis_error: failure }: PatientRow, language: Language): string | null {
  if (!failure) return null;
  const { code, reason } = failure;
  return reasonTextOf(reason, language) ??
    messageLater(isErrorCode(code) ? code : "internal", language);
}

interface RowStatusProps {
  row: PatientRow;
  /** prefix of the HTML ids of the row's elements */
  id: string;
}

/** State of a study, and the button that starts its analysis. */
export function RowStatus({ row, id }: RowStatusProps) {
  useSignals();
  const language = useLanguage();
  if (isOrder(row)) return <OrderStatus row={row} language={language} />;
  if (isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status)) {
    return <RunningStatus row={row} id={id} />;
  }
  return (
    <StatusCell
      id={id}
      row={row}
      language={language}
      stage={null}
      reason={reasonOf(row, language)}
      onReason={(reason) => informInModal("analysis.reason", { reason })}
      action={<AnalyzeAction row={row} />}
    />
  );
}

/** State of a study being analysed, with the engine's stage, which arrives through the socket. */
function RunningStatus({ row, id }: RowStatusProps) {
  useSignals();
  const language = useLanguage();
  const stage = runningStages.value[`${row.pid}/t1`] ?? runningStages.value[`${row.pid}/t2`];
  return (
    <StatusCell
      id={id}
      row={row}
      language={language}
      stage={stage === undefined ? null : stageText(stage, language)}
      reason={null}
      onReason={() => {}}
      action={null}
    />
  );
}

/** Button that starts the analysis of a study. */
function AnalyzeAction({ row }: { row: PatientRow }) {
  const text = useText(worklistText), [isRequesting, setRequesting] = useState(false);
  if (!useMay("analyse")) return null;
  return (
    <AnalyzeButton
      label={text(failureText(row) === null ? "analyze" : "reanalyze")}
      isDisabled={isRequesting}
      onClick={() => {
        setRequesting(true);
        void analyze(row).finally(() => setRequesting(false));
      }}
    />
  );
}
