import { Fragment, type ReactElement, type ReactNode, useRef, useState } from "react";
import type { SortDirection, SortKey } from "@/model/schema/study.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { isCheckable, pageState } from "@/model/worklist_selection.ts";
import { usePressGuard } from "@/components/worklist/press_guard.ts";
import { useRowSteps } from "@/components/worklist/row_steps.ts";
import { COLUMNS, WorklistHead } from "@/components/worklist/WorklistHead.tsx";
import { WorklistRow } from "@/components/worklist/WorklistRow.tsx";

/** Columns in all, the check boxes included. */
export const COLUMN_COUNT = COLUMNS.length + 1;

export interface WorklistTableProps {
  rows: readonly PatientRow[];
  /** names the list: with another name its rows are others */
  list: string;
  language: Language;
  sortKey: SortKey;
  sortDirection: SortDirection;
  onSort: (key: SortKey) => void;
  onExpectSort: (key: SortKey) => void;
  onOpen: (row: PatientRow) => void;
  onReport: (row: PatientRow) => void;
  /** `id` begins the ids of its elements */
  statusOf: (row: PatientRow, id: string) => ReactNode;
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
  /** on the server: markup of a row, kept from the last time that everything in `key` was the same */
  keepMarkup: ((key: readonly [PatientRow, object], of: () => ReactElement) => string) | null;
}

export function WorklistTable(props: WorklistTableProps) {
  const { rows, language, sortKey, sortDirection, skeletonRows, empty } = props;
  const { checked, activePid, editorOf, statusKeyOf, userId, keepMarkup } = props;
  const latest = useRef(props);
  latest.current = props;
  const say = (key: keyof typeof worklistText, values?: Record<string, string>) =>
    textIn(worklistText[key], language, values);
  const [head] = useState(() => ({
    onSort: (key: SortKey) => latest.current.onSort(key),
    onExpectSort: (key: SortKey) => latest.current.onExpectSort(key),
    onCheckAll: (isChecked: boolean) => latest.current.onCheckAll(isChecked),
  }));
  const body = useRef<HTMLTableSectionElement>(null);
  const { drawn, spares, hasLater } = useRowSteps(rows, props.list, body);
  const guard = usePressGuard();
  /** all that a row's markup is made of besides the row itself */
  const shownOf = (row: PatientRow, slot: number, isSpare: boolean) => ({
    slot,
    isSpare,
    language,
    isChecked: !isSpare && checked.has(row.pid),
    isActive: !isSpare && row.pid === activePid,
    isMine: row.editing_uid === userId,
    statusKey: statusKeyOf(row),
  });
  const rowOf = (row: PatientRow, slot: number, isSpare: boolean) => (
    <WorklistRow key={slot} row={row} {...shownOf(row, slot, isSpare)} latest={latest} />
  );
  const markup = rows.length === 0 || keepMarkup === null ? null : drawn.map(({ row, slot }) => {
    const shown = shownOf(row, slot, false);
    return keepMarkup([row, shown], () => <WorklistRow row={row} {...shown} latest={latest} />);
  }).join("");
  // the roles: rows are not drawn as a table (static/css/worklist.css)
  return (
    <>
      <table role="table" className="worklist w-full text-[13px]" aria-label={say("title")}>
        <WorklistHead
          language={language}
          page={pageState(checked, rows)}
          isCheckable={rows.some(isCheckable)}
          onCheckAll={head.onCheckAll}
          sortKey={sortKey}
          sortDirection={sortDirection}
          onSort={head.onSort}
          onExpectSort={head.onExpectSort}
        />
        {markup !== null
          ? <tbody role="rowgroup" dangerouslySetInnerHTML={{ __html: markup }} aria-busy={hasLater} />
          : (
            <tbody role="rowgroup" ref={body} aria-busy={hasLater} {...guard}>
              {[
                ...drawn.map(({ row, slot, isOld }) => {
                  const editor = isOld ? null : editorOf(row);
                  return editor !== null
                    ? <Fragment key={`editor${row.pid}`}>{editor}</Fragment>
                    : rowOf(row, slot, false);
                }),
                ...spares.map(({ row, slot }) => rowOf(row, slot, true)),
              ]}
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
          )}
      </table>
      {rows.length === 0 && skeletonRows === 0 && empty}
    </>
  );
}
