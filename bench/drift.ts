/**
 * Control charts of simulated scanners: how soon a change is found, and how often none is there.
 *
 * deno task bench drift [--scanners N] [--json FILE]
 *
 * Thirty of a hundred patients are ill in a tenth to six tenths of their regions. A scanner has 400
 * studies without a change; 200 and then 40 after a change of .5 z in every measure; or 400 while
 * its patients grow older and the norms err by up to .1 z at their ages.
 */
import { firstMove, simulatedStudy } from "@/bench/drift/simulated_patients.ts";
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import type { ChartedStudy } from "@/model/drift/charts.ts";
import { LEARNING } from "@/model/drift/cusum.ts";
import { Random } from "@/model/random.ts";

const at = Deno.args.indexOf("--scanners"), scanners = at < 0 ? 400 : Number(Deno.args[at + 1]);
const STEADY = 400, BEFORE = 200, AFTER = 40, SHIFT = 0.5, AGEING = -0.1;
const row = rowMaker("drift", 3);

const studies = (count: number, next: (n: number) => ChartedStudy) =>
  Array.from({ length: count }, (_, n) => next(n));

// the project takes .15 between two regions of the cortex; the spread of a whole brain says more
const rows: Row[] = [0.15, 0.3].flatMap((correlation) => {
  const patients = { illShare: 0.3, correlation, unreliable: 0.05 };
  let alarms = 0, charted = 0, found = 0, early = 0, ageing = 0;
  for (let seed = 0; seed < scanners; seed++) {
    const random = new Random(1000 * correlation + 3 * seed);
    const steady = firstMove(studies(STEADY, () => simulatedStudy(random, patients))).at;
    charted += Math.min(STEADY, steady + 1) - LEARNING;
    alarms += Number(steady < Infinity);
    const changed = firstMove(
      studies(BEFORE + AFTER, (n) => simulatedStudy(random, patients, n < BEFORE ? 0 : SHIFT)),
    ).at;
    early += Number(changed < BEFORE);
    found += Number(changed >= BEFORE && changed < Infinity);
    ageing += Number(
      firstMove(
        studies(STEADY, (n) => simulatedStudy(random, patients, 0, AGEING * n / STEADY)),
      ).at < Infinity,
    );
  }
  const name = `correlation ${correlation}`, share = found / (scanners - early);
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
    row(`${name}: scanners with an alarm, patients ageing`, ageing / scanners, "1", {
      baseline: alarms / scanners,
    }),
  ];
});
finish("deno task bench drift", `${scanners} scanners, 30 % ill`, rows);
