import { areSidesImplausible } from "@/model/norms/sides.ts";
import assert from "node:assert/strict";
import { methodErrorOf, THICKNESS_OFFSET_MM } from "@/model/norms/method_error.ts";
import { keyOf, LOBES, normOfMeasure } from "@/model/regions/measures.ts";
import { normalCdf, type NormSubject, valueAt } from "@/model/norms/norms.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import {
  areBandsUseful,
  errorOf,
  limitsOf,
  type LocalNorms,
  methodOf,
  PLAIN_METHOD,
  rankOf,
  rankOfZ,
  zOfPercentile,
} from "@/model/norms/percentile_rank.ts";

const WOMAN: NormSubject = { age: 45, sex: "female", icvMl: 1409 };
const TISSUE = { limits: limitsOf([5, 25]), isInverted: false },
  FLUID = { ...TISSUE, isInverted: true };

/** Normal deviates from a seed. */
function deviates(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** What may get bands: left, right and total where there are sides. */
const TISSUES = [
  ...["cortex", ...LOBES.slice(0, 5)].flatMap((name) => [name, `${name}_left`, `${name}_right`]),
  "white_matter",
  ...[1, 7, 9, 11, 19, 21].flatMap((
    left,
  ) => [keyOf([left]), keyOf([left + 1]), keyOf([left, left + 1])]),
].filter((key) => methodErrorOf(key, "volume")!.hasBands);
const FLUIDS = [15, 17].flatMap((
  left,
) => [keyOf([left]), keyOf([left + 1]), keyOf([left, left + 1])])
  .filter((key) => methodErrorOf(key, "volume")!.hasBands);

/** Measures of people with a given true z, by scanners that each have their own bias. `deficit` turns fluid around. */
function* measured(seed: number, trueZ: (deviate: () => number) => number) {
  const deviate = deviates(seed), scanners = 60, heads = 25;
  for (const key of [...TISSUES, ...FLUIDS]) {
    const reading = TISSUES.includes(key) ? TISSUE : FLUID, sign = reading.isInverted ? -1 : 1;
    const norm = normOfMeasure(key, "volume", WOMAN)!, error = methodErrorOf(key, "volume")!;
    for (let scanner = 0; scanner < scanners; scanner++) {
      const bias = error.bias + error.biasSd * deviate();
      for (let head = 0; head < heads; head++) {
        const z = trueZ(deviate);
        const value = valueAt(sign * z, norm) * Math.exp(bias + error.randomSd * deviate());
        yield {
          deficit: 100 * normalCdf(z),
          truth: 100 * normalCdf(sign * z),
          rank: rankOf("volume", key, value, WOMAN, reading)!,
        };
      }
    }
  }
}

Deno.test("rankOf() in a normal population: few firm bands are wrong, most low values are found, intervals hold", () => {
  let firm = 0,
    wrong = 0,
    low = 0,
    found = 0,
    marked = 0,
    covered = 0,
    usual = 0,
    usualWrong = 0,
    all = 0;
  for (const { deficit, truth, rank } of measured(17, (deviate) => deviate())) {
    all++;
    if (truth >= rank.low && truth <= rank.high) covered++;
    if (rank.level === 2) {
      firm++;
      if (deficit > 5) wrong++;
    }
    if (rank.is_usual) {
      usual++;
      if (deficit <= 5) usualWrong++;
    }
    if (deficit > 5) continue;
    low++;
    if (rank.possible_level === 2) found++;
    if (rank.possible_level > 0) marked++;
  }
  const figures = JSON.stringify({
    firm,
    wrong,
    low,
    found,
    marked,
    covered,
    usual,
    usualWrong,
    all,
  });
  assert.ok(firm > 0.005 * all && wrong <= 0.25 * firm, figures);
  assert.ok(found >= 0.6 * low && marked >= 0.9 * low, figures);
  assert.ok(covered >= 0.75 * all && covered <= 0.9 * all, figures);
  assert.ok(usualWrong <= 0.01 * usual, figures);
});

Deno.test("rankOf() finds structures that are 2.5 standard deviations too small", () => {
  let all = 0, found = 0, marked = 0;
  for (const { rank } of measured(18, () => -2.5)) {
    all++;
    if (rank.possible_level === 2) found++;
    if (rank.possible_level > 0) marked++;
  }
  assert.ok(found >= 0.85 * all && marked >= 0.95 * all, JSON.stringify({ all, found, marked }));
  let shrunk = 0, seen = 0;
  for (const { rank } of measured(19, (deviate) => deviate() - 2.5)) {
    shrunk++;
    if (rank.possible_level > 0) seen++;
  }
  assert.ok(seen >= 0.85 * shrunk, JSON.stringify({ shrunk, seen }));
});

Deno.test("rankOfZ() keeps both promises for errors of every size that gets bands", () => {
  const fifth = zOfPercentile(5);
  for (const sd of [0.1, 0.3, 0.5, 0.7, 0.9]) {
    const deviate = deviates(23);
    let firm = 0, wrong = 0, low = 0, found = 0;
    for (let person = 0; person < 60_000; person++) {
      const z = deviate(), rank = rankOfZ(z + sd * deviate(), sd, TISSUE), isLow = z <= fifth;
      if (rank.level === 2) {
        firm++;
        if (!isLow) wrong++;
      }
      if (isLow) {
        low++;
        if (rank.possible_level === 2) found++;
      }
    }
    assert.ok(wrong <= 0.25 * firm, `error ${sd}: ${wrong} of ${firm} wrong`);
    assert.ok(found >= 0.6 * low, `error ${sd}: ${found} of ${low} found`);
  }
});

Deno.test("rankOfZ() without an error is the percentile and its band", () => {
  const at = (percentile: number, reading = TISSUE) =>
    rankOfZ(zOfPercentile(percentile), 0, reading);
  assert.deepEqual(
    [3, 12, 60].map((p) => [at(p).level, at(p).possible_level, at(p).is_usual]),
    [[2, 2, false], [1, 1, false], [0, 0, true]],
  );
  assert.deepEqual(
    [97, 80, 60, 2].map((p) => [at(p, FLUID).level, at(p, FLUID).is_usual]),
    [[2, false], [1, false], [0, true], [0, true]],
  );
  assert.deepEqual([at(12).percentile, Math.round(at(12).low), Math.round(at(12).high)], [
    12,
    12,
    12,
  ]);
});

Deno.test("rankOfZ() says possibly where the error allows both, and nothing where a band is worth nothing", () => {
  const rank = rankOfZ(zOfPercentile(4), 0.8, TISSUE);
  assert.equal(rank.level < 2 && rank.possible_level === 2 && !rank.is_usual, true);
  assert.ok(rank.low < 1 && rank.high > 20, JSON.stringify(rank));
  const unsure = rankOfZ(zOfPercentile(30), 0.8, TISSUE);
  assert.deepEqual([unsure.level, unsure.possible_level, unsure.is_usual], [0, 0, false]);
  const none = rankOfZ(zOfPercentile(1), 0.8, TISSUE, false);
  assert.deepEqual([none.has_bands, none.level, none.possible_level, none.is_usual], [
    false,
    0,
    0,
    false,
  ]);
});

Deno.test("rankOf() takes the method's bias away", () => {
  const norm = normOfMeasure("19+20", "volume", WOMAN)!,
    { bias } = methodErrorOf("19+20", "volume")!;
  assert.equal(
    rankOf("volume", "19+20", norm.mean * Math.exp(bias), WOMAN, TISSUE)!.percentile,
    50,
  );
  const thick = normOfMeasure("thickness_left", "thickness", WOMAN)!;
  const { bias: mm } = methodErrorOf("thickness_left", "thickness")!;
  assert.equal(
    rankOf("thickness", "thickness_left", thick.mean + mm, WOMAN, TISSUE)!.percentile,
    50,
  );
});

Deno.test("thickness of an engine that subtracted less is compared with the norms without its excess", () => {
  assert.ok(THICKNESS_OFFSET_MM > 0.1 && THICKNESS_OFFSET_MM < 0.5, `${THICKNESS_OFFSET_MM}`);
  const earlier = methodOf({}), half = methodOf({ thicknessOffsetMm: THICKNESS_OFFSET_MM / 2 });
  const stored = methodOf({ thicknessOffsetMm: THICKNESS_OFFSET_MM });
  const analysed = methodOf({ thickness: { offsetMm: THICKNESS_OFFSET_MM } });
  for (const current of [stored, analysed]) assert.equal(current.thicknessExcessMm, undefined);
  for (const key of ["thickness_left", "thickness", "60", "60+61"]) {
    const rank = (mm: number, method = stored) =>
      rankOf("thickness", key, mm, WOMAN, TISSUE, method);
    const mm = 2.3, now = rank(mm);
    assert.deepEqual(rank(mm + THICKNESS_OFFSET_MM, earlier), now, key);
    assert.deepEqual(rank(mm + THICKNESS_OFFSET_MM / 2, half), now, key);
    if (now) assert.notDeepEqual(rank(mm, earlier), now, key);
  }
  assert.ok(rankOf("thickness", "60", 2.3, WOMAN, TISSUE, earlier));
  // volumes are measured alike
  const volume = (method = stored) => rankOf("volume", "19", 3600, WOMAN, TISSUE, method);
  assert.deepEqual(volume(earlier), volume());
  assert.deepEqual(errorOf("volume", "19", earlier), errorOf("volume", "19", stored));
  // norms of a site hold the error of the engine that measured its controls
  const bias = errorOf("thickness", "thickness_left", earlier)!.bias;
  const localNorms: LocalNorms = () => ({ offset: 0.3, scale: 1, offsetSd: 0.1, bias });
  assert.deepEqual(
    rankOf("thickness", "thickness_left", 2.6, WOMAN, TISSUE, { ...earlier, localNorms }),
    rankOf("thickness", "thickness_left", 2.6, WOMAN, TISSUE, { ...stored, localNorms }),
  );
});

Deno.test("rankOf() doubts values that nobody has, and an ICV beyond three standard deviations", () => {
  const value = (key: string, z: number) =>
    valueAt(z, normOfMeasure(key, "volume", WOMAN)!) * Math.exp(methodErrorOf(key, "volume")!.bias);
  const cortex = rankOf("volume", "cortex", value("cortex", 3.3), WOMAN, TISSUE)!;
  assert.deepEqual([cortex.doubt, cortex.is_usual], ["value", false]);
  assert.equal(rankOf("volume", "cortex", value("cortex", 2), WOMAN, TISSUE)!.doubt, null);
  // a severe atrophy and wide ventricles are findings
  assert.equal(rankOf("volume", "cortex", value("cortex", -5), WOMAN, TISSUE)!.doubt, null);
  assert.equal(rankOf("volume", "15+16", value("15+16", 5), WOMAN, FLUID)!.doubt, null);
  assert.equal(rankOf("volume", "15+16", value("15+16", -5), WOMAN, FLUID)!.doubt, "value");
  const icv = (mm3: number) =>
    rankOf("volume", "icv", mm3, WOMAN, { limits: [], isInverted: false })!;
  assert.deepEqual([icv(1_409_000).doubt, icv(1_409_000).is_usual], [null, true]);
  assert.deepEqual([icv(1_900_000).doubt, icv(900_000).doubt], ["value", "value"]);
});

Deno.test("areSidesImplausible() lets through what healthy sides and the error make, and no more", () => {
  const at = (label: number, z: number) =>
    valueAt(z, normOfMeasure(keyOf([label]), "volume", WOMAN)!) *
    Math.exp(methodErrorOf(keyOf([label]), "volume")!.bias);
  const hippocampi = (left: number, right: number) =>
    areSidesImplausible("volume", [19, 20], [at(19, left), at(20, right)], WOMAN);
  assert.equal(hippocampi(0, 0), false);
  assert.equal(hippocampi(-3, -3), false);
  assert.equal(hippocampi(-6, 1), true);
  assert.equal(areSidesImplausible("volume", [15, 16], [at(15, -3), at(16, 3)], WOMAN), true);
  // regions without bands have too large an error to say so
  const [left] = REGIONS.filter(({ label, hemisphere }) =>
    hemisphere === "L" && methodErrorOf(`${label}`, "volume")?.hasBands === false
  ).map(({ label }) => label);
  assert.equal(
    areSidesImplausible("volume", [left!, left! + 1], [at(left!, -6), at(left! + 1, 6)], WOMAN),
    false,
  );
  assert.equal(areSidesImplausible("volume", [19, 20], [at(19, -6), at(20, 1)], null), false);
  // controls whose left sides read as small as this one's, or spread as wide
  const moved: LocalNorms = (_, key) => ({ offset: key === "19" ? -8 : 1, scale: 1 });
  const wide: LocalNorms = () => ({ offset: 0, scale: 6 });
  const reading = (localNorms: LocalNorms) => ({ ...PLAIN_METHOD, localNorms });
  for (const local of [moved, wide].map(reading)) {
    assert.equal(
      areSidesImplausible("volume", [19, 20], [at(19, -6), at(20, 1)], WOMAN, local),
      false,
    );
  }
  assert.equal(
    areSidesImplausible("volume", [19, 20], [at(19, 0), at(20, 0)], WOMAN, reading(moved)),
    true,
  );
});

Deno.test("rankOf() reads a local norm in place of the scanner's systematic error", () => {
  const norm = normOfMeasure("11", "volume", WOMAN)!, { bias } = methodErrorOf("11", "volume")!;
  const value = valueAt(1, norm) * Math.exp(bias);
  const local = rankOf("volume", "11", value, WOMAN, TISSUE, {
    ...PLAIN_METHOD,
    localNorms: () => ({ offset: 1, scale: 1.2 }),
  })!;
  const plain = rankOf("volume", "11", value, WOMAN, TISSUE)!;
  assert.equal(local.percentile, 50);
  const width = ({ low, high }: typeof local) => zOfPercentile(high) - zOfPercentile(low);
  assert.ok(plain.percentile > 80 && width(local) < width(plain));
});

Deno.test("areBandsUseful() leaves a band to what is measured well for its spread among people", () => {
  const useful = (key: string, randomSd: number, bias = 0) =>
    areBandsUseful("volume", key, { bias, biasSd: 0, randomSd, hasBands: true });
  assert.deepEqual([useful("19", 0.05), useful("19", 0.2), useful("15", 0.2)], [true, false, true]);
  assert.equal(useful("37", 0.14), false);
  // what is only moved is as exact as before
  assert.equal(useful("19", 0.05, 0.3), true);
  const mm = (randomSd: number) =>
    areBandsUseful("thickness", "thickness_left", {
      bias: 0.2,
      biasSd: 0,
      randomSd,
      hasBands: true,
    });
  assert.deepEqual([mm(0.08), mm(0.2)], [true, false]);
});
