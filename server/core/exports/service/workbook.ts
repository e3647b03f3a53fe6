import { open } from "node:fs/promises";

/** Value of a table cell; `null` for an empty cell. */
export type SheetCell = string | number | null;
/** A column of a spreadsheet's data sheet. */
export interface SheetColumn {
  title: string;
  /**
   * `text`: stored as text, so that spreadsheet programs do not convert it to a number;
   * `date` (YYYY-MM-DD) and `time` (YYYY-MM-DD HH:MM) are stored as spreadsheet dates
   */
  type: "text" | "number" | "date" | "time";
  /** explanation of the column, printed on the sheet that explains all columns */
  meaning?: string;
  unit?: string;
  /** width in characters; absent: width of the column's title */
  width?: number;
}
/** Rows of cells, generated one at a time. */
export type SheetRows = AsyncIterable<readonly SheetCell[]>;

/** Matches text that spreadsheet programs take for a formula, also after quotes or spaces. */
const FORMULA = /^[\s"'\u00a0\ufeff]*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;
/**
 * Matches text after a separator (`;` or tab) or at a line start inside a cell up to its first
 * character, where a formula would begin. The character is optional, so that blanks are matched
 * only once: a tab is both a separator and a blank.
 */
const LATER_START = /([;\t\r\n|])([\s"'\u00a0\ufeff]*)([=+\-@\uff0b\uff0d\uff1d\uff20]?)/g;
/**
 * Matches text that programs would convert to a number or date: 007, 1E5, 3-4, long digits.
 */
const NUMBER_LIKE = /^(0\d+|\d{12,}|\d+[eE]\d+|\d{1,4}([\/-]\d{1,2}){1,2})$/;
/** Matches dates, which spreadsheet programs may convert. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CSV_PIECE = 1 << 16;

/** Puts `'` before text that a spreadsheet program would run as a formula. */
export const safeText = (text: string): string =>
  FORMULA.test(text) || /^[\t\r]/.test(text) ? `'${text}` : text;

/** Also protects patient numbers from conversion, and formulas after any CSV separator. */
const csvTextOf = (text: string): string => {
  const safe = safeText(text).replaceAll(
    LATER_START,
    (all, separator, blanks, sign) => sign === "" ? all : `${separator}'${blanks}${sign}`,
  );
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
 * Formats rows as CSV text, as {@link writeCsv} does.
 * The text for the first rows begins with a byte-order mark.
 */
export const csvText = (rows: readonly (readonly SheetCell[])[], isFirst = false): string =>
  (isFirst ? "\ufeff" : "") + rows.map(csvLine).join("");

const csvLine = (cells: readonly SheetCell[]) => cells.map(csvCell).join(",") + "\r\n";

/**
 * Writes CSV (RFC 4180) and syncs the file to disk. Memory use does not grow with the rows.
 * The file is UTF-8 with byte-order mark, so that spreadsheet programs show Korean names.
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
