/**
 * Control charts of simulated scanners: how soon a change is found, and how often none is there.
 *
 * deno task bench drift [--scanners N] [--json FILE]
 *
 * Thirty of a hundred patients are ill in a tenth to six tenths of their regions, more of the old
 * ones. A scanner has 400 studies without a change, or 200 and then 40 after a change of .5 z in
 * every measure. The same scanners, while their patients grow ten years older in 400 studies (and
 * therefore ill more often) and the norms err by -.1 or -.2 z with ten years of age.
 */
import { firstMove, simulatedStudy, USUAL_AGE } from "@/bench/drift/simulated_patients.ts";
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import type { ChartedStudy } from "@/model/drift/charts.ts";
import { LEARNING } from "@/model/drift/cusum.ts";
import { Random } from "@/model/random.ts";

const at = Deno.args.indexOf("--scanners"), scanners = at < 0 ? 400 : Number(Deno.args[at + 1]);
const STEADY = 400, BEFORE = 200, AFTER = 40, SHIFT = 0.5, YEARS = 10;
const row = rowMaker("drift", 3);

const studies = (count: number, next: (n: number) => ChartedStudy) =>
  Array.from({ length: count }, (_, n) => next(n));
const meanAgeAt = (n: number) => USUAL_AGE + YEARS * n / STEADY;

/** Number of scanners with an alarm of which only one of two sites has one, and both numbers. */
interface Compared {
  alarms: number;
  onlyHere: number;
  onlySteady: number;
}

// the project takes .15 between two regions of the cortex; the spread of a whole brain says more
const rows: Row[] = [0.15, 0.3].flatMap((correlation) => {
  const patients = { illShare: 0.3, correlation, unreliable: 0.05 };
  let alarms = 0, charted = 0, found = 0, early = 0, foundAgeing = 0, earlyAgeing = 0;
  const errors = [-0.01, -0.02].map((perYear) => ({
    perYear,
    compared: { alarms: 0, onlyHere: 0, onlySteady: 0 } as Compared,
    normError: (age: number) => perYear * (age - USUAL_AGE),
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
    for (const { normError, compared } of errors) {
      const random = new Random(seed);
      const isAlarm = firstMove(
        studies(
          STEADY,
          (n) => simulatedStudy(random, patients, { meanAge: meanAgeAt(n), normError }),
        ),
      ).at < Infinity;
      compared.alarms += Number(isAlarm);
      compared.onlyHere += Number(isAlarm && steady === Infinity);
      compared.onlySteady += Number(!isAlarm && steady < Infinity);
    }
    const { normError } = errors[0]!, random = new Random(seed + 1);
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
    ...errors.map(({ perYear, compared: { alarms: ageing, onlyHere, onlySteady } }) => {
      // sign test of pairs (McNemar): more alarms than of the steady twins, beyond chance
      const isMore = onlyHere - onlySteady > 1.96 * Math.sqrt(onlyHere + onlySteady);
      const label = `${name}: scanners with an alarm, patients ageing, norms ${perYear} z a year`;
      return row(label, ageing / scanners, "1", {
        baseline: alarms / scanners,
        bar: "steady",
        ok: !isMore,
      });
    }),
  ];
});
finish("deno task bench drift", `${scanners} scanners, 30 % ill`, rows);
