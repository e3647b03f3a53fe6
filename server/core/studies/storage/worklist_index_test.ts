// covers: D1-2.5, D1-3.3, D1-3.7, S-13
import assert from "node:assert/strict";
import { attentionOf, statesOf } from "@/server/core/studies/storage/worklist_state.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type SortKey, sortKey } from "@/model/schema/studies/study.ts";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  addToPatients,
  deleteLabels,
  insertLabel,
  removeFromPatients,
  renameLabel,
} from "@/server/core/studies/storage/labels.ts";
import {
  deletePatient,
  findPage,
  insertPatient,
  readPage,
  readPatients,
  setActiveSeries,
  setLatestAnalysis,
  updatePatient,
} from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { pruneChanges } from "@/server/core/studies/storage/worklist_changes.ts";
import { foldCase, type WorklistFilter } from "@/server/core/studies/storage/worklist_columns.ts";
import { WorklistIndex } from "@/server/core/studies/storage/worklist_index.ts";
import { matchesSearch } from "@/model/worklist/search_text.ts";
import { SEARCH_NAMES, SEARCHES } from "@/model/worklist/search_cases_fixture.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

/** A page with its rows. */
async function listPatients(...place: Parameters<typeof findPage>) {
  const { pids, ...page } = await findPage(...place);
  return { patients: (await readPage(place[0], pids)).map(({ row }) => row), ...page };
}

const NAMES = ["Kim Haneul", "kim jun", "Ångström Å", "O'Neil", "李 智優", "", "Zoe", "zoë 50%_"];
const HASH = "0".repeat(64);

const below = (random: Random, n: number) => Math.floor(random.uniform() * n);
const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)]!;
const day = (random: Random) =>
  `${1990 + below(random, 4)}-0${1 + below(random, 3)}-1${below(random, 3)}`;
const maybe = <T>(random: Random, value: T): T | null => random.uniform() < 0.8 ? value : null;

async function addStudy(db: Database, random: Random, n: number): Promise<void> {
  await insertPatient(db, {
    studyUid: `1.${n}`,
    patientId: random.uniform() < 0.1 ? "" : `P_${below(random, 40)}`,
    patientName: pick(random, NAMES),
    birthDate: maybe(random, day(random)),
    sex: maybe(random, pick(random, ["male", "female"] as const)),
    age: maybe(random, below(random, 90)),
    studyDate: maybe(random, day(random)),
    createdAt: "2026-01-01T00:00:00Z",
    createdBy: null,
  });
}

/** One thing that happens on a site. */
async function happen(db: Database, random: Random, n: number, labels: number[]): Promise<void> {
  const pids = (await db.selectFrom("patients").select("pid").execute()).map((row) => row.pid);
  const pid = pick(random, pids), kind = pick(random, ["t1", "t2"] as const);
  switch (below(random, 8)) {
    case 0:
      return await addStudy(db, random, n);
    case 1:
      return void await deletePatient(db, pid, { userId: 1, at: "2026-01-01T00:00:00Z" });
    case 2: {
      const change = {
        patientId: `P_${below(random, 40)}`,
        patientName: pick(random, NAMES),
        sex: "male" as const,
      };
      return await updatePatient(db, pid, {
        ...change,
        birthDate: day(random),
        age: below(random, 90),
        studyDate: day(random),
      }, { patientId: "", patientName: "", birthDate: null });
    }
    case 3:
      return await addToPatients(db, pick(random, labels), [pid, pick(random, pids)]);
    case 4:
      return await removeFromPatients(db, pick(random, labels), pids.slice(0, 3));
    case 5:
      return await renameLabel(db, labels[0]!, `Name ${n}`, `name ${n}`);
    default: {
      await insertBlobs(db, [{ hash: HASH, sizeBytes: 0 }], "");
      const series = {
        pid,
        seriesUid: "1",
        kind,
        description: "",
        volumeBlob: HASH,
        createdAt: "",
      };
      const seriesId = await insertSeries(db, series);
      await setActiveSeries(db, pid, kind, seriesId);
      const run = {
        pid,
        seriesId,
        kind,
        parameters: {},
        inputHashes: [],
        requestedAt: "",
        requestedBy: null,
      };
      const id = await insertAnalysis(db, run);
      await setLatestAnalysis(db, pid, kind, id);
      const end = pick(
        random,
        ["completed", "completed", "failed", "processing", "waiting"] as const,
      );
      await db.updateTable("analyses").set({
        status: end,
        finished_at: `${day(random)}T00:00:00Z`,
        grade: end === "completed" ? pick(random, ["A", "B", "C", null] as const) : null,
      })
        .where("id", "=", id).execute();
    }
  }
}

function anyFilter(random: Random, labels: number[]): WorklistFilter {
  const range = <T extends string | number>(a: T, b: T) => a < b ? { from: a, to: b } : { from: b };
  return {
    ...(random.uniform() < 0.4
      ? {
        search: pick(random, [
          "kim",
          "KIM ",
          "å",
          "a",
          "p_1",
          "%",
          "_",
          "智",
          "zoe",
          "jun kim",
          "p_?",
          "nobody",
        ]),
      }
      : {}),
    ...(random.uniform() < 0.2 ? { hasT1: true } : {}),
    ...(random.uniform() < 0.2 ? { hasT2: random.uniform() < 0.5 } : {}),
    ...(random.uniform() < 0.3 ? { sex: pick(random, ["male", "female"] as const) } : {}),
    ...(random.uniform() < 0.3 ? { age: range(below(random, 90), below(random, 90)) } : {}),
    ...(random.uniform() < 0.2 ? { birth: range(day(random), day(random)) } : {}),
    ...(random.uniform() < 0.2 ? { study: range(day(random), day(random)) } : {}),
    ...(random.uniform() < 0.2 ? { analysis: { to: day(random) } } : {}),
    ...(random.uniform() < 0.3
      ? { state: { kind: pick(random, ["waiting", "processing", "failed"] as const) } }
      : {}),
    ...(random.uniform() < 0.3 ? { labels: [pick(random, labels), pick(random, labels)] } : {}),
  };
}

const latest = (row: PatientRow) =>
  [row.t1_analysis_date, row.t2_analysis_date].filter((date) => date !== null).sort().at(-1) ??
    null;
const localDate = (instant: string) => {
  const date = new Date(instant), two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};

function passes(row: PatientRow, filter: WorklistFilter): boolean {
  const within = <T extends string | number>(
    value: T | null,
    range: { from?: T; to?: T } | undefined,
  ) =>
    !range || (range.from === undefined && range.to === undefined) ||
    (value !== null && (range.from === undefined || value >= range.from) &&
      (range.to === undefined || value <= range.to));
  const analysed = latest(row);
  return matchesSearch(filter.search ?? "", [row.patient_id, row.patient_name]) &&
    (filter.hasT1 === undefined || row.is_t1_uploaded === filter.hasT1) &&
    (filter.hasT2 === undefined || row.is_t2_uploaded === filter.hasT2) &&
    (filter.sex === undefined || row.patient_sex === filter.sex) &&
    within(row.patient_age, filter.age) && within(row.patient_birthdate, filter.birth) &&
    within(row.study_date, filter.study) &&
    within(analysed && localDate(analysed), filter.analysis) &&
    (!filter.state || filter.state.kind === "new" || filter.state.kind === "mine" ||
      (filter.state.kind !== "ordered" && statesOf(statusesOf(row))[filter.state.kind])) &&
    (!filter.labels || row.label_list.some(({ id }) => filter.labels!.includes(id)));
}

const statusesOf = (row: PatientRow) =>
  [row.t1_analysis_status, row.t2_analysis_status].filter((status) => status !== null);

function valueOf(row: PatientRow, key: SortKey): string | number | null {
  if (key === "analysis_date") return latest(row);
  if (key === "label_list") {
    return row.label_list.map((label) => foldCase(label.label_name)).join("\n") || null;
  }
  // made-up studies have none
  if (key === "finding") return null;
  if (key === "attention") return attentionOf(row.pid, statusesOf(row), row.quality_grade ?? null);
  const value = row[key] ?? null;
  if (key === "patient_name") return row.patient_name || null;
  return typeof value === "string" ? foldCase(value) || null : value;
}

const dictionary = new Intl.Collator("en", { numeric: true });

function sorted(rows: PatientRow[], key: SortKey, direction: "asc" | "desc"): number[] {
  const sign = direction === "asc" ? 1 : -1;
  return rows.toSorted((a, b) => {
    const x = valueOf(a, key), y = valueOf(b, key);
    if (x === null || y === null) return x === y ? sign * (a.pid - b.pid) : x === null ? 1 : -1;
    const order = ["patient_name", "patient_id", "label_list"].includes(key)
      ? dictionary.compare(x as string, y as string)
      : x < y
      ? -1
      : x > y
      ? 1
      : 0;
    return sign * (order || a.pid - b.pid);
  }).map(({ pid }) => pid);
}

databaseTest(
  "WorklistIndex answers as a look at every row does, through whatever happens on a site",
  async (database) => {
    const db = await database.open(), random = new Random(20261121);
    const labels = await Promise.all(["b", "A", "ä"].map((name) => insertLabel(db, name, name)));
    for (let n = 0; n < 60; n++) await addStudy(db, random, n);
    for (let n = 100; n < (database.url ? 250 : 500); n++) {
      await happen(db, random, n, labels);
      // several changes at once now and then
      if (random.uniform() < 0.3) continue;
      const pids = (await db.selectFrom("patients").select("pid").execute()).map((row) => row.pid);
      const rows = (await readPatients(db, pids)).map(({ row }) => row);
      const filter = anyFilter(random, labels), key = pick(random, sortKey.options);
      const direction = pick(random, ["asc", "desc"] as const),
        offset = below(random, 20),
        limit = 7;
      const expected = sorted(rows.filter((row) => passes(row, filter)), key, direction);
      const page = await listPatients(db, {
        filter,
        sortKey: key,
        sortDirection: direction,
        offset,
        limit,
      });
      const said = JSON.stringify({ n, filter, key, direction, offset });
      assert.equal(page.total, expected.length, said);
      assert.deepEqual(
        page.patients.map(({ pid }) => pid),
        expected.slice(offset, offset + limit),
        said,
      );
    }
    await deleteLabels(db, labels);
    const none = await listPatients(db, {
      filter: { labels },
      sortKey: "pid",
      sortDirection: "asc",
      offset: 0,
      limit: 5,
    });
    assert.equal(none.total, 0);
    await db.destroy();
  },
);

databaseTest(
  "WorklistIndex reads everything anew when changes were forgotten or are too many",
  async (database) => {
    const db = await database.open(), random = new Random(1), index = new WorklistIndex(db);
    const total = async () =>
      (await index.find({}, { key: "pid", direction: "asc" }, { offset: 0, limit: 1 })).total;
    await addStudy(db, random, 1);
    assert.equal(await total(), 1);
    for (let n = 2; n < 700; n++) await addStudy(db, random, n);
    assert.equal(await total(), 699);
    await db.deleteFrom("patients").where("pid", "<", 10).execute();
    await db.deleteFrom("worklist_changes").where("seq", "<", 705).execute();
    assert.equal(await total(), 690);
    await pruneChanges(db);
    await addStudy(db, random, 1);
    assert.deepEqual(await Promise.all([total(), total()]), [691, 691]);
    await db.destroy();
  },
);

/** A study of a name, and what a search of the list finds, as places in the names. */
async function listOf(db: Database, names: readonly (readonly [id: string, name: string])[]) {
  const pids: number[] = [];
  for (const [n, [patientId, patientName]] of names.entries()) {
    const birthDate = null, sex = null, age = null, studyDate = null, createdBy = null;
    const createdAt = "2026-01-01T00:00:00Z";
    pids.push(
      await insertPatient(db, {
        ...{
          studyUid: `1.2.${n}`,
          patientId,
          patientName,
          birthDate,
          sex,
          age,
          studyDate,
          createdAt,
          createdBy,
        },
      }),
    );
  }
  return async (page: Partial<Parameters<typeof findPage>[1]>) => {
    const whole = {
      sortDirection: "asc" as const,
      sortKey: "pid" as const,
      filter: {},
      offset: 0,
      limit: 50,
    };
    const { patients } = await listPatients(db, { ...whole, ...page });
    return patients.map(({ pid }) => pids.indexOf(pid));
  };
}

databaseTest("the list finds what people mean, in every row of the table", async (database) => {
  const db = await database.open(), find = await listOf(db, SEARCH_NAMES);
  for (const [search, expected] of SEARCHES) {
    assert.deepEqual(await find({ filter: { search } }), [...expected], JSON.stringify(search));
  }
  await db.destroy();
});

databaseTest(
  "names are ordered as a dictionary of the page's language has them",
  async (database) => {
    const names = ["Zoe", "Ärger", "김하늘", "Adam", "이수민", "Östman", "zimmer"].map((name) =>
      ["", name] as const
    );
    const db = await database.open(), list = await listOf(db, names);
    const ordered = async (language?: "en" | "ko") =>
      (await list({ sortKey: "patient_name", language })).map((place) => names[place]![1]);
    const latin = ["Adam", "Ärger", "Östman", "zimmer", "Zoe"], hangul = ["김하늘", "이수민"];
    assert.deepEqual(await ordered("en"), [...latin, ...hangul]);
    assert.deepEqual(await ordered("ko"), [...hangul, ...latin]);
    assert.deepEqual(await ordered(), await ordered("en"));
    await db.destroy();
  },
);
