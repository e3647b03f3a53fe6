// covers: S-145, S-245
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import {
  listLongitudinals,
  saveLongitudinal,
} from "@/server/core/analyses/storage/longitudinal.ts";
import { comparableVisits } from "@/server/core/analyses/service/comparable_visits.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { listOutbox } from "@/server/core/connections/storage/outbox.ts";
import { insertMerge } from "@/server/core/connections/storage/patient_merges.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { identityOf } from "@/server/core/studies/service/headers/hospital_identity.ts";
import {
  findPatient,
  insertPatient,
  readPatients,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const AT = "2026-01-06T00:00:00Z", HASH = "a".repeat(64);

/** A study with an analysed T1w series. */
async function addStudy(db: Database, n: number, patientId: string): Promise<number> {
  const studyDate = `${2018 + n}-01-05`;
  const pid = await insertPatient(db, { ...newStudy(n), patientId, studyDate });
  const seriesId = await insertSeries(db, {
    pid,
    seriesUid: `1.2.3.${n}.1`,
    kind: "t1",
    description: "T1w",
    volumeBlob: HASH,
    createdAt: AT,
  });
  await setActiveSeries(db, pid, "t1", seriesId);
  const id = await insertAnalysis(db, {
    pid,
    seriesId,
    kind: "t1",
    parameters: {},
    inputHashes: [],
    requestedAt: AT,
    requestedBy: null,
  });
  await setLatestAnalysis(db, pid, "t1", id);
  const results = { volumesMm3: [], icvMm3: 1, shape: [1, 1, 1], rasFromIjkRows: [] };
  await db.updateTable("analyses").set({
    status: "completed",
    grade: "A",
    finished_at: AT,
    results: JSON.stringify({ ...results, quality: { grade: "A" } }),
  }).where("id", "=", id).execute();
  return pid;
}

databaseTest(
  "the undo of a merge takes what was compared with the studies that leave from finding and outbox",
  async (database) => {
    const db = await database.open();
    try {
      await insertBlobs(
        db,
        [{ hash: HASH, sizeBytes: 1 }] as Parameters<typeof insertBlobs>[1],
        AT,
      );
      const uid = (await insertUser(db, {
        email: "a@example.org",
        name: "A",
        passwordHash: "x",
        state: "active",
        role: "administrator",
        createdAt: AT,
      }))!;
      const moved = await addStudy(db, 1, "P-2"), pids = [moved];
      for (const n of [2, 3]) pids.push(await addStudy(db, n, "P-2"));
      const before = { ...identityOf((await findPatient(db, moved))!), patientId: "P-1" };
      const merge = await insertMerge(db, {
        priorId: "P-1",
        patientId: "P-2",
        eventMs: Date.now(),
        mergedAt: new Date().toISOString(),
        system: "HIS",
        controlId: "1",
        moved: [{ pid: moved, before }],
        movedOrders: [],
      });
      const [visits] = await comparableVisits(db, "P-2");
      await saveLongitudinal(db, "P-2", {
        visits: visits!.map(({ pid, analysisId, studyDate }) => ({ pid, analysisId, studyDate })),
        engineVersion: "e",
        results: {
          icvMm3: 1,
          visits: visits!.map(({ pid, studyDate }, n) => ({
            pid,
            studyDate,
            volumesMm3: Array.from({ length: 105 }, () => 1000 - 100 * n),
            thicknessMm: [],
            sideMm: [2, 2],
            differences: [],
          })),
        },
        errorCode: null,
        finishedAt: AT,
      });
      await refreshFindings(db, pids);
      const changes = async () =>
        (await readPatients(db, pids)).map(({ row }) => Boolean(row.finding?.change));
      assert.deepEqual(await changes(), [false, true, true]);
      await db.insertInto("peers").values({
        name: "PACS",
        kind: "dicom",
        config: JSON.stringify({ results: ["report"] }),
        secret: null,
        last_error: null,
        last_ok_at: null,
        created_at: AT,
      }).execute();
      for (const pid of pids) await queueResults(db, pid);
      await db.updateTable("outbox").set({ state: "sent", lease_ms: null }).execute();
      const services = { db, publish: () => {}, log: () => {} } as unknown as ServiceContext;
      await undoMerge(services, merge, { uid, sid: "s" });
      assert.deepEqual(await listLongitudinals(db, "P-2"), []);
      assert.deepEqual(await changes(), [false, false, false]);
      const waiting = (await listOutbox(db, 100)).filter(({ state }) => state === "waiting");
      assert.deepEqual(waiting.map(({ pid }) => pid).sort(), pids);
      const jobs = await db.selectFrom("jobs").select("payload").execute();
      assert.deepEqual(jobs.map(({ payload }) => JSON.parse(payload)), [{ patientId: "P-2" }]);
    } finally {
      await db.destroy();
    }
  },
);
