// Property: charts that are computed in slices of any sizes, by processes that end between and
// within them, with studies that arrive late, equal one pass over the same arrival order.
// covers: S-141
import assert from "node:assert/strict";
import { CHARTED, type ChartName, chartsOf } from "@/model/drift/charts.ts";
import { LOCAL_MEASURES } from "@/model/norms/local_norms.ts";
import { Random } from "@/model/random.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import {
  appendStudies,
  type DatedStudy,
  isComputingDrift,
  startDrift,
  watchDrift,
} from "@/server/core/norms/service/charts/drift_job.ts";
import type { DriftKey } from "@/server/core/norms/storage/drift.ts";
import { listDrift, readDriftCharts, readDriftState } from "@/server/core/norms/storage/drift.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { addChartedStudies } from "@/tests/sites/norms/charted_studies.ts";
import { newPostgres, postgresTest } from "@/tests/sites/databases.ts";
import { addMeasured } from "@/tests/sites/norms/measured_results.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";

/** Opens a database of a site, each time as a new process does. */
type Open = () => Database | Promise<Database>;

/** One test for a database file, and one for PostgreSQL; `newSite` makes a site without studies. */
function siteTest(name: string, body: (newSite: () => Promise<Open>) => Promise<void>): void {
  Deno.test(name, async () => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-slices-" });
    let sites = 0;
    const newSite = () => {
      const path = `${folder}/${++sites}.sqlite`;
      return Promise.resolve(() => openDatabase(path));
    };
    await body(newSite).finally(() => Deno.remove(folder, { recursive: true }));
  });
  postgresTest(`${name} (PostgreSQL)`, () =>
    body(async () => {
      const url = await newPostgres();
      return () => openPostgres(url);
    }));
}

const NAMES = LOCAL_MEASURES.filter(({ measure, name }) =>
  measure === "volume" || CHARTED.includes(name)
);
const KEYS: readonly DriftKey[] = ["Head_32", "Body 18"].map((coil) => ({
  scanner: "SIEMENS A",
  protocol: "3 T",
  coil,
  engineVersion: "e 1",
}));
/** Upper and lower case of a scanner's names may change: the charts stay. */
const spelt = (key: DriftKey, random: Random): DriftKey =>
  random.uniform() < 0.5 ? key : { ...key, coil: key.coil.toUpperCase() };

const dayOf = (day: number) => new Date(Date.UTC(2015, 0, day)).toISOString().slice(0, 10);

/** A study that may be late, without date, age or values, or unreliable; later ones have changed. */
function anyStudy(random: Random, n: number): DatedStudy {
  const isLate = random.uniform() < 0.1, shift = n > 400 ? 0.8 : 0, person = 0.4 * random.normal();
  const isUnreliable = random.uniform() < 0.1, hasNone = random.uniform() < 0.03;
  return {
    analysisId: n,
    pid: n,
    isCompleted: !isUnreliable || random.uniform() < 0.5,
    date: random.uniform() < 0.03 ? null : dayOf(isLate ? Math.ceil(n * random.uniform()) : n),
    isUnreliable,
    age: random.uniform() < 0.03 ? null : 40 + Math.floor(40 * random.uniform()),
    z: new Map(hasNone ? [] : NAMES.map(({ name }) => [name, person + random.normal() + shift])),
  };
}

/** Studies in the order in which one computation appends them: by date, then by number. */
const byDate = (studies: readonly DatedStudy[]) =>
  [...studies].sort((a, b) => {
    const [x, y] = [a.date ?? "", b.date ?? ""];
    return x < y ? -1 : x > y ? 1 : a.analysisId - b.analysisId;
  });

/** Parts of 1 to `most` studies, one after another. */
function slicesOf<T>(random: Random, list: readonly T[], most: number): T[][] {
  const slices: T[][] = [];
  for (let at = 0; at < list.length;) {
    const size = 1 + Math.floor(most * random.uniform());
    slices.push(list.slice(at, at + size));
    at += size;
  }
  return slices;
}

/** As stored: JSON has no negative 0. */
const round2 = (value: number) => Math.round(100 * value) / 100 + 0;

/** Charts of a site must be those of one pass over the studies, except that plots are cut. */
async function isOnePass(db: Database, key: DriftKey, all: readonly DatedStudy[]): Promise<void> {
  const group = (await listDrift(db)).find(({ coil }) =>
    coil.toLowerCase() === key.coil.toLowerCase()
  )!;
  const expected = chartsOf(all), plots = await readDriftCharts(db, group.id);
  const states = new Map((await readDriftState(db, group.id)).states);
  assert.equal(group.studies, all.length);
  for (const chart of expected) {
    const plot = plots.find(({ name }) => name === chart.name)!, state = states.get(chart.name)!;
    assert.equal(plot.before + plot.values.length, chart.values.length);
    for (const list of ["values", "higher", "lower"] as const) {
      assert.deepEqual(plot[list], chart[list].slice(plot.before).map(round2));
    }
    assert.deepEqual(plot.dates, chart.studies.slice(plot.before).map((n) => all[n]!.date));
    const { movedAt, beganAt, direction } = chart;
    assert.deepEqual(
      [state.movedAt, state.beganAt, state.direction],
      [movedAt, beganAt, direction],
    );
  }
  const moved = (names: readonly (ChartName | string)[]) => [...names].sort();
  assert.deepEqual(
    moved(group.moved.map(({ name }) => name)),
    moved(expected.filter(({ movedAt }) => movedAt !== null).map(({ name }) => name)),
  );
}

/** Appends a slice, sometimes twice, and sometimes the first time by a process that is killed. */
async function appendSlice(
  db: Database,
  random: Random,
  key: DriftKey,
  slice: readonly DatedStudy[],
): Promise<void> {
  const services = { db, log: () => {} }, chance = random.uniform();
  if (chance < 0.2) {
    const killed = db.transaction().execute(async (tx) => {
      const inside = {
        transaction: () => ({ execute: (body: (db: Database) => unknown) => body(tx) }),
      };
      await appendStudies({ ...services, db: inside as unknown as Database }, key, slice);
      throw new Error("killed");
    });
    await assert.rejects(killed, /killed/);
  }
  await appendStudies(services, spelt(key, random), slice);
  if (chance > 0.8) await appendStudies(services, key, slice);
}

const COUNT = 700, ARRIVALS = 4, MOST = 170;

for (const seed of [1, 2]) {
  siteTest(`charts in slices equal one pass over the arrivals, seed ${seed}`, async (newSite) => {
    const random = new Random(seed), open = await newSite();
    let db = await open();
    await addChartedStudies(db, COUNT);
    const arrivals = slicesOf(
      random,
      Array.from({ length: COUNT }, (_, n) => anyStudy(random, n + 1)),
      2 * COUNT / ARRIVALS,
    );
    const one: DatedStudy[][] = KEYS.map(() => []);
    for (const arrival of arrivals) {
      const ofCoils: DatedStudy[][] = KEYS.map(() => []);
      for (const study of arrival) ofCoils[Number(random.uniform() < 0.2)]!.push(study);
      for (const [n, studies] of ofCoils.entries()) {
        one[n]!.push(...byDate(studies));
        for (const slice of slicesOf(random, byDate(studies), MOST)) {
          await appendSlice(db, random, KEYS[n]!, slice);
          if (random.uniform() < 0.2) {
            await db.destroy();
            db = await open();
          }
        }
      }
    }
    for (const [n, key] of KEYS.entries()) await isOnePass(db, key, one[n]!);
    await db.destroy();
  });
}

/** Everything that the site has about its charts. */
const chartsIn = async (db: Database) =>
  await db.selectFrom("drift_groups")
    .select(["scanner", "studies", "learnt", "moved", "state", "charts", "sums"])
    .orderBy("scanner").execute();

const servicesOf = (db: Database) =>
  ({ db, log: () => {}, publish: () => {} }) as unknown as ServiceContext;

async function computeAll(db: Database): Promise<void> {
  const services = servicesOf(db);
  startDrift(services);
  while (isComputingDrift(services)) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Computes charts by processes that are asked to end after a random time, until nothing is left. */
async function computeInterrupted(open: Open, random: Random): Promise<number> {
  for (let processes = 1;; processes++) {
    const db = await open(), services = servicesOf(db), watch = watchDrift(services);
    startDrift(services);
    // each has more time, so that a slow machine gets through a batch
    const endsAt = performance.now() + 150 * processes * random.uniform();
    while (isComputingDrift(services) && performance.now() < endsAt) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const hasEnded = !isComputingDrift(services);
    await watch.close();
    await db.destroy();
    if (hasEnded) return processes;
  }
}

siteTest("a computation of charts that is ended goes on where it was", async (newSite) => {
  const random = new Random(7), reference = await newSite(), site = await newSite();
  const whole = await reference();
  let processes = 0, first = 1;
  for (const count of [400, 200]) {
    // the second arrival has studies that are older than charted ones
    const arrival = { first, scanners: 3, dayOf: (pid: number) => Math.abs(pid - 350) };
    const part = await site();
    for (const db of [whole, part]) await addMeasured(db, count, arrival);
    await part.destroy();
    first += count;
    await computeAll(whole);
    processes += await computeInterrupted(site, random);
  }
  const db = await site();
  assert.deepEqual(await chartsIn(db), await chartsIn(whole));
  assert.equal((await listDrift(db)).reduce((sum, { studies }) => sum + studies, 0), 600);
  assert.ok(processes > 2, `${processes} processes`);
  await Promise.all([db.destroy(), whole.destroy()]);
});
