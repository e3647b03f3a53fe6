import { type KeyboardEvent, memo } from "react";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type { ListView } from "@/model/schema/worklist/list_view.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { isOrder, isReadable } from "@/model/worklist/worklist_row.ts";
import { isCheckable } from "@/model/worklist/worklist_selection.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { useMay } from "@/client/page/user.ts";
import { COLUMNS } from "@/components/worklist/table/columns.tsx";

/** Actions that a user can start in a worklist row. */
export interface RowActions {
  open: (row: PatientRow) => void;
  report: (row: PatientRow) => void;
  edit: (row: PatientRow) => void;
  /** `isRange` also checks the rows since the last checked one */
  check: (row: PatientRow, isChecked: boolean, isRange: boolean) => void;
  /** shows the history of the row's patient */
  activate: (row: PatientRow) => void;
}

interface WorklistRowProps {
  row: PatientRow;
  columns: ListView["columns"];
  language: Language;
  isChecked: boolean;
  isActive: boolean;
  /** id of the current user; rows name only other users who are editing */
  userId: number | null;
  /** functions that never change while the table exists */
  actions: RowActions;
}

/** A row of the table; rendered again if the row's study, check or selection has changed. */
export const WorklistRow = memo(function WorklistRow(props: WorklistRowProps) {
  const { row, columns, language, isChecked, isActive, userId, actions } = props;
  const context = { language, timeZone: useTimeZone(), userId };
  const patient = nameText(row.patient_name, language) || row.patient_id;
  return (
    <tr
      data-pid={row.pid}
      data-leads-to={isReadable(row) ? "viewer" : undefined}
      tabIndex={0}
      onDoubleClick={() => actions.open(row)}
      onKeyDown={(event) => onRowKey(event, row, isChecked, actions)}
      onClick={() => actions.activate(row)}
      aria-selected={isChecked}
      className={`study-row border-b border-line ${
        isActive || isChecked ? "bg-brand-50" : "bg-white hover:bg-brand-50"
      } ${isReadable(row) ? "cursor-pointer" : ""}`}
    >
      <td className="col-check" onDoubleClick={(event) => event.stopPropagation()}>
        {!isOrder(row) && (
          <input
            type="checkbox"
            aria-label={textIn(worklistText.select, language, { patient })}
            checked={isChecked}
            disabled={!isCheckable(row)}
            onClick={(event) => event.stopPropagation()}
            onChange={({ currentTarget, nativeEvent }) =>
              actions.check(row, currentTarget.checked, (nativeEvent as MouseEvent).shiftKey)}
            className="w-4 h-4 block accent-brand-600"
          />
        )}
      </td>
      {columns.map(({ key }) => {
        const { className = "", cell } = COLUMNS[key];
        return <td key={key} className={`col-${key} cell ${className}`}>{cell(row, context)}</td>;
      })}
      <td className="col-actions cell">
        {!isOrder(row) && (
          <RowButtons row={row} patient={patient} language={language} actions={actions} />
        )}
      </td>
    </tr>
  );
});

/**
 * CSS classes of a row's button: icon above its name if space is limited, otherwise the name only.
 */
const ACTION = "row-action rounded border";
const OFF = "border-line text-ink-faint opacity-50";
const ON = "border-line-strong text-brand-700 bg-white hover:border-brand-500 hover:bg-brand-50";

/** Edit, report and viewer buttons of a study. */
function RowButtons(
  { row, patient, language, actions }: Pick<WorklistRowProps, "row" | "language" | "actions"> & {
    patient: string;
  },
) {
  const canEdit = useMay("edit");
  const isRunning = isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status);
  const canOpen = isReadable(row), shape = `${ACTION} ${canOpen ? ON : OFF}`;
  return (
    <div className="flex justify-end items-center gap-1 xl:gap-1.5">
      {canEdit && (
        <button
          type="button"
          disabled={isRunning}
          title={textIn(worklistText.edit, language)}
          aria-label={textIn(worklistText.editRow, language, { patient })}
          onClick={() => actions.edit(row)}
          className="edit-button w-6 xl:w-7 h-8 shrink-0 rounded hover:bg-brand-100 disabled:opacity-40 disabled:pointer-events-none"
        />
      )}
      <button
        type="button"
        disabled={!canOpen}
        data-leads-to="report"
        title={textIn(worklistText.report, language)}
        aria-label={textIn(worklistText.openReport, language, { patient })}
        onClick={() => actions.report(row)}
        className={`report-button ${shape}`}
      >
        {textIn(worklistText.report, language)}
      </button>
      <button
        type="button"
        aria-disabled={!canOpen}
        title={textIn(worklistText.open, language)}
        aria-label={textIn(worklistText.openViewer, language, { patient })}
        onClick={() => actions.open(row)}
        className={`viewer-button ${shape}`}
      >
        {textIn(worklistText.open, language)}
      </button>
    </div>
  );
}

/** Keys of a row: open, edit, check, and move to the row above or below. */
function onRowKey(
  event: KeyboardEvent<HTMLTableRowElement>,
  row: PatientRow,
  isChecked: boolean,
  actions: RowActions,
): void {
  if (event.target !== event.currentTarget) return;
  const { previousElementSibling: above, nextElementSibling: below } = event.currentTarget;
  if (event.key === "Enter") actions.open(row);
  else if (isEditKey(event)) actions.edit(row);
  else if (event.key === " ") {
    if (isCheckable(row)) actions.check(row, !isChecked, event.shiftKey);
  } else if (event.key === "ArrowDown" && below instanceof HTMLElement) below.focus();
  else if (event.key === "ArrowUp" && above instanceof HTMLElement) above.focus();
  else return;
  event.preventDefault();
}

/**
 * Whether the key `e` is pressed without modifiers; with a Korean layout, the same physical key.
 */
const isEditKey = (event: KeyboardEvent): boolean =>
  !event.ctrlKey && !event.metaKey && !event.altKey && (event.key === "e" || event.code === "KeyE");
