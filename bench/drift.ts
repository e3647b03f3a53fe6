/**
 * Control charts of simulated scanners: delay until a change is detected, and rate of false alarms.
 *
 * deno task bench drift [--scanners N] [--json FILE]
 *
 * 30 % of the patients are ill, old ones more often; an illness shrinks 10 to 60 % of the regions.
 * A scanner has 400 studies without a change, or 200 studies and then 40 after a change of .5 z in
 * every measure. Each scanner has a twin with the same patients, from the same random numbers, whom
 * the twin sees 10 years older by its 400th study (and therefore ill more often). The norms of the
 * twin have an error of 0, -.1 or -.2 z per 10 years of age. Twins are compared in pairs.
 *
 * Also simulates sites of ten scanners with 400 studies each, 4,000 results: as in a real site,
 * results are appended to stored charts each hour. In a second run half the studies are changed.
 *
 * Seeds: 1e5 · 100 · correlation + 2 · scanner; 1 is added for scanners with a change.
 */
import { firstCharts } from "@/bench/drift/first_charts.ts";
import { chartSite } from "@/bench/drift/site.ts";
import { firstMove, simulatedStudy, USUAL_AGE } from "@/bench/drift/simulated_patients.ts";
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import type { ChartedStudy } from "@/model/drift/charts.ts";
import { LEARNING } from "@/model/drift/cusum.ts";
import { Random } from "@/model/random.ts";
import { pairedShares } from "@/model/reading_study/paired.ts";

const at = Deno.args.indexOf("--scanners"), scanners = at < 0 ? 400 : Number(Deno.args[at + 1]);
const STEADY = 400, BEFORE = 200, AFTER = 40, SHIFT = 0.5, YEARS = 10;
/** Number of scanners in the simulated sites, and number of scanners per site. */
const SITE_SCANNERS = 100, IN_SITE = 10;
const row = rowMaker("drift", 3);

const studies = (count: number, next: (n: number) => ChartedStudy) =>
  Array.from({ length: count }, (_, n) => next(n));
const meanAgeAt = (n: number) => USUAL_AGE + YEARS * n / STEADY;

/** Pairs of a scanner with ageing patients and one with constant ages, by which has an alarm. */
interface Compared {
  both: number;
  onlyAgeing: number;
  onlySteady: number;
}

/**
 * Settings of a comparison: error of the norms per year of age, z, and increase of the share of ill
 * patients per year of age. Without this increase, the twins differ only in the patients' ages.
 */
const AGEING = [
  { perYear: 0 },
  { perYear: -0.01 },
  { perYear: -0.02 },
  { perYear: -0.02, illPerYear: 0 },
];
const errorOf = (perYear: number) => (age: number) => perYear * (age - USUAL_AGE);

/** Rows of the pairs; fails if significantly more ageing scanners have an alarm (95 % interval). */
function pairRows(label: string, { both, onlyAgeing, onlySteady }: Compared): Row[] {
  const difference = pairedShares(onlyAgeing, onlySteady, scanners);
  const isAsSteady = { bar: "steady", ok: difference.low <= 0 };
  return [
    row(`${label}: scanners with an alarm`, (both + onlyAgeing) / scanners, "1", {
      baseline: (both + onlySteady) / scanners,
      ...isAsSteady,
    }),
    row(`${label}: pairs with an alarm of the ageing scanner alone`, onlyAgeing, "1", {
      baseline: onlySteady,
      ...isAsSteady,
    }),
    row(`${label}: difference of scanners with an alarm`, difference.value, "1", isAsSteady),
    row(`${label}: low end of its 95 % interval`, difference.low, "1"),
    row(`${label}: high end of its 95 % interval`, difference.high, "1"),
  ];
}

// .15: the product's correlation of two regions; the spread of whole-brain volume suggests more
const rows: Row[] = [0.15, 0.3].flatMap((correlation) => {
  const patients = { illShare: 0.3, correlation, unreliable: 0.05 };
  let alarms = 0, charted = 0, found = 0, early = 0, foundAgeing = 0, earlyAgeing = 0;
  const twins = AGEING.map(({ perYear, ...illness }) => ({
    name: `norms ${perYear} z a year${"illPerYear" in illness ? ", ill as often" : ""}`,
    compared: { both: 0, onlyAgeing: 0, onlySteady: 0 } as Compared,
    circumstances: { normError: errorOf(perYear), ...illness },
  }));
  for (let scanner = 0; scanner < scanners; scanner++) {
    const seed = 1e5 * Math.round(100 * correlation) + 2 * scanner;
    const steadyRandom = new Random(seed), changedRandom = new Random(seed + 1);
    const steady = firstMove(studies(STEADY, () => simulatedStudy(steadyRandom, patients))).at;
    charted += Math.min(STEADY, steady + 1) - LEARNING;
    alarms += Number(steady < Infinity);
    const shiftAt = (n: number) => n < BEFORE ? 0 : SHIFT;
    const changed = firstMove(
      studies(
        BEFORE + AFTER,
        (n) => simulatedStudy(changedRandom, patients, { shift: shiftAt(n) }),
      ),
    ).at;
    early += Number(changed < BEFORE);
    found += Number(changed >= BEFORE && changed < Infinity);
    for (const { circumstances, compared } of twins) {
      const random = new Random(seed);
      const isAlarm = firstMove(
        studies(
          STEADY,
          (n) => simulatedStudy(random, patients, { meanAge: meanAgeAt(n), ...circumstances }),
        ),
      ).at < Infinity;
      compared.both += Number(isAlarm && steady < Infinity);
      compared.onlyAgeing += Number(isAlarm && steady === Infinity);
      compared.onlySteady += Number(!isAlarm && steady < Infinity);
    }
    const normError = errorOf(-0.01), random = new Random(seed + 1);
    const both = firstMove(
      studies(BEFORE + AFTER, (n) =>
        simulatedStudy(random, patients, {
          shift: shiftAt(n),
          meanAge: meanAgeAt(n),
          normError,
        })),
    ).at;
    earlyAgeing += Number(both < BEFORE);
    foundAgeing += Number(both >= BEFORE && both < Infinity);
  }
  const name = `correlation ${correlation}`, share = found / (scanners - early);
  const shareAgeing = foundAgeing / (scanners - earlyAgeing);
  const falseAlarms = 1000 * alarms / charted;
  return [
    row(`${name}: false alarms in 1,000 studies, all charts`, falseAlarms, "1", {
      bar: 1,
      ok: falseAlarms <= 1,
    }),
    row(`${name}: a change of .5 z found within 40 studies`, share, "1", {
      bar: 0.9,
      ok: share >= 0.9,
    }),
    row(`${name}: the same, patients ageing`, shareAgeing, "1", {
      bar: 0.9,
      ok: shareAgeing >= 0.9,
    }),
    ...twins.flatMap((twin) => pairRows(`${name}: patients ageing, ${twin.name}`, twin.compared)),
  ];
});
/** Rows of the sites with stored charts; the patients are those of the scanners above. */
async function siteRows(correlation: number): Promise<Row[]> {
  const patients = { illShare: 0.3, correlation, unreliable: 0.05 },
    name = `correlation ${correlation}`;
  let alarms = 0, charted = 0, found = 0, early = 0;
  const count = Math.min(SITE_SCANNERS, scanners);
  const studiesOf = (scanner: number, shiftAt: (n: number) => number, of: number) => {
    const random = new Random(1e5 * Math.round(100 * correlation) + scanner);
    return studies(of, (n) => simulatedStudy(random, patients, { shift: shiftAt(n) }));
  };
  for (let site = 0; site < count; site += IN_SITE) {
    const own = Array.from({ length: Math.min(IN_SITE, count - site) }, (_, n) => site + n);
    for (const at of await chartSite(own.map((n) => studiesOf(2 * n, () => 0, STEADY)))) {
      alarms += Number(at < Infinity);
      charted += Math.min(STEADY, at) - LEARNING;
    }
    const changed = await chartSite(
      own.map((n) => studiesOf(2 * n + 1, (at) => at < BEFORE ? 0 : SHIFT, BEFORE + AFTER)),
    );
    for (const at of changed) {
      early += Number(at <= BEFORE);
      found += Number(at > BEFORE && at < Infinity);
    }
  }
  const falseAlarms = 1000 * alarms / charted, share = found / (count - early);
  const results = `${name}: sites of ${IN_SITE * STEADY} results`;
  return [
    row(`${results}: false alarms in 1,000 studies, all charts`, falseAlarms, "1", {
      bar: 1,
      ok: falseAlarms <= 1,
    }),
    row(`${results}: a change of .5 z found within 40 studies`, share, "1", {
      bar: 0.9,
      ok: share >= 0.9,
    }),
  ];
}

for (const correlation of [0.15, 0.3]) rows.push(...await siteRows(correlation));
/** Number of studies of a scanner in a long period: about ten years of a busy scanner. */
const LONG = 3000;
for (const correlation of [0.15, 0.3]) {
  const patients = { illShare: 0.3, correlation, unreliable: 0.05 };
  let alarms = 0, charted = 0;
  for (let scanner = 0; scanner < Math.min(SITE_SCANNERS, scanners); scanner++) {
    const random = new Random(1e5 * Math.round(100 * correlation) + 2 * scanner);
    const { at } = firstMove(studies(LONG, () => simulatedStudy(random, patients)));
    charted += Math.min(LONG, at + 1) - LEARNING;
    alarms += Number(at < Infinity);
  }
  const falseAlarms = 1000 * alarms / charted;
  rows.push(
    row(`correlation ${correlation}: false alarms in 1,000 studies of ${LONG}`, falseAlarms, "1", {
      bar: 1,
      ok: falseAlarms <= 1,
    }),
  );
}
/** Sizes of the sites, in results; scanners a site; longest allowed step of the computation, ms. */
const FIRST = [5000, 20_000], FIRST_SCANNERS = 20, MAX_STEP_MS = 200;
for (const count of FIRST) {
  const { seconds, longestMs } = await firstCharts(count, FIRST_SCANNERS);
  rows.push(
    row(`first charts of ${count} results: processor time`, seconds, "s"),
    row(`first charts of ${count} results: longest step, processor time`, longestMs, "ms", {
      bar: MAX_STEP_MS,
      ok: longestMs <= MAX_STEP_MS,
    }),
  );
}
finish("deno task bench drift", `${scanners} scanners, 30 % ill`, rows);
