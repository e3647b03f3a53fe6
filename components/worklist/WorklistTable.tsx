import { Fragment, type KeyboardEvent, memo, type ReactNode, type RefObject, useRef } from "react";
import { isAnalyzing, type SortDirection, type SortKey } from "@/model/schema/study.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { analysisDateText, isReadable } from "@/model/worklist_row.ts";
import { isCheckable, pageState } from "@/model/worklist_selection.ts";
import { LabelTags } from "@/components/worklist/LabelTags.tsx";
import { usePressGuard } from "@/components/worklist/press_guard.ts";
import { useRowSteps } from "@/components/worklist/row_steps.ts";
import { SeriesIndicator } from "@/components/worklist/SeriesIndicator.tsx";

/** Widths, and the heights of D1 §9, are in static/css/worklist.css. */
const COLUMNS: { key: keyof typeof worklistText; sort?: SortKey }[] = [
  { key: "number", sort: "pid" },
  { key: "status" },
  { key: "patientId", sort: "patient_id" },
  { key: "name", sort: "patient_name" },
  { key: "sex", sort: "patient_sex" },
  { key: "age", sort: "patient_age" },
  { key: "birth", sort: "patient_birthdate" },
  { key: "study", sort: "study_date" },
  { key: "series" },
  { key: "analysis", sort: "analysis_date" },
  { key: "labels", sort: "label_list" },
  { key: "actions" },
];
/** Columns in all, the check boxes included. */
export const COLUMN_COUNT = COLUMNS.length + 1;

interface WorklistTableProps {
  rows: readonly PatientRow[];
  /** names the list: with another name its rows are others */
  list: string;
  language: Language;
  sortKey: SortKey;
  sortDirection: SortDirection;
  onSort: (key: SortKey) => void;
  onOpen: (row: PatientRow) => void;
  onReport: (row: PatientRow) => void;
  statusOf: (row: PatientRow) => ReactNode;
  /** what `statusOf` makes of a row besides the row itself */
  statusKeyOf: (row: PatientRow) => string;
  /** what is checked; `onCheck` with `isRange` takes the rows since the last one along */
  checked: ReadonlySet<number>;
  onCheck: (row: PatientRow, isChecked: boolean, isRange: boolean) => void;
  onCheckAll: (isChecked: boolean) => void;
  /** the row whose history is shown */
  activePid: number | null;
  onActivate: (row: PatientRow) => void;
  /** begins to edit a row */
  onEdit: (row: PatientRow) => void;
  /** what stands in place of the row in edit */
  editorOf: (row: PatientRow) => ReactNode | null;
  /** who looks at the list: others who edit are named */
  userId: number | null;
  /** rows to show as placeholders while there is nothing else */
  skeletonRows: number;
  /** stands below the header when there are no rows */
  empty: ReactNode;
}

export function WorklistTable(props: WorklistTableProps) {
  const { rows, language, sortKey, sortDirection, onSort, skeletonRows, empty } = props;
  const { checked, onCheckAll, activePid, editorOf, statusKeyOf, userId } = props;
  const latest = useRef(props);
  latest.current = props;
  const say = (key: keyof typeof worklistText, values?: Record<string, string>) =>
    textIn(worklistText[key], language, values);
  const page = pageState(checked, rows);
  const body = useRef<HTMLTableSectionElement>(null);
  const { drawn, hasLater } = useRowSteps(rows, props.list, body);
  const guard = usePressGuard();
  // the roles: rows are not drawn as a table (static/css/worklist.css)
  return (
    <>
      <table role="table" className="worklist w-full text-[13px]" aria-label={say("title")}>
        <thead role="rowgroup">
          <tr role="row" className="border-b border-line text-left text-ink-soft">
            <th role="columnheader" scope="col" className="pl-4 xl:pl-5">
              <input
                type="checkbox"
                aria-label={say("selectPage")}
                checked={page === "all"}
                ref={(box) => {
                  if (box) box.indeterminate = page === "some";
                }}
                disabled={!rows.some(isCheckable)}
                onChange={(event) => onCheckAll(event.currentTarget.checked)}
                className="w-4 h-4 block accent-brand-600"
              />
            </th>
            {COLUMNS.map(({ key, sort }) => {
              const isSorted = sort === sortKey;
              return (
                <th
                  key={key}
                  role="columnheader"
                  scope="col"
                  className="px-1.5 xl:px-2 last:pr-4 xl:last:pr-5 last:text-right font-semibold"
                  aria-sort={isSorted ? sortDirection === "asc" ? "ascending" : "descending" : undefined}
                >
                  {sort === undefined ? say(key) : (
                    <button
                      type="button"
                      title={say("sortBy", { column: say(key) })}
                      onClick={() => onSort(sort)}
                      className={`-mx-1 px-1 h-8 inline-flex items-center gap-1 rounded whitespace-nowrap font-semibold hover:text-brand-700 ${
                        isSorted ? "text-brand-700" : ""
                      }`}
                    >
                      {say(key)}
                      <svg
                        viewBox="0 0 8 12"
                        className="w-2 h-3 shrink-0"
                        fill="currentColor"
                        aria-hidden="true"
                      >
                        <path d="M4 0l3.5 5h-7z" opacity={isSorted && sortDirection === "asc" ? 1 : .25} />
                        <path d="M4 12L.5 7h7z" opacity={isSorted && sortDirection === "desc" ? 1 : .25} />
                      </svg>
                    </button>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody role="rowgroup" ref={body} aria-busy={hasLater} {...guard}>
          {drawn.map(({ row, slot, isOld }) => {
            const editor = isOld ? null : editorOf(row);
            return editor !== null ? <Fragment key={`editor${row.pid}`}>{editor}</Fragment> : (
              <Row
                key={slot}
                row={row}
                language={language}
                isChecked={checked.has(row.pid)}
                isActive={row.pid === activePid}
                userId={userId}
                statusKey={statusKeyOf(row)}
                latest={latest}
              />
            );
          })}
          {rows.length === 0 &&
            Array.from(
              { length: skeletonRows },
              (_, i) => (
                <tr key={`skeleton${i}`} className="border-b border-line" aria-hidden="true">
                  <td />
                  {COLUMNS.map(({ key }) => (
                    <td key={key} className="px-1.5 xl:px-2 last:pr-4 xl:last:pr-5">
                      <div className="skeleton h-3.5 w-4/5" />
                    </td>
                  ))}
                </tr>
              ),
            )}
        </tbody>
      </table>
      {rows.length === 0 && skeletonRows === 0 && empty}
    </>
  );
}

interface RowProps {
  row: PatientRow;
  language: Language;
  isChecked: boolean;
  isActive: boolean;
  userId: number | null;
  /** changes with what `statusOf` gives for the same row */
  statusKey: string;
  /** what to call; read when it happens, so that a row is not drawn anew for another function */
  latest: RefObject<WorklistTableProps>;
}

/** A row; one that stays as it was is not drawn again, which is most of the work of a weak computer. */
const Row = memo(function Row({ row, language, isChecked, isActive, userId, latest }: RowProps) {
  const say = (key: keyof typeof worklistText, values?: Record<string, string>) =>
    textIn(worklistText[key], language, values);
  const editing = row.editing_user && row.editing_uid !== userId ? row.editing_user : null;
  return (
    <tr
      role="row"
      data-pid={row.pid}
      tabIndex={0}
      onDoubleClick={() => latest.current.onOpen(row)}
      onKeyDown={(event) => byKey(event, row, latest.current)}
      onClick={() => latest.current.onActivate(row)}
      aria-selected={isChecked}
      className={`border-b border-line last:border-b-0 ${
        isActive || isChecked ? "bg-brand-50" : "hover:bg-brand-50"
      } ${isReadable(row) ? "cursor-pointer" : ""}`}
    >
      <td role="cell" className="pl-4 xl:pl-5" onDoubleClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label={say("select", { patient: row.patient_name || row.patient_id })}
          checked={isChecked}
          disabled={!isCheckable(row)}
          onClick={(event) => event.stopPropagation()}
          onChange={(event) =>
            latest.current.onCheck(
              row,
              event.currentTarget.checked,
              (event.nativeEvent as MouseEvent).shiftKey,
            )}
          className="w-4 h-4 block accent-brand-600"
        />
      </td>
      <td role="cell" className="px-1.5 xl:px-2 tabular text-ink-faint">{row.pid}</td>
      <td role="cell" className="px-1.5 xl:px-2">{latest.current.statusOf(row)}</td>
      <td role="cell" className="px-1.5 xl:px-2 truncate tabular" title={row.patient_id}>{row.patient_id}</td>
      <td role="cell" className="px-1.5 xl:px-2 font-medium text-ink" title={row.patient_name}>
        <div className={editing === null ? "two-lines" : "truncate"}>{row.patient_name}</div>
        {editing !== null && (
          <div
            className="editing-notice two-lines font-normal text-amber-800"
            title={say("editing", { user: editing })}
          >
            {say("editing", { user: editing })}
          </div>
        )}
      </td>
      <td role="cell" className="px-1.5 xl:px-2">
        {row.patient_sex === null ? "-" : row.patient_sex === "male" ? "M" : "F"}
      </td>
      <td role="cell" className="px-1.5 xl:px-2 tabular">{row.patient_age ?? "-"}</td>
      <td role="cell" className="px-1.5 xl:px-2 tabular whitespace-nowrap">{row.patient_birthdate ?? "-"}</td>
      <td role="cell" className="px-1.5 xl:px-2 tabular whitespace-nowrap">{row.study_date ?? "-"}</td>
      <td role="cell" className="px-1.5 xl:px-2">
        <SeriesIndicator row={row} language={language} />
      </td>
      <td role="cell" className="px-1.5 xl:px-2 tabular whitespace-nowrap" suppressHydrationWarning>
        {analysisDateText(row)}
      </td>
      <td role="cell" className="px-1.5 xl:px-2">
        <LabelTags labels={row.label_list} />
      </td>
      <td role="cell" className="pl-1 xl:pl-2 pr-4 xl:pr-5">
        <RowActions
          row={row}
          language={language}
          onOpen={(each) => latest.current.onOpen(each)}
          onReport={(each) => latest.current.onReport(each)}
          onEdit={(each) => latest.current.onEdit(each)}
        />
      </td>
    </tr>
  );
});

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

const ACTION = "inline-flex h-8 items-center whitespace-nowrap rounded border px-2.5 text-[13px] font-medium";

interface RowActionsProps extends Pick<WorklistTableProps, "language" | "onOpen" | "onReport" | "onEdit"> {
  row: PatientRow;
}

function RowActions({ row, language, onOpen, onReport, onEdit }: RowActionsProps) {
  const patient = { patient: row.patient_name || row.patient_id };
  const readable = isReadable(row);
  const off = "border-line text-ink-faint opacity-50";
  const on = "border-line-strong text-brand-700 bg-white hover:border-brand-500 hover:bg-brand-50";
  return (
    <div className="flex justify-end gap-1 xl:gap-1.5">
      <button
        type="button"
        disabled={isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status)}
        title={textIn(worklistText.edit, language)}
        aria-label={textIn(worklistText.editRow, language, patient)}
        onClick={() => onEdit(row)}
        className="w-6 xl:w-7 h-8 shrink-0 rounded grid place-items-center text-ink-soft hover:bg-brand-100 hover:text-brand-700 disabled:opacity-35 disabled:pointer-events-none"
      >
        <svg viewBox="0 0 16 16" className="w-4 h-4" fill="none" stroke="currentColor" aria-hidden="true">
          <path d="M3 13h2.5l7-7L10 3.5l-7 7zM9 4.5 11.5 7" strokeWidth="1.4" strokeLinejoin="round" />
        </svg>
      </button>
      <button
        type="button"
        disabled={!readable}
        aria-label={textIn(worklistText.openReport, language, patient)}
        onClick={() => onReport(row)}
        className={`${ACTION} ${readable ? on : off}`}
      >
        {textIn(worklistText.report, language)}
      </button>
      <button
        type="button"
        aria-disabled={!readable}
        aria-label={textIn(worklistText.openViewer, language, patient)}
        onClick={() => onOpen(row)}
        className={`viewer-button ${ACTION} ${readable ? on : off}`}
      >
        {textIn(worklistText.open, language)}
      </button>
    </div>
  );
}
