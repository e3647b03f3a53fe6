import { type ReactElement, type ReactNode, useRef, useState } from "react";
import type { SortDirection, SortKey } from "@/model/schema/study.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist.ts";
import { isCheckable, pageState } from "@/model/worklist_selection.ts";
import { usePressGuard } from "@/components/worklist/press_guard.ts";
import { isFarAtFirst } from "@/components/worklist/row_steps.ts";
import { type NamedRows, useTwoBodies } from "@/components/worklist/two_bodies.ts";
import { COLUMNS, WorklistHead } from "@/components/worklist/WorklistHead.tsx";
import { type ShownRow, WorklistRow } from "@/components/worklist/WorklistRow.tsx";
import { WorklistRows } from "@/components/worklist/WorklistRows.tsx";

/** Columns in all, the check boxes included. */
export const COLUMN_COUNT = COLUMNS.length + 1;

export interface WorklistTableProps {
  rows: readonly PatientRow[];
  /** names the list: with another name its rows are others */
  list: string;
  /** a list that is probably shown next: drawn out of sight */
  ahead: NamedRows<PatientRow> | null;
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

/** Begins the ids of a row's elements. */
const rowId = (body: number, slot: number) => `row${body === 0 ? "" : "b"}${slot}`;

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
  const guard = usePressGuard(), table = useRef<HTMLTableElement>(null);
  const shownOf = (row: PatientRow, id: string, place: ShownRow["place"], isFar: boolean): ShownRow => ({
    id,
    place,
    isFar,
    language,
    isChecked: place === "front" && checked.has(row.pid),
    isActive: place === "front" && row.pid === activePid,
    isMine: row.editing_uid === userId,
    statusKey: statusKeyOf(row),
  });
  const { held, front } = useTwoBodies({ rows, list: props.list }, props.ahead);
  const markup = rows.length === 0 || keepMarkup === null ? null : rows.map((row, slot) => {
    const shown = shownOf(row, rowId(0, slot), "front", isFarAtFirst(slot));
    return keepMarkup([row, shown], () => <WorklistRow row={row} {...shown} latest={latest} />);
  }).join("");
  // the roles: rows are not drawn as a table (static/css/worklist.css)
  return (
    <>
      <table
        ref={table}
        role="table"
        className="worklist w-full text-[13px]"
        aria-label={say("title")}
        {...guard}
      >
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
          ? <tbody role="rowgroup" dangerouslySetInnerHTML={{ __html: markup }} aria-busy={false} />
          : held.map((rows, body) =>
            rows && (
              <WorklistRows
                key={body}
                {...rows}
                idOf={(slot) => rowId(body, slot)}
                isFront={body === front}
                isExpected={body !== front && rows === props.ahead}
                shownOf={shownOf}
                editorOf={editorOf}
                latest={latest}
                table={table}
                skeletonRows={skeletonRows}
              />
            )
          )}
      </table>
      {rows.length === 0 && skeletonRows === 0 && empty}
    </>
  );
}
