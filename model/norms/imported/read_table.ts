import { isInvertedKey, normOfMeasure } from "@/model/regions/measures.ts";
import { PARTS } from "@/model/regions/regions.ts";
import {
  ICV_MEAN_ML,
  type Norm,
  NORM_AGE_MAX,
  NORM_AGE_MIN,
  type NormSubject,
  sdNear,
  type Sex,
  valueAt,
} from "@/model/norms/norms.ts";
import {
  cellsOf,
  MAX_LICENCE,
  MAX_SOURCE,
  MAX_TITLE,
  printedText,
  problem,
  readRow,
  type TableRow,
} from "@/model/norms/imported/cells.ts";
import { type NormTable, type TableCurve, tableNormsOf } from "@/model/norms/imported/table.ts";

/** Maximum distance of two ages of a curve, years, between which the norm is interpolated. */
const MAX_GAP_YEARS = 15;
/**
 * Maximum ratios to the published norm: of the expected value (tissue, then fluid), and of the SD.
 * Beyond this ratio, the file has another unit or another region.
 */
const TISSUE_RATIO = 2, FLUID_RATIO = 4, SD_RATIO = 4;

const ascending = (values: Iterable<number>) => [...new Set(values)].sort((a, b) => a - b);
const MM3_PER_ML = 1000, LOG10_MM3_PER_ML = 3;

/** Values of a curve in mm³ or mm, or log10 of mm³. */
function storedValues({ measure, isLog10, values }: TableRow): number[] {
  if (measure === "thickness") return [...values];
  if (isLog10) return [values[0]! + LOG10_MM3_PER_ML, values[1]!];
  return values.map((value) => MM3_PER_ML * value);
}

/** Curve of the rows of one measure and sex, which must be a whole grid of ages and ICVs. */
function curveOf(rows: readonly TableRow[]): TableCurve {
  const first = rows[0]!, { measure, key, sex, isLog10, percents } = first;
  const ages = ascending(rows.map(({ age }) => age));
  const icvsMl = ascending(rows.flatMap(({ icvMl }) => icvMl ?? []));
  const placed = new Map<string, TableRow>();
  for (const row of rows) {
    if (row.isLog10 !== isLog10 || String(row.percents) !== String(percents)) {
      throw problem("kinds", row.row);
    }
    const place = `${row.age} ${row.icvMl}`;
    if (placed.has(place)) throw problem("repeated", row.row);
    placed.set(place, row);
  }
  if (ages.length < 2) throw problem("grid", first.row, "age");
  if (icvsMl.length === 1) throw problem("grid", first.row, "icv");
  const values = ages.flatMap((age) =>
    (icvsMl.length > 0 ? icvsMl : [null]).map((icvMl) => {
      const row = placed.get(`${age} ${icvMl}`);
      const near = rows.find((each) => each.age === age) ?? first;
      if (!row) throw problem("grid", near.row, "icv");
      return storedValues(row);
    })
  );
  for (const [at, age] of ages.entries()) {
    if (at > 0 && age - ages[at - 1]! > MAX_GAP_YEARS) {
      throw problem("gap", rows.find((each) => each.age === age)!.row, "age");
    }
  }
  return { measure, key, sex, ages, icvsMl, isLog10, percents, values };
}

/** Groups rows by a name, in the order of the file. */
function groupBy(rows: readonly TableRow[], nameOf: (row: TableRow) => string) {
  const groups = new Map<string, TableRow[]>();
  for (const row of rows) {
    const name = nameOf(row), group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return groups;
}

const pairs = new Map(
  PARTS.flatMap(({ labels: [left, right] }): [string, string][] =>
    right === undefined ? [] : [[String(left), String(right)], [String(right), String(left)]]
  ),
);
/** Key of the same region on the other side; absent for midline regions and totals. */
const otherSideOf = (key: string): string | undefined => {
  if (key.endsWith("_left")) return key.replace(/_left$/, "_right");
  return key.endsWith("_right") ? key.replace(/_right$/, "_left") : pairs.get(key);
};

/**
 * Checks that every measure has both sexes, or one norm for both, and both sides in the same form.
 */
function checkWhole(rows: readonly TableRow[]): void {
  const measures = groupBy(rows, ({ measure, key }) => `${measure}:${key}`);
  for (const [name, own] of measures) {
    const sexes = new Set(own.map(({ sex }) => sex)), { row, measure, key } = own[0]!;
    if (sexes.has("any") ? sexes.size > 1 : sexes.size !== 2) throw problem("sexes", row, "sex");
    const other = otherSideOf(key);
    if (other === undefined) continue;
    const others = measures.get(`${measure}:${other}`);
    if (!others) throw problem("sides", row, "side");
    const formsOf = (some: readonly TableRow[]) =>
      some.map((each) => `${each.sex} ${each.age} ${each.icvMl} ${each.isLog10} ${each.percents}`)
        .sort().join();
    if (name < `${measure}:${other}` && formsOf(own) !== formsOf(others)) {
      throw problem("sides", others[0]!.row, "side");
    }
  }
}

/** Refuses values that cannot be those of the region: another unit, region or scale. */
function checkPlausible(table: NormTable, rows: readonly TableRow[]): void {
  const norms = tableNormsOf(table);
  for (const { row, measure, key, sex, age, icvMl, percents } of rows) {
    const sexes: Sex[] = sex === "any" ? ["male", "female"] : [sex];
    for (const each of sexes) {
      const subject: NormSubject = { age, sex: each, icvMl: icvMl ?? ICV_MEAN_ML[each] };
      const ours = normOfMeasure(key, measure, subject), norm = norms.normOf(measure, key, subject);
      if (!ours || !norm) continue;
      const usual = valueAt(0, norm), published = valueAt(0, ours);
      const limit = measure === "volume" && isInvertedKey(key) ? FLUID_RATIO : TISSUE_RATIO;
      if (!isWithin(usual / published, limit)) throw problem("implausible", row, "mean");
      const spread = spreadOf(norm, usual), publishedSpread = spreadOf(ours, published);
      const tail = norm.knots && unlikeTail(norm.knots, usual, ours, published);
      if (tail !== undefined) throw problem("implausible", row, `p${percents?.[tail]}`);
      if (!isWithin(spread / publishedSpread, SD_RATIO)) throw problem("implausible", row, "sd");
    }
  }
}

/**
 * Compares the distance of each two percentiles with the published distance.
 * A too long tail calls shrunken regions usual; a too short tail calls healthy regions rare.
 * @returns index of the first percentile that is too far or too near; undefined if none is.
 */
function unlikeTail(
  knots: NonNullable<Norm["knots"]>,
  usual: number,
  ours: Norm,
  published: number,
): number | undefined {
  for (const [at, high] of knots.slice(1).entries()) {
    const low = knots[at]!, distance = (high.value - low.value) / usual;
    const publishedDistance = (valueAt(high.z, ours) - valueAt(low.z, ours)) / published;
    if (!isWithin(distance / publishedDistance, SD_RATIO)) return high.z > 0 ? at + 1 : at;
  }
  return undefined;
}
const isWithin = (ratio: number, limit: number) => ratio <= limit && ratio >= 1 / limit;
const spreadOf = (norm: Parameters<typeof sdNear>[1], usual: number) =>
  norm.isLog10 ? norm.sd * Math.LN10 : norm.sd / usual;

/**
 * Reads a file of norms: CSV with descriptions in lines such as `# title: …`, or JSON (ADR 0067).
 * Columns: measure, region, side, sex, age, icv (mL), and mean, sd, scale, or percentiles (p5, p50,
 * p95). Volumes in mL, thickness in mm.
 *
 * @throws {AppError} `norm.table_invalid` with reason, row and column of the first fault.
 */
export function readNormTable(content: string): NormTable {
  const file = cellsOf(content);
  const software = file.texts.get("software")?.toLowerCase();
  if (software !== "freesurfer" && software !== "sulcus") throw problem("text", 0, "software");
  const rows = file.rows.map((cells) => readRow(cells, [NORM_AGE_MIN, NORM_AGE_MAX]));
  const groups = groupBy(rows, ({ measure, key, sex }) => `${measure}:${key}:${sex}`);
  const curves = [...groups.values()].map(curveOf);
  checkWhole(rows);
  const table: NormTable = {
    title: printedText(file.texts, "title", MAX_TITLE),
    source: printedText(file.texts, "source", MAX_SOURCE),
    licence: printedText(file.texts, "licence", MAX_LICENCE),
    software,
    engineVersion: software === "sulcus" ? printedText(file.texts, "engine_version", 40) : null,
    curves,
  };
  checkPlausible(table, rows);
  return table;
}
