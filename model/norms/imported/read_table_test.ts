// covers: S-217
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { Random } from "@/model/random.ts";
import { normOfMeasure } from "@/model/regions/measures.ts";
import { curveOf } from "@/model/norms/curves.ts";
import {
  curvePlaceOf,
  PLAIN_METHOD,
  rankOf,
  zOfPercentile,
} from "@/model/norms/percentile_rank.ts";
import { sidesDifferenceOf } from "@/model/norms/sides.ts";
import { type NormSubject, sdNear, valueAt, zOf } from "@/model/norms/norms.ts";
import {
  MAX_TABLE_ROWS,
  MAX_TITLE,
  TABLE_PROBLEMS,
  type TableProblem,
} from "@/model/norms/imported/cells.ts";
import { exampleTable, largestDifference, plottedOf } from "@/model/norms/imported/plotted.ts";
import { filledExample } from "@/tests/sites/norms/example_norms.ts";
import { readNormTable } from "@/model/norms/imported/read_table.ts";
import { tableNormsOf } from "@/model/norms/imported/table.ts";
import { tableProblemIn } from "@/model/text/settings/norm_tables.ts";

const SUBJECT: NormSubject = { age: 60, sex: "female", icvMl: 1450 };
const READING = { limits: [-1.645, -0.674], isInverted: false };
const HEAD = "# title: T\n# source: S\n# licence: L\n# software: freesurfer\n";
const near = (a: number, b: number, tolerance: number) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

const rowsAt = (side: string, sex: string, age: number) =>
  [1200, 1800].map((icv) => `volume,hippocampus,${side},${sex},${age},${icv},3.5,.4`);
/** Rows of both sides of the hippocampus, 3.5 mL ± 0.4 mL, by 4 ages. */
const rowsOf = (sex: string, more = "") =>
  ["left", "right"].flatMap((side) =>
    [50, 60, 70, 80].flatMap((age) => rowsAt(side, sex, age).map((row) => row + more))
  ).join("\n");
const COLUMNS = "measure,region,side,sex,age,icv,mean,sd\n";
const GOOD = HEAD + COLUMNS + rowsOf("any");

Deno.test("the example is the published norm of the hippocampus: same percentiles, curve, sides", () => {
  const tableNorms = tableNormsOf(readNormTable(filledExample()));
  const method = { ...PLAIN_METHOD, tableNorms };
  for (const key of ["19", "20", "19+20"]) {
    const value = 5900 / (key.includes("+") ? 1 : 2);
    const ours = rankOf("volume", key, value, SUBJECT, READING, method)!;
    const published = rankOf("volume", key, value, SUBJECT, READING)!;
    near(ours.percentile, published.percentile, 1.5);
    assert.equal(ours.level, published.level);
  }
  const ages = { from: 18, to: 100 };
  const drawn = curveOf([19, 20], SUBJECT, ages, curvePlaceOf("19+20", method, SUBJECT));
  const published = curveOf([19, 20], SUBJECT, ages, curvePlaceOf("19+20"));
  assert.deepEqual([drawn[0]!.age, drawn.at(-1)!.age], [20, 90]);
  for (const point of drawn) {
    near(point.p5, published.find(({ age }) => age === point.age)!.p5, 0.05);
  }
  const sides = (of: typeof method | undefined) =>
    sidesDifferenceOf("volume", ["19", "20"], [3000, 3300], SUBJECT, of)!;
  near(sides(method).difference, sides(undefined).difference, 0.01);
  near(sides(method).healthySd, sides(undefined).healthySd, 0.01);
  // other measures, and ages and ICVs outside of the table, are compared with the published norms
  for (
    const [key, subject] of [
      ["13", SUBJECT],
      ["19", { ...SUBJECT, age: 95 }],
      ["19", { ...SUBJECT, icvMl: 1900 }],
    ] as const
  ) {
    assert.equal(tableNorms.normOf("volume", key, subject), null);
    assert.deepEqual(
      rankOf("volume", key, 3400, subject, READING, method),
      rankOf("volume", key, 3400, subject, READING),
    );
  }
  const { ages: plotted } = plottedOf(readNormTable(filledExample()), "volume", "19", "female");
  assert.equal(plotted.length, 71);
  assert.ok(Math.abs(largestDifference(plotted)!.percent) < 1);
});

Deno.test("mean and SD, log10 and percentiles of one distribution give the same z", () => {
  const zs = [1, 5, 25, 50, 75, 95, 99].map((percent) => ({ percent, z: zOfPercentile(percent) }));
  const file = (columns: string, cells: (side: string) => string) =>
    readNormTable(
      `${HEAD}measure,region,side,sex,age,icv,${columns}\n` +
        ["left", "right"].flatMap((side) =>
          [20, 30, 45, 60, 75, 90].flatMap((age) =>
            [1400, 1600].map((icv) =>
              `volume,Lateral ventricle,${side},any,${age},${icv},${cells(side)}`
            )
          )
        ).join("\n"),
    );
  const log = tableNormsOf(file("scale,mean,sd", () => "log10,.95,.2"));
  const quantiles = tableNormsOf(
    file(
      zs.map(({ percent }) => `p${percent}`).join(),
      () => zs.map(({ z }) => 10 ** (0.95 + 0.2 * z)).join(),
    ),
  );
  for (const { z } of zs) {
    const mm3 = 1000 * 10 ** (0.95 + 0.2 * z);
    for (const norms of [log, quantiles]) {
      const norm = norms.normOf("volume", "15", SUBJECT)!;
      near(zOf(mm3, norm), z, 1e-6);
      near(valueAt(z, norm) / mm3, 1, 1e-6);
    }
    const both = [log, quantiles].map((norms) => norms.normOf("volume", "15+16", SUBJECT)!);
    // log-normal sums are approximate; the medians and the spread must agree
    near(zOf(2 * mm3, both[0]!), zOf(2 * mm3, both[1]!), 0.35);
  }
  const norm = quantiles.normOf("volume", "15", SUBJECT)!;
  assert.ok(sdNear(3000, norm) < sdNear(20_000, norm));
  // beyond the outermost percentiles z goes on by the slope at the end
  assert.ok(zOf(60_000, norm) > 2.4 && zOf(1, norm) < -2.4);
});

Deno.test("an unknown ICV widens the norm as the published one is widened", () => {
  const norms = tableNormsOf(readNormTable(filledExample()));
  const unknown: NormSubject = { ...SUBJECT, icvMl: null };
  const ours = norms.normOf("volume", "19", unknown)!;
  const published = normOfMeasure("19", "volume", unknown)!;
  near(ours.sd / published.sd, 1, 0.03);
  assert.ok(ours.sd > norms.normOf("volume", "19", SUBJECT)!.sd);
});

/** A table of percentiles that are the same at every age and ICV. */
function percentilesOf(columns: string, values: string): string {
  const rows = ["left", "right"].flatMap((side) =>
    [50, 60].flatMap((age) =>
      [1200, 1600].map((icv) => `volume,hippocampus,${side},any,${age},${icv},${values}`)
    )
  );
  return `${HEAD}measure,region,side,sex,age,icv,${columns}\n${rows.join("\n")}`;
}

const CELLS: readonly (readonly [TableProblem, number, string, string])[] = [
  ["format", 0, "", ""],
  ["format", 0, "", "{"],
  ["format", 0, "", HEAD],
  ["text", 0, "software", GOOD.replace("freesurfer", "volbrain")],
  ["text", 0, "title", GOOD.replace("title: T", "title: ")],
  ["text", 0, "title", GOOD.replace("title: T", `title: ${"T".repeat(MAX_TITLE + 1)}`)],
  ["text", 0, "title", GOOD.replace("title: T", "title: T\u202E")],
  ["text", 0, "engine_version", GOOD.replace("freesurfer", "sulcus")],
  ["column_unknown", 5, "median", GOOD.replace("mean", "median")],
  ["column_repeated", 5, "sd", GOOD.replace("mean", "sd")],
  ["column_missing", 8, "age", GOOD.replace("any,60", "any,")],
  ["column_missing", 8, "sd", GOOD.replace("60,1200,3.5,.4", "60,1200,3.5,")],
  ["cells", 8, "", GOOD.replace("60,1200,3.5,.4", "60,1200,3.5,.4,")],
  ["cells", 8, "", GOOD.replace("any,60", 'any,"60"x')],
  ["number", 8, "mean", GOOD.replace("60,1200,3.5", "60,1200,3.5 mL")],
  ["number", 8, "mean", GOOD.replace("60,1200,3.5", '60,1200,"3,5"')],
  ["number", 8, "mean", GOOD.replace("60,1200,3.5", "60,1200,Infinity")],
  ["value", 6, "sex", GOOD.replace("any", "f")],
  ["value", 6, "measure", GOOD.replace("volume", "area")],
  ["value", 8, "mean", GOOD.replace("60,1200,3.5", `60,1200,${"3".repeat(65)}`)],
  ["region", 6, "region", GOOD.replace("hippocampus", "hypothalamus")],
  ["side", 6, "side", GOOD.replace("left", "both")],
  ["side", 6, "side", GOOD.replace("volume,hippocampus,left", "volume,brain stem,left")],
  ["range", 8, "age", GOOD.replace("any,60", "any,17")],
  ["range", 8, "sd", GOOD.replace("60,1200,3.5,.4", "60,1200,3.5,0")],
  ["range", 8, "mean", GOOD.replace("60,1200,3.5", "60,1200,-3.5")],
  ["repeated", 8, "", GOOD.replace("any,60", "any,50")],
  [
    "grid",
    6,
    "age",
    HEAD + COLUMNS +
    ["left", "right"].flatMap((side) => rowsAt(side, "any", 50)).join("\n"),
  ],
  [
    "gap",
    8,
    "age",
    HEAD + COLUMNS +
    ["left", "right"].flatMap((side) => [50, 66].flatMap((age) => rowsAt(side, "any", age))).join(
      "\n",
    ),
  ],
  ["sexes", 6, "sex", HEAD + COLUMNS + rowsOf("male")],
  ["sexes", 6, "sex", `${GOOD}\n${rowsOf("female")}`],
  ["sides", 6, "side", HEAD + COLUMNS + rowsOf("any").split("\n").slice(0, 8).join("\n")],
  ["sides", 14, "side", GOOD.replaceAll("right,any,60", "right,any,61")],
  ["kind", 6, "mean", HEAD + `${COLUMNS.trim()},p50\n` + rowsOf("any", ",3.5")],
  [
    "kind",
    6,
    "scale",
    HEAD + "measure,region,side,sex,age,icv,scale,p5,p50,p95\n" +
    "volume,hippocampus,left,any,50,1200,log10,3,3.5,4",
  ],
  [
    "column_missing",
    6,
    "p95",
    HEAD + "measure,region,side,sex,age,icv,p5,p50\n" +
    "volume,hippocampus,left,any,50,1200,3,3.5",
  ],
  [
    "order",
    6,
    "p50",
    HEAD + "measure,region,side,sex,age,icv,p5,p50,p95\n" +
    "volume,hippocampus,left,any,50,1200,3,3,4",
  ],
  ["column_missing", 8, "icv", GOOD.replace("any,60,1200", "any,60,")],
  ["grid", 6, "icv", GOOD.replace("any,60,1200", "any,60,1300")],
  ["kind", 6, "icv", GOOD.replace("volume", "thickness")],
  ["implausible", 6, "mean", GOOD.replaceAll("3.5,.4", "3500,400")],
  ["implausible", 6, "sd", GOOD.replaceAll("3.5,.4", "3.5,2")],
  ["text_place", 2, "title", `# title: A\n${GOOD}`.replace("# title: T", "# Title: B")],
  ["text_place", 5, "software", `# software: sulcus\n${GOOD}`],
  ["text_place", 22, "software", `${GOOD}\n# software: sulcus`],
  // a tail that would call every small region usual, and tails that would call healthy ones rare
  ["implausible", 6, "p5", percentilesOf("p5,p10,p50,p95", "0.5,2.9,3.5,4.2")],
  ["implausible", 6, "p0.1", percentilesOf("p0.1,p5,p50,p95", "0.001,2.9,3.5,4.2")],
  ["implausible", 6, "p5", percentilesOf("p5,p50,p95", "3.49,3.5,4.2")],
  ["implausible", 6, "p95", percentilesOf("p5,p50,p95", "2.9,3.5,3.51")],
  ["implausible", 6, "p99", percentilesOf("p5,p50,p95,p99", "2.9,3.5,4.2,9")],
];

Deno.test("a faulty table is refused with its reason, row and column", () => {
  for (const [reason, row, column, content] of CELLS) {
    assert.throws(() => readNormTable(content), (error: AppError) => {
      assert.deepEqual(
        [error.code, error.details],
        ["norm.table_invalid", { reason, row, column }],
        content.slice(0, 300),
      );
      return true;
    });
  }
  for (const reason of TABLE_PROBLEMS) {
    assert.ok(tableProblemIn({ reason, row: 3, column: "age" }, "ko")!.includes("3"));
  }
  assert.equal(readNormTable(GOOD).curves.length, 2);
  assert.equal(readNormTable(GOOD.replaceAll("\n", "\r\n")).curves.length, 2);
  const many = HEAD + COLUMNS +
    "volume,hippocampus,left,any,50,1200,3.5,.4\n".repeat(MAX_TABLE_ROWS + 1);
  assert.throws(() => readNormTable(many), { message: /too_many/ });
});

Deno.test("JSON holds the same table as CSV", () => {
  const [columns, ...rows] = GOOD.split("\n").slice(4).map((line) => line.split(","));
  const json = {
    title: "T",
    source: "S",
    licence: "L",
    software: "freesurfer",
    rows: rows.map((cells) =>
      Object.fromEntries(columns!.map((column, at) => [column, cells[at]!.replace(/^\./, "0.")]))
    ),
  };
  assert.deepEqual(readNormTable(JSON.stringify(json)), readNormTable(GOOD));
  const wrong = structuredClone(json);
  wrong.rows[2]!.age = "old";
  assert.throws(
    () => readNormTable(JSON.stringify(wrong)),
    (error: AppError) => error.details.row === 3 && error.details.column === "age",
  );
});

Deno.test("made-up damage is refused with a typed error or read as a whole table", () => {
  const source = new Random(7), random = () => source.uniform(), example = filledExample();
  const pieces = [",", "\n", '"', "#", "{", "\u0000", "e99", "-", "p50", "log10", ",".repeat(5000)];
  for (let round = 0; round < 1500; round++) {
    let content = example;
    for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
      const at = Math.floor(random() * content.length),
        piece = Math.floor(random() * pieces.length);
      content = content.slice(0, at) + pieces[piece] + content.slice(at + Math.floor(random() * 9));
    }
    try {
      const table = readNormTable(content);
      for (const { values } of table.curves) assert.ok(values.flat().every(Number.isFinite));
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === "norm.table_invalid", String(error));
    }
  }
  for (const piece of [",", '"', "#a:", "[", " "]) {
    assert.throws(() => readNormTable(HEAD + piece.repeat(500_000 / piece.length)), AppError);
    assert.throws(() => readNormTable(piece.repeat(500_000 / piece.length)), AppError);
  }
});

Deno.test("the example file is refused by row until its descriptions are replaced", () => {
  const refused = (content: string, details: Record<string, unknown>) =>
    assert.throws(() => readNormTable(content), { code: "norm.table_invalid", details });
  const example = exampleTable();
  refused(example, { reason: "text_example", row: 2, column: "source" });
  const sourced = example.replace(/# source: .*/, "# source: Cohort 2026");
  refused(sourced, { reason: "text_example", row: 3, column: "licence" });
  // as a spreadsheet program saves the lines
  const quoted = example.replace(/# (source: .*)/, '"# $1",,,,,,,');
  refused(quoted, { reason: "text_example", row: 2, column: "source" });
  readNormTable(filledExample());
});
