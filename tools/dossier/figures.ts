// Figures of the dossier by key (docs/dossier/figures.json): each value is read from its source in
// the tree, so that a document cannot state another value.
import source from "@/docs/dossier/figures.json" with { type: "json" };
import { ROOT } from "@/tools/dossier/hazards.ts";

/** Source of a figure: a constant, a value in a JSON file, a table cell, or words of a text. */
type Place =
  | { module: string; name: string }
  | { json: string; path: (string | number)[] }
  | { document: string; row: string; column: string }
  /** `pattern` has one group and must match exactly once in the document */
  | { document: string; pattern: string };

/** Short names of source files, and the source of each figure by its key. */
const { documents, figures } = source as unknown as {
  documents: Record<string, string>;
  figures: Record<string, Place>;
};

const KEY = /\{\{([\w.]+)\}\}/g;
const cellsOf = (line: string) =>
  line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("**", ""));

/**
 * Reads the cell of a table in a document that contains
 * the row. @throws {RangeError} unless exactly one cell matches.
 */
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

/**
 * Reads the text matched by the group of a pattern. @throws {RangeError}
 * unless the pattern matches exactly once.
 */
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

/** All figures by key. @throws {RangeError} with the key of a missing figure. */
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

/** Keys that a text contains as placeholders of figures: `{{key}}`. */
export const keysOf = (text: string): string[] => [...text.matchAll(KEY)].map(([, key]) => key!);

/** Replaces each `{{key}}` in a text by its figure. @throws {RangeError} for an unknown key. */
export const withFigures = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(KEY, (_, key: string) => {
    const value = values.get(key);
    if (value === undefined) throw new RangeError(`Cannot write the figure ${key}: unknown`);
    return value;
  });
