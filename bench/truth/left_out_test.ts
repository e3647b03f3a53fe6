// covers: S-126, S-258
import assert from "node:assert/strict";
import table from "@/model/norms/method_error.json" with { type: "json" };
import kept from "@/bench/truth/measured_heads.json" with { type: "json" };
import {
  errorTable,
  fitError,
  isBiasTransferred,
  leftOutThickness,
} from "@/bench/truth/error_model.ts";
import { evidenceOf, type Group, thicknessGroups } from "@/bench/truth/evidence.ts";
import { leftOutBiases } from "@/bench/truth/bias_rows.ts";
import { farSite } from "@/bench/truth/far_site.ts";
import { leftOutSites, totalOf } from "@/bench/truth/left_out_rows.ts";
import { rowMaker } from "@/bench/record.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import { readTables } from "@/bench/truth/tables.ts";
import { thicknessFigures, thicknessRows } from "@/bench/truth/thickness_rows.ts";
import { mean } from "@/bench/engine/score.ts";
import { LABEL_COUNT } from "@/model/regions/regions.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const HEADS = kept as unknown as MeasuredHead[];
const SETTINGS = [false, true].map((hasOpinion) => evidenceOf(HEADS, hasOpinion));

Deno.test("method_error.json is that of the heads that are kept", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(errorTable(HEADS))), table);
});

Deno.test("80 % intervals of volumes hold 74 to 88 % on sites that the error was not measured on", () => {
  for (const hasOpinion of [false, true]) {
    const sites = leftOutSites(HEADS, hasOpinion),
      share = totalOf(sites, "held") / totalOf(sites, "count");
    assert.ok(sites.length >= 5 && share >= 0.74 && share <= 0.88, `${share}`);
  }
});

Deno.test("on sites left out few firm bands are wrong, and most small structures are named", () => {
  for (const hasOpinion of [false, true]) {
    const sites = leftOutSites(HEADS, hasOpinion), firm = totalOf(sites, "firm");
    const wrong = totalOf(sites, "firmWrong"), named = totalOf(sites, "shrunkNamed");
    assert.ok(firm > 20 && wrong <= 0.25 * firm, `${wrong} of ${firm} firm bands are wrong`);
    assert.ok(named >= 0.85 * totalOf(sites, "shrunk"), `${named} of ${totalOf(sites, "shrunk")}`);
    const difference = mean(sites.flatMap((site) => site.differences));
    assert.ok(difference <= 15, `${difference} points`);
  }
});

Deno.test("thickness: no head that its constants were chosen with counts, and intervals hold on sites left out", () => {
  for (const evidence of SETTINGS) {
    const scanners = thicknessGroups("thickness", evidence).map(({ scanner }) => scanner);
    assert.ok(scanners.length >= 4 && !scanners.some((scanner) => scanner.startsWith("nomis")));
    const sites = leftOutThickness(evidence);
    const held = sites.reduce((sum, site) => sum + site.held, 0);
    const share = held / sites.reduce((sum, site) => sum + site.count, 0);
    assert.ok(share >= 0.7 && share <= 0.9, `${share}`);
    // one of four sites has an error of .08 mm
    assert.equal(sites.filter(({ residual }) => Math.abs(residual) <= 0.08).length, 3);
  }
});

Deno.test("thickness as printed: the sites that its limits were not chosen with lie about FreeSurfer's", () => {
  const kernel = Deno.readTextFileSync(
    new URL("../../wasm/analysis/src/thickness/mod.rs", import.meta.url),
  );
  assert.equal(table.thickness_offset_mm, Number(/OFFSET_MM: f64 = ([\d.]+);/.exec(kernel)?.[1]));
  for (const evidence of SETTINGS) {
    const sites = thicknessGroups("thickness", evidence).map(({ errors }) => mean(errors));
    assert.ok(sites.length >= 4 && Math.abs(mean(sites)) < 0.01, `${mean(sites)}`);
    assert.ok(sites.every((site) => Math.abs(site) < 0.1), `${sites}`);
  }
});

Deno.test("thicknessFigures() tells the spread of sites from that of their heads, and leaves out heads in sight", () => {
  const { sites, sdMm, sdOfHeadsMm, r } = thicknessFigures(HEADS)!;
  assert.deepEqual(sites.map(({ heads }) => heads).toSorted(), [1, 1, 1, 5]);
  assert.ok(sdMm > 0.05 && sdMm < 0.09 && r > 0.85, `${sdMm} ${r}`);
  // with one head per site, the spread of sites is at least that of heads
  assert.ok(sdOfHeadsMm! > 0.9 * sdMm, `${sdOfHeadsMm}`);
  const made = (site: string, head: string, errorMm: number): MeasuredHead => ({
    ...HEADS.find(({ name }) => name === "B1")!,
    name: head,
    facts: { scanner: site },
    thicknessOffsetMm: table.thickness_offset_mm,
    thickness: ["thickness_left", "thickness_right"].map((key, n) => ({
      key,
      ours: 2.5 + n / 10 + errorMm,
      theirs: 2.5 + n / 10,
    })),
  });
  const heads = [made("p", "p1", 0), made("p", "p2", 0.2), made("q", "q1", 0.1)];
  const figures = thicknessFigures(heads)!;
  assert.deepEqual(figures.sites.map(({ errorMm }) => errorMm.toFixed(3)), ["0.100", "0.100"]);
  assert.ok(Math.abs(figures.sdMm) < 1e-9);
  // difference of .2 mm between two heads: variance .02, halved for the mean of both
  assert.equal(figures.sdOfHeadsMm!.toFixed(4), Math.sqrt((0.01 + 0.02) / 2).toFixed(4));
  assert.equal(thicknessFigures(heads.slice(0, 2)), null);
  const bars = thicknessRows(heads, (name, value, unit, given) => ({
    ...rowMaker("truth")(name, value, unit, given),
  })).filter(({ bar }) => bar !== null);
  assert.deepEqual(bars.map(({ ok }) => ok), [false, false, true, false]);
});

Deno.test("heads of engines that subtract more or less from the thickness count alike", () => {
  const moved = HEADS.map((head, n): MeasuredHead => {
    const offsetMm = (head.thicknessOffsetMm ?? 0) + 0.1 * (n % 3);
    const thickness = head.thickness.map((pair) => ({ ...pair, ours: pair.ours - 0.1 * (n % 3) }));
    return { ...head, thickness, thicknessOffsetMm: offsetMm };
  });
  const errorsOf = (heads: readonly MeasuredHead[]) =>
    thicknessGroups("thickness", evidenceOf(heads, true)).flatMap(({ errors }) =>
      errors.map((error) => Number(error.toFixed(6)))
    );
  assert.deepEqual(errorsOf(moved), errorsOf(HEADS));
});

Deno.test("no band where the error by site is too large for the norm: cerebellar white matter, third ventricle", () => {
  for (const { volume } of [table.without_second_opinion, table.with_second_opinion]) {
    const rows = volume as Record<string, { bands: boolean }>;
    assert.deepEqual(["3", "4", "3+4", "25"].filter((key) => rows[key]!.bands), []);
    assert.deepEqual(
      ["7", "8", "19", "20", "19+20", "15", "16"].filter((key) => !rows[key]!.bands),
      [],
    );
  }
});

Deno.test("isBiasTransferred() takes a bias that sites share, and leaves one that they do not", () => {
  const usual = { between: 0.03, random: 0.03 };
  const groups = (values: readonly number[]): Group[] =>
    values.map((value, n) => ({ scanner: `${n}`, errors: [value, value + 0.01] }));
  assert.equal(isBiasTransferred(groups([-0.06, -0.05, -0.07, -0.05]), usual), true);
  assert.equal(isBiasTransferred(groups([0.08, -0.06, 0.05, -0.05]), usual), false);
  // neither two sites nor one person on many scanners show a common bias
  assert.equal(isBiasTransferred(groups([0.06, 0.06]), usual), false);
  const one = groups([0.06, 0.06, 0.06]).map((group) => ({ ...group, person: "p" }));
  assert.equal(isBiasTransferred(one, usual), false);
  // an uncorrected bias increases the spread between scanners
  const kept = fitError(groups([0.1, 0.1, 0.1]), usual, false)!;
  assert.ok(kept.bias === 0 && kept.biasSd > 0.08, `${kept.biasSd}`);
});

Deno.test("farSite() names the one site that is unlike all others, and none where they spread", () => {
  const usual = { between: 0.05, random: 0.05 };
  const groups = (values: readonly number[]): Group[] =>
    values.map((value, n) => ({ scanner: `${n}`, errors: [value] }));
  const far = farSite(groups([-0.16, -0.18, -0.17, 0.35, -0.18]), usual);
  assert.equal(far?.site, "3");
  assert.ok(far!.limit > 0.28 && far!.limit < 0.3, `${far!.limit}`);
  for (
    const errors of [
      [-0.16, -0.18, 0.35], // two sites cannot make a third one an outlier
      [-0.16, -0.18, -0.17, 0.05], // below the limit of an outlier
      [-0.4, -0.2, 0, 0.2, 0.6],
      [-0.16, -0.18, -0.17, 0.5, 0.5], // two sites agree with each other, so neither is an outlier
    ]
  ) assert.equal(farSite(groups(errors), usual), null, `${errors}`);
  // one person on two scanners counts as one site
  const one = groups([-0.16, -0.18, -0.17, 0.35, 0.34]).map((group, n) =>
    n > 2 ? { ...group, person: "p" } : group
  );
  assert.equal(farSite(one, usual)?.site, "p");
});

Deno.test("fitError() takes the bias of the near sites, and the far one widens the spread", () => {
  const usual = { between: 0.05, random: 0.05 };
  const groups = (values: readonly number[]): Group[] =>
    values.map((value, n) => ({ scanner: `${n}`, errors: [value] }));
  const near = [-0.16, -0.18, -0.17, -0.17], all = fitError(groups([...near, 0.35]), usual)!;
  assert.ok(Math.abs(all.bias + 0.17) < 0.01, `${all.bias}`);
  assert.equal(isBiasTransferred(groups([...near, 0.35]), usual), true);
  const alone = fitError(groups(near), usual)!;
  assert.ok(all.biasSd > 1.5 * alone.biasSd, `${all.biasSd} ${alone.biasSd}`);
  assert.deepEqual([all.heads, all.scanners], [5, 5]);
});

Deno.test("third ventricle and putamen: the bias of the other sites halves the error of the percentile", () => {
  for (const hasOpinion of [false, true]) {
    const all = leftOutBiases(HEADS, hasOpinion),
      of = (label: number) => all.find((one) => one.label === label)!;
    const third = of(25);
    assert.ok(third.factor > 0.82 && third.factor < 0.88, `${third.factor}`);
    assert.ok(third.correctedPoints < 0.6 * third.rawPoints, JSON.stringify(third));
    for (const label of [11, 12]) {
      assert.ok(of(label).correctedPoints < of(label).rawPoints, JSON.stringify(of(label)));
    }
    assert.deepEqual(
      leftOutBiases(HEADS.filter(({ name }) => /^[AB]\d/.test(name)), hasOpinion),
      [],
    );
    // over all structures, corrections do not increase the percentile error
    const sum = (pick: "rawPoints" | "correctedPoints") => mean(all.map((one) => one[pick]));
    assert.ok(sum("correctedPoints") < sum("rawPoints") + 0.2, `${sum("correctedPoints")}`);
  }
});

Deno.test("isBiasTransferred() of chance alone seldom says yes", () => {
  const random = new Random(7), usual = { between: 0.05, random: 0.03 };
  let taken = 0;
  for (let n = 0; n < 500; n++) {
    const groups = Array.from(
      { length: 5 },
      (_, at) => ({ scanner: `${at}`, errors: [0.05 * random.normal()] }),
    );
    if (isBiasTransferred(groups, usual)) taken++;
  }
  assert.ok(taken < 150, `${taken} of 500`);
});

Deno.test("readTables() makes heads of both tables, with and without the second opinion, and names what is wrong", () => {
  const folder = Deno.makeTempDirSync();
  const write = (name: string, lines: readonly string[]) => {
    Deno.writeTextFileSync(`${folder}/${name}`, lines.join("\n") + "\n");
    return `${folder}/${name}`;
  };
  try {
    const head = "site,head,image,second_opinion,label,region,engine_mm3,freesurfer_mm3,dice";
    const volumes = write("volumes.csv", [
      head,
      "X,X1,whole,no,19,Left hippocampus,3900,4000,0.87",
      "X,X1,whole,yes,19,Left hippocampus,3950,4000,0.88",
      "Y,Y1,extracted,no,19,Left hippocampus,4100,4000,0.86",
    ]);
    const thickness = write("thickness.csv", [
      "site,head,side,engine_mm,freesurfer_mm",
      "X,X1,lh,2.9,2.7",
    ]);
    const [x, y] = readTables([volumes, thickness]);
    assert.deepEqual([x!.name, x!.facts.scanner, x!.opinion], ["X1", "site X", "agreed"]);
    assert.deepEqual([x!.oursMm3[19], x!.withoutOpinion!.oursMm3[19], x!.theirsMm3.length], [
      3950,
      3900,
      LABEL_COUNT,
    ]);
    assert.deepEqual(x!.thickness, [{ key: "thickness_left", ours: 2.9, theirs: 2.7 }]);
    assert.deepEqual([y!.opinion, y!.oursMm3[19], y!.hasParcels], [null, 4100, false]);
    assert.throws(
      () => readTables([write("bad.csv", [head, "X,X1,whole,no,19,H,,4000,0.8"])]),
      /engine_mm3/,
    );
    assert.throws(() => readTables([write("short.csv", [head, "X,X1"])]), /line 2/);
    assert.throws(() => readTables([thickness]), /no volumes of head X1/);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
