import { AppError } from "@/model/errors.ts";
import { LOBES, type MeasureKey } from "@/model/regions/measures.ts";
import type { Measure, Sex } from "@/model/norms/norms.ts";
import { PARTS } from "@/model/regions/regions.ts";
import { LOCAL_MEASURES } from "@/model/norms/local_norms.ts";
import { withoutEnd } from "@/model/text_end.ts";

/** Limits of an imported file of norms: size, rows and columns. */
export const MAX_TABLE_LENGTH = 512 * 1024, MAX_TABLE_ROWS = 5000;
const MAX_COLUMNS = 40, MAX_CELL = 64, MAX_LINE = 4000;
/** Limits of the ICV of a row, mL. */
const ICV_MIN = 700, ICV_MAX = 2500;
/** Maximum lengths of the descriptions, which are printed in reports. */
export const MAX_TITLE = 40, MAX_SOURCE = 90, MAX_LICENCE = 300;

/** Reasons why a file of norms is refused. */
export const TABLE_PROBLEMS = [
  "format",
  "too_many",
  "text",
  "text_place",
  "text_example",
  "column_unknown",
  "column_missing",
  "column_repeated",
  "cells",
  "number",
  "value",
  "region",
  "side",
  "range",
  "kind",
  "order",
  "repeated",
  "grid",
  "gap",
  "sexes",
  "sides",
  "kinds",
  "implausible",
] as const;
export type TableProblem = (typeof TABLE_PROBLEMS)[number];

/** @param row Line of the CSV, or number of the row in JSON, from 1; 0 for the whole file. */
export const problem = (reason: TableProblem, row = 0, column = ""): AppError =>
  new AppError("norm.table_invalid", `Cannot read the table of norms: ${reason}`, {
    reason,
    row,
    column,
  });

/** Descriptions of the example file, to be replaced before the import. */
export const EXAMPLE_TEXTS = {
  source: "Name the publication or the sample here",
  licence: "Say here who permits the use",
} as const;

/** Refuses a description that was left as in the example file. */
function checkText(name: string, value: string, row: number): void {
  if (Object.entries(EXAMPLE_TEXTS).some(([each, text]) => each === name && text === value)) {
    throw problem("text_example", row, name);
  }
}

/** Cells of a row by column; empty cells are absent. */
export interface RowCells {
  row: number;
  cells: ReadonlyMap<string, string>;
}
/** Cells and descriptions of a file, before the values are checked. */
export interface FileCells {
  texts: ReadonlyMap<string, string>;
  rows: readonly RowCells[];
}

const COLUMNS = ["measure", "region", "side", "sex", "age", "icv", "mean", "sd", "scale"];
const NEEDED = ["measure", "region", "sex", "age"];
const TEXTS = ["title", "source", "licence", "software", "engine_version"];
const PERCENT = /^p(\d{1,2}(?:\.\d{1,2})?)$/;

/** Percentile of a column such as "p2.5"; `null` for other columns. */
export function percentOf(column: string): number | null {
  const percent = Number(PERCENT.exec(column)?.[1] ?? NaN);
  return percent > 0 && percent < 100 ? percent : null;
}

function checkColumns(columns: readonly string[], row: number): void {
  if (columns.length > MAX_COLUMNS) throw problem("too_many", row);
  const seen = new Set<string | number>();
  for (const column of columns) {
    const name = percentOf(column) ?? column;
    if (!COLUMNS.includes(column) && typeof name !== "number") {
      throw problem("column_unknown", row, column.slice(0, MAX_CELL));
    }
    if (seen.has(name)) throw problem("column_repeated", row, column);
    seen.add(name);
  }
}

/** Cells of one line; quotes as in RFC 4180, but no line breaks inside quotes. */
function cellsOfLine(line: string, row: number): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= line.length;) {
    const quoted = line[at] === '"';
    const found = quoted ? /"((?:[^"]|"")*)"(?:,|$)/y : /([^",]*)(?:,|$)/y;
    found.lastIndex = at;
    const match = found.exec(line);
    if (!match || cells.length >= MAX_COLUMNS) throw problem("cells", row);
    cells.push(match[1]!.replaceAll('""', '"').trim());
    at += match[0].length;
    if (!match[0].endsWith(",")) break;
  }
  return cells;
}

function cellsOfCsv(text: string): FileCells {
  const lines = text.split(/\r\n|\n|\r/);
  const texts = new Map<string, string>(), rows: RowCells[] = [];
  let columns: string[] | null = null;
  for (const [at, line] of lines.entries()) {
    const row = at + 1;
    if (line.length > MAX_LINE) throw problem("cells", row);
    const comment = /^"?#\s*([a-z_]+)\s*:(.*)$/i.exec(line);
    const name = (comment?.[1] ?? "").toLowerCase();
    // refuses a repeated column or description: one of the two values would be ignored
    if (TEXTS.includes(name) && (columns || texts.has(name))) {
      throw problem("text_place", row, name);
    }
    if (comment && !columns) {
      // spreadsheet programs append empty cells to a comment line
      const value = withoutEnd(comment[2]!, ",").replace(/"$/, "").trim().replaceAll('""', '"');
      checkText(name, value, row);
      texts.set(name, value);
      continue;
    }
    if (/^"?#/.test(line) || /^[\s,]*$/.test(line)) continue;
    const cells = cellsOfLine(line, row);
    if (!columns) {
      columns = cells.map((cell) => cell.toLowerCase());
      checkColumns(columns, row);
      continue;
    }
    if (cells.length !== columns.length) throw problem("cells", row);
    if (rows.length >= MAX_TABLE_ROWS) throw problem("too_many", row);
    const filled = cells.flatMap((cell, n): [string, string][] =>
      cell === "" ? [] : [[columns![n]!, cell]]
    );
    rows.push({ row, cells: new Map(filled) });
  }
  return { texts, rows };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function cellsOfJson(text: string): FileCells {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw problem("format");
  }
  if (!isObject(file) || !Array.isArray(file.rows)) throw problem("format");
  if (file.rows.length > MAX_TABLE_ROWS) throw problem("too_many", MAX_TABLE_ROWS + 1);
  const texts = new Map<string, string>();
  for (const name of TEXTS) {
    if (typeof file[name] === "string") texts.set(name, file[name].trim());
  }
  const rows = file.rows.map((each: unknown, at): RowCells => {
    const row = at + 1;
    if (!isObject(each)) throw problem("cells", row);
    const columns = Object.keys(each);
    checkColumns(columns, row);
    const cells = columns.flatMap((column): [string, string][] => {
      const value = each[column];
      if (value === null || value === "") return [];
      if (typeof value !== "string" && typeof value !== "number") {
        throw problem("value", row, column);
      }
      return [[column, String(value).trim()]];
    });
    return { row, cells: new Map(cells) };
  });
  return { texts, rows };
}

/** Cells of a CSV or JSON file. @throws {AppError} `norm.table_invalid`. */
export function cellsOf(content: string): FileCells {
  const text = content.replace(/^\uFEFF/, "");
  const file = text.trimStart().startsWith("{") ? cellsOfJson(text) : cellsOfCsv(text);
  if (file.rows.length === 0) throw problem("format");
  for (const { row, cells } of file.rows) {
    for (const column of NEEDED) {
      if (!cells.has(column)) throw problem("column_missing", row, column);
    }
    for (const [column, cell] of cells) {
      if (cell.length > MAX_CELL) throw problem("value", row, column);
    }
  }
  return file;
}

/** Checks one line of text: printable, no control or direction characters, limited length. */
export function printedText(texts: FileCells["texts"], name: string, maxLength: number): string {
  const text = texts.get(name) ?? "";
  if (text === "" || text.length > maxLength || /[\p{C}\p{Zl}\p{Zp}]/u.test(text)) {
    throw problem("text", 0, name);
  }
  return text;
}

/** Number in a cell; a decimal comma, a unit or a percent sign is refused. */
export function numberIn({ row, cells }: RowCells, column: string): number | null {
  const cell = cells.get(column);
  if (cell === undefined) return null;
  if (!/^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,2})?$/i.test(cell)) {
    throw problem("number", row, column);
  }
  return Number(cell);
}

function withinRange(cells: RowCells, column: string, low: number, high: number): number | null {
  const value = numberIn(cells, column);
  if (value !== null && !(value >= low && value <= high)) throw problem("range", cells.row, column);
  return value;
}

const nameOf = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, "_");
const labelsByName = new Map(PARTS.map(({ part, labels }) => [nameOf(part), labels]));
const SUMS: readonly string[] = ["cortex", ...LOBES, "white_matter", "brain"];

/** Key of a region and a side. @throws {AppError} `norm.table_invalid`. */
function keyIn({ row, cells }: RowCells, measure: Measure): MeasureKey {
  const name = nameOf(cells.get("region")!), side = cells.get("side")?.toLowerCase() ?? "total";
  if (!["left", "right", "total"].includes(side)) throw problem("side", row, "side");
  const labels = labelsByName.get(name), at = side === "right" ? 1 : 0;
  const keyOfLabels = () =>
    !labels
      ? null
      : labels.length === 1
      ? side === "total" ? String(labels[0]) : null
      : side === "total"
      ? labels.join("+")
      : String(labels[at]);
  const keyOfSum = () => {
    const base = measure === "thickness" ? "thickness" : name;
    return side === "total" ? base : `${base}_${side}`;
  };
  const isSum = measure === "thickness" ? name === "cortex" : SUMS.includes(name);
  if (!isSum && !labels) throw problem("region", row, "region");
  const key = isSum ? keyOfSum() : keyOfLabels();
  const isKnown = LOCAL_MEASURES.some((each) => each.measure === measure && each.key === key);
  if (key === null || !isKnown) throw problem("side", row, "side");
  return key;
}

/** Values of one row of the file, in the file's units: mL, mm, or log10 of mL. */
export interface TableRow {
  row: number;
  measure: Measure;
  key: MeasureKey;
  sex: Sex | "any";
  age: number;
  icvMl: number | null;
  isLog10: boolean;
  percents: number[] | null;
  values: number[];
}

/** Percentiles of a row, or mean and SD. */
function valuesIn(cells: RowCells): Pick<TableRow, "percents" | "values"> {
  const { row } = cells;
  const columns = [...cells.cells.keys()].flatMap((column) => {
    const percent = percentOf(column);
    return percent === null ? [] : [{ percent, column }];
  }).sort((a, b) => a.percent - b.percent);
  const mean = numberIn(cells, "mean"), sd = numberIn(cells, "sd");
  if (columns.length === 0) {
    if (mean === null || sd === null) throw problem("column_missing", row, mean ? "sd" : "mean");
    if (!(sd > 0)) throw problem("range", row, "sd");
    return { percents: null, values: [mean, sd] };
  }
  if (mean !== null || sd !== null) throw problem("kind", row, mean === null ? "sd" : "mean");
  const percents = columns.map(({ percent }) => percent);
  if (!percents.includes(50)) throw problem("column_missing", row, "p50");
  if (percents[0]! > 10) throw problem("column_missing", row, "p5");
  if (percents.at(-1)! < 90) throw problem("column_missing", row, "p95");
  const values = columns.map(({ column }, at) => {
    const value = numberIn(cells, column)!;
    const before = at === 0 ? 0 : numberIn(cells, columns[at - 1]!.column)!;
    if (!(value > before)) throw problem("order", row, column);
    return value;
  });
  return { percents, values };
}

/** Checks one row. @throws {AppError} `norm.table_invalid` with row and column. */
export function readRow(cells: RowCells, ages: readonly [low: number, high: number]): TableRow {
  const { row } = cells, cellOf = (column: string) => cells.cells.get(column)?.toLowerCase();
  const measure = cellOf("measure"), sex = cellOf("sex"), scale = cellOf("scale") ?? "linear";
  if (measure !== "volume" && measure !== "thickness") throw problem("value", row, "measure");
  if (sex !== "male" && sex !== "female" && sex !== "any") throw problem("value", row, "sex");
  if (scale !== "linear" && scale !== "log10") throw problem("value", row, "scale");
  const age = withinRange(cells, "age", ...ages)!;
  const icvMl = withinRange(cells, "icv", ICV_MIN, ICV_MAX);
  if (measure === "thickness" && icvMl !== null) throw problem("kind", row, "icv");
  // every page says that percentiles of volumes are adjusted for ICV
  if (measure === "volume" && icvMl === null) throw problem("column_missing", row, "icv");
  const key = keyIn(cells, measure), { percents, values } = valuesIn(cells);
  const isLog10 = scale === "log10";
  if (isLog10 && (percents || measure === "thickness")) throw problem("kind", row, "scale");
  if (!isLog10 && !(values[0]! > 0)) throw problem("range", row, percents ? "" : "mean");
  return { row, measure, key, sex, age, icvMl, isLog10, percents, values };
}
