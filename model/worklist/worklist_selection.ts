import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { isOrder } from "@/model/worklist/worklist_row.ts";

/**
 * Checked rows and the active row of the worklist. D1 §4:
 * kept when the page changes, reset by a new query.
 */
interface WorklistSelection {
  checked: ReadonlySet<number>;
  /** Row with an expanded history. */
  activePid: number | null;
}

export const NO_SELECTION: WorklistSelection = { checked: new Set(), activePid: null };

/** Whether a study can be checked: not while it is being analysed (D1 §4). An order is no study. */
export const isCheckable = (row: PatientRow): boolean =>
  !isOrder(row) && !isAnalyzing(row.t1_analysis_status) && !isAnalyzing(row.t2_analysis_status);

/**
 * Checks or unchecks a row; with `from`, all rows of the page between the two, like a Shift click.
 */
export function checkRow(
  checked: ReadonlySet<number>,
  rows: readonly PatientRow[],
  pid: number,
  isChecked: boolean,
  from: number | null,
): ReadonlySet<number> {
  const to = rows.findIndex((row) => row.pid === pid);
  const start = from === null ? to : rows.findIndex((row) => row.pid === from);
  const [low, high] = start < 0 ? [to, to] : [Math.min(start, to), Math.max(start, to)];
  return checkAll(checked, rows.slice(low, high + 1), isChecked);
}

/** Checks or unchecks all checkable rows of a page; rows of other pages are unchanged. */
export function checkAll(
  checked: ReadonlySet<number>,
  rows: readonly PatientRow[],
  isChecked: boolean,
): ReadonlySet<number> {
  const nextChecked = new Set(checked);
  for (const row of rows) {
    if (!isChecked) nextChecked.delete(row.pid);
    else if (isCheckable(row)) nextChecked.add(row.pid);
  }
  return nextChecked;
}

/** State of the page's check box: all of its checkable rows are checked, some, or none. */
export function pageState(
  checked: ReadonlySet<number>,
  rows: readonly PatientRow[],
): "all" | "some" | "none" {
  const able = rows.filter(isCheckable), count = able.filter(({ pid }) => checked.has(pid)).length;
  return count === 0 ? "none" : count === able.length ? "all" : "some";
}

/** Unchecks studies of which the analysis has begun. */
export function withoutRunning(
  checked: ReadonlySet<number>,
  rows: readonly PatientRow[],
): ReadonlySet<number> {
  const running = rows.filter((row) => checked.has(row.pid) && !isCheckable(row));
  return running.length === 0 ? checked : checkAll(checked, running, false);
}
