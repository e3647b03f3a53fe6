import { open } from "node:fs/promises";

/** Value of a cell; `null` is empty. */
export type SheetCell = string | number | null;
/** A column of a sheet. */
export interface SheetColumn {
  title: string;
  /**
   * `text`: never taken for a number; `date` YYYY-MM-DD and `time` YYYY-MM-DD HH:MM are dates for
   * spreadsheets
   */
  type: "text" | "number" | "date" | "time";
  /** explanation for the reader */
  meaning?: string;
  unit?: string;
  /** characters; that of its title by default */
  width?: number;
}
/** Rows as they are made, one after the other. */
export type SheetRows = AsyncIterable<readonly SheetCell[]>;

/** Text that spreadsheet programs take for a formula, also behind quotes and space. */
const FORMULA = /^[\s"'\u00a0\ufeff]*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;
/**
 * The same after a separator that a program may be set to: `;` or a tab, and in CSV a line of its
 * own.
 */
const LATER_FORMULA = /([;\t\r\n|])([\s"'\u00a0\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20])/g;
/**
 * Text that a program would turn into a number or a date: leading zeros, more digits than it keeps,
 * 1E5, 3-4.
 */
const NUMBER_LIKE = /^(0\d+|\d{12,}|\d+[eE]\d+|\d{1,4}([\/-]\d{1,2}){1,2})$/;
/** Dates of our own are meant as dates. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CSV_PIECE = 1 << 16;

/** Text that no spreadsheet program runs as a formula: `'` before such text. */
export const safeText = (text: string): string =>
  FORMULA.test(text) || /^[\t\r]/.test(text) ? `'${text}` : text;

/**
 * {@link safeText} of CSV, whatever its separator is taken for; numbers of patients stay the texts
 * that they are.
 */
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
 * Rows as CSV text, as {@link writeCsv} writes them; with the byte-order mark in front when they
 * are the first.
 */
export const csvText = (rows: readonly (readonly SheetCell[])[], isFirst = false): string =>
  (isFirst ? "\ufeff" : "") + rows.map(csvLine).join("");

const csvLine = (cells: readonly SheetCell[]) => cells.map(csvCell).join(",") + "\r\n";

/**
 * Writes CSV (RFC 4180, UTF-8 with byte-order mark, so that spreadsheet programs read Korean names)
 * and forces it to disk. Memory does not grow with the rows.
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
