// Writes XLSX workbooks (ECMA-376 part 1) row by row.
// A workbook has a data sheet with filters and a fixed head, and a sheet that explains columns.
import {
  safeText,
  type SheetCell,
  type SheetColumn,
  type SheetRows,
} from "@/server/core/exports/service/workbook.ts";
import { ZipFile } from "@/server/core/exports/service/zip_file.ts";

const PIECE = 1 << 16;
/** Maximum number of characters in an XLSX cell. */
const MAX_TEXT = 32_767;
/** Minimum and maximum width of a column, in characters. */
const MIN_WIDTH = 9, MAX_WIDTH = 30;
const XML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Matches characters forbidden in XML, and XLSX's escape prefix (ECMA-376 part 1, 22.9.2.19). */
// deno-lint-ignore no-control-regex -- the expression looks for control characters
const NOT_IN_XML = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for XML. */
export const xmlText = (text: string): string =>
  text
    .replace(NOT_IN_XML, (one) =>
      `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replace(/[&<>"]/g, (one) =>
      ENTITIES[one]!);

/** Column name of a spreadsheet for an index from 0: A … Z, AA … */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + index % 26);
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const names: string[] = [];
const nameOf = (column: number): string => names[column] ??= columnName(column);

/** Style numbers of cells, as indices into {@link STYLES}: heads, texts, dates and times. */
const HEAD = 1, STYLE_OF = { text: 2, number: 0, date: 3, time: 4 } as const;
/** Number formats of ECMA-376: 49 is text; 14 and 22 are date and time in the user's locale. */
const STYLES = `${XML}<styleSheet xmlns="${MAIN}">` +
  `<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>` +
  `<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
  `<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
  `<fill><patternFill patternType="solid"><fgColor rgb="FFE3EFF3"/><bgColor indexed="64"/></patternFill></fill></fills>` +
  `<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
  `<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
  `<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
  `<xf numFmtId="49" fontId="1" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" ` +
  `applyFill="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>` +
  [49, 14, 22].map((format) =>
    `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`
  ).join("") + `</cellXfs></styleSheet>`;

const DAY = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}):(\d{2}))?$/, DAY_MS = 86_400_000;
/** Day 0 of spreadsheet dates. Days before March 1900 are left as text, since programs disagree. */
const EPOCH_MS = Date.UTC(1899, 11, 30), FIRST_DAY = 61;

/** Converts a date or time to a spreadsheet serial number; `null` for any other text. */
export function serialOf(text: string): number | null {
  const [, day, hours, minutes] = DAY.exec(text) ?? [];
  if (day === undefined) return null;
  const serial = (Date.parse(day) - EPOCH_MS) / DAY_MS;
  if (!(serial >= FIRST_DAY)) return null;
  return hours === undefined ? serial : serial + (Number(hours) * 60 + Number(minutes)) / 1440;
}

const textXml = (place: string, style: number, text: string) =>
  `<c r="${place}"${style === 0 ? "" : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${
    xmlText(safeText(text).slice(0, MAX_TEXT))
  }</t></is></c>`;

function cellXml(cell: SheetCell, place: string, type: SheetColumn["type"]): string {
  if (cell === null || (typeof cell === "number" && !Number.isFinite(cell))) return "";
  if (typeof cell === "number") return `<c r="${place}"><v>${cell}</v></c>`;
  const serial = type === "date" || type === "time" ? serialOf(cell) : null;
  return serial === null
    ? textXml(place, STYLE_OF.text, cell)
    : `<c r="${place}" s="${STYLE_OF[type]}"><v>${serial}</v></c>`;
}

const rowXml = (cells: readonly SheetCell[], row: number, columns: readonly SheetColumn[]) =>
  `<row r="${row}">${
    cells.map((cell, n) => cellXml(cell, `${nameOf(n)}${row}`, columns[n]!.type)).join("")
  }</row>`;

const headXml = (columns: readonly SheetColumn[]) =>
  `<row r="1">${
    columns.map(({ title }, n) => textXml(`${nameOf(n)}1`, HEAD, title)).join("")
  }</row>`;

const widthOf = ({ width, title }: SheetColumn) =>
  width ?? Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.ceil(title.length / 2) + 2));

const beginXml = (columns: readonly SheetColumn[]) =>
  `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
  `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
  (columns.length === 0
    ? ""
    : `<cols>${
      columns.map((column, n) =>
        `<col min="${n + 1}" max="${n + 1}" width="${widthOf(column)}" customWidth="1"/>`
      ).join("")
    }</cols>`) +
  `<sheetData>`;

async function* sheetXml(columns: readonly SheetColumn[], rows: SheetRows): AsyncGenerator<string> {
  let row = 1, piece = beginXml(columns) + headXml(columns);
  for await (const cells of rows) {
    piece += rowXml(cells, ++row, columns);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  const filter = columns.length === 0
    ? ""
    : `<autoFilter ref="A1:${nameOf(columns.length - 1)}${row}"/>`;
  yield `${piece}</sheetData>${filter}</worksheet>`;
}

const relationship = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`;
const relationships = (...all: string[]) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;

/** Files in the ZIP archive of a workbook that are not sheets, by name. */
function frameOf(titles: readonly string[]): Record<string, string> {
  const sheets = titles.map((title, n) => ({ title, n: n + 1 }));
  return {
    "[Content_Types].xml": `${XML}<Types xmlns="${PACKAGE}/content-types">` +
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
      `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>` +
      sheets.map(({ n }) =>
        `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`
      ).join("") + `</Types>`,
    "_rels/.rels": relationships(relationship("rId1", "officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml": `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>` +
      sheets.map(({ title, n }) =>
        `<sheet name="${xmlText(title)}" sheetId="${n}" r:id="rId${n}"/>`
      ).join(
        "",
      ) +
      `</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships(
      ...sheets.map(({ n }) => relationship(`rId${n}`, "worksheet", `worksheets/sheet${n}.xml`)),
      relationship(`rId${sheets.length + 1}`, "styles", "styles.xml"),
    ),
    "xl/styles.xml": STYLES,
  };
}

/** A sheet of an XLSX workbook. */
export interface Sheet {
  /** name shown on the sheet's tab, at most 31 characters */
  title: string;
  columns: readonly SheetColumn[];
  rows: SheetRows;
}

/**
 * Writes a workbook as XLSX, with column widths, filters and fixed heads, and syncs it to disk.
 * Texts are stored as texts, never as formulas. Numbers that are not finite become empty cells.
 * Memory use does not grow with the number of rows.
 *
 * @throws {RangeError} if a sheet reaches 4 GiB.
 */
export async function writeXlsx(path: string, sheets: readonly Sheet[]): Promise<void> {
  const zip = await ZipFile.create(path);
  try {
    const frame = frameOf(sheets.map(({ title }) => title));
    for (const [name, text] of Object.entries(frame)) await zip.add(name, [text]);
    for (const [n, { columns, rows }] of sheets.entries()) {
      await zip.add(`xl/worksheets/sheet${n + 1}.xml`, sheetXml(columns, rows));
    }
    await zip.finish();
  } finally {
    await zip.close();
  }
}
