import { open } from "node:fs/promises";

/** Value of a cell; `null`: empty. */
export type SheetCell = string | number | null;
/** A column of a sheet. */
export interface SheetColumn {
  title: string;
  /**
   * `text`: never interpreted as a number;
   * `date` (YYYY-MM-DD) and `time` (YYYY-MM-DD HH:MM) become spreadsheet dates
   */
  type: "text" | "number" | "date" | "time";
  /** explanation of the column, for the sheet that lists the columns */
  meaning?: string;
  unit?: string;
  /** width in characters; default: that of the title */
  width?: number;
}
/** Rows, generated one after another. */
export type SheetRows = AsyncIterable<readonly SheetCell[]>;

/** Text that spreadsheet programs interpret as a formula, even after quotes or spaces. */
const FORMULA = /^[\s"'\u00a0\ufeff]*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;
/**
 * Formula-like text after a configurable separator (`;` or tab), or at a line start in a CSV cell.
 */
const LATER_FORMULA = /([;\t\r\n|])([\s"'\u00a0\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20])/g;
/**
 * Text that a program would convert to a number or date: leading zeros, too many digits, 1E5, 3-4.
 */
const NUMBER_LIKE = /^(0\d+|\d{12,}|\d+[eE]\d+|\d{1,4}([\/-]\d{1,2}){1,2})$/;
/** Dates are meant to be converted. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CSV_PIECE = 1 << 16;

/** Prefixes text with `'` where a spreadsheet program would run it as a formula. */
export const safeText = (text: string): string =>
  FORMULA.test(text) || /^[\t\r]/.test(text) ? `'${text}` : text;

/** {@link safeText} for CSV with any separator; patient numbers remain texts. */
const csvTextOf = (text: string): string => {
  const safe = safeText(text).replaceAll(LATER_FORMULA, "$1'$2");
  return NUMBER_LIKE.test(safe) && !DAY.test(safe) ? `'${safe}` : safe;
};

function csvCell(cell: SheetCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = csvTextOf(cell);
  return /[",;\t\r\n]/.test(text) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}

/**
 * Rows as CSV text as written by {@link writeCsv}.
 * A byte-order mark precedes the first rows.
 */
export const csvText = (rows: readonly (readonly SheetCell[])[], isFirst = false): string =>
  (isFirst ? "\ufeff" : "") + rows.map(csvLine).join("");

const csvLine = (cells: readonly SheetCell[]) => cells.map(csvCell).join(",") + "\r\n";

/**
 * Writes CSV (RFC 4180) and syncs the file to disk. Memory use does not depend on the rows.
 * UTF-8 with byte-order mark, so that spreadsheet programs read Korean names.
 */
export async function writeCsv(
  path: string,
  head: readonly string[],
  rows: SheetRows,
): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    let piece = "\ufeff" + csvLine(head);
    for await (const row of rows) {
      piece += csvLine(row);
      if (piece.length < CSV_PIECE) continue;
      await file.writeFile(piece);
      piece = "";
    }
    await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}
