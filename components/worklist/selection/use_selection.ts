import { useEffect, useRef, useState } from "react";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import {
  checkAll,
  checkRow,
  NO_SELECTION,
  withoutRunning,
} from "@/model/worklist/worklist_selection.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";

/** State of checked rows and the active row, with the actions that change them. */
export interface Selection {
  checked: ReadonlySet<number>;
  activePid: number | null;
  /** A checked study as last displayed: checks persist across pages. */
  rowOf: (pid: number) => PatientRow | undefined;
  /** `isRange`: also changes the rows since the last checked one */
  check: (row: PatientRow, isChecked: boolean, isRange: boolean) => void;
  checkPage: (isChecked: boolean) => void;
  activate: (row: PatientRow) => void;
  /** unchecks all rows; the focus returns to the row that was checked last */
  clear: () => void;
  /** unchecks deleted studies; the focus moves to the row that takes their position in the list */
  drop: (pids: readonly number[]) => void;
  /** clears checks and the active row for another search (D1 §4) */
  reset: () => void;
}

/** Moves the focus to a row, unless the user is typing. */
function focusRow(pid: number | null | undefined): void {
  setTimeout(() => {
    if (document.activeElement?.matches("input:not([type=checkbox])")) return;
    document.querySelector<HTMLElement>(`tr[data-pid="${pid}"], li[data-pid="${pid}"] > [tabindex]`)
      ?.focus();
  });
}

/** Studies with a checked check box on the page, in their rows or by the one in the header. */
function tickedOnPage(rows: readonly PatientRow[]): ReadonlySet<number> {
  const isTicked = (part: string) =>
    document.querySelector(`${part} input[type=checkbox]:checked`) !== null;
  const none = new Set<number>();
  if (isTicked("thead")) return checkAll(none, rows, true);
  return new Set(rows.map(({ pid }) => pid).filter((pid) => isTicked(`[data-pid="${pid}"]`)));
}

/** @param rows Rows of the current page. */
export function useSelection(rows: readonly PatientRow[]): Selection {
  const [selection, setSelection] = useState(NO_SELECTION),
    lastChecked = useRef<number | null>(null);
  const checkedRows = useRef(new Map<number, PatientRow>());
  const checked = withoutRunning(selection.checked, rows);
  for (const row of rows) if (checked.has(row.pid)) checkedRows.current.set(row.pid, row);
  const put = (next: ReadonlySet<number>) => setSelection({ ...selection, checked: next });
  // keeps check boxes that the user ticked before hydration
  useEffect(() => {
    const ticked = tickedOnPage(rows);
    if (ticked.size > 0) put(ticked);
  }, []);
  useEffect(() =>
    onServerEvent((event) => {
      if (event.event !== "study_delete") return;
      setSelection((now) => ({
        ...now,
        checked: new Set([...now.checked].filter((pid) => pid !== event.pid)),
      }));
    }), []);
  return {
    checked,
    activePid: selection.activePid,
    rowOf: (pid) => checkedRows.current.get(pid),
    check: (row, isChecked, isRange) => {
      put(checkRow(checked, rows, row.pid, isChecked, isRange ? lastChecked.current : null));
      lastChecked.current = row.pid;
    },
    checkPage: (isChecked) => put(checkAll(checked, rows, isChecked)),
    activate: ({ pid }) => setSelection({ ...selection, activePid: pid }),
    clear: () => {
      put(new Set());
      focusRow(lastChecked.current);
    },
    drop: (pids) => {
      const isGone = ({ pid }: PatientRow) => pids.includes(pid), first = rows.findIndex(isGone);
      const stays = (row: PatientRow) => !isGone(row);
      put(new Set([...checked].filter((pid) => !pids.includes(pid))));
      focusRow((rows.slice(first + 1).find(stays) ?? rows.findLast(stays))?.pid);
    },
    reset: () => setSelection(NO_SELECTION),
  };
}
