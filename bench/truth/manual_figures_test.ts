// covers: S-259
import assert from "node:assert/strict";
import kept from "@/bench/truth/measured_heads.json" with { type: "json" };
import { keyOf } from "@/model/regions/measures.ts";
import table from "@/model/norms/method_error.json" with { type: "json" };
import { mean } from "@/bench/engine/score.ts";
import { evidenceOf, logErrorOf } from "@/bench/truth/evidence.ts";
import { leftOutSites, totalOf } from "@/bench/truth/left_out_rows.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";

const HEADS = kept as unknown as MeasuredHead[];
const MANUAL = {
  en: Deno.readTextFileSync(new URL("../../docs/manual/en.md", import.meta.url)),
  ko: Deno.readTextFileSync(new URL("../../docs/manual/ko.md", import.meta.url)),
};
const SITES = [false, true].map((hasOpinion) => leftOutSites(HEADS, hasOpinion));

const says = (language: "en" | "ko", pattern: RegExp) =>
  assert.ok(pattern.test(MANUAL[language].replaceAll("\u00a0", " ")), `${language}: ${pattern}`);

/** Smallest and largest value, in whole percent. */
const rangeOf = (shares: readonly number[]): [number, number] => [
  Math.round(100 * Math.min(...shares)),
  Math.round(100 * Math.max(...shares)),
];

Deno.test("the manual's shares of intervals that hold are those of sites left out", () => {
  const [low, high] = rangeOf(
    SITES.map((sites) => totalOf(sites, "held") / totalOf(sites, "count")),
  );
  const [least, most] = rangeOf(SITES.flat().map(({ held, count }) => held / count));
  says(
    "en",
    new RegExp(`${low} to ${high} % of the intervals .*${least} to ${most} % at single sites`),
  );
  says("ko", new RegExp(`구간의 ${low}~${high} %.*기관별로는 ${least}~${most} %`));
});

Deno.test("the manual's share of wrong marks is that of sites left out", () => {
  const [low, high] = rangeOf(
    SITES.map((sites) => totalOf(sites, "firmWrong") / totalOf(sites, "firm")),
  );
  says("en", new RegExp(`${low} to ${high} % of the marks "below the 5th"`));
  says("ko", new RegExp(`‘백분위 5 미만’ 표시의 ${low}~${high} %`));
});

Deno.test("the manual's differences from FreeSurfer are those of the measured heads", () => {
  const structures: readonly [labels: readonly number[], en: string, ko: string][] = [
    [[19, 20], "hippocampus", "해마"],
    [[7, 8], "thalamus", "시상"],
    [[9, 10], "caudate", "미상핵"],
    [[11, 12], "putamen", "피각"],
    [[1, 2], "cerebral white matter", "대뇌 백질"],
    [[15, 16], "lateral ventricles", "측뇌실"],
    [[25], "third ventricle", "제3뇌실"],
    [[3, 4], "cerebellar white matter", "소뇌 백질"],
  ];
  const signed = (value: number) => `${value < 0 ? "−" : "\\+"}${Math.abs(value)}`;
  // site C was measured only with the second network
  const heads = [false, true].flatMap((hasOpinion) => evidenceOf(HEADS, hasOpinion).heads)
    .filter((head) => head.opinion !== "agreed" || !head.withoutOpinion);
  for (const [labels, en, ko] of structures) {
    const errors = heads.flatMap((head) => logErrorOf(keyOf(labels), head)).map(Math.expm1);
    const [low, high] = rangeOf(errors).map(signed);
    says("en", new RegExp(`${low} to ${high} % \\(${en}\\)`));
    says("ko", new RegExp(`${ko} ${low}~${high} %`));
  }
});

Deno.test("the manual's difference of the thickness is that of the measured heads, as today's engine reads them", () => {
  const errors = evidenceOf(HEADS, false).heads.flatMap(({ thickness }) =>
    thickness.filter(({ key }) => key.startsWith("thickness_"))
      .map(({ ours, theirs }) => ours - theirs)
  );
  const [low, high] = [Math.min(...errors), Math.max(...errors)].map((error) =>
    (error < 0 ? "−" : "\\+") + Math.abs(error).toFixed(2)
  );
  says("en", new RegExp(`hemisphere differed by ${low} to ${high} mm`));
  says("ko", new RegExp(`${low}~${high} mm`));
});

/** Cells of the table rows of docs/accuracy.md, by the text of the first cell. */
const ROWS = new Map(
  Deno.readTextFileSync(new URL("../../docs/accuracy.md", import.meta.url)).split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.replaceAll("*", "").trim()))
    .map(([name, ...cells]) => [name!, cells]),
);

Deno.test("accuracy.md: what holds on sites left out is what is computed", () => {
  const percent = (part: number, whole: number) => `${Math.round(100 * part / whole)} %`;
  const [firm, other] = SITES.map((sites) => totalOf(sites, "firm"));
  const labels = [table.without_second_opinion, table.with_second_opinion].map(({ volume }) =>
    Object.entries(volume).filter(([key, { bands }]) => /^\d+$/.test(key) && bands).length
  );
  const expected: readonly [name: string, cells: readonly string[]][] = [
    [
      "80 % intervals of all volumes that hold the truth",
      SITES.map((sites) => percent(totalOf(sites, "held"), totalOf(sites, "count"))),
    ],
    [
      "single labels with a percentile: mean error of it",
      SITES.map((sites) =>
        `${mean(sites.flatMap(({ differences }) => differences)).toFixed(1)} points`
      ),
    ],
    [
      `printed as ≤ 5th and is not (of ${firm}, ${other})`,
      SITES.map((sites) => percent(totalOf(sites, "firmWrong"), totalOf(sites, "firm"))),
    ],
    [
      "2.5 sd too small, printed or possibly",
      SITES.map((sites) => percent(totalOf(sites, "shrunkNamed"), totalOf(sites, "shrunk"))),
    ],
    ["single labels that have a percentile (of 97)", labels.map(String)],
  ];
  for (const [name, cells] of expected) {
    assert.deepEqual(ROWS.get(name)?.slice(0, 2), cells, name);
  }
});

Deno.test("accuracy.md: the volumes of each structure over FreeSurfer's are those of the measured heads", () => {
  const structures: readonly [name: string, labels: readonly number[]][] = [
    ["cerebral white matter", [1, 2]],
    ["thalamus", [7, 8]],
    ["caudate", [9, 10]],
    ["putamen", [11, 12]],
    ["pallidum", [13, 14]],
    ["hippocampus", [19, 20]],
    ["amygdala", [21, 22]],
    ["accumbens, left", [23]],
    ["accumbens, right", [24]],
    ["lateral ventricle", [15, 16]],
    ["inferior horn", [17, 18]],
    ["third ventricle", [25]],
    ["fourth ventricle", [26]],
    ["ventral diencephalon", [29, 30]],
    ["brain stem", [31]],
    ["cerebellar cortex", [5, 6]],
    ["cerebellar white matter", [3, 4]],
  ];
  const alone = evidenceOf(HEADS, false).heads, asked = evidenceOf(HEADS, true).heads;
  const heads = [
    ...alone,
    ...asked.filter(({ name }) => !alone.some((head) => head.name === name)),
  ];
  const sites = [/^A/, /^B/, /^C/, /^dfs/, /^plot/];
  const wrong: string[] = [];
  for (const [name, labels] of structures) {
    const ratiosOf = (names: RegExp) =>
      heads.filter((head) => names.test(head.name)).flatMap((head) =>
        logErrorOf(keyOf(labels), head)
      ).map(Math.exp);
    const means = sites.map((site) => mean(ratiosOf(site)));
    const all = ratiosOf(/./);
    const said = ROWS.get(name)!.flatMap((cell) => cell.split("–")).map(Number);
    const computed = [
      ...means,
      mean(means),
      Math.min(...all),
      Math.max(...all),
      mean(ratiosOf(/^nomis/)),
    ];
    computed.forEach((value, at) => {
      if (Math.abs(said[at]! - value) > 0.0051) wrong.push(`${name} ${at}: ${said[at]} ${value}`);
    });
  }
  assert.deepEqual(wrong, []);
});
