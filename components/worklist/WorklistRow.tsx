import { type KeyboardEvent, memo, type MouseEvent, type RefObject, useMemo, useRef, useState } from "react";
import { isAnalyzing } from "@/model/schema/study.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { analysisDateText, isReadable } from "@/model/worklist_row.ts";
import { isCheckable } from "@/model/worklist_selection.ts";
import { LabelTags } from "@/components/worklist/LabelTags.tsx";
import { SeriesIndicator } from "@/components/worklist/SeriesIndicator.tsx";
import type { WorklistTableProps } from "@/components/worklist/WorklistTable.tsx";

/** All that a row's markup is made of besides the row itself. */
export interface ShownRow {
  /** begins the ids of its elements */
  id: string;
  /** `behind`: in the body that is not seen; `spare`: nobody's for now, kept for the next list that has more rows */
  place: "front" | "behind" | "spare";
  /** out of view: drawn when it is seen */
  isFar: boolean;
  language: Language;
  isChecked: boolean;
  isActive: boolean;
  /** whoever edits the study is who looks at it */
  isMine: boolean;
  /** changes with what `statusOf` gives for the same row */
  statusKey: string;
}

interface WorklistRowProps extends ShownRow {
  row: PatientRow;
  /** what to call; read when it happens, so that a row is not drawn anew for another function */
  latest: RefObject<WorklistTableProps>;
}

/**
 * A row. One that stays as it was is not drawn again; where an element becomes another study's, little more than its
 * words change: names of its controls are put together from elements, and titles are set under the pointer.
 */
export const WorklistRow = memo(function WorklistRow(
  { row, id, place, isFar, language, isChecked, isActive, isMine, statusKey, latest }: WorklistRowProps,
) {
  const now = useRef(row);
  now.current = row;
  const [act] = useState(() => actionsOf(now, latest));
  return (
    <tr
      role="row"
      data-pid={place === "front" ? row.pid : undefined}
      tabIndex={0}
      onDoubleClick={act.open}
      onKeyDown={act.byKey}
      onClick={act.activate}
      aria-selected={isChecked}
      className={`study-row ${
        place === "spare" ? "spare-row " : isFar ? "far-row " : ""
      }border-b border-line ${isActive || isChecked ? "bg-brand-50" : "hover:bg-brand-50"} ${
        isReadable(row) ? "cursor-pointer" : ""
      }`}
    >
      <RowCells
        row={row}
        id={id}
        language={language}
        isChecked={isChecked}
        isMine={isMine}
        statusKey={statusKey}
        act={act}
        latest={latest}
      />
    </tr>
  );
});

type RowCellsProps = Omit<WorklistRowProps, "place" | "isFar" | "isActive"> & { act: Actions };

/** What stands in a row; a list that comes to the front is not drawn again for it. */
const RowCells = memo(function RowCells(
  { row, id, language, isChecked, isMine, statusKey, act, latest }: RowCellsProps,
) {
  const editing = row.editing_user && !isMine ? row.editing_user : null;
  const editingText = editing && textIn(worklistText.editing, language, { user: editing });
  const patient = `${id}${row.patient_name ? "name" : "id"}`;
  const isRunning = isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status);
  // cells that are alike for most studies: what they depend on, and nothing else, draws them again
  const status = useMemo(
    () => <td role="cell" className="px-1.5 xl:px-2">{latest.current.statusOf(row, id)}</td>,
    [isDone(row) || row, statusKey, language],
  );
  const series = useMemo(
    () => (
      <td role="cell" className="px-1.5 xl:px-2">
        <SeriesIndicator row={row} language={language} />
      </td>
    ),
    [row.is_t1_uploaded, row.t1_analysis_status, row.is_t2_uploaded, row.t2_analysis_status, language],
  );
  const labels = useMemo(
    () => (
      <td role="cell" className="px-1.5 xl:px-2">
        <LabelTags labels={row.label_list} />
      </td>
    ),
    [row.label_list.length === 0 || row.label_list],
  );
  return (
    <>
      <CheckCell
        id={id}
        patient={patient}
        language={language}
        isChecked={isChecked}
        isDisabled={!isCheckable(row)}
        act={act}
      />
      <td role="cell" className="px-1.5 xl:px-2 tabular text-ink-faint">{row.pid}</td>
      {status}
      <td role="cell" id={`${id}id`} className="px-1.5 xl:px-2 two-lines tabular" onMouseMove={act.nameId}>
        {row.patient_id}
      </td>
      <td role="cell" className="px-1.5 xl:px-2 font-medium text-ink" onMouseMove={act.namePatient}>
        <div id={`${id}name`} className={editing === null ? "two-lines" : "truncate"}>{row.patient_name}</div>
        {editingText && (
          <div className="editing-notice two-lines font-normal text-amber-800" title={editingText}>
            {editingText}
          </div>
        )}
      </td>
      <td role="cell" className="px-1.5 xl:px-2">
        {row.patient_sex === null ? "-" : row.patient_sex === "male" ? "M" : "F"}
      </td>
      <td role="cell" className="px-1.5 xl:px-2 tabular">{row.patient_age ?? "-"}</td>
      <td role="cell" className="px-1.5 xl:px-2 tabular whitespace-nowrap">{row.patient_birthdate ?? "-"}</td>
      <td role="cell" className="px-1.5 xl:px-2 tabular whitespace-nowrap">{row.study_date ?? "-"}</td>
      {series}
      <td role="cell" className="px-1.5 xl:px-2 tabular whitespace-nowrap" suppressHydrationWarning>
        {analysisDateText(row)}
      </td>
      {labels}
      <ActionsCell
        id={id}
        patient={patient}
        language={language}
        isReadable={isReadable(row)}
        isRunning={isRunning}
        act={act}
      />
    </>
  );
});

/** Nothing is left to do, and nothing has failed: the status says no more than that. */
const isDone = (row: PatientRow): boolean =>
  isReadable(row) &&
  [row.t1_analysis_status, row.t2_analysis_status].every((status) =>
    status === null || status === "completed"
  );

type Actions = ReturnType<typeof actionsOf>;

/** What can be done with the study that a row shows now; the same functions as long as there is the element. */
function actionsOf(now: RefObject<PatientRow>, latest: RefObject<WorklistTableProps>) {
  /** what may be cut on the screen, to be read whole */
  const naming = (wordsOf: (row: PatientRow) => string) => ({ currentTarget }: MouseEvent<HTMLElement>) => {
    const words = wordsOf(now.current);
    if (currentTarget.title !== words) currentTarget.title = words;
  };
  return {
    open: () => latest.current.onOpen(now.current),
    report: () => latest.current.onReport(now.current),
    edit: () => latest.current.onEdit(now.current),
    activate: () => latest.current.onActivate(now.current),
    check: (isChecked: boolean, isRange: boolean) => latest.current.onCheck(now.current, isChecked, isRange),
    byKey: (event: KeyboardEvent<HTMLTableRowElement>) => byKey(event, now.current, latest.current),
    nameId: naming((row) => row.patient_id),
    namePatient: naming((row) => row.patient_name),
  };
}

/** Keys of a row: open, edit, check, and to the row above or below. */
function byKey(
  event: KeyboardEvent<HTMLTableRowElement>,
  row: PatientRow,
  { onOpen, onEdit, onCheck, checked }: WorklistTableProps,
): void {
  if (event.target !== event.currentTarget) return;
  const { previousElementSibling: above, nextElementSibling: below } = event.currentTarget;
  if (event.key === "Enter") onOpen(row);
  else if (isEditKey(event)) onEdit(row);
  else if (event.key === " ") {
    if (isCheckable(row)) onCheck(row, !checked.has(row.pid), event.shiftKey);
  } else if (event.key === "ArrowDown" && below instanceof HTMLElement) below.focus();
  else if (event.key === "ArrowUp" && above instanceof HTMLElement) above.focus();
  else return;
  event.preventDefault();
}

/** `e` alone; where it is typed in Korean, the same key. */
const isEditKey = (event: KeyboardEvent): boolean =>
  !event.ctrlKey && !event.metaKey && !event.altKey && (event.key === "e" || event.code === "KeyE");

/** Name of a control with the patient in it: its own words, and the element with the patient's, in their order. */
function namedBy(text: { en: string; ko: string }, language: Language, id: string, patient: string) {
  const words = textIn(text, language, { patient: "" });
  return {
    id,
    "aria-label": words.trim(),
    "aria-labelledby": words.startsWith(" ") ? `${patient} ${id}` : `${id} ${patient}`,
  };
}

interface CellProps {
  /** begins the ids of the row's elements */
  id: string;
  /** id of the element that names the patient */
  patient: string;
  language: Language;
  act: Actions;
}

const CheckCell = memo(function CheckCell(
  { id, patient, language, isChecked, isDisabled, act }: CellProps & {
    isChecked: boolean;
    isDisabled: boolean;
  },
) {
  return (
    <td role="cell" className="pl-4 xl:pl-5" onDoubleClick={(event) => event.stopPropagation()}>
      <input
        type="checkbox"
        {...namedBy(worklistText.select, language, `${id}select`, patient)}
        checked={isChecked}
        disabled={isDisabled}
        onClick={(event) => event.stopPropagation()}
        onChange={({ currentTarget, nativeEvent }) =>
          act.check(currentTarget.checked, (nativeEvent as globalThis.MouseEvent).shiftKey)}
        className="w-4 h-4 block accent-brand-600"
      />
    </td>
  );
});

const ACTION = "inline-flex h-8 items-center whitespace-nowrap rounded border px-2.5 text-[13px] font-medium";
const OFF = "border-line text-ink-faint opacity-50";
const ON = "border-line-strong text-brand-700 bg-white hover:border-brand-500 hover:bg-brand-50";

const ActionsCell = memo(function ActionsCell(
  { id, patient, language, isReadable, isRunning, act }: CellProps & {
    isReadable: boolean;
    isRunning: boolean;
  },
) {
  return (
    <td role="cell" className="pl-1 xl:pl-2 pr-4 xl:pr-5">
      <div className="flex justify-end gap-1 xl:gap-1.5">
        <button
          type="button"
          disabled={isRunning}
          title={textIn(worklistText.edit, language)}
          {...namedBy(worklistText.editRow, language, `${id}edit`, patient)}
          onClick={act.edit}
          className="edit-button w-6 xl:w-7 h-8 shrink-0 rounded hover:bg-brand-100 disabled:opacity-40 disabled:pointer-events-none"
        />
        <button
          type="button"
          disabled={!isReadable}
          {...namedBy(worklistText.openReport, language, `${id}report`, patient)}
          onClick={act.report}
          className={`${ACTION} ${isReadable ? ON : OFF}`}
        >
          {textIn(worklistText.report, language)}
        </button>
        <button
          type="button"
          aria-disabled={!isReadable}
          {...namedBy(worklistText.openViewer, language, `${id}viewer`, patient)}
          onClick={act.open}
          className={`viewer-button ${ACTION} ${isReadable ? ON : OFF}`}
        >
          {textIn(worklistText.open, language)}
        </button>
      </div>
    </td>
  );
});
