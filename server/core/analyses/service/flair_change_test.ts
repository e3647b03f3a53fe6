// covers: S-125
import assert from "node:assert/strict";
import { sql } from "kysely";
import { AppError } from "@/model/errors.ts";
import {
  completeAnalysis,
  insertAnalysis,
  startAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  findFlairChange,
  type FlairChangeResults,
  type FlairPair,
  listFlairPatientIdsOf,
  listUncomparedFlairs,
  listVerdicts,
  masksKey,
  saveFlairChange,
  saveFlairFailure,
} from "@/server/core/analyses/storage/flair_changes.ts";
import { insertBinned, restoreBinned } from "@/server/core/studies/storage/bin.ts";
import {
  deletePatient,
  insertPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { insertOutbox, listOutbox, runOf } from "@/server/core/connections/storage/outbox.ts";
import {
  currentFlairChange,
  flairChangeJob,
  flairPairs,
  queueFlairChanges,
  sendChanges,
  watchFlairs,
} from "@/server/core/analyses/service/flair_change.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { carriedVerdicts, marksOf, runsOf } from "@/server/core/analyses/service/flair_pair.ts";
import {
  getLesionChanges,
  judgeLesionChange,
} from "@/server/core/reading/service/lesion_changes.ts";
import { getComparables } from "@/server/core/reading/service/comparables.ts";
import { flairLongitudinalOf } from "@/server/core/reports/service/report_flair_visits.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { until } from "@/tests/sites/until.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const USER = {
  email: "r@example.org",
  name: "Reader",
  passwordHash: "x",
  state: "active" as const,
  role: "reader" as const,
  createdAt: "2026-01-01T00:00:00.000Z",
};
const AT = "2026-01-01T00:00:00.000Z", HASH = "a".repeat(64);

/** A study whose FLAIR series is analysed. */
async function addStudy(db: Database, patientId: string, studyDate: string): Promise<number> {
  const studyUid = `1.2.${studyDate.replaceAll("-", "")}.${patientId.length}`;
  const pid = await insertPatient(db, {
    studyUid,
    patientId,
    patientName: "P",
    birthDate: null,
    sex: null,
    age: null,
    studyDate,
    createdAt: AT,
    createdBy: null,
  });
  const series = {
    pid,
    seriesUid: studyUid,
    kind: "t2",
    description: "",
    volumeBlob: HASH,
    createdAt: AT,
  };
  const seriesId = await insertSeries(db, series as Parameters<typeof insertSeries>[1]);
  await setActiveSeries(db, pid, "t2", seriesId);
  await addAnalysis(db, pid, seriesId);
  return pid;
}

async function addAnalysis(
  db: Database,
  pid: number,
  seriesId: number,
  grade = "B",
): Promise<void> {
  const id = await insertAnalysis(db, {
    pid,
    seriesId,
    kind: "t2",
    parameters: {},
    inputHashes: [],
    requestedAt: AT,
    requestedBy: null,
  });
  await setLatestAnalysis(db, pid, "t2", id);
  await startAnalysis(db, id, AT);
  const flair = { grade, t1FromFlairRows: [1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] };
  await completeAnalysis(
    db,
    id,
    {
      engineVersion: "e",
      results: flair,
      stages: [],
      files: [{ field: "t2w_file", blob: HASH, gzipBlob: HASH }],
      finishedAt: AT,
    } as unknown as Parameters<
      typeof completeAnalysis
    >[2],
  );
}

const lesion = (kind: "new" | "gone") => ({
  kind,
  isSure: true,
  changedMm3: 60,
  beforeMm3: kind === "new" ? 0 : 60,
  afterMm3: kind === "new" ? 60 : 0,
  z: 9,
  centreRasMm: [[1, 2, 3], [4, 5, kind === "new" ? 6 : 16]] as [
    [number, number, number],
    [number, number, number],
  ],
});

/** A comparison with one lesion for each change. */
function resultsOf(pair: FlairPair, changes = [lesion("new"), lesion("gone")]): FlairChangeResults {
  return {
    masks: masksKey(pair),
    priorDate: pair.prior.studyDate,
    lesions: changes.map((change, n) => ({
      ...change,
      parts: [n],
      listed: { before: [], after: [] },
    })),
    runs: [[3, 2], [9, 1]],
    compared: { changes, runs: [[], []], currentFromPrior: [] },
    ncc: 1,
    noise: 0,
  };
}

databaseTest(
  "lesion changes: each study with the one before, judged by readers until it is analysed again",
  async (database) => {
    const db = await database.open(), published: unknown[] = [];
    const services = {
      db,
      publish: (event: unknown) => published.push(event),
    } as unknown as ServiceContext;
    try {
      await insertBlobs(
        db,
        [{ hash: HASH, sizeBytes: 1 }] as Parameters<typeof insertBlobs>[1],
        AT,
      );
      const first = await addStudy(db, "A", "2024-01-01"),
        second = await addStudy(db, "A", "2025-01-01");
      const third = await addStudy(db, "A", "2026-01-01");
      await addStudy(db, "BB", "2025-06-01");
      const pairs = await flairPairs(db, "A");
      assert.deepEqual(pairs.map(({ prior, current }) => [prior.pid, current.pid]), [[
        first,
        second,
      ], [
        second,
        third,
      ]]);
      assert.deepEqual(await flairPairs(db, "BB"), []);
      assert.equal((await getLesionChanges(services, first)).state, "none");
      assert.equal((await getLesionChanges(services, second)).state, "waiting");

      const results = resultsOf(pairs[0]!);
      await saveFlairChange(db, pairs[0]!, { results, finishedAt: AT });
      await saveFlairFailure(db, pairs[1]!, {
        errorCode: "engine.unsupported_input",
        finishedAt: AT,
      });
      assert.equal((await getLesionChanges(services, third)).state, "failed");
      // what left, or was not found, before the comparison ended leaves now
      const peer = {
        name: "PACS",
        kind: "dicom" as const,
        config: "{}",
        secret: null,
        last_error: null,
      };
      await db.insertInto("peers").values({ ...peer, last_ok_at: null, created_at: AT }).execute();
      const run = runOf([pairs[0]!.current.analysisId]);
      const kinds = ["changes", "measurements", "report"];
      await insertOutbox(db, kinds.map((kind) => ({ peerId: 1, pid: second, run, kind })), AT);
      await db.updateTable("outbox").set({ state: "nothing" }).where("kind", "=", "changes")
        .execute();
      await db.updateTable("outbox").set({ state: "sent" }).where("kind", "!=", "changes")
        .execute();
      await sendChanges(db, second);
      assert.deepEqual(
        (await listOutbox(db, 9)).map(({ kind, state }) => [kind, state]).toSorted(),
        [
          ["changes", "waiting"],
          ["measurements", "waiting"],
          ["report", "sent"],
        ],
      );
      const uid = (await insertUser(db, USER))!, caller = { uid, sid: "s" };
      // a verdict that cannot be noted as a change is not given
      await sql`ALTER TABLE result_changes RENAME TO result_changes_away`.execute(db);
      await assert.rejects(judgeLesionChange(services, second, 1, { is_confirmed: false }, caller));
      await sql`ALTER TABLE result_changes_away RENAME TO result_changes`.execute(db);
      assert.deepEqual(await listVerdicts(db, second), []);
      await judgeLesionChange(services, second, 1, { is_confirmed: false }, caller);
      await judgeLesionChange(services, second, 0, { is_confirmed: false }, caller);
      await judgeLesionChange(services, second, 0, { is_confirmed: true }, caller);
      const found = await getLesionChanges(services, second);
      assert.deepEqual(found.prior, { pid: first, study_date: "2024-01-01" });
      assert.deepEqual(
        found.lesions.map(({ kind, is_confirmed, decided_by }) => [kind, is_confirmed, decided_by]),
        [["new", true, "Reader"], ["gone", false, "Reader"]],
      );
      // in the space of the study's own images, which the FLAIR was registered to
      assert.deepEqual(found.lesions[0]!.centre_ras_mm, [14, 5, 6]);
      assert.equal(found.lesions[0]!.after_ml, 0.06);
      assert.deepEqual([found.is_prior_unreliable, found.lesions[0]!.changed_ml], [
        undefined,
        0.06,
      ]);
      // measured by another engine: the difference may be its own, so none is given
      const engineOf = (name: string) =>
        db.updateTable("analyses").set({ engine_version: name })
          .where("id", "=", pairs[0]!.prior.analysisId).execute();
      await engineOf("another");
      const others = await getLesionChanges(services, second);
      assert.deepEqual(
        [
          others.is_other_method,
          others.lesions.map(({ is_sure, changed_ml }) => [is_sure, changed_ml]),
        ],
        [true, [[true, null], [true, null]]],
      );
      await engineOf("e");
      assert.equal(found.is_other_method, undefined);
      assert.equal(published.length, 3);
      await judgeLesionChange(services, second, 1, { is_confirmed: null }, caller);
      assert.deepEqual((await listVerdicts(db, second)).map(({ lesion }) => lesion), [0]);
      await assert.rejects(judgeLesionChange(services, second, 2, { is_confirmed: true }, caller), {
        code: "entity.not_found",
      });

      assert.deepEqual(await listFlairPatientIdsOf(db, first), ["A"]);
      await db.updateTable("patients").set({ patient_id: "moved" }).where("pid", "=", first)
        .execute();
      assert.deepEqual((await listFlairPatientIdsOf(db, first)).toSorted(), ["A", "moved"]);
      await db.updateTable("patients").set({ patient_id: "A" }).where("pid", "=", first).execute();

      // readers corrected a mask: its volumes are another's until they are matched again
      const everyone = { after: "", until: null };
      const unmatched = () => listUncomparedFlairs(db, everyone);
      assert.deepEqual(await unmatched(), []);
      const setCorrected = (at: string | null) =>
        db.updateTable("analyses").set({ corrected_at: at })
          .where("id", "=", pairs[0]!.current.analysisId).execute();
      await setCorrected("2026-01-02T00:00:00.000Z");
      assert.equal((await getLesionChanges(services, second)).state, "waiting");
      assert.deepEqual(await unmatched(), ["A"]);
      const [corrected] = await flairPairs(db, "A");
      // one lesion now has both changes: it keeps the confirmed verdict
      const joined = resultsOf(corrected!);
      joined.lesions = [{ ...joined.lesions[0]!, parts: [0, 1] }];
      await saveFlairChange(
        db,
        corrected!,
        { results: joined, finishedAt: AT },
        carriedVerdicts(results, joined),
      );
      assert.deepEqual(await unmatched(), []);
      assert.deepEqual(
        (await getLesionChanges(services, second)).lesions.map((
          { is_confirmed, places_ras_mm },
        ) => [
          is_confirmed,
          places_ras_mm,
        ]),
        [[true, [[14, 5, 6], [14, 5, 16]]]],
      );
      await setCorrected(null);

      // analysed again: what was compared no longer holds
      await addAnalysis(db, first, pairs[0]!.prior.seriesId, "C");
      assert.equal(await currentFlairChange(db, second, "A"), null);
      assert.equal((await getLesionChanges(services, second)).state, "waiting");
      // and what readers said of it goes with the comparison that takes its place
      const [again] = await flairPairs(db, "A");
      await saveFlairChange(db, again!, {
        results: resultsOf(again!),
        finishedAt: AT,
      });
      assert.deepEqual(await listVerdicts(db, second), []);
      // beside a result of grade C there is no change of a volume, and no sure change
      const unreliable = await getLesionChanges(services, second);
      assert.deepEqual(
        [unreliable.is_prior_unreliable, unreliable.is_current_unreliable],
        [true, undefined],
      );
      assert.deepEqual(unreliable.lesions.map(({ is_sure, changed_ml }) => [is_sure, changed_ml]), [
        [false, null],
        [false, null],
      ]);
    } finally {
      await db.destroy();
    }
  },
);

Deno.test("runsOf() holds every marked voxel, by lesion", () => {
  const marks = Uint8Array.of(0, 1, 1, 2, 0, 0, 1, 3);
  assert.deepEqual(runsOf(marks, 3), [[1, 2, 6, 1], [3, 1], [7, 1]]);
  assert.deepEqual(marksOf(runsOf(marks, 3), marks.length), marks);
});

// covers: S-245
databaseTest(
  "lesions are compared with the last study of the same person, not of another one with the ID",
  async (database) => {
    const db = await database.open(), everyone = { after: "", until: null };
    try {
      await insertBlobs(
        db,
        [{ hash: HASH, sizeBytes: 1 }] as Parameters<typeof insertBlobs>[1],
        AT,
      );
      const pids: number[] = [];
      for (const year of [2020, 2021, 2022]) pids.push(await addStudy(db, "P", `${year}-01-01`));
      const pairs = async () =>
        (await flairPairs(db, "P")).map(({ prior, current }) => [
          pids.indexOf(prior.pid),
          pids.indexOf(current.pid),
        ]);
      const set = (
        at: number,
        patient_birthdate: string | null,
        patient_sex: "male" | "female" | null,
      ) =>
        db.updateTable("patients").set({ patient_birthdate, patient_sex })
          .where("pid", "=", pids[at]!).execute();
      assert.deepEqual(await pairs(), [[0, 1], [1, 2]]);
      await set(1, "1981-02-03", "male");
      assert.deepEqual(await pairs(), [[0, 1], [1, 2]], "a record without a date contradicts none");
      await set(0, "1950-01-01", "male");
      await set(2, "1950-01-01", "male");
      assert.deepEqual(await pairs(), [[0, 2]]);
      const save = async () => {
        for (const pair of await flairPairs(db, "P")) {
          await saveFlairChange(db, pair, {
            results: resultsOf(pair),
            finishedAt: AT,
          });
        }
      };
      assert.deepEqual(await listUncomparedFlairs(db, everyone), ["P"]);
      await save();
      assert.deepEqual(await listUncomparedFlairs(db, everyone), []);
      await set(0, "1950-01-01", "female");
      assert.deepEqual(await pairs(), []);
      assert.deepEqual(await listUncomparedFlairs(db, everyone), []);
      assert.equal(await currentFlairChange(db, pids[2]!, "P"), null);
    } finally {
      await db.destroy();
    }
  },
);

databaseTest(
  "changes that were sent leave again when the earlier study is another person's, and when it is not",
  async (database) => {
    const db = await database.open();
    try {
      await insertBlobs(
        db,
        [{ hash: HASH, sizeBytes: 1 }] as Parameters<typeof insertBlobs>[1],
        AT,
      );
      const first = await addStudy(db, "P", "2020-01-01"),
        second = await addStudy(db, "P", "2021-01-01");
      const [pair] = await flairPairs(db, "P");
      await saveFlairChange(db, pair!, {
        results: resultsOf(pair!),
        finishedAt: AT,
      });
      await db.insertInto("peers").values({
        name: "PACS",
        kind: "dicom",
        config: JSON.stringify({ results: ["changes", "report", "lesions"] }),
        secret: null,
        last_error: null,
        last_ok_at: null,
        created_at: AT,
      }).execute();
      for (const pid of [first, second]) await queueResults(db, pid);
      const sent = () => db.updateTable("outbox").set({ state: "sent", lease_ms: null }).execute();
      await sent();
      const leaving = async () => {
        const waiting = (await listOutbox(db, 100)).filter(({ state }) => state === "waiting");
        await sent();
        return waiting.map(({ pid, kind }) => `${pid} ${kind}`).sort();
      };
      const look = async () => {
        await queueFlairChanges(db, "P");
        return await leaving();
      };
      const birth = (pid: number, patient_birthdate: string | null) =>
        db.updateTable("patients").set({ patient_birthdate }).where("pid", "=", pid).execute();
      const again = [`${second} changes`, `${second} report`];
      assert.deepEqual(await look(), []);
      await birth(first, "1950-01-01");
      await birth(second, "1981-02-03");
      for (let time = 0; time < 3; time++) {
        await birth(first, "1905-01-01");
        assert.deepEqual(await look(), again, `withdrawn ${time}`);
        assert.deepEqual(await look(), []);
        await birth(first, "1981-02-03");
        assert.deepEqual(await look(), again, `compared again ${time}`);
        assert.deepEqual(await look(), []);
      }
      // a study without a FLAIR series that says that the records are of two persons is heard
      await birth(first, null);
      assert.deepEqual(await look(), []);
      const other = await insertPatient(db, { ...newStudy(77), patientId: "P" });
      const services = { db, log: () => {}, wakeJobs: () => {} } as unknown as ServiceContext;
      const watch = watchFlairs(services);
      const isLeaving = async () =>
        (await listOutbox(db, 100)).some(({ state }) => state === "waiting");
      watch.hear({ event: "study_create", pid_list: [other] });
      await until(isLeaving);
      assert.deepEqual(await leaving(), again);
      // and so is its return from the bin
      await db.updateTable("patients").set({ patient_id: "Q" }).where("pid", "=", other).execute();
      assert.deepEqual(await look(), again);
      await insertBinned(db, first, { userId: 1, at: AT, reason: null }, []);
      await deletePatient(db, first, { userId: 1, at: AT });
      assert.deepEqual(await look(), again);
      assert.ok(await restoreBinned(db, first));
      watch.hear({ event: "study_create", pid_list: [first] });
      await until(isLeaving);
      assert.deepEqual(await leaving(), again);
      await watch.close();
    } finally {
      await db.destroy();
    }
  },
);

databaseTest(
  "lesions of a study that may be of two people with one patient ID are compared with neither",
  async (database) => {
    const db = await database.open(), everyone = { after: "", until: null };
    try {
      await insertBlobs(
        db,
        [{ hash: HASH, sizeBytes: 1 }] as Parameters<typeof insertBlobs>[1],
        AT,
      );
      const pids: number[] = [];
      for (const year of [2020, 2021, 2022]) pids.push(await addStudy(db, "P", `${year}-01-01`));
      const set = (pid: number, record: [birth: string | null, sex: "male" | "female" | null]) =>
        db.updateTable("patients").set({ patient_birthdate: record[0], patient_sex: record[1] })
          .where("pid", "=", pid).execute();
      const services = { db, log: () => {} } as unknown as ServiceContext;
      /** Studies with which each one is compared: lesions, volumes, images, and in the worklist's SQL. */
      const compared = async () => {
        const pairs = (await flairPairs(db, "P")).map(({ prior, current }) => [
          pids.indexOf(prior.pid),
          pids.indexOf(current.pid),
        ]);
        assert.deepEqual(
          await listUncomparedFlairs(db, everyone),
          pairs.length > 0 ? ["P"] : [],
        );
        for (const pid of pids) {
          const listed = (await getComparables(services, pid)).studies.map(({ pid }) => pid);
          const ofPair = pairs.filter((pair) => pair.includes(pids.indexOf(pid)));
          assert.equal(listed.length > 0, ofPair.length > 0, `images of ${pids.indexOf(pid)}`);
          for (const [prior, current] of ofPair) {
            assert.ok(listed.includes(pids[prior!] === pid ? pids[current!]! : pids[prior!]!));
          }
        }
        return pairs;
      };
      await set(pids[0]!, ["1950-01-01", "female"]);
      assert.deepEqual(await compared(), [[0, 1], [1, 2]]);
      await set(pids[1]!, ["1975-01-01", "male"]);
      assert.deepEqual(await compared(), []);
      for (const pid of pids) assert.equal(await flairLongitudinalOf(services, pid, "P"), null);
      await set(pids[2]!, [null, "male"]);
      assert.deepEqual(await compared(), [[1, 2]]);
      await set(pids[1]!, [null, null]);
      await set(pids[2]!, ["1950-01-01", "female"]);
      assert.deepEqual(await compared(), [[0, 1], [1, 2]]);
      // another person's study without a FLAIR series counts too
      const { patient_name: patientName } = await db.selectFrom("patients").select("patient_name")
        .where("pid", "=", pids[0]!).executeTakeFirstOrThrow();
      const another = { ...newStudy(77), patientId: "P", patientName, sex: "male" as const };
      const foreign = await insertPatient(db, another);
      assert.deepEqual(await compared(), [[0, 2]]);
      await set(foreign, ["1950-01-01", "female"]);
      assert.deepEqual(await compared(), [[0, 1], [1, 2]]);
      // without birth dates, the name tells people apart
      for (const pid of [...pids, foreign]) await set(pid, [null, null]);
      await db.updateTable("patients").set({ patient_name: "Kim Minsu" }).execute();
      await db.updateTable("patients").set({ patient_name: "Park Jihoon" })
        .where("pid", "=", pids[1]!).execute();
      const pairs = (await flairPairs(db, "P")).map(({ prior, current }) => [
        pids.indexOf(prior.pid),
        pids.indexOf(current.pid),
      ]);
      assert.deepEqual(pairs, [[0, 2]]);
      assert.deepEqual((await getComparables(services, pids[1]!)).studies, []);
      assert.deepEqual(
        (await getComparables(services, pids[1]!)).not_compared?.map(({ differs }) => differs),
        [["name"], ["name"]],
      );
    } finally {
      await db.destroy();
    }
  },
);

databaseTest(
  "a failed comparison of FLAIR series touches its own pair alone, and readers' verdicts stay",
  async (database) => {
    const db = await database.open(), folder = await Deno.makeTempDir(), woken: string[] = [];
    const services = {
      db,
      // has no files: no pair can be compared
      blobs: new DiskBlobs(folder, { key: null }),
      publish: () => {},
      wakeJobs: () => void woken.push("woken"),
    } as unknown as ServiceContext;
    try {
      await insertBlobs(
        db,
        [{ hash: HASH, sizeBytes: 1 }] as Parameters<typeof insertBlobs>[1],
        AT,
      );
      for (const year of [2020, 2021, 2022, 2023]) await addStudy(db, "P", `${year}-01-01`);
      const pairs = await flairPairs(db, "P"), [first, second, third] = pairs.map((p) => p.current);
      const uid = (await insertUser(db, USER))!, caller = { uid, sid: "s" };
      for (const pair of [pairs[0]!, pairs[2]!]) {
        await saveFlairChange(db, pair, { results: resultsOf(pair), finishedAt: AT });
        await judgeLesionChange(services, pair.current.pid, 1, { is_confirmed: false }, caller);
      }
      const correct = (at: string) =>
        db.updateTable("analyses").set({ corrected_at: at })
          .where("id", "in", [pairs[0]!.prior.analysisId, third!.analysisId]).execute();
      const job = flairChangeJob(services), payload = { patientId: "P" };
      const run = { signal: new AbortController().signal, progress: () => {} };
      const error = await job.run(payload, run).then(() => null, (error) => error);
      assert.ok(error instanceof AppError);
      // masks are corrected between the failure and its end: the first study misses one as well
      await correct("2026-01-02T00:00:00.000Z");
      await job.failed(payload, error);
      const statesOf = async () =>
        await Promise.all(
          [first, second, third].map(async (visit) =>
            (await getLesionChanges(services, visit!.pid)).state
          ),
        );
      assert.deepEqual(await statesOf(), ["waiting", "failed", "waiting"]);
      const verdictsOf = async () =>
        await Promise.all(
          [first, third].map(async (visit) =>
            (await listVerdicts(db, visit!.pid)).map((
              { lesion, isConfirmed },
            ) => [lesion, isConfirmed])
          ),
        );
      assert.deepEqual(await verdictsOf(), [[[1, false]], [[1, false]]]);
      assert.deepEqual(woken, ["woken"], "the other pairs are queued again");

      // the others fail after it, one by one: each keeps the readers' verdicts, and none is shown
      for (const states of [["failed", "failed", "waiting"], ["failed", "failed", "failed"]]) {
        const next = await job.run(payload, run).then(() => null, (error) => error);
        await job.failed(payload, next);
        await job.failed(payload, next);
        assert.deepEqual(await statesOf(), states);
      }
      assert.deepEqual(await verdictsOf(), [[[1, false]], [[1, false]]]);
      assert.equal(await currentFlairChange(db, first!.pid, "P"), null);
      assert.deepEqual(await listUncomparedFlairs(db, { after: "", until: null }), []);
      await job.run(payload, run);

      // corrected again: the comparison is made again, and takes the verdicts over
      await correct("2026-01-03T00:00:00.000Z");
      const [again] = await flairPairs(db, "P");
      const stored = (await findFlairChange(db, first!.pid))!.results!;
      const results = resultsOf(again!);
      const carried = carriedVerdicts(stored, results);
      await saveFlairChange(db, again!, { results, finishedAt: AT }, carried);
      assert.deepEqual(
        (await getLesionChanges(services, first!.pid)).lesions.map((one) => one.is_confirmed),
        [null, false],
      );
    } finally {
      await db.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  },
);
