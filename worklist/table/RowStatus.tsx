import { useSignals } from "@preact/signals-react/runtime";
import { useState } from "react";
import { isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import type { Language } from "@/model/text.ts";
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
import { AnalyzeButton } from "@/worklist/table/AnalyzeButton.tsx";
import { failureText, StatusCell } from "@/worklist/table/StatusCell.tsx";

/** Starts the analysis of a study, or a failed one again, and says what came of it. */
async function analyze(row: PatientRow): Promise<void> {
  try {
    const isAgain = failureText(row) !== null;
    const { excluded } =
      await (isAgain ? startReanalysis(browserApi, row.pid) : startAnalyses(browserApi, [row.pid]));
    const code = excluded[0]?.code;
    if (code === undefined) presentToast("analysis.requested");
    else presentToast(isErrorCode(code) ? code : "analysis.some_failed");
    await queryClient.invalidateQueries({ queryKey: queryKeys.patients });
  } catch (error) {
    presentError(error, "worklist.some_error");
  }
}

/** Why the analysis of a study failed, in words; `null` when it did not. */
function reasonOf({ analysis_error: failure }: PatientRow, language: Language): string | null {
  if (!failure) return null;
  const { code, reason } = failure;
  return reasonTextOf(reason, language) ?? messageOf(isErrorCode(code) ? code : "internal", {}, language);
}

/** What happens with a study, and the button that starts its analysis; `id` begins the ids of its elements. */
export function RowStatus({ row, id }: { row: PatientRow; id: string }) {
  useSignals();
  const language = useLanguage(), text = useText(worklistText);
  const [isRequesting, setRequesting] = useState(false);
  const stage = runningStages.value[`${row.pid}/t1`] ?? runningStages.value[`${row.pid}/t2`];
  return (
    <StatusCell
      id={id}
      row={row}
      language={language}
      stage={stage === undefined ? null : stageText(stage, language)}
      reason={reasonOf(row, language)}
      onReason={(reason) => informInModal("analysis.reason", { reason })}
      action={
        <AnalyzeButton
          label={text(failureText(row) === null ? "analyze" : "reanalyze")}
          isDisabled={isRequesting}
          onClick={() => {
            setRequesting(true);
            void analyze(row).finally(() => setRequesting(false));
          }}
        />
      }
    />
  );
}
