import type { ReactNode } from "react";
import { isAnalyzing, isFailed } from "@/model/schema/studies/study.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { analysisFailedText } from "@/model/text/analysis_failed.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { Tooltip } from "@/components/Tooltip.tsx";

/** Which tooltip a failed row has, of the three in D1; `null` without a failure. */
export function failureText(row: PatientRow): { en: string; ko: string } | null {
  const t1 = isFailed(row.t1_analysis_status), t2 = isFailed(row.t2_analysis_status);
  if (t1 && t2) return analysisFailedText.bothFailed;
  return t1 ? analysisFailedText.t1Failed : t2 ? analysisFailedText.t2Failed : null;
}

/** Series of a study in one of the given states, T1w first. */
const seriesIn = (row: PatientRow, isIn: (status: PatientRow["t1_analysis_status"]) => boolean) =>
  ([["T1w", row.t1_analysis_status], ["T2w", row.t2_analysis_status]] as const)
    .filter(([, status]) => status !== null && isIn(status)).map(([series]) => series);

/** Mean progress of the series being analysed, 0..100; `null` when no analysis has started. */
export function percentOf(row: PatientRow): number | null {
  const series = [
    [row.t1_analysis_status, row.t1_analysis_percent],
    [row.t2_analysis_status, row.t2_analysis_percent],
  ] as const;
  const running = series.filter(([status]) => isAnalyzing(status));
  if (!running.some(([status]) => status === "processing")) return null;
  return Math.floor(running.reduce((sum, [, percent]) => sum + (percent ?? 0), 0) / running.length);
}

interface StatusCellProps {
  /** prefix of the HTML ids of the cell's elements */
  id: string;
  row: PatientRow;
  language: Language;
  /** current stage of the engine, as text */
  stage: string | null;
  /** reason for a failed analysis, as text; empty while texts are loading */
  reason: string | null;
  /** shows the complete reason of a failure */
  onReason: (reason: string) => void;
  /** button that starts the analysis of a study without a result */
  action: ReactNode;
}

/**
 * State of a study: waiting, analysing with percentage and stage, completed, or failed with reason.
 * With two series, a state that only one of them has is shown with the series' name.
 */
export function StatusCell(
  { id, row, language, stage, reason, onReason, action }: StatusCellProps,
) {
  const statuses = [row.t1_analysis_status, row.t2_analysis_status];
  const failure = failureText(row), percent = percentOf(row);
  if (statuses.some(isAnalyzing)) {
    const label = percent === null
      ? statuses.includes("pending") && !statuses.includes("waiting")
        ? worklistText.pending
        : worklistText.waiting
      : worklistText.processing;
    return (
      <div className="flex items-center gap-2 min-w-0">
        <span className="spinner shrink-0" aria-hidden="true" />
        <div className="min-w-0 leading-tight">
          <div className="text-[13px] font-medium text-brand-700 tabular">
            {textIn(label, language)} {percent === null ? "" : `${percent}\u00a0%`}
          </div>
          {stage && <div className="text-xs text-ink-faint truncate" title={stage}>{stage}</div>}
        </div>
      </div>
    );
  }
  if (failure) {
    const [alone] = seriesIn(row, (status) => !isFailed(status)).length > 0
      ? seriesIn(row, isFailed)
      : [];
    return (
      <div className="flex items-center gap-1.5 xl:gap-2 min-w-0">
        <Tooltip id={`${id}failure`} text={textIn(failure, language)} className="shrink-0">
          <svg
            viewBox="0 0 20 20"
            className="w-5 h-5 text-red-700"
            role="img"
            aria-label={textIn(failure, language)}
          >
            <circle cx="10" cy="10" r="8.5" fill="currentColor" />
            <path
              d="M10 5.5v5.5M10 13.7v.6"
              stroke="#fff"
              strokeWidth="1.8"
              strokeLinecap="round"
            />
          </svg>
        </Tooltip>
        <div className="min-w-0 flex-1 leading-tight">
          <div className="font-medium text-red-700">
            {alone === undefined ? textIn(worklistText.failed, language) : (
              <>
                <span className="xl:hidden">{textIn(worklistText.failed, language)}</span>
                <span className="hidden xl:inline">
                  {textIn(worklistText.seriesFailed, language, { series: alone })}
                </span>
              </>
            )}
          </div>
          {reason !== null && (
            <button
              type="button"
              title={reason}
              onClick={() => onReason(reason)}
              className="block max-w-full text-xs text-ink-soft truncate underline decoration-dotted hover:text-brand-700"
            >
              {textIn(worklistText.reason, language)}
              <span className="sr-only">{` ${reason}`}</span>
            </button>
          )}
        </div>
        {action}
      </div>
    );
  }
  const [completed] = seriesIn(row, (status) => status === "completed");
  const [rest] = seriesIn(row, (status) => status !== "completed");
  if (completed && rest) {
    const words = [
      textIn(worklistText.seriesCompleted, language, { series: completed }),
      textIn(worklistText.seriesReady, language, { series: rest }),
    ] as const;
    return (
      <div className="flex items-center gap-1 min-w-0">
        <div className="min-w-0 flex-1 leading-tight" title={words.join(", ")}>
          {/* the tags tell which is completed, where there is no room */}
          <div className="hidden xl:block font-medium text-emerald-800 truncate">{words[0]}</div>
          <div className="xl:truncate text-xs text-ink-soft">{words[1]}</div>
        </div>
        {action}
      </div>
    );
  }
  if (completed) {
    return (
      <div className="flex items-center gap-2 text-emerald-800">
        <span className="completed-icon w-5 h-5 shrink-0" aria-hidden="true" />
        <span className="font-medium">{textIn(worklistText.completed, language)}</span>
      </div>
    );
  }
  return (
    <div className="flex items-center gap-1 text-ink-soft">
      <span className="flex-1 whitespace-nowrap">{textIn(worklistText.ready, language)}</span>
      {action}
    </div>
  );
}
