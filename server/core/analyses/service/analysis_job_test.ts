// covers: S-1
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { affineFromRows } from "@/model/geometry.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { enqueue, type JobKind, JobRunner } from "@/server/core/jobs/runner.ts";
import { ANALYSIS_JOB, startAnalyses } from "@/server/core/analyses/service/analysis.ts";
import { analysisJob } from "@/server/core/analyses/service/analysis_job.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { getLicense } from "@/server/core/site/service/license.ts";
import { grantCredits, setLicense } from "@/server/core/site/service/license_grant.ts";
import { deletePatient, getPatient } from "@/server/core/studies/service/patients.ts";
import { createAdministrator } from "@/server/core/accounts/service/users.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { findJob } from "@/server/core/jobs/jobs.ts";
import { insertPatient, setActiveSeries } from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";

const AT = "2026-01-02T00:00:00Z", CALLER = { uid: 1, sid: "" };

/** A ball that touches the side: the engine looks at it for about a second, then refuses it. */
function cutBall(): Volume {
  const voxels = new Int16Array(30 * 40 * 40);
  let at = 0;
  for (let k = 0; k < 40; k++) {
    for (let j = 0; j < 40; j++) {
      for (let i = 0; i < 30; i++) {
        const r = Math.hypot(4 * i - 58, 4 * j - 80, 4 * k - 80);
        voxels[at++] = r > 75 ? 0 : r < 37 ? 300 : 900;
      }
    }
  }
  const rasFromIjk = affineFromRows<"Ras", "Ijk">([[4, 0, 0, -58], [0, 4, 0, -80], [0, 0, 4, -80], [
    0,
    0,
    0,
    1,
  ]]);
  return { voxels, shape: [30, 40, 40], rasFromIjk };
}

/** A database with studies that can be queued, and the queue as the core makes it, with two threads an analysis. */
async function withQueue(
  studies: number,
  body: (here: {
    services: ServiceContext;
    runner: JobRunner;
    events: ServerEvent[];
    /** resolves when the event comes */
    heard: (isIt: (event: ServerEvent) => boolean) => Promise<void>;
  }) => Promise<void>,
  kinds: Record<string, JobKind> = {},
): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-test-" }), db = openDatabase(":memory:");
  const blobs = new DiskBlobs(dataDir), events: ServerEvent[] = [];
  const waiting: { isIt: (event: ServerEvent) => boolean; resolve: () => void }[] = [];
  const services: ServiceContext = {
    db,
    blobs,
    log: () => {},
    publish: (event) => {
      events.push(event);
      for (const one of waiting) if (one.isIt(event)) one.resolve();
    },
    wakeJobs: () => runner.wake(),
    missingFindings: { request: () => [] },
    cancelJob: () => Promise.resolve(false),
    dataDir,
    pdf: new PdfRenderer(),
    engine: { threads: 2 },
  };
  const runner = new JobRunner(db, { [ANALYSIS_JOB]: analysisJob(services), ...kinds }, {
    workers: 2,
    log: () => {},
  });
  try {
    await createAdministrator(db, { email: "reader@hospital.test", password: "correct-horse-7" });
    const staged = await blobs.stage(chunksOf(gzipSync(encodeNifti(cutBall()))), Infinity).staging;
    (await blobs.keep([staged])).release();
    await insertBlobs(db, [staged], AT);
    for (let n = 1; n <= studies; n++) {
      const patient = {
        patientId: `P-${n}`,
        patientName: "",
        birthDate: "1960-05-20",
        sex: "male" as const,
        age: 65,
        studyDate: "2026-01-05",
      };
      const pid = await insertPatient(db, {
        ...patient,
        studyUid: `1.${n}`,
        createdAt: AT,
        createdBy: null,
      });
      const seriesId = await insertSeries(db, {
        pid,
        seriesUid: `1.${n}.1`,
        kind: "t1",
        description: "T1w",
        volumeBlob: staged.hash,
        createdAt: AT,
      });
      await setActiveSeries(db, pid, "t1", seriesId);
    }
    const heard = (isIt: (event: ServerEvent) => boolean) =>
      new Promise<void>((resolve) => {
        waiting.push({ isIt, resolve });
        if (events.some(isIt)) resolve();
      });
    await body({ services, runner, events, heard });
  } finally {
    await runner.close();
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
}

const became = (pid: number, status: string) => (event: ServerEvent) =>
  event.event === "study_analysis" && event.pid === pid && event.status === status;

/** Counts the engine's workers while `body` runs. */
async function countWorkers(body: () => Promise<void>): Promise<{ most: number; made: number }> {
  const Plain = globalThis.Worker, alive = new Set<Worker>();
  let most = 0, made = 0;
  globalThis.Worker = class extends Plain {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      if (!String(url).includes("/core/engine/")) return;
      alive.add(this);
      made++;
      most = Math.max(most, alive.size);
    }
    override terminate() {
      alive.delete(this);
      super.terminate();
    }
  };
  try {
    await body();
  } finally {
    globalThis.Worker = Plain;
  }
  assert.equal(alive.size, 0, "every worker is ended");
  return { most, made };
}

const progressOf = (events: readonly ServerEvent[]) =>
  events.flatMap((event) =>
    event.event === "study_analysis" && event.status !== "waiting"
      ? [`${event.pid} ${event.status}`]
      : []
  );

Deno.test("a queue of three studies runs one analysis at a time, in order, on all threads, beside other jobs", async () => {
  const atLight = Promise.withResolvers<string[]>();
  let all: ServerEvent[] = [];
  const light: JobKind = {
    run: () => Promise.resolve(atLight.resolve(progressOf(all))),
    retrying: () => Promise.resolve(),
    failed: () => Promise.resolve(),
  };
  await withQueue(3, async ({ services, runner, events, heard }) => {
    all = events;
    const counted = await countWorkers(async () => {
      assert.deepEqual((await startAnalyses(services, [2, 3, 1], CALLER)).accepted, [2, 3, 1]);
      await enqueue(services.db, "light", null);
      await runner.start();
      await heard(became(1, "failed"));
    });
    assert.deepEqual(counted, { most: 2, made: 6 });
    const seen = progressOf(events), changes = seen.filter((one, n) => one !== seen[n - 1]);
    assert.deepEqual(changes, [2, 3, 1].flatMap((pid) => [`${pid} processing`, `${pid} failed`]));
    // queued last, it did not wait for the analyses
    assert.ok((await atLight.promise).every((one) => one === "2 processing"));
    assert.deepEqual((await getPatient(services, 3)).analysis_error, {
      code: "engine.unsupported_input",
      reason: "field of view",
    });
  }, { light });
});

Deno.test("an analysis that is cancelled, running or waiting, leaves its study free and the queue going", () =>
  withQueue(3, async ({ services, runner, events, heard }) => {
    const { db } = services;
    await setLicense(db, { isCounted: true });
    await grantCredits(db, 3);
    await startAnalyses(services, [1, 2, 3], CALLER);
    assert.equal((await getLicense(db)).total_remain_credit, 0);
    await runner.start();
    await heard((event) => event.event === "study_analysis" && event.stage !== undefined);
    assert.deepEqual([await runner.cancel(1), await runner.cancel(2)], [true, true]);
    await heard(became(3, "failed"));
    for (const pid of [1, 2]) {
      const patient = await getPatient(services, pid);
      assert.deepEqual([patient.t1_analysis_status, patient.analysis_error?.code], [
        "failed",
        "job.canceled",
      ]);
      assert.equal((await findJob(db, pid))?.status, "canceled");
      assert.equal(events.filter(became(pid, "failed")).length, 1);
    }
    assert.equal((await getPatient(services, 3)).analysis_error?.code, "engine.unsupported_input");
    assert.equal((await getLicense(db)).total_remain_credit, 3, "each came back");
    await deletePatient(services, 1, CALLER);
    assert.deepEqual((await startAnalyses(services, [2], CALLER)).accepted, [2]);
    await heard((event) =>
      became(2, "processing")(event) && "stage" in event && event.stage !== undefined
    );
  }));
