import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";

/**
 * Checked rows and the active row of the worklist (D1 §4: kept by a change of page, reset by a new
 * query).
 */
interface WorklistSelection {
  checked: ReadonlySet<number>;
  /** Row with an open history. */
  activePid: number | null;
}

export const NO_SELECTION: WorklistSelection = { checked: new Set(), activePid: null };

/** A study that is being analysed cannot be checked (D1 §4). */
export const isCheckable = (row: PatientRow): boolean =>
  !isAnalyzing(row.t1_analysis_status) && !isAnalyzing(row.t2_analysis_status);

/**
 * Checks or unchecks a row; with `from`, every row of the page between the two, in the page's
 * order, as Shift does.
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

/** Checks or unchecks all of a page's rows that may be; those of other pages stay. */
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

/** The page's own check box: all of its checkable rows, some, or none. */
export function pageState(
  checked: ReadonlySet<number>,
  rows: readonly PatientRow[],
): "all" | "some" | "none" {
  const able = rows.filter(isCheckable), count = able.filter(({ pid }) => checked.has(pid)).length;
  return count === 0 ? "none" : count === able.length ? "all" : "some";
}

/** A study is unchecked when its analysis begins. */
export function withoutRunning(
  checked: ReadonlySet<number>,
  rows: readonly PatientRow[],
): ReadonlySet<number> {
  const running = rows.filter((row) => checked.has(row.pid) && !isCheckable(row));
  return running.length === 0 ? checked : checkAll(checked, running, false);
}
