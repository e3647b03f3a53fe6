// The catch-up looks at many patients in a few statements: it must queue what looking at one after the other queues.
import assert from "node:assert/strict";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import {
  insertPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { watchFlairs } from "@/server/core/analyses/service/flair_change.ts";
import { watchVisits } from "@/server/core/analyses/service/longitudinal.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const AT = "2026-01-06T00:00:00Z", BLOB = "a".repeat(64);

/** Numbers 0..1 from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Studies of a few patients, with analyses of every fate, and comparisons of which some hold and some are outdated. */
async function addStudies(db: Database, seed: number): Promise<void> {
  const random = randomOf(seed),
    pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  await insertBlobs(db, [{ hash: BLOB, sizeBytes: 1 }], AT);
  const visits = new Map<string, { pid: number; analysisId: number; studyDate: string }[]>();
  for (let n = 1; n <= 60; n++) {
    const patientId = pick(["", "A", "B", "C", "D", "E", "F", "G", "H", "가"]);
    const studyDate = pick([null, "2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01"]);
    // one in a few has a wrong birth date, and another none
    const birthDate = pick(["1960-05-20", "1960-05-20", "1960-05-20", "1985-01-01", null]);
    const pid = await insertPatient(db, { ...newStudy(n), patientId, studyDate, birthDate });
    for (const kind of ["t1", "t2"] as const) {
      if (random() < 0.2) continue;
      const seriesId = await insertSeries(db, {
        pid,
        seriesUid: `1.2.${n}`,
        kind,
        description: "",
        volumeBlob: BLOB,
        createdAt: AT,
      });
      await setActiveSeries(db, pid, kind, seriesId);
      if (random() < 0.1) continue;
      const analysisId = await insertAnalysis(db, {
        pid,
        seriesId,
        kind,
        parameters: {},
        inputHashes: [],
        requestedAt: AT,
        requestedBy: null,
      });
      await setLatestAnalysis(db, pid, kind, analysisId);
      const status = pick<"completed" | "failed" | "waiting">([
        "completed",
        "completed",
        "completed",
        "completed",
        "failed",
        "waiting",
      ]);
      await db.updateTable("analyses").set({ status, grade: pick(["A", "B", "C", null]) })
        .where("id", "=", analysisId).execute();
      if (kind === "t1" && studyDate !== null && status === "completed" && random() < 0.9) {
        visits.set(patientId, [...visits.get(patientId) ?? [], { pid, analysisId, studyDate }]);
      }
    }
  }
  for (const [patient_id, all] of visits) {
    if (patient_id === "" || random() < 0.4) continue;
    const sorted = all.sort((a, b) =>
      a.studyDate < b.studyDate ? -1 : a.studyDate > b.studyDate ? 1 : a.pid - b.pid
    );
    await db.insertInto("longitudinal").values({
      patient_id,
      first_pid: sorted[0]!.pid,
      visits: random() < 0.1 ? "{damaged" : JSON.stringify(sorted),
      status: "failed",
      engine_version: null,
      results: null,
      error_code: "internal",
      finished_at: AT,
    }).execute();
  }
  const flairs = await db.selectFrom("patients").select([
    "pid",
    "patient_id",
    "study_date",
    "t2_analysis_id",
  ])
    .where("t2_analysis_id", "is not", null).execute();
  for (const flair of flairs) {
    const prior = flairs.filter((one) =>
      one.patient_id === flair.patient_id && (one.study_date ?? "9") < (flair.study_date ?? "")
    ).at(-1);
    if (!prior || random() < 0.5) continue;
    await db.insertInto("flair_changes").values({
      pid: flair.pid,
      prior_pid: prior.pid,
      analysis_id: flair.t2_analysis_id!,
      prior_analysis_id: prior.t2_analysis_id!,
      results: null,
      error_code: "internal",
      finished_at: AT,
    }).execute();
  }
}

const queued = async (db: Database) =>
  (await db.selectFrom("jobs").select(["kind", "job_key"]).execute())
    .map(({ kind, job_key }) => `${kind} ${job_key}`).sort();

databaseTest(
  "the catch-up queues the comparisons that looking at each patient queues",
  async (database) => {
    for (let seed = 1; seed <= 4; seed++) {
      const db = await database.open();
      try {
        await db.deleteFrom("patients").execute();
        await db.deleteFrom("longitudinal").execute();
        await db.deleteFrom("jobs").execute();
        await db.deleteFrom("blobs").execute();
        await addStudies(db, seed);
        const services = { db, log: () => {}, wakeJobs: () => {} } as unknown as ServiceContext;
        const watches = [watchVisits(services), watchFlairs(services)], warnings: string[] = [];
        const later = new CatchUp(
          watches.map(({ catchUp }) => catchUp),
          (_, text) => void warnings.push(text),
        );
        later.begin();
        await until(() => later.waiting === 0);
        await later.close();
        const inSlices = await queued(db);
        await db.deleteFrom("jobs").execute();
        // damaged rows make looking at one patient fail; the catch-up makes their comparison anew
        const damaged = await db.selectFrom("longitudinal").select("patient_id").where(
          "visits",
          "=",
          "{damaged",
        )
          .execute();
        await db.deleteFrom("longitudinal").where("visits", "=", "{damaged").execute();
        for (const { pid } of await db.selectFrom("patients").select("pid").execute()) {
          const event = { event: "study_update", pid, uid: 1 } as const;
          for (const watch of watches) watch.hear(event as Parameters<typeof watch.hear>[0]);
        }
        // events are heard one after the other: the last is that of a patient whose comparison is missing
        const last = await insertPatient(db, { ...newStudy(1000), patientId: "last" });
        await db.insertInto("longitudinal").values({
          patient_id: "last",
          first_pid: last,
          visits: "[]",
          status: "failed",
          engine_version: null,
          results: null,
          error_code: "internal",
          finished_at: AT,
        }).execute();
        watches[0]!.hear({ event: "study_update", pid: last, uid: 1 } as never);
        const isHeard = async () =>
          await db.selectFrom("longitudinal").select("visits").where("patient_id", "=", "last")
            .executeTakeFirst() ===
            undefined;
        await until(async () => await isHeard() && (await queued(db)).length >= inSlices.length);
        for (const watch of watches) await watch.close();
        assert.deepEqual(inSlices, await queued(db), `seed ${seed}, ${damaged.length} damaged`);
        assert.ok(inSlices.length > 0);
        assert.deepEqual(warnings, []);
      } finally {
        await db.destroy();
      }
    }
  },
);
