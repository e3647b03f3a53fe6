import { Fragment, memo, type ReactNode, type RefObject, useRef } from "react";
import type { PatientRow } from "@/model/schema/patients.ts";
import { useRowsAtRest } from "@/components/worklist/rows_at_rest.ts";
import { useRowSteps } from "@/components/worklist/row_steps.ts";
import type { NamedRows } from "@/components/worklist/two_bodies.ts";
import { COLUMNS } from "@/components/worklist/WorklistHead.tsx";
import { type ShownRow, WorklistRow } from "@/components/worklist/WorklistRow.tsx";
import type { WorklistTableProps } from "@/components/worklist/WorklistTable.tsx";

interface WorklistRowsProps extends NamedRows<PatientRow> {
  idOf: (slot: number) => string;
  /** `false`: drawn and laid out, not seen, read or reached */
  isFront: boolean;
  /** not seen, but probably next */
  isExpected: boolean;
  shownOf: (row: PatientRow, id: string, place: ShownRow["place"], isFar: boolean) => ShownRow;
  editorOf: (row: PatientRow) => ReactNode | null;
  latest: RefObject<WorklistTableProps>;
  table: RefObject<HTMLTableElement | null>;
  /** rows to show as placeholders while there is nothing else */
  skeletonRows: number;
}

/** Rows that nobody sees are drawn anew when they are others, or are seen. */
const isUnseen = (before: WorklistRowsProps, now: WorklistRowsProps): boolean =>
  !before.isFront && !now.isFront && before.isExpected === now.isExpected && before.rows === now.rows &&
  before.list === now.list;

/** One of the two bodies of the table. */
export const WorklistRows = memo(function WorklistRows(
  { rows, list, idOf, isFront, isExpected, shownOf, editorOf, latest, table, skeletonRows }:
    WorklistRowsProps,
) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { drawn, spares, hasLater } = useRowSteps(rows, list, body, table);
  useRowsAtRest(body, isFront, isExpected, [rows, hasLater]);
  const rowOf = (row: PatientRow, slot: number, place: ShownRow["place"], isFar: boolean) => (
    <WorklistRow key={slot} row={row} {...shownOf(row, idOf(slot), place, isFar)} latest={latest} />
  );
  return (
    <tbody
      role="rowgroup"
      ref={body}
      aria-busy={hasLater}
      aria-hidden={!isFront || undefined}
      className={isFront ? undefined : "rows-behind"}
    >
      {[
        ...drawn.map(({ row, slot, isOld, isFar }) => {
          const editor = isOld || !isFront ? null : editorOf(row);
          return editor !== null
            ? <Fragment key={`editor${row.pid}`}>{editor}</Fragment>
            : rowOf(row, slot, isFront ? "front" : "behind", isFar);
        }),
        ...spares.map(({ row, slot }) => rowOf(row, slot, "spare", false)),
      ]}
      {isFront && rows.length === 0 &&
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
  );
}, isUnseen);
