import { type KeyboardEvent, memo } from "react";
import { isAnalyzing } from "@/model/schema/study.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { analysisDateText, isReadable } from "@/model/worklist/worklist_row.ts";
import { isCheckable } from "@/model/worklist/worklist_selection.ts";
import { useTimeZone } from "@/client/page/time_zone.ts";
import { LabelTags } from "@/worklist/table/LabelTags.tsx";
import { RowStatus } from "@/worklist/table/RowStatus.tsx";
import { SeriesIndicator } from "@/worklist/table/SeriesIndicator.tsx";

/** What can be done with a row. */
export interface RowActions {
  open: (row: PatientRow) => void;
  report: (row: PatientRow) => void;
  edit: (row: PatientRow) => void;
  /** `isRange` takes the rows since the last one along */
  check: (row: PatientRow, isChecked: boolean, isRange: boolean) => void;
  /** its history is shown */
  activate: (row: PatientRow) => void;
}

interface WorklistRowProps {
  row: PatientRow;
  language: Language;
  isChecked: boolean;
  isActive: boolean;
  /** who looks at the list: others who edit are named */
  userId: number | null;
  /** the same object as long as there is the table */
  actions: RowActions;
}

const CELL = "px-1.5 xl:px-2";

/** A row of the table; drawn again when its study, its check or its choice has changed. */
export const WorklistRow = memo(function WorklistRow(props: WorklistRowProps) {
  const { row, language, isChecked, isActive, userId, actions } = props;
  const timeZone = useTimeZone();
  const { patient_id: id, patient_name: name } = row, patient = name || id;
  const editing = row.editing_user && row.editing_uid !== userId
    ? textIn(worklistText.editing, language, { user: row.editing_user })
    : null;
  return (
    <tr
      role="row"
      data-pid={row.pid}
      tabIndex={0}
      onDoubleClick={() => actions.open(row)}
      onKeyDown={(event) => onRowKey(event, row, isChecked, actions)}
      onClick={() => actions.activate(row)}
      aria-selected={isChecked}
      className={`study-row border-b border-line ${
        isActive || isChecked ? "bg-brand-50" : "hover:bg-brand-50"
      } ${isReadable(row) ? "cursor-pointer" : ""}`}
    >
      <td role="cell" className="pl-4 xl:pl-5" onDoubleClick={(event) => event.stopPropagation()}>
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
      </td>
      <td role="cell" className={`${CELL} tabular text-ink-faint`}>{row.pid}</td>
      <td role="cell" className={CELL}>
        <RowStatus row={row} id={`row${row.pid}`} />
      </td>
      <td role="cell" className={`${CELL} two-lines tabular`} title={id}>{id}</td>
      <td role="cell" className={`${CELL} font-medium text-ink`}>
        <div title={name} className={editing === null ? "two-lines" : "truncate"}>{name}</div>
        {editing && (
          <div className="editing-notice two-lines font-normal text-amber-800" title={editing}>{editing}</div>
        )}
      </td>
      <td role="cell" className={CELL}>
        {row.patient_sex === null ? "-" : row.patient_sex === "male" ? "M" : "F"}
      </td>
      <td role="cell" className={`${CELL} tabular`}>{row.patient_age ?? "-"}</td>
      <td role="cell" className={`${CELL} tabular whitespace-nowrap`}>{row.patient_birthdate ?? "-"}</td>
      <td role="cell" className={`${CELL} tabular whitespace-nowrap`}>{row.study_date ?? "-"}</td>
      <td role="cell" className={CELL}>
        <SeriesIndicator row={row} language={language} />
      </td>
      <td role="cell" className={`${CELL} tabular whitespace-nowrap`}>
        {analysisDateText(row, timeZone)}
      </td>
      <td role="cell" className={CELL}>
        <LabelTags labels={row.label_list} />
      </td>
      <td role="cell" className="pl-1 xl:pl-2 pr-4 xl:pr-5">
        <RowButtons row={row} patient={patient} language={language} actions={actions} />
      </td>
    </tr>
  );
});

const ACTION = "inline-flex h-8 items-center whitespace-nowrap rounded border px-2.5 text-[13px] font-medium";
const OFF = "border-line text-ink-faint opacity-50";
const ON = "border-line-strong text-brand-700 bg-white hover:border-brand-500 hover:bg-brand-50";

/** Edit, report and viewer of a study. */
function RowButtons(
  { row, patient, language, actions }: Pick<WorklistRowProps, "row" | "language" | "actions"> & {
    patient: string;
  },
) {
  const isRunning = isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status);
  const canOpen = isReadable(row), shape = `${ACTION} ${canOpen ? ON : OFF}`;
  return (
    <div className="flex justify-end gap-1 xl:gap-1.5">
      <button
        type="button"
        disabled={isRunning}
        title={textIn(worklistText.edit, language)}
        aria-label={textIn(worklistText.editRow, language, { patient })}
        onClick={() => actions.edit(row)}
        className="edit-button w-6 xl:w-7 h-8 shrink-0 rounded hover:bg-brand-100 disabled:opacity-40 disabled:pointer-events-none"
      />
      <button
        type="button"
        disabled={!canOpen}
        aria-label={textIn(worklistText.openReport, language, { patient })}
        onClick={() => actions.report(row)}
        className={shape}
      >
        {textIn(worklistText.report, language)}
      </button>
      <button
        type="button"
        aria-disabled={!canOpen}
        aria-label={textIn(worklistText.openViewer, language, { patient })}
        onClick={() => actions.open(row)}
        className={`viewer-button ${shape}`}
      >
        {textIn(worklistText.open, language)}
      </button>
    </div>
  );
}

/** Keys of a row: open, edit, check, and to the row above or below. */
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

/** `e` alone; where it is typed in Korean, the same key. */
const isEditKey = (event: KeyboardEvent): boolean =>
  !event.ctrlKey && !event.metaKey && !event.altKey && (event.key === "e" || event.code === "KeyE");
