/// <reference path="./workbook_writer.d.ts" />
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
// the whole of exceljs, with its reader, takes longer to load than the rest of the server
import WorkbookWriter from "exceljs/lib/stream/xlsx/workbook-writer.js";

/** What a cell holds; `null` is empty. */
export type SheetCell = string | number | null;
/** Rows as they are made, one after the other. */
type SheetRows = AsyncIterable<readonly SheetCell[]>;

/** What spreadsheet programs take for a formula, also behind quotes and space. */
const FORMULA = /^[\s"'\u00a0\ufeff]*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;
/** The same after a separator that a program may be set to: `;` or a tab, and in CSV a line of its own. */
const LATER_FORMULA = /([;\t\r\n|])([\s"'\u00a0\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20])/g;
/** What a program would make a number or a date of: zeros in front, more digits than it keeps, 1E5, 3-4. */
const NUMBER_LIKE = /^(0\d+|\d{12,}|\d+[eE]\d+|\d{1,4}([\/-]\d{1,2}){1,2})$/;
/** Dates of our own are meant as dates. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const CSV_PIECE = 1 << 16;
/** Longest text of a cell. */
const MAX_TEXT = 32_767;

/** Text that no spreadsheet program runs as a formula: `'` in front of what it would. */
export const safeText = (text: string): string =>
  FORMULA.test(text) || /^[\t\r]/.test(text) ? `'${text}` : text;

/** {@link safeText} of CSV, whatever its separator is taken for; numbers of patients stay the texts that they are. */
const csvTextOf = (text: string): string => {
  const safe = safeText(text).replaceAll(LATER_FORMULA, "$1'$2");
  return NUMBER_LIKE.test(safe) && !DAY.test(safe) ? `'${safe}` : safe;
};

function csvCell(cell: SheetCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = csvTextOf(cell);
  return /[",;\t\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as CSV text, as {@link writeCsv} writes them; with the byte-order mark in front when they are the first. */
export const csvText = (rows: readonly (readonly SheetCell[])[], isFirst = false): string =>
  (isFirst ? "\ufeff" : "") + rows.map(csvLine).join("");

const csvLine = (cells: readonly SheetCell[]) => cells.map(csvCell).join(",") + "\r\n";

const xlsxCell = (cell: SheetCell) => typeof cell === "string" ? safeText(cell).slice(0, MAX_TEXT) : cell;

/** Forces a finished file to disk. */
async function force(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Writes CSV (RFC 4180, UTF-8 with byte-order mark, so that spreadsheet programs read Korean names) and forces it to
 * disk. Memory does not grow with the rows.
 */
export async function writeCsv(path: string, head: readonly string[], rows: SheetRows): Promise<void> {
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

/**
 * Writes one sheet as XLSX, its head row frozen, and forces it to disk. Texts are stored as texts, never as formulas.
 * Memory does not grow with the rows.
 */
export async function writeXlsx(
  path: string,
  title: string,
  head: readonly string[],
  rows: SheetRows,
): Promise<void> {
  const out = createWriteStream(path, { mode: 0o600 });
  const isOpen = Promise.withResolvers<void>();
  out.once("open", () => isOpen.resolve()).once("error", isOpen.reject);
  await isOpen.promise;
  const broken = new Promise<never>((_, reject) => out.on("error", reject));
  broken.catch(() => {});
  try {
    const book = new WorkbookWriter({
      stream: out,
      useSharedStrings: false,
      useStyles: false,
      zip: { zlib: { level: 1 } },
    });
    const sheet = book.addWorksheet(title, { views: [{ state: "frozen", ySplit: 1 }] });
    sheet.addRow([...head]).commit();
    for await (const row of rows) {
      sheet.addRow(row.map(xlsxCell)).commit();
      if (out.errored) throw out.errored;
      if (out.writableNeedDrain) await once(out, "drain");
    }
    sheet.commit();
    await Promise.race([book.commit(), broken]);
  } catch (error) {
    out.destroy();
    throw error;
  }
  await force(path);
}
