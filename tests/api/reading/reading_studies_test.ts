// covers: S-252, S-253, S-254
import assert from "node:assert/strict";
import { sql } from "kysely";
import type { Role } from "@/model/accounts/roles.ts";
import { Random } from "@/model/random.ts";
import {
  type ReadingAnswer,
  readingFile,
  type ReadingStudyPost,
  type ReadingTask,
} from "@/model/schema/reading/reading_studies.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { type Api, call, requestOf } from "@/client/api/http.ts";
import {
  addReadingStudy,
  answerReading,
  getReadingStudies,
  getReadingStudy,
  getReadingTask,
  readingExportPath,
  readingFilePath,
  removeReadingStudy,
} from "@/client/api/reading/reading_studies.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { deletePatient, getPatient } from "@/client/api/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

const CASES = 6;
const POST: ReadingStudyPost = {
  title: "Hippocampus",
  question: "Is the hippocampus atrophic?",
  scale: "five",
  asks_decision: true,
  asks_region: true,
  arms: ["without", "with"],
  washout_days: 0,
  cases: Array.from({ length: CASES }, (_, n) => ({ pid: n + 1, reference: n % 2 === 0 })),
  readers: [2, 3],
};
const ANSWER: ReadingAnswer = {
  rating: 4,
  decision: true,
  region: "Hippocampus",
  visible_ms: 0,
  pauses: 2,
};

async function user(open: Api, db: Database, name: string, role: Role): Promise<Api> {
  const credentials = { email: `${name}@hospital.test`, password: "correct-horse-9" };
  await addQuickUser(db, { ...credentials, name, role });
  return { ...open, token: (await login(open, credentials)).access_token };
}

/** Administrator (account 1), two readers (2, 3), an auditor (4) and a physician (5). */
async function people(open: Api, dataDir: string) {
  const db = await openBeside(dataDir);
  const first = await user(open, db, "first", "reader");
  const second = await user(open, db, "second", "physician");
  const auditor = await user(open, db, "auditor", "auditor");
  const other = await user(open, db, "other", "physician");
  return { db, first, second, auditor, other };
}

const status = async (api: Api, path: string): Promise<string> => {
  try {
    await call(api, path);
    return "ok";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

/** Content of all tables that a reading study must not change. */
async function clinicalRows(db: Database): Promise<string> {
  const tables = [
    "patients",
    "series",
    "analyses",
    "analysis_files",
    "study_views",
    "study_reports",
    "report_texts",
    "measurements",
    "key_images",
    "label_strokes",
    "lesion_verdicts",
    "result_changes",
    "outbox",
    "worklist_changes",
  ];
  const rows = [];
  for (const table of tables) {
    const found = await sql`SELECT * FROM ${sql.table(table)}`.execute(db).catch((error) => {
      throw new Error(`${table}: ${error}`);
    });
    rows.push([table, found.rows]);
  }
  return JSON.stringify(rows);
}

/** Reads all cases of a reader. @param rule Returns the answer to a case. */
async function readAll(api: Api, id: number, rule: (task: ReadingTask) => ReadingAnswer) {
  const seen: { place: number; arm: string }[] = [];
  for (;;) {
    const task = await getReadingTask(api, id);
    if (!task.reading) return seen;
    seen.push({ place: task.reading.place, arm: task.reading.arm });
    await answerReading(api, { id, place: task.reading.place }, rule(task));
  }
}

coreTest("a reading study: readers answer both arms, blinded, and nothing clinical changes", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first, second, auditor, other } = await people(open, dataDir);
  try {
    for (const forbidden of [first, second, auditor]) {
      await assert.rejects(addReadingStudy(forbidden, POST), { code: "access.forbidden" });
    }
    // waits for the findings, which are computed after the start and not by the reading study
    await until(async () => {
      const { patients } = await (await call(api, "/api/v1/patients?page_size=50")).json();
      return patients.every((row: PatientRow) => !row.is_finding_pending);
    });
    const before = await clinicalRows(db);
    const id = await addReadingStudy(api, POST);
    assert.deepEqual((await getReadingStudies(other)).studies, []);
    const [listed] = (await getReadingStudies(first)).studies;
    assert.deepEqual([listed!.mine, listed!.all], [{ done: 0, total: 2 * CASES }, null]);

    // users who do not read in the study get the same error as for a missing study
    for (const stranger of [other, api]) {
      await assert.rejects(getReadingTask(stranger, id), { code: "entity.not_found" });
      assert.equal(await status(stranger, readingFilePath(id, 0, "t1w_file")), "entity.not_found");
    }
    await assert.rejects(getReadingTask(auditor, id), { code: "access.forbidden" });
    assert.equal((await getReadingStudy(api, id)).is_removable, true);

    const arms = new Set<string>();
    for (let place = 0; place < 2 * CASES; place++) {
      const task = await getReadingTask(first, id), reading = task.reading!;
      assert.equal(reading.place, place);
      arms.add(reading.arm);
      // the response contains neither identity nor study number
      const text = JSON.stringify(task);
      assert.doesNotMatch(
        text,
        /P-\d|Name \d|1960|2026|"pid"|patient_|birth|sex|study_date|1\.2\.3/,
      );
      assert.equal(reading.results !== null, reading.arm === "with");
      assert.equal(/volume_total|np_|rank_/.test(text), reading.arm === "with");
      const files = reading.arm === "with" ? ["t1w_file", "t1w_mask_file"] : ["t1w_file"];
      assert.deepEqual(reading.files, files);
      for (const field of readingFile.options) {
        const isShown = files.includes(field);
        const got = await status(first, readingFilePath(id, place, field));
        assert.equal(got, isShown ? "ok" : "entity.not_found");
      }
      // no entity tag, by which the file could be identified in the clinical viewer
      const file = await call(first, readingFilePath(id, place, "t1w_file"));
      const names = [...file.headers.keys()];
      assert.ok(!names.includes("etag") && file.headers.get("cache-control") === "no-store");
      await file.body?.cancel();
      assert.equal(
        await status(first, readingFilePath(id, place, "icv" as "t1w_file")),
        "entity.not_found",
      );
      if (place > 0) {
        const earlier = readingFilePath(id, place - 1, "t1w_file");
        assert.equal(await status(first, earlier), "reading_study.answered");
        await assert.rejects(answerReading(first, { id, place: place - 1 }, ANSWER), {
          code: "reading_study.answered",
        });
      }
      await assert.rejects(answerReading(first, { id, place: place + 1 }, ANSWER), {
        code: "reading_study.not_next",
      });
      await answerReading(first, { id, place }, ANSWER);
    }
    assert.deepEqual([...arms].sort(), ["with", "without"]);
    const finished = await getReadingTask(first, id);
    assert.deepEqual([finished.reading, finished.done], [null, 2 * CASES]);
    await readAll(second, id, ({ done }) => ({ ...ANSWER, rating: 1 + done % 5, region: null }));

    assert.equal(await clinicalRows(db), before);
    for (let pid = 1; pid <= CASES; pid++) assert.equal((await getPatient(other, pid)).pid, pid);

    const details = await getReadingStudy(api, id);
    assert.deepEqual(details.readers.map(({ done, total }) => [done, total]), [[12, 12], [12, 12]]);
    assert.equal(details.is_removable, false);
    assert.deepEqual(details.statistics.arms.map(({ readings }) => readings), [12, 12]);
    await assert.rejects(removeReadingStudy(api, id), { code: "reading_study.begun" });

    // answers cannot be changed even by SQL
    for (
      const change of [
        sql`UPDATE reading_study_answers SET rating = 1`,
        sql`DELETE FROM reading_study_answers`,
      ]
    ) {
      await assert.rejects(change.execute(db), /append-only/);
    }
    const audit = await db.selectFrom("audit").select(["event", "pid", "outcome", "details"])
      .where("event", "like", "reading_study.%").execute();
    const count = (event: string) =>
      audit.filter((entry) => entry.event === event && entry.outcome === "ok").length;
    assert.equal(count("reading_study.add"), 1);
    assert.equal(count("reading_study.answer"), 4 * CASES);
    assert.ok(count("reading_study.read") >= 4 * CASES);
    assert.ok(
      audit.filter(({ event }) => event === "reading_study.answer").every(({ pid, outcome }) =>
        outcome !== "ok" || pid! >= 1 && pid! <= CASES
      ),
    );
    assert.equal((await verifyAudit(db)).broken, null);
  } finally {
    await db.destroy();
  }
});

coreTest("a reading study refuses bad designs and answers, and its export has no identity", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first, second, auditor } = await people(open, dataDir);
  try {
    const bad = (change: Partial<ReadingStudyPost>) => addReadingStudy(api, { ...POST, ...change });
    for (
      const change of [
        { title: " " },
        { title: "a\u0000b" },
        { question: "x".repeat(301) },
        { scale: "none", asks_decision: false },
        { arms: [] },
        { arms: ["with", "with"] },
        { washout_days: -1 },
        { washout_days: 366 },
        { washout_days: 1.5 },
        { cases: POST.cases.slice(0, 1) },
        { cases: [...POST.cases, POST.cases[0]!] },
        { cases: Array.from({ length: 201 }, (_, n) => ({ pid: n + 1, reference: null })) },
        { readers: [] },
        { readers: [2, 2] },
      ] as Partial<ReadingStudyPost>[]
    ) {
      await assert.rejects(bad(change), { code: "input.invalid" }, JSON.stringify(change));
    }
    const missing = [...POST.cases, { pid: 99, reference: null }];
    await assert.rejects(bad({ cases: missing }), { code: "reading_study.no_images" });
    // readers that are refused: the creator's account, an auditor, and a missing account
    for (const reader of [1, 4, 99]) {
      await assert.rejects(bad({ readers: [2, reader] }), { code: "reading_study.readers" });
    }
    assert.equal((await getReadingStudies(api)).studies.length, 0);

    const removed = await addReadingStudy(api, POST);
    await removeReadingStudy(api, removed);
    await assert.rejects(removeReadingStudy(api, removed), { code: "entity.not_found" });
    await assert.rejects(getReadingTask(first, removed), { code: "entity.not_found" });

    const id = await addReadingStudy(api, { ...POST, asks_region: false });
    // an unopened reading cannot be answered
    await assert.rejects(answerReading(first, { id, place: 0 }, { ...ANSWER, region: null }), {
      code: "reading_study.not_next",
    });
    await getReadingTask(first, id);
    await assert.rejects(removeReadingStudy(api, id), { code: "reading_study.begun" });
    for (
      const change of [
        { rating: 0 },
        { rating: 6 },
        { rating: null },
        { rating: 2.5 },
        { decision: null },
        { region: "Hippocampus" },
        { visible_ms: -1 },
        { visible_ms: 1e12 },
        { pauses: -1 },
      ]
    ) {
      await assert.rejects(
        answerReading(first, { id, place: 0 }, { ...ANSWER, region: null, ...change }),
        { code: "input.invalid" },
        JSON.stringify(change),
      );
    }
    // a wrong clock of the client cannot make the reading time longer than the elapsed time
    const long = { ...ANSWER, region: null, visible_ms: 3_600_000 };
    await answerReading(first, { id, place: 0 }, long);
    const named = await addReadingStudy(api, POST);
    await getReadingTask(first, named);
    await assert.rejects(
      answerReading(first, { id: named, place: 0 }, { ...ANSWER, region: "=1+1" }),
      {
        code: "input.invalid",
      },
    );

    for (const reader of [first, second, auditor]) {
      assert.equal(await status(reader, readingExportPath(id, "csv")), "access.forbidden");
    }
    assert.equal(await status(api, `/api/v1/reading-studies/${id}/export`), "input.invalid");
    const csv = await (await call(api, readingExportPath(id, "csv"))).text();
    const [head, row, ...rest] = csv.trim().split("\r\n");
    assert.match(
      head!,
      /reader,case,reference,session,reading,arm,rating,decision,region,visible_seconds/,
    );
    assert.match(head!, /,opened_at,answered_at,engine_version,results_changed,known_case$/);
    const [reader, caseNumber, , session, reading] = row!.split(",");
    assert.deepEqual([reader, session, reading, rest.length], ["1", "1", "1", 0]);
    assert.deepEqual(row!.split(",").slice(-2), ["0", "0"]);
    assert.ok(Number(caseNumber) >= 1 && Number(caseNumber) <= CASES);
    const exported = await (await call(api, readingExportPath(id, "json"))).json();
    assert.ok(exported.rows[0].visible_seconds <= exported.rows[0].elapsed_seconds);
    // the seed is removed, because its digits could match any pattern
    for (const text of [csv, JSON.stringify({ ...exported, seed: 0 })]) {
      assert.doesNotMatch(text, /P-\d|Name \d|hospital\.test|"pid"|1960/);
    }
  } finally {
    await db.destroy();
  }
});

/** All integers in headers (except the date) and body of a response. */
async function numbersIn(response: Response): Promise<string[]> {
  const head = [...response.headers].filter(([name]) => name !== "date");
  return `${JSON.stringify(head)} ${await response.text()}`.match(/\d+/g) ?? [];
}

coreTest("no refusal to a reader has the number of a case", async ({ api, open, dataDir }) => {
  await addReported(dataDir, CASES, 8);
  const { db, first, auditor, other } = await people(open, dataDir);
  try {
    // increases the reading study's id beyond the case numbers, so that they cannot be confused
    for (let n = 0; n < CASES; n++) {
      await removeReadingStudy(api, await addReadingStudy(api, POST));
    }
    const id = await addReadingStudy(api, { ...POST, washout_days: 28, readers: [2] });
    assert.ok(id > CASES);
    const codes = new Set<string>();
    const refused = async (reader: Api, path: string, json?: unknown) => {
      const headers = { "x-request-id": "walk-of-refusals" };
      const request = requestOf(reader, path, {
        headers,
        ...json === undefined ? {} : { method: "POST", json },
      });
      const response = await reader.send(request);
      if (response.ok) return void await response.body?.cancel();
      codes.add((await response.clone().json()).code);
      const numbers = await numbersIn(response);
      const pids = POST.cases.map(({ pid }) => String(pid)).filter((pid) => numbers.includes(pid));
      assert.deepEqual(pids, [], path);
    };
    /** Makes all calls of readers for some places, valid and invalid ones. */
    const walk = async (reader: Api, id: number, places: readonly number[]) => {
      const one = `/api/v1/reading-studies/${id}`;
      for (const place of places) {
        for (const field of [...readingFile.options, "other"]) {
          await refused(reader, `${one}/readings/${place}/files/${field}`);
        }
        for (const answer of [{}, { ...ANSWER, rating: 99 }, { ...ANSWER, region: "No part" }]) {
          await refused(reader, `${one}/readings/${place}/answer`, answer);
        }
      }
      await refused(reader, `${one}/reading`);
    };
    const { token: _, ...nobody } = first;
    for (const stranger of [other, api, auditor, nobody]) await walk(stranger, id, [0]);
    for (const unknown of [0, 99]) await walk(first, unknown, [0]);
    for (let place = 0; place < CASES; place++) {
      await getReadingTask(first, id);
      await walk(first, id, place === 0 ? [0, 1] : [place]);
      if (place < 2) {
        for (const status of ["waiting", "failed"] as const) {
          await db.updateTable("analyses").set({ status }).execute();
          await walk(first, id, [place]);
        }
        await db.updateTable("analyses").set({ status: "completed" }).execute();
      }
      await answerReading(first, { id, place }, ANSWER);
    }
    await walk(first, id, [0, CASES]);
    // an analysis file, and then the study, are deleted while its reading is open
    const again = await addReadingStudy(api, { ...POST, readers: [2] });
    await getReadingTask(first, again);
    await db.deleteFrom("analysis_files").execute();
    await walk(first, again, [0]);
    for (const { pid } of POST.cases) await deletePatient(api, pid);
    await walk(first, again, [0]);
    assert.deepEqual([...codes].sort(), [
      "access.forbidden",
      "entity.not_found",
      "input.invalid",
      "reading_study.answered",
      "reading_study.not_next",
      "reading_study.washout",
      "study.deleted",
      "study.not_analyzed",
      "token.missing",
    ]);
  } finally {
    await db.destroy();
  }
});

coreTest("an open reading stays the next one while its case is analysed again", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first } = await people(open, dataDir);
  try {
    const id = await addReadingStudy(api, { ...POST, readers: [2], arms: ["with"] });
    const { cases } = await getReadingStudy(api, id);
    const plan = await db.selectFrom("reading_study_readings").select(["place", "case_number"])
      .orderBy("place").execute();
    const analysed = (place: number, status: "waiting" | "processing" | "failed" | "completed") =>
      db.updateTable("analyses").set({ status })
        .where("pid", "=", cases[plan[place]!.case_number - 1]!.pid).execute();
    const placeOf = async () => (await getReadingTask(first, id)).reading?.place ?? null;

    // an unopened case under analysis is skipped, and later does not replace the open reading
    await analysed(0, "waiting");
    assert.equal(await placeOf(), 1);
    await analysed(0, "completed");
    assert.equal(await placeOf(), 1);
    // the open reading's images are missing during a new analysis; its answer is still accepted
    for (const status of ["waiting", "processing"] as const) {
      await analysed(1, status);
      await assert.rejects(getReadingTask(first, id), { code: "study.not_analyzed" });
    }
    await analysed(1, "completed");
    assert.equal(await placeOf(), 1);
    await analysed(1, "processing");
    await answerReading(first, { id, place: 1 }, ANSWER);
    await analysed(1, "completed");
    assert.equal(await placeOf(), 0);
    // after a failed analysis another reading is next, but the answer is still accepted
    await analysed(0, "failed");
    assert.equal(await placeOf(), 2);
    await answerReading(first, { id, place: 0 }, ANSWER);
    await assert.rejects(answerReading(first, { id, place: 0 }, ANSWER), {
      code: "reading_study.answered",
    });
    // a study that is deleted while its reading is open
    await deletePatient(api, cases[plan[2]!.case_number - 1]!.pid);
    await answerReading(first, { id, place: 2 }, ANSWER);
    // only files of the open reading can be read
    assert.equal(await status(first, readingFilePath(id, 3, "t1w_file")), "reading_study.not_next");
    // the reading study is not finished while a case is under analysis
    for (const place of [3, 4, 5]) await analysed(place, "waiting");
    await assert.rejects(getReadingTask(first, id), { code: "study.not_analyzed" });
    for (const place of [3, 4, 5]) await analysed(place, "completed");
    assert.equal((await readAll(first, id, () => ANSWER)).length, 3);
    const { rows } = await (await call(api, readingExportPath(id, "json"))).json();
    assert.equal(rows.length, CASES);
  } finally {
    await db.destroy();
  }
});

// covers: S-229
coreTest("readings of a case whose results or images changed are marked, in any order", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first, second } = await people(open, dataDir);
  try {
    const id = await addReadingStudy(api, POST);
    const { cases } = await getReadingStudy(api, id);
    const plan = await db.selectFrom("reading_study_readings").select(["reader", "place", "arm"])
      .select("case_number").orderBy("reader").orderBy("place").execute();
    const caseAt = (reader: number, place: number) =>
      plan.find((each) => each.reader === reader && each.place === place)!.case_number;
    const pidAt = (reader: number, place: number) => cases[caseAt(reader, place) - 1]!.pid;
    const replaced = async (pid: number, volumeMm3: number, version: string) => {
      const { results } = await db.selectFrom("analyses").select("results").where("pid", "=", pid)
        .executeTakeFirstOrThrow();
      const other = JSON.parse(results!);
      other.volumesMm3[17] += volumeMm3;
      await db.updateTable("analyses")
        .set({ results: JSON.stringify(other), engine_version: version })
        .where("pid", "=", pid).execute();
    };
    const marksOf = async () => {
      const { rows } = await (await call(api, readingExportPath(id, "json"))).json();
      return rows as {
        reader: number;
        case: number;
        reading: number;
        arm: string;
        engine_version: string;
        results_changed: boolean | null;
      }[];
    };
    // results of the first reading with results change while the reading is open
    const changed = plan.find(({ reader, arm }) => reader === 1 && arm === "with")!;
    const engineOf = async (pid: number) =>
      (await db.selectFrom("analyses").select("engine_version").where("pid", "=", pid)
        .executeTakeFirstOrThrow()).engine_version;
    const opened = await engineOf(pidAt(1, changed.place));
    for (let place = 0; place < 2 * CASES; place++) {
      const task = await getReadingTask(first, id);
      if (place === changed.place) await replaced(pidAt(1, place), 100, "9.9.1");
      await answerReading(first, { id, place: task.reading!.place }, ANSWER);
    }
    const own = await marksOf();
    assert.deepEqual(
      own.filter((row) => row.results_changed).map((row) => row.reading),
      [changed.place + 1],
    );
    // the export names the engine of the results that the reader saw
    assert.equal(own[changed.place]!.engine_version, opened);
    // between the two readers, another case is analysed again with another volume
    const between = own.find((row) =>
      row.case !== caseAt(1, changed.place) && row.arm === "with"
    )!.case;
    await replaced(cases[between - 1]!.pid, 50, "9.9.2");
    await readAll(second, id, () => ANSWER);
    const rows = await marksOf();
    const marked = rows.filter((row) => row.results_changed);
    // readings with images only are unmarked; readings of both cases with results are marked
    assert.deepEqual(
      marked.map((row) => [row.reader, row.case, row.arm]).sort(),
      [
        [1, caseAt(1, changed.place), "with"],
        [2, caseAt(1, changed.place), "with"],
        [2, between, "with"],
      ].sort(),
    );
    const details = await getReadingStudy(api, id);
    // three readings showed other results; the two arms have counted the others
    assert.equal(details.unaffected!.left_out, 3);
    assert.deepEqual(details.unaffected!.statistics.arms.map(({ readings }) => readings), [12, 9]);
    assert.deepEqual(
      details.cases.flatMap(({ number, has_changed }) => has_changed ? [number] : []).sort(),
      [caseAt(1, changed.place), between].sort(),
    );
    // readings opened by a release that did not record the digests
    await db.updateTable("reading_study_readings").set({
      images_digest: null,
      results_digest: null,
    })
      .execute();
    const unknown = await marksOf();
    assert.equal(unknown.filter((row) => row.results_changed === null).length, rows.length - 1);
    assert.equal(unknown[changed.place]!.results_changed, true);
  } finally {
    await db.destroy();
  }
});

// covers: S-230
coreTest("a case whose images a reader had seen in the viewer is marked", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first, second } = await people(open, dataDir);
  try {
    const id = await addReadingStudy(api, { ...POST, arms: ["without"] });
    const { cases, readers } = await getReadingStudy(api, id);
    assert.deepEqual(readers.map(({ known_cases }) => known_cases), [0, 0]);
    const numberOf = (pid: number) => cases.find((each) => each.pid === pid)!.number;
    // one case is known by its volume's size, one by its record, one only to a user who does not
    // read it
    await call(first, "/api/v1/patients/1/volume").then((volume) => volume.body?.cancel());
    await getPatient(second, 2);
    await getPatient(api, 3);
    await assert.rejects(getPatient(first, 99), { code: "entity.not_found" });
    await until(async () =>
      (await getReadingStudy(api, id)).readers.every(({ known_cases }) => known_cases === 1)
    );
    await readAll(first, id, () => ANSWER);
    await readAll(second, id, () => ANSWER);
    // opened after the answer, so the case was not known before
    await getPatient(first, 4);
    const { rows } = await (await call(api, readingExportPath(id, "json"))).json();
    assert.deepEqual(
      rows.filter((row: { known_case: boolean }) => row.known_case)
        .map((row: { reader: number; case: number }) => [row.reader, row.case]),
      [[1, numberOf(1)], [2, numberOf(2)]],
    );
    // the page and the export also count without these readings, and give their number
    const details = await getReadingStudy(api, id), { unaffected } = details;
    assert.equal(unaffected!.left_out, 2);
    const readings = ({ arms }: typeof details.statistics) => arms.map((arm) => arm.readings);
    assert.deepEqual(readings(details.statistics), [2 * CASES]);
    assert.deepEqual(readings(unaffected!.statistics), [2 * CASES - 2]);
    const exported = await (await call(api, readingExportPath(id, "json"))).json();
    assert.deepEqual(exported.unaffected, unaffected);
  } finally {
    await db.destroy();
  }
});

// covers: S-230
coreTest("a case whose results a reader had seen in the worklist or in a table is marked", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first, second } = await people(open, dataDir);
  try {
    // without a reading study, the audit log of lists records no study numbers
    await call(first, "/api/v1/patients?page_size=3").then((list) => list.body?.cancel());
    const id = await addReadingStudy(api, { ...POST, arms: ["without"] });
    const { cases } = await getReadingStudy(api, id);
    const known = async () =>
      (await getReadingStudy(api, id)).readers.map((one) => one.known_cases);
    assert.deepEqual(await known(), [0, 0]);
    const open = async (reader: Api, path: string) =>
      void await (await call(reader, path)).body?.cancel();
    // opens the first three rows of the worklist, one of them again, and a fourth thumbnail
    await open(first, "/api/v1/patients?page_size=3");
    await open(first, "/api/v1/patients?page_size=3");
    await open(first, "/api/v1/patients/6?fields=row");
    assert.deepEqual(await known(), [3, 0]);
    await open(first, "/api/v1/patients/3/thumbnail");
    assert.deepEqual(await known(), [4, 0]);
    await open(second, "/api/v1/patients/1?fields=row");
    assert.deepEqual(await known(), [4, 1]);
    const rows = await db.selectFrom("audit").select(["user_id", "pid"])
      .where("event", "=", "reading_study.seen").where("pid", "is not", null).execute();
    assert.deepEqual(
      rows.map(({ user_id, pid }) => `${user_id} ${pid}`).sort(),
      ["2 3", "2 4", "2 5", "2 6", "3 1"],
    );
    await readAll(first, id, () => ANSWER);
    const table = { format: "csv", pid_list: [2, 5], language: "en" };
    const started = await call(second, "/api/v1/patients/excel", { method: "POST", json: table });
    const { excel_id } = await started.json();
    await until(async () => {
      const file = await call(second, `/api/v1/patients/excel/${excel_id}`);
      await file.body?.cancel();
      return file.status === 200;
    });
    assert.deepEqual(await known(), [4, 3]);
    assert.equal(cases.length, CASES);
    // the first reader has finished, so the audit log of lists records no study numbers again
    await open(first, "/api/v1/patients?page_size=50");
    const after = await db.selectFrom("audit").select("pid").where("user_id", "=", 2)
      .where("event", "=", "reading_study.seen").where("pid", "is not", null).execute();
    assert.equal(after.length, 4);
  } finally {
    await db.destroy();
  }
}, { workers: 1 });

// covers: S-230, S-252
coreTest("a reading in one reading study counts in the others, for washout and as a view", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first, second } = await people(open, dataDir);
  const POSTED = { ...POST, asks_region: true };
  try {
    const half = POST.cases.slice(0, 3);
    const a = await addReadingStudy(api, { ...POSTED, arms: ["with"], cases: half });
    const washed = { ...POSTED, arms: ["without" as const], washout_days: 28 };
    const b = await addReadingStudy(api, washed);
    const other = await addReadingStudy(api, { ...washed, washout_days: 0 });
    await readAll(first, a, () => ANSWER);
    // cases that were not shown in the other study can be read now
    const { cases } = await getReadingStudy(api, b);
    const shown: number[] = [];
    const refused = await (async () => {
      for (;;) {
        const { reading } = await getReadingTask(first, b);
        await answerReading(first, { id: b, place: reading!.place }, ANSWER);
        const { case_number } = await db.selectFrom("reading_study_readings").select("case_number")
          .where("reading_study_id", "=", b).where("reader", "=", 1)
          .where("place", "=", reading!.place).executeTakeFirstOrThrow();
        shown.push(cases[case_number - 1]!.pid);
      }
    })().catch((error) => error);
    assert.equal(refused.code, "reading_study.washout");
    const days = (Date.parse(refused.details.until) - Date.now()) / 86_400_000;
    assert.ok(days > 27.9 && days <= 28, String(days));
    assert.deepEqual(shown.sort(), [4, 5, 6]);
    // a reader without earlier readings need not wait
    assert.equal((await readAll(second, b, () => ANSWER)).length, CASES);
    // without a washout, known cases are shown and marked; an open reading counts as read
    await getReadingTask(second, other);
    await readAll(first, other, () => ANSWER);
    const { rows } = await (await call(api, readingExportPath(other, "json"))).json();
    assert.deepEqual(
      rows.map((row: { known_case: boolean }) => row.known_case),
      Array.from({ length: CASES }, () => true),
    );
    const known = (await getReadingStudy(api, b)).readers.map(({ known_cases }) => known_cases);
    // the three cases read in study A; later readings elsewhere do not count
    assert.deepEqual(known, [3, 0]);
  } finally {
    await db.destroy();
  }
});

coreTest("files of a reading are no view of its case, and hide none", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first } = await people(open, dataDir);
  try {
    const id = await addReadingStudy(api, { ...POST, arms: ["without"], readers: [2] });
    const { cases } = await getReadingStudy(api, id);
    const plan = await db.selectFrom("reading_study_readings").select("case_number")
      .orderBy("place").execute();
    const known: number[] = [];
    for (let place = 0; place < CASES; place++) {
      await getReadingTask(first, id);
      const file = await call(first, readingFilePath(id, place, "t1w_file"));
      await file.body?.cancel();
      if (place % 2) {
        const { case_number } = plan[place]!;
        const volume = await call(
          first,
          `/api/v1/patients/${cases[case_number - 1]!.pid}/volume`,
        );
        await volume.body?.cancel();
        known.push(case_number);
      }
      await answerReading(first, { id, place }, ANSWER);
    }
    const { rows } = await (await call(api, readingExportPath(id, "json"))).json();
    assert.deepEqual(
      rows.filter((row: { known_case: boolean }) => row.known_case)
        .map((row: { case: number }) => row.case),
      known,
    );
  } finally {
    await db.destroy();
  }
});

coreTest("washout is enforced by the server's time, and deleted cases are left out", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first } = await people(open, dataDir);
  try {
    const id = await addReadingStudy(api, { ...POST, washout_days: 28, readers: [2] });
    for (let n = 0; n < CASES; n++) {
      const { reading } = await getReadingTask(first, id);
      await answerReading(first, { id, place: reading!.place }, ANSWER);
    }
    const refused = await getReadingTask(first, id).then(() => null, (error) => error);
    assert.equal(refused.code, "reading_study.washout");
    const days = (Date.parse(refused.details.until) - Date.now()) / 86_400_000;
    assert.ok(days > 27.9 && days <= 28, String(days));
    const file = await status(first, readingFilePath(id, CASES, "t1w_file"));
    assert.equal(file, "reading_study.washout");
    await assert.rejects(answerReading(first, { id, place: CASES }, ANSWER), {
      code: "reading_study.washout",
    });
    const [mine] = (await getReadingStudies(first)).studies;
    assert.equal(mine!.mine!.opens_at, refused.details.until);

    // sets the answers' times back: one minute too little, then enough
    const guard = "reading_study_answers_append_only";
    await (dataDir && await isPostgresSite(db)
      ? sql`ALTER TABLE reading_study_answers DISABLE TRIGGER ${sql.id(guard)}`
      : sql`DROP TRIGGER reading_study_answers_no_update`).execute(db);
    const moved = async (ms: number) => {
      const at = new Date(Date.now() - ms).toISOString();
      await db.updateTable("reading_study_answers").set({ answered_at: at })
        .where("place", "=", 0).execute();
      await db.updateTable("reading_study_answers").set({ answered_at: "2026-01-01T00:00:00.000Z" })
        .where("place", ">", 0).execute();
    };
    await moved(28 * 86_400_000 - 60_000);
    await assert.rejects(getReadingTask(first, id), { code: "reading_study.washout" });
    await moved(28 * 86_400_000 + 1000);
    const { reading } = await getReadingTask(first, id);
    assert.equal(reading!.place, CASES);

    // after the next case is deleted, the one after it is next
    const details = await getReadingStudy(api, id);
    const plan = await db.selectFrom("reading_study_readings").select(["place", "case_number"])
      .where("place", "=", CASES).executeTakeFirstOrThrow();
    await deletePatient(api, details.cases[plan.case_number - 1]!.pid);
    assert.equal((await getReadingTask(first, id)).reading!.place, CASES + 1);
    const left = await readAll(first, id, () => ANSWER);
    assert.equal(left.length, CASES - 1);
    const after = await getReadingStudy(api, id);
    assert.equal(after.cases.filter(({ is_available }) => !is_available).length, 1);
    assert.equal(after.readers[0]!.done, 2 * CASES - 1);
  } finally {
    await db.destroy();
  }
});

const isPostgresSite = async (db: Database): Promise<boolean> =>
  await sql`SELECT version()`.execute(db).then(() => true, () => false);

coreTest(
  "administrators who read a study see its cases and results after their last reading",
  async (
    { api, open, dataDir },
  ) => {
    await addReported(dataDir, CASES, 8);
    const db = await openBeside(dataDir);
    const colleague = await user(open, db, "colleague", "administrator");
    await db.destroy();
    const id = await addReadingStudy(api, { ...POST, readers: [2], arms: ["with"] });
    for (const path of [`/api/v1/reading-studies/${id}`, readingExportPath(id, "json")]) {
      assert.equal(await status(colleague, path), "reading_study.blinded");
    }
    await readAll(colleague, id, () => ANSWER);
    const { statistics, readers } = await getReadingStudy(colleague, id);
    assert.deepEqual([statistics.contrast, readers[0]!.done], [null, CASES]);
  },
);

coreTest(
  "random designs: every reader meets every case once in each arm, whoever calls when",
  async (
    { api, open, dataDir },
  ) => {
    await addReported(dataDir, CASES, 8);
    const { db, first, second } = await people(open, dataDir);
    const random = new Random(52), pick = (n: number) => Math.floor(random.uniform() * n);
    try {
      for (let round = 0; round < 6; round++) {
        const cases = POST.cases.slice(0, 2 + pick(CASES - 1)), readers = pick(2) ? [2, 3] : [3, 2];
        const arms = ([["with"], ["without"], ["without", "with"]] as const)[pick(3)]!;
        const id = await addReadingStudy(api, { ...POST, cases, readers, arms: [...arms] });
        const open = new Set([first, second]);
        while (open.size > 0) {
          const reader = [...open][pick(open.size)]!,
            { reading } = await getReadingTask(reader, id);
          if (!reading) open.delete(reader);
          else if (pick(4) > 0) await answerReading(reader, { id, place: reading.place }, ANSWER);
        }
        const { rows } = await (await call(api, readingExportPath(id, "json"))).json();
        const keys = new Set(
          rows.map((row: { reader: number; case: number; arm: string }) =>
            `${row.reader} ${row.case} ${row.arm}`
          ),
        );
        assert.equal(rows.length, 2 * cases.length * arms.length);
        assert.equal(keys.size, rows.length);
        // two simultaneous answers: one is stored
        const again = await addReadingStudy(api, { ...POST, cases, readers, arms: [...arms] });
        await getReadingTask(first, again);
        const answers = await Promise.allSettled(
          [1, 2, 3].map((rating) =>
            answerReading(first, { id: again, place: 0 }, { ...ANSWER, rating })
          ),
        );
        assert.equal(
          answers.filter(({ status }) => status === "fulfilled").length,
          1,
        );
      }
    } finally {
      await db.destroy();
    }
  },
);

coreTest("without a washout, a reader has no case open in two reading studies", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const { db, first } = await people(open, dataDir);
  try {
    const cases = POST.cases.slice(0, 2), design = { ...POST, cases, readers: [2] };
    const a = await addReadingStudy(api, { ...design, arms: ["without"] });
    const b = await addReadingStudy(api, { ...design, arms: ["with"] });
    const open = async (id: number) => (await getReadingTask(first, id)).reading!.place;
    const openPids = async () => {
      const rows = await db.selectFrom("reading_study_readings as r")
        .innerJoin(
          "reading_study_cases as c",
          (join) =>
            join.onRef("c.reading_study_id", "=", "r.reading_study_id")
              .onRef("c.number", "=", "r.case_number"),
        )
        .leftJoin(
          "reading_study_answers as a",
          (join) =>
            join.onRef("a.reading_study_id", "=", "r.reading_study_id")
              .onRef("a.place", "=", "r.place"),
        )
        .select("c.pid").where("r.opened_at", "is not", null)
        .where("a.answered_at", "is", null).execute();
      return rows.map(({ pid }) => pid).sort();
    };
    // each study opens another case, in any order of the plans
    await open(a);
    const place = await open(b);
    assert.deepEqual(await openPids(), [1, 2]);
    await answerReading(first, { id: b, place }, ANSWER);
    await assert.rejects(getReadingTask(first, b), { code: "reading_study.open_elsewhere" });
    await answerReading(first, { id: a, place: await open(a) }, ANSWER);
    await open(b);
    assert.equal((await openPids()).length, 1);
    await readAll(first, b, () => ANSWER);
    await readAll(first, a, () => ANSWER);
  } finally {
    await db.destroy();
  }
});

coreTest("the audit log hides cases and arms from an administrator who still reads", async (
  { api, open, dataDir },
) => {
  await addReported(dataDir, CASES, 8);
  const db = await openBeside(dataDir);
  try {
    const reader = await user(open, db, "reader", "administrator");
    const other = await user(open, db, "second", "reader");
    const id = await addReadingStudy(api, POST);
    await readAll(other, id, () => ANSWER);
    await getReadingTask(reader, id);
    await getPatient(reader, 1).then(() => call(reader, "/api/v1/patients/2?fields=row"));
    const events = ["reading_study.read", "reading_study.answer", "reading_study.seen"];
    const found = async (from: Api) => {
      const totals = [];
      for (const filter of [...events.map((event) => `event=${event}`), "search=reading_study."]) {
        const { entries } = await (await call(from, `/api/v1/audit?per_page=200&${filter}`)).json();
        totals.push(
          entries.filter(({ event }: { event: string }) => events.includes(event)).length,
        );
      }
      const csv = await (await call(from, "/api/v1/audit/export?language=en")).text();
      totals.push(
        csv.split("\n").filter((line) => events.some((each) => line.includes(each))).length,
      );
      return totals;
    };
    assert.deepEqual(await found(reader), [0, 0, 0, 0, 0]);
    assert.ok((await found(api)).every((total) => total > 0));
    await readAll(reader, id, () => ANSWER);
    assert.ok((await found(reader)).every((total) => total > 0));
  } finally {
    await db.destroy();
  }
});
