// Figures of the dossier by their keys (docs/dossier/figures.json): each is read from where the
// tree states it, so that a document cannot say another one.
import source from "@/docs/dossier/figures.json" with { type: "json" };
import { ROOT } from "@/tools/dossier/hazards.ts";

/** Where a figure is: a constant, a value in a JSON file, a cell of a table, or words of a text. */
type Place =
  | { module: string; name: string }
  | { json: string; path: (string | number)[] }
  | { document: string; row: string; column: string }
  /** `pattern` has one group, and is in the document once */
  | { document: string; pattern: string };

/** Paths by the names that places use, and places by key. */
const { documents, figures } = source as unknown as {
  documents: Record<string, string>;
  figures: Record<string, Place>;
};

const KEY = /\{\{([\w.]+)\}\}/g;
const cellsOf = (line: string) =>
  line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("**", ""));

/** A cell of the table of a document that has the row. @throws {RangeError} unless it is one. */
export function cellOf(text: string, row: string, column: string): string {
  const tables = text.split(/\n(?!\|)/).map((part) =>
    part.split("\n").filter((line) => line.startsWith("|")).map(cellsOf)
  );
  const cells = tables.flatMap(([head = [], ...rows]) => {
    const at = head.indexOf(column);
    return at < 0 ? [] : rows.filter(([name]) => name === row).map((each) => each[at] ?? "");
  });
  if (cells.length !== 1 || cells[0] === "") {
    throw new RangeError(`Cannot find a figure: ${cells.length} cells of "${row}", "${column}"`);
  }
  return cells[0]!;
}

/** The words that a pattern's group matches. @throws {RangeError} unless they are there once. */
export function wordsOf(text: string, pattern: string): string {
  const matches = [...text.matchAll(new RegExp(pattern, "g"))];
  if (matches.length !== 1 || !matches[0]![1]) {
    throw new RangeError(`Cannot find a figure: ${pattern} is there ${matches.length} times`);
  }
  return matches[0]![1];
}

async function figureAt(place: Place): Promise<string> {
  if ("module" in place) {
    const { [place.name]: value } = await import(`${ROOT}/${place.module}`);
    if (value === undefined) throw new RangeError(`${place.module} has no ${place.name}`);
    return String(value);
  }
  if ("json" in place) {
    const document = JSON.parse(await Deno.readTextFile(`${ROOT}/${place.json}`));
    // deno-lint-ignore no-explicit-any
    const value = place.path.reduce((at: any, key) => at?.[key], document);
    if (value === undefined) throw new RangeError(`${place.json} has no ${place.path.join(".")}`);
    return String(value);
  }
  const text = await Deno.readTextFile(`${ROOT}/${documents[place.document]}`);
  return "row" in place ? cellOf(text, place.row, place.column) : wordsOf(text, place.pattern);
}

/** All figures by their keys. @throws {RangeError} that names a key without its figure. */
export async function readFigures(): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const [key, place] of Object.entries(figures)) {
    const value = await figureAt(place).catch((cause: Error) => {
      throw new RangeError(`Cannot read the figure ${key}: ${cause.message}`, { cause });
    });
    values.set(key, value);
  }
  return values;
}

/** Keys that a text names. */
export const keysOf = (text: string): string[] => [...text.matchAll(KEY)].map(([, key]) => key!);

/** A text with its keys replaced. @throws {RangeError} when a key is none of the figures. */
export const withFigures = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(KEY, (_, key: string) => {
    const value = values.get(key);
    if (value === undefined) throw new RangeError(`Cannot write the figure ${key}: unknown`);
    return value;
  });
