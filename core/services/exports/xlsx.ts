// A workbook of one sheet (ECMA-376 part 1), written row by row: texts, numbers, and a head row that stays in sight.
import { safeText, type SheetCell, type SheetRows } from "@/core/services/exports/workbook.ts";
import { ZipFile } from "@/core/services/exports/zip_file.ts";

const PIECE = 1 << 16;
/** Longest text of a cell. */
const MAX_TEXT = 32_767;
const XML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Characters that XML does not take, and the sign that stands for them (ECMA-376 part 1, 22.9.2.19). */
// deno-lint-ignore no-control-regex -- they are what is looked for
const NOT_IN_XML = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as XML holds it. */
export const xmlText = (text: string): string =>
  text
    .replace(NOT_IN_XML, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replace(/[&<>"]/g, (one) => ENTITIES[one]!);

/** Name of a column, from 0: A … Z, AA … */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + index % 26);
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

const names: string[] = [];

function cellXml(cell: SheetCell, column: number, row: number): string {
  if (cell === null || (typeof cell === "number" && !Number.isFinite(cell))) return "";
  const place = `${names[column] ??= columnName(column)}${row}`;
  return typeof cell === "number"
    ? `<c r="${place}"><v>${cell}</v></c>`
    : `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${
      xmlText(safeText(cell).slice(0, MAX_TEXT))
    }</t></is></c>`;
}

const rowXml = (cells: readonly SheetCell[], row: number) =>
  `<row r="${row}">${cells.map((cell, column) => cellXml(cell, column, row)).join("")}</row>`;

async function* sheetXml(head: readonly string[], rows: SheetRows): AsyncGenerator<string> {
  let row = 1;
  let piece = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
    `<sheetData>${rowXml(head, row)}`;
  for await (const cells of rows) {
    piece += rowXml(cells, ++row);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}</sheetData></worksheet>`;
}

const relationship = (id: string, type: string, target: string) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
  `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/></Relationships>`;

/** What is in a workbook beside its sheet, by the name of the part. */
const frameOf = (title: string): Record<string, string> => ({
  "[Content_Types].xml": `${XML}<Types xmlns="${PACKAGE}/content-types">` +
    `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  "_rels/.rels": relationship("rId1", "officeDocument", "xl/workbook.xml"),
  "xl/workbook.xml": `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>` +
    `<sheet name="${xmlText(title)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": relationship("rId1", "worksheet", "worksheets/sheet1.xml"),
});

/**
 * Writes one sheet as XLSX, its head row frozen, and forces it to disk. Texts are stored as texts, never as formulas;
 * numbers that are not finite are left out. Memory does not grow with the rows.
 *
 * @param title Name of the sheet, at most 31 characters.
 * @throws {RangeError} when the sheet has 4 GiB or more.
 */
export async function writeXlsx(
  path: string,
  title: string,
  head: readonly string[],
  rows: SheetRows,
): Promise<void> {
  const zip = await ZipFile.create(path);
  try {
    for (const [name, text] of Object.entries(frameOf(title))) await zip.add(name, [text]);
    await zip.add("xl/worksheets/sheet1.xml", sheetXml(head, rows));
    await zip.finish();
  } finally {
    await zip.close();
  }
}
