import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import { isCortex, LABEL_COUNT, REGIONS } from "@/model/regions/regions.ts";

/** Rows of a CSV table by column name. @throws {Error} that names an invalid line. */
function rowsOf(path: string): Record<string, string>[] {
  const [head = "", ...lines] = Deno.readTextFileSync(path).trim().split(/\r?\n/);
  const columns = head.split(",");
  return lines.map((line, at) => {
    // cells are not quoted: only a region's name could contain a comma, and none does
    const cells = line.split(",");
    if (cells.length !== columns.length) {
      throw new Error(`Cannot read ${path}: line ${at + 2} has ${cells.length} cells`);
    }
    return Object.fromEntries(cells.map((cell, n) => [columns[n]!, cell]));
  });
}

const number = (row: Record<string, string>, column: string, path: string): number => {
  const value = Number(row[column]);
  if (row[column] === undefined || row[column] === "" || !Number.isFinite(value)) {
    throw new Error(`Cannot read ${path}: ${column} is "${row[column]}"`);
  }
  return value;
};

const counts = (
  rows: readonly Record<string, string>[],
  column: string,
  path: string,
): number[] => {
  const out = new Array<number>(LABEL_COUNT).fill(0);
  for (const row of rows) out[number(row, "label", path)] = number(row, column, path);
  return out;
};

function comparisonOf(rows: readonly Record<string, string>[], path: string) {
  const dice: (number | null)[] = new Array(LABEL_COUNT).fill(null);
  for (const row of rows) dice[number(row, "label", path)] = number(row, "dice", path);
  return { oursMm3: counts(rows, "engine_mm3", path), dice, groups: {}, thickness: [] };
}

const CORTEX = REGIONS.map(({ label }) => label).filter(isCortex);

/** Version of the engine that measured the tables. */
const VERSION = "sulcus-engine 0.5.0 with deep structures 2";

/**
 * Heads of which only measurements are available. Tables of volumes have the columns `site, head,
 * image, second_opinion, label, region, engine_mm3, freesurfer_mm3, dice`, tables of thickness
 * `site, head, side, engine_mm, freesurfer_mm`. A head without rows of a setting was not measured
 * in it; the ICV is unknown.
 *
 * @throws {Error} that names the table and the fault.
 */
export function readTables(paths: readonly string[]): MeasuredHead[] {
  const tables = paths.map((path) => ({ path, rows: rowsOf(path) }));
  const thickness = tables.filter(({ rows }) => rows[0] !== undefined && "engine_mm" in rows[0]);
  const heads = tables.filter((table) => !thickness.includes(table)).flatMap(({ path, rows }) =>
    [...Map.groupBy(rows, ({ site, head }) => `${site} ${head}`).values()].map(
      (own): MeasuredHead => {
        const { site, head } = own[0]!,
          asked = own.filter(({ second_opinion }) => second_opinion === "yes");
        const alone = own.filter(({ second_opinion }) => second_opinion === "no");
        const used = asked.length > 0 ? asked : alone;
        return {
          name: head!,
          facts: { scanner: `site ${site}` },
          version: VERSION + (asked.length > 0 ? ", MeshNet-50" : ""),
          grade: "A",
          warnings: [],
          quality: {},
          seconds: 0,
          opinion: asked.length > 0 ? "agreed" : null,
          // other parcellations have other borders, so all of our parcels must be present
          hasParcels: CORTEX.every((label) => used.some((row) => Number(row.label) === label)),
          icvMm3: 0,
          theirsMm3: counts(used, "freesurfer_mm3", path),
          ...comparisonOf(used, path),
          ...(asked.length > 0 && alone.length > 0
            ? { withoutOpinion: comparisonOf(alone, path) }
            : {}),
        };
      },
    )
  );
  for (const { path, rows } of thickness) {
    for (const row of rows) {
      const measured = heads.find(({ name }) => name === row.head);
      if (!measured) throw new Error(`Cannot use ${path}: no volumes of head ${row.head}`);
      const pair = {
        key: row.side === "lh" ? "thickness_left" : "thickness_right",
        ours: number(row, "engine_mm", path),
        theirs: number(row, "freesurfer_mm", path),
      };
      measured.thickness.push(pair);
      measured.withoutOpinion?.thickness.push(pair);
    }
  }
  return heads;
}
