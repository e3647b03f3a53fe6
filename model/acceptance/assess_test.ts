// covers: S-150
import assert from "node:assert/strict";
import claims from "@/model/acceptance/claims.json" with { type: "json" };
import {
  allowedDecisions,
  assess,
  ILL_SHIFT,
  largestVoxelMm,
  MAX_SHARE,
  picturesCriterion,
  type TestedStudy,
  unmetCriteria,
} from "@/model/acceptance/assess.ts";
import { needsRemark } from "@/model/acceptance/needs_remark.ts";
import { CHARTED } from "@/model/drift/charts.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { measuredText } from "@/model/acceptance/sheet_text.ts";
import type { Measure } from "@/model/norms/norms.ts";
import { normalCdf } from "@/model/norms/norms.ts";
import { isInvertedKey } from "@/model/regions/measures.ts";
import { Random } from "@/model/random.ts";
import type { AcceptanceCriterion, PictureAnswer } from "@/model/schema/report/acceptance.ts";

const PROTOCOL = "3 T, TR 2300, TE 3, TI 900, 9°, 1 × 1 × 1 mm";
const ENGINE_ERROR = 0.5;

interface Site {
  count: number;
  /** added to every z */
  shift?: number;
  /** part of the patients who are ill */
  ill?: number;
  spread?: number;
  grade?: (n: number) => TestedStudy["grade"];
  protocol?: string;
  /** whether the images, not the header, have too large voxels */
  hasLargeVoxels?: (n: number) => boolean;
  failed?: number;
  /** spread of repeats over the claimed one; absent: no patient comes again */
  repeatError?: number;
}

function studiesOf(random: Random, { count, shift = 0, ill = 0.3, spread = 1, ...site }: Site) {
  const studies: TestedStudy[] = [];
  for (let n = 0; n < count; n++) {
    const loss = random.uniform() < ill ? -2 + 1.2 * random.normal() : 0;
    const grade = site.grade ? site.grade(n) : "A", isCompared = grade === "A" || grade === "B";
    const isRepeat = site.repeatError !== undefined && n % 2 === 1;
    const z = new Map(CHARTED.map((name) => {
      const sign = isInvertedKey(name.split(":")[1]!) ? -1 : 1;
      const person = Math.sqrt(0.3) * random.normal() + Math.sqrt(0.7) * random.normal();
      const error = ENGINE_ERROR * random.normal();
      return [name, spread * (sign * loss + person + error) + shift] as const;
    }));
    const values = new Map(CHARTED.map((name) => {
      const [measure, key] = name.split(":") as [Measure, string];
      const { randomSd } = methodErrorOf(key, measure)!;
      const before = isRepeat
        ? studies[n - 1]!.values.get(name)!
        : measure === "volume"
        ? 5000
        : 2.5;
      if (!isRepeat) return [name, before] as const;
      const error = Math.SQRT2 * randomSd * site.repeatError! * random.normal();
      return [name, measure === "volume" ? before * Math.exp(error) : before + error] as const;
    }));
    studies.push({
      pid: n + 1,
      patientId: isRepeat ? `P${n - 1}` : `P${n}`,
      studyDate: "2026-01-05",
      grade,
      hasLargeVoxels: site.hasLargeVoxels?.(n) ?? false,
      doubted: 0,
      hasOpinion: false,
      subject: isCompared ? { age: 65, sex: "male", icvMl: 1596 } : null,
      z: isCompared ? z : new Map(),
      normSd: new Map(),
      values,
    });
  }
  return studies;
}

const assessSite = (random: Random, site: Site) =>
  assess(site.protocol ?? PROTOCOL, studiesOf(random, site), site.failed ?? 0);
const stateOf = (criteria: readonly AcceptanceCriterion[], name: AcceptanceCriterion["name"]) =>
  criteria.find((each) => each.name === name)!.state;
const answered = (right: number, wrong = 0): PictureAnswer[] =>
  Array.from(
    { length: 10 },
    (_, n) => n < right ? "right" : n < right + wrong ? "wrong" : "unclear",
  );

Deno.test("claims.json holds the figures of the accuracy documents", () => {
  const grades = Deno.readTextFileSync(new URL("../../docs/accuracy/grade.md", import.meta.url));
  const [, a, b, c] = /^\| ordinary +\| +(\d+) \| +(\d+) \| +(\d+) \|/m.exec(grades)!;
  const { A, B, C } = claims.ordinary_images;
  assert.deepEqual([A, B, C], [a, b, c].map(Number));
  const accuracy = Deno.readTextFileSync(new URL("../../docs/accuracy.md", import.meta.url));
  assert.ok(accuracy.includes(`voxels of at most ${claims.largest_voxel_mm} mm`));
  const { interval_percent, least_interval_percent } = claims;
  assert.ok(accuracy.includes(`${interval_percent} % intervals of all volumes`));
  assert.ok(
    accuracy.includes(`${interval_percent} % intervals do not hold ${least_interval_percent}`),
  );
  // none of 13: the upper limit of 95 % is about one in five
  assert.ok(MAX_SHARE > 0.2 && MAX_SHARE < 0.21);
});

Deno.test("ILL_SHIFT is the median of a population of which 30 % are ill by 2 ± 1.2", () => {
  let low = -3, high = 0;
  for (let step = 0; step < 50; step++) {
    const z = (low + high) / 2;
    const below = 0.7 * normalCdf(z) + 0.3 * normalCdf((z + 2) / Math.hypot(1, 1.2));
    if (below < 0.5) low = z;
    else high = z;
  }
  assert.equal(ILL_SHIFT, Math.round(-100 * low) / 100);
});

Deno.test("assess() accepts sites as claimed, and no site that reads a structure otherwise", () => {
  const random = new Random(46), runs = 40;
  const volumesPassed = (site: Site) => {
    let passed = 0;
    for (let run = 0; run < runs; run++) {
      if (stateOf(assessSite(random, site).criteria, "volumes") === "passed") passed++;
    }
    return passed / runs;
  };
  assert.ok(volumesPassed({ count: 20 }) >= 0.95);
  assert.ok(volumesPassed({ count: 60 }) >= 0.95);
  assert.ok(volumesPassed({ count: 60, ill: 0 }) >= 0.95);
  assert.ok(volumesPassed({ count: 60, shift: 2.5 }) <= 0.05);
  assert.ok(volumesPassed({ count: 60, shift: -2.5 }) <= 0.05);
});

Deno.test("assess() fails coarse voxels, few studies, grade C, lost analyses and odd spreads", () => {
  const random = new Random(7), usual = assessSite(random, { count: 40 });
  for (const { name, state } of usual.criteria) {
    assert.equal(state, name === "intervals" ? "untested" : "passed", name);
  }
  assert.deepEqual(allowedDecisions(usual, answered(10)), ["percentiles", "volumes", "none"]);
  const failing: [AcceptanceCriterion["name"], Site][] = [
    ["voxels", { count: 40, protocol: "3 T, TR 2300, 2 × 2 × 2 mm" }],
    ["studies", { count: 19 }],
    ["grades", { count: 40, grade: (n) => n % 4 === 0 ? "C" : "A" }],
    ["grades", { count: 40, grade: (n) => n % 4 === 0 ? null : "A" }],
    ["failures", { count: 40, failed: 11 }],
    ["spread", { count: 40, spread: 4 }],
    ["spread", { count: 40, spread: 0.2 }],
    ["intervals", { count: 40, repeatError: 2.5 }],
  ];
  for (const [name, site] of failing) {
    const result = assessSite(random, site);
    assert.equal(stateOf(result.criteria, name), "failed", name);
    assert.ok(!allowedDecisions(result, answered(10)).includes("percentiles"), name);
  }
  // one study is enough, also if the header states no voxel size
  for (const protocol of ["3 T, TR 2300, 1 × 1 × 1 mm", "3 T, TR 9"]) {
    const mixed = assessSite(random, { count: 40, protocol, hasLargeVoxels: (n) => n === 10 });
    assert.equal(stateOf(mixed.criteria, "voxels"), "failed", protocol);
    assert.ok(!allowedDecisions(mixed, answered(10)).includes("percentiles"), protocol);
  }
  // slices with gaps: the header says .7 mm, the images 2
  const gaps = assessSite(random, { count: 40, hasLargeVoxels: (n) => n > 10 });
  const voxels = gaps.criteria.find(({ name }) => name === "voxels")!;
  assert.deepEqual([voxels.value, voxels.state], [null, "failed"]);
  assert.equal(measuredText(voxels, "en"), "more than 1.5\u00a0mm in the images");
  assert.equal(measuredText(voxels, "ko"), "영상에서 1.5\u00a0mm 초과");
  assert.ok(!allowedDecisions(gaps, answered(10)).includes("percentiles"));
  assert.equal(
    stateOf(assessSite(random, { count: 40, repeatError: 1 }).criteria, "intervals"),
    "passed",
  );
  // nothing to compare is no pass
  const none = assessSite(random, { count: 40, grade: () => "C" });
  assert.equal(stateOf(none.criteria, "volumes"), "untested");
  assert.deepEqual(allowedDecisions(none, answered(10)), ["none"]);
});

Deno.test("allowedDecisions() waits for every answer, and counts wrong pictures", () => {
  const result = assessSite(new Random(3), { count: 40 });
  assert.deepEqual(allowedDecisions(result, [...answered(9).slice(0, 9), null]), []);
  assert.deepEqual(allowedDecisions(result, []), []);
  assert.equal(picturesCriterion(answered(8, 1)).state, "passed");
  assert.deepEqual(allowedDecisions(result, answered(8, 2)), ["volumes", "none"]);
  assert.deepEqual(allowedDecisions(result, answered(7)), ["volumes", "none"]);
  assert.deepEqual(allowedDecisions(result, answered(6, 4)), ["none"]);
  // half of the pictures must be right for volumes
  assert.deepEqual(allowedDecisions(result, answered(5, 3)), ["volumes", "none"]);
  assert.deepEqual(allowedDecisions(result, answered(4)), ["none"]);
  assert.deepEqual(allowedDecisions(result, answered(0)), ["none"]);
  // a picture less than there must be, and all pictures of a test with fewer studies
  assert.deepEqual(allowedDecisions(result, answered(10).slice(1)), []);
  const few = assessSite(new Random(3), { count: 4 });
  assert.deepEqual(allowedDecisions(few, answered(10).slice(0, 3)), []);
  assert.deepEqual(allowedDecisions(few, answered(10).slice(0, 4)), ["none"]);
});

Deno.test("volumes need enough studies, few failures, pictures, and no criterion of volumes failed", () => {
  const random = new Random(21);
  const coarse = { count: 20, protocol: "1.5 T, 2 × 2 × 2 mm" };
  assert.deepEqual(allowedDecisions(assessSite(random, coarse), answered(10)), ["volumes", "none"]);
  for (
    const [site, answers, name] of [
      [{ count: 1 }, answered(0, 0).slice(0, 1), "studies"],
      [{ ...coarse, failed: 200 }, answered(0), "failures"],
      [{ count: 60, shift: 4 }, answered(10), "volumes"],
      [{ count: 40, repeatError: 2.5 }, answered(10), "intervals"],
      [{ count: 40 }, answered(0), "pictures"],
      [{ count: 40, grade: () => null }, answered(10), "grades"],
    ] as const
  ) {
    const result = assessSite(random, site);
    assert.deepEqual(allowedDecisions(result, answers), ["none"], name);
    const unmet = unmetCriteria("volumes", result, answers).map((each) => each.name);
    assert.ok(unmet.includes(name), `${name}: ${unmet}`);
  }
  // a site of children has no percentiles to compare, and can have its volumes
  const young = assessSite(random, { count: 20 });
  const untested = young.criteria.map((each) =>
    each.name === "volumes" || each.name === "spread"
      ? { ...each, value: null, state: "untested" as const }
      : each
  );
  assert.deepEqual(allowedDecisions({ ...young, criteria: untested }, answered(10)), [
    "volumes",
    "none",
  ]);
});

Deno.test("no decision is allowed while a criterion that it needs is failed or untested", () => {
  const random = new Random(46), usual = assessSite(random, { count: 40 });
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.uniform() * of.length)]!;
  const needed = {
    percentiles: ["studies", "grades", "failures", "volumes", "spread"],
    volumes: ["studies", "grades", "failures"],
  };
  const notFailed = {
    percentiles: ["voxels", "intervals"],
    volumes: ["volumes", "intervals"],
  };
  const seen = { percentiles: 0, volumes: 0 };
  for (let run = 0; run < 5000; run++) {
    const states: AcceptanceCriterion["state"][] = [
      "passed",
      pick(["passed", "failed"]),
      pick(["passed", "untested"]),
    ];
    const criteria = usual.criteria.map((each) => ({
      ...each,
      state: pick(states),
    }))
      .filter(() => run % 10 > 0 || random.uniform() < 0.9);
    const count = pick([10, 10, 10, 1, 9]), odds = random.uniform();
    const answers = Array.from(
      { length: count },
      () => random.uniform() < odds ? "right" : pick(["right", "wrong", "unclear", null]),
    ) as (PictureAnswer | null)[];
    const allowed = allowedDecisions({ ...usual, criteria }, answers);
    const stateIn = (name: string) => criteria.find((each) => each.name === name)?.state;
    const number = (answer: PictureAnswer) => answers.filter((each) => each === answer).length;
    for (const decision of ["percentiles", "volumes"] as const) {
      const unmet = unmetCriteria(decision, { ...usual, criteria }, answers);
      if (!allowed.includes(decision)) {
        assert.ok(allowed.length === 0 || unmet.length > 0, "a refusal has a reason");
        continue;
      }
      seen[decision]++;
      assert.deepEqual(unmet, []);
      assert.ok(needed[decision].every((name) => stateIn(name) === "passed"));
      assert.ok(notFailed[decision].every((name) => stateIn(name) !== "failed"));
      assert.ok(!answers.includes(null) && count === 10);
      assert.ok(number("right") >= (decision === "percentiles" ? 8 : 5));
      assert.ok(number("wrong") <= (decision === "percentiles" ? 1 : 3));
    }
  }
  assert.ok(seen.percentiles > 20 && seen.volumes > 50, JSON.stringify(seen));
});

Deno.test("needsRemark() asks for a reason if a scanner is accepted in spite of a wrong picture", () => {
  for (
    const [answers, decision, needed] of [
      [answered(10), "percentiles", false],
      [answered(8, 0), "percentiles", false],
      [answered(8, 1), "percentiles", true],
      [answered(8, 2), "volumes", true],
      [answered(8, 2), "none", false],
    ] as const
  ) assert.equal(needsRemark(decision, answers), needed);
});

Deno.test("largestVoxelMm() reads the sizes of a protocol", () => {
  assert.equal(largestVoxelMm(PROTOCOL), 1);
  assert.equal(largestVoxelMm("1 × 1 × 2 mm"), 2);
  assert.equal(largestVoxelMm("3 T, 0.9 × 0.9 × – mm"), 0.9);
  for (const silent of ["", "3 T, TR 2300", "– × – × – mm"]) {
    assert.equal(largestVoxelMm(silent), null);
  }
});
