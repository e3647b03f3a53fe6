import assert from "node:assert/strict";
import { affineFromRows } from "@/model/geometry.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { patient as patientSchema } from "@/model/schema/studies/patients.ts";
import { viewerFileRoutes } from "@/server/core/analyses/routes/viewer_files.ts";
import { createApi } from "@/server/core/http/app.ts";
import type { AnalysisOutcome, EngineResult, FlairResult } from "@/server/core/engine/result.ts";
import {
  findAnalysis,
  startAnalysis,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import { LINEAR } from "@/server/core/reports/service/report_fixture.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { databaseTest, type TestDatabase } from "@/tests/sites/databases.ts";
import {
  findPatient,
  insertPatient,
  setActiveSeries,
} from "@/server/core/studies/storage/patients.ts";
import { insertNorm } from "@/server/core/norms/storage/local_norms.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { queueStudy } from "@/server/core/analyses/service/analysis.ts";
import { storeOutcome } from "@/server/core/analyses/service/analysis_store.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { openViewerFile } from "@/server/core/analyses/service/files/viewer_files.ts";
import { deletePatient, getPatient, getVolume } from "@/server/core/studies/service/patients.ts";
import { getLicense, spendCredit } from "@/server/core/site/service/license.ts";
import { grantCredits, setLicense } from "@/server/core/site/service/license_grant.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";

const SHAPE: [number, number, number] = [3, 4, 5], COUNT = 60;
const GRID = affineFromRows([[1, 0, 0, -12], [0, 1, 0, -14], [0, 0, 1, -10], [0, 0, 0, 1]]);
const STAGES = [{ name: "conform", seconds: 1.5, cpuSeconds: 2.5, peakMb: 300 }];

function t1Result(grade: "A" | "B" | "C"): EngineResult {
  return {
    version: "sulcus-engine 9.9",
    shape: SHAPE,
    rasFromIjk: GRID as EngineResult["rasFromIjk"],
    intensities: new Uint8Array(COUNT).fill(7),
    intracranial: new Uint8Array(COUNT).fill(1),
    labels: new Uint8Array(COUNT).fill(19),
    linear: LINEAR,
    volumesMm3: Array.from({ length: 105 }, (_, label) => label === 0 ? 0 : 1000 * label),
    icvMm3: 1_409_000,
    thickness: {
      map: new Uint8Array(COUNT).fill(128),
      meanMm: Array.from({ length: 105 }, (_, label) => label >= 37 && label !== 38 ? 2.5 : 0),
      leftMm: 2.4967,
      rightMm: 2.4,
      offsetMm: 0.24,
    },
    surface: {
      vertices: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]),
      faces: new Uint32Array([0, 1, 2]),
      normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]),
      values: new Float32Array([2, 2.5, 3]),
      trianglesBefore: 1,
      eulerNumber: 2,
    },
    secondOpinion: null,
    deepStructures: null,
    regionAgreement: { atlas: [null, 0.91], deepStructures: null, secondOpinion: null },
    stages: STAGES,
    quality: {
      grade,
      warnings: grade === "A" ? [] : ["similarity_low"],
      ncc: 0.85,
      lncc: [0.5, 0.6],
      jacobian: [0.2, 0.4, 2],
      classMeans: [],
      cnr: 3,
      snr: null,
      winningPosterior: 0.95,
      sharpness: [0.36, 0.37, 0.38],
      ghosting: 0.005,
      hasConverged: true,
      centroidOutliers: 0,
      subjectFromAtlas: GRID as unknown as EngineResult["quality"]["subjectFromAtlas"],
    },
  };
}

const flairResult = (): FlairResult => ({
  version: "sulcus-engine 9.9",
  shape: SHAPE,
  rasFromIjk: GRID as FlairResult["rasFromIjk"],
  intensities: new Uint8Array(COUNT).fill(9),
  mask: new Uint8Array(COUNT).fill(2),
  scannerMask: new Uint8Array(COUNT),
  t1FromFlair: GRID as unknown as FlairResult["t1FromFlair"],
  tissue: "t1",
  // each rounds up on its own: their sum printed from mm³ would be 4.01
  periMm3: 1005.1,
  deepMm3: 3005.1,
  whiteMatterMm3: 400_000,
  lesionCount: 3,
  lesions: [
    { periMm3: 1005.1, deepMm3: 2000, centreRasMm: [20, -30, 20] },
    { periMm3: 0, deepMm3: 1000.1, centreRasMm: [-30, 10, 25] },
    { periMm3: 0, deepMm3: 5, centreRasMm: [31, 12, 25] },
  ],
  isLowConfidence: false,
  registration: { nmi: 1.2, overlap: 0.97 },
  icvMm3: null,
  deepStructures: null,
  grade: "A",
  warnings: [],
  stages: STAGES,
});

/** A study with the given series, whose analyses are running. */
async function withStudy(
  database: TestDatabase,
  kinds: readonly ("t1" | "t2")[],
  body: (here: {
    services: ServiceContext;
    pid: number;
    analyses: StoredAnalysis[];
    events: ServerEvent[];
  }) => Promise<void>,
): Promise<void> {
  const dataDir = await Deno.makeTempDir(), db = await database.open(), events: ServerEvent[] = [];
  const blobs = new DiskBlobs(dataDir);
  const services: ServiceContext = {
    db,
    blobs,
    log: () => {},
    publish: (event) => void events.push(event),
    wakeJobs: () => {},
    missingFindings: { request: () => [] },
    cancelJob: () => Promise.resolve(false),
    dataDir,
    pdf: new PdfRenderer(),
    engine: { threads: 1 },
  };
  try {
    const staged = await blobs.stage(chunksOf(new Uint8Array([1])), Infinity).staging;
    (await blobs.keep([staged])).release();
    await insertBlobs(db, [staged], nowIso());
    const pid = await insertPatient(db, {
      studyUid: "1.2",
      patientId: "P1",
      patientName: "Kim",
      birthDate: "1955-05-05",
      sex: "female",
      age: 70,
      studyDate: "2026-01-01",
      createdAt: nowIso(),
      createdBy: null,
    });
    for (const kind of kinds) {
      const series = {
        pid,
        seriesUid: `1.3.${kind}`,
        kind,
        description: kind,
        volumeBlob: staged.hash,
      };
      await setActiveSeries(
        db,
        pid,
        kind,
        await insertSeries(db, { ...series, createdAt: nowIso() }),
      );
    }
    await queueStudy(db, pid, { requestedBy: null, settings: await groupSettings(db) });
    const { analysisId } = (await findPatient(db, pid))!;
    const analyses: StoredAnalysis[] = [];
    for (const id of [analysisId.t1, analysisId.t2]) {
      if (id === null) continue;
      assert.ok(await startAnalysis(db, id, nowIso()));
      analyses.push((await findAnalysis(db, id))!);
    }
    await body({ services, pid, analyses, events });
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
}

const outcomeOf = (change: Partial<AnalysisOutcome>): AnalysisOutcome => ({
  t1: null,
  flair: null,
  failures: {},
  ...change,
});
const REGISTRATION = {
  code: "engine.unsupported_input",
  reason: "flair registration",
  message: "no",
};

databaseTest(
  "a new result is read with the norms in force for its scanner and engine version, and no others",
  (database) =>
    withStudy(database, ["t1"], async ({ services, pid, analyses }) => {
      const { db } = services, norm = { offset: 1, scale: 1, offsetSd: 0.2, n: 24 };
      const add = async (scanner: string | null, engineVersion: string) => {
        const id = await insertNorm(db, {
          scanner,
          engineVersion,
          controls: 24,
          norms: { "volume:19": norm },
          proposedAt: nowIso(),
          proposedBy: null,
        });
        await db.updateTable("local_norms").set({ accepted_at: nowIso() }).where("id", "=", id)
          .execute();
        return id;
      };
      await add("GE Premier 9", "sulcus-engine 9.9");
      await add(null, "sulcus-engine 9.8");
      const id = await add(null, "sulcus-engine 9.9");
      await storeOutcome(services, analyses, outcomeOf({ t1: t1Result("A") }));
      assert.equal((await findAnalysis(db, analyses[0]!.id))!.localNormId, id);
      const got = patientSchema.parse(await getPatient(services, pid));
      assert.deepEqual([got.local_norms?.scanner, got.local_norms?.controls], [null, 24]);
      assert.equal(got.t1w_np_mask_file, null);
    }),
);

databaseTest(
  "storeOutcome() completes both series of a study with volumes, thickness, lesions and files",
  (database) =>
    withStudy(database, ["t1", "t2"], async ({ services, pid, analyses, events }) => {
      assert.deepEqual(analyses.map((a) => a.kind), ["t1", "t2"]);
      await storeOutcome(
        services,
        analyses,
        outcomeOf({ t1: t1Result("A"), flair: flairResult() }),
      );
      const got = patientSchema.parse(await getPatient(services, pid));
      assert.deepEqual([got.t1_analysis_status, got.t2_analysis_status], [
        "completed",
        "completed",
      ]);
      assert.equal(got.t1_result!.length, 51);
      const stored = (await findAnalysis(services.db, analyses[0]!.id))!.results!;
      assert.deepEqual(
        stored.regionAgreement,
        { atlas: [null, 0.91], deepStructures: null, secondOpinion: null },
      );
      assert.equal(stored.thicknessOffsetMm, 0.24);
      assert.equal(got.t1_result!.find((r) => r.part_index[0] === 28)!.volume_total, 28);
      assert.equal(got.t1_thick_result!.length, 34);
      const first = got.t1_thick_result!.find((r) => r.part_index[0] === 37)!;
      assert.deepEqual([first.thick_left, first.thick_right, first.np_thick_right], [2.5, 0, null]);
      assert.ok(first.rank_thick_left !== null);
      assert.deepEqual([got.peri_wmh, got.deep_wmh, got.wmh, got.wm], [1.01, 3.01, 4.02, 400]);
      assert.equal(got.wmh_detail!.is_minimal, false);
      assert.equal(got.wmh_detail!.ratio_percent, 1);
      const cortex = got.aggregates!.find((a) => a.key === "cortex")!;
      assert.deepEqual([cortex.thick_left, cortex.thick_right], [2.5, 2.4]);
      assert.ok(cortex.np_icv_total !== null && cortex.rank_thick_left !== null);
      // thickness has an interval, and no percentile of its own
      assert.equal(cortex.np_thick_left, null);
      for (
        const field of [
          "thick_mask_file",
          "icv_mask_file",
          "t2w_file",
          "t2w_mask_file",
        ] as const
      ) {
        assert.ok(got[field], field);
        assert.ok((await openViewerFile(services, pid, field)).sizeBytes >= 64 + COUNT, field);
      }
      assert.deepEqual((await findAnalysis(services.db, analyses[0]!.id))!.stages, STAGES);
      const seen = events.map((e) =>
        e.event === "study_analysis" ? `${e.series} ${e.status}` : e.event
      );
      assert.deepEqual(seen, ["t1 completed", "t2 completed"]);
      await deletePatient({ ...services, binDays: 0 }, pid, { uid: 1, sid: "" });
      assert.equal((await services.db.selectFrom("blobs").selectAll().execute()).length, 0);
    }),
);

databaseTest(
  "storeOutcome() fails only the FLAIR series when only that has no result",
  (database) =>
    withStudy(database, ["t1", "t2"], async ({ services, pid, analyses }) => {
      const failures = { flair: REGISTRATION };
      await storeOutcome(services, analyses, outcomeOf({ t1: t1Result("A"), failures }));
      const got = await getPatient(services, pid);
      assert.deepEqual([got.t1_analysis_status, got.t2_analysis_status], ["completed", "failed"]);
      assert.deepEqual(got.analysis_error, {
        code: "engine.unsupported_input",
        reason: "flair registration",
      });
      assert.equal(got.t1_result!.length, 50);
      assert.ok(got.t1_result!.every((r) => r.part_index[0] !== 28));
      assert.deepEqual([got.wmh, got.wmh_detail], [null, null]);
    }),
);

databaseTest(
  "storeOutcome() keeps the FLAIR result when the T1w series has none",
  (database) =>
    withStudy(database, ["t1", "t2"], async ({ services, pid, analyses }) => {
      const deepStructures = {
        ...readOnFlair((label) => label === 19 ? 3456.7 : 100),
        labels: new Uint8Array(COUNT).fill(19),
      };
      const flair = {
        ...flairResult(),
        tissue: "flair" as const,
        icvMm3: 1_500_000,
        deepStructures,
      };
      const failures = { t1: { ...REGISTRATION, reason: "contrast" } };
      await storeOutcome(services, analyses, outcomeOf({ flair, failures }));
      const got = await getPatient(services, pid);
      assert.deepEqual([got.t1_analysis_status, got.t2_analysis_status], ["failed", "completed"]);
      assert.deepEqual([got.icv, got.t1_result, got.wmh], [1500, null, 4.02]);
      assert.deepEqual((await getVolume(services, pid)).shape, SHAPE);
      const hippocampus = got.flair_structures!.find(({ part_index }) => part_index[0] === 19)!;
      assert.deepEqual([hippocampus.volume_left, hippocampus.volume_right], [3.46, 0.1]);
      assert.ok(
        (await openViewerFile(services, pid, "t2w_region_mask_file")).sizeBytes >= 64 + COUNT,
      );
      // the voxels are in the file alone
      assert.ok(
        !("labels" in (await findAnalysis(services.db, analyses[1]!.id))!.flair!.deepStructures!),
      );
    }),
);

databaseTest(
  "storeOutcome() gives a credit back for a run without any result, and keeps it for half of one",
  (database) =>
    withStudy(database, ["t1", "t2"], async ({ services, pid, analyses }) => {
      const { db } = services, all = { t1: REGISTRATION, flair: REGISTRATION };
      await setLicense(db, { isCounted: true });
      await grantCredits(db, 2);
      await spendCredit(db, { analysisId: analyses[0]!.id, pid, userId: null });
      await storeOutcome(services, analyses, outcomeOf({ failures: all }));
      assert.equal((await getLicense(db)).total_remain_credit, 2);
      await queueStudy(db, pid, { requestedBy: null, settings: await groupSettings(db) });
      const { analysisId } = (await findPatient(db, pid))!, next: StoredAnalysis[] = [];
      for (const id of [analysisId.t1!, analysisId.t2!]) {
        assert.ok(await startAnalysis(db, id, nowIso()));
        next.push((await findAnalysis(db, id))!);
      }
      await storeOutcome(
        services,
        next,
        outcomeOf({ t1: t1Result("A"), failures: { flair: REGISTRATION } }),
      );
      assert.equal((await getLicense(db)).total_remain_credit, 1);
    }),
);

databaseTest(
  "storeOutcome() withholds every percentile of a grade C segmentation",
  (database) =>
    withStudy(database, ["t1"], async ({ services, pid, analyses }) => {
      await storeOutcome(services, analyses, outcomeOf({ t1: t1Result("C") }));
      const got = await getPatient(services, pid);
      assert.equal(got.norm_reason, "quality");
      // the volumes of this result add up to a brain that is larger than the ICV
      const warnings = ["similarity_low", "icv_out_of_range"];
      assert.deepEqual(got.t1_quality, { grade: "C", warnings });
      assert.ok(got.t1_result!.every((r) => r.np_volume_total === null && r.np_icv_left === null));
      assert.ok(got.t1_thick_result!.every((r) => r.np_thick_left === null));
      assert.ok(got.aggregates!.every((a) => a.np_icv_total === null && a.np_thick_left === null));
      const { db, blobs } = services;
      await assert.rejects(openViewerFile(services, pid, "t1w_np_mask_file"), {
        code: "entity.not_found",
      });
      const { blob } = await db.selectFrom("analysis_files").select("blob")
        .where("field", "=", "t1w_np_mask_file").executeTakeFirstOrThrow();
      const bytes = await blobs.read(blob);
      assert.ok(bytes.subarray(-COUNT).every((value) => value === 255));
    }),
);

databaseTest(
  "storeOutcome() that cannot put a file in place stores nothing and leaves nothing staged",
  (database) =>
    withStudy(database, ["t1"], async ({ services, pid, analyses, events }) => {
      // a file where a folder has to be
      for (let prefix = 0; prefix < 256; prefix++) {
        const path = `${services.dataDir}/${prefix.toString(16).padStart(2, "0")}`;
        await Deno.writeTextFile(path, "", { createNew: true }).catch(() => {});
      }
      const before = await services.db.selectFrom("blobs").selectAll().execute();
      await assert.rejects(storeOutcome(services, analyses, outcomeOf({ t1: t1Result("A") })));
      assert.deepEqual([...Deno.readDirSync(`${services.dataDir}/incoming`)], []);
      assert.deepEqual(await services.db.selectFrom("blobs").selectAll().execute(), before);
      assert.equal((await getPatient(services, pid)).t1_analysis_status, "processing");
      assert.deepEqual(events, []);
    }),
);

databaseTest(
  "GET /secure/*.npy needs a sign-in",
  (database) =>
    withStudy(database, ["t1"], async ({ services, pid, analyses }) => {
      await storeOutcome(services, analyses, outcomeOf({ t1: t1Result("A") }));
      const api = createApi(services, [viewerFileRoutes]);
      const response = await api.fetch(
        new Request(`http://core/api/v1/secure/verts.npy?pid=${pid}`),
      );
      assert.equal(response.status, 401);
    }),
);

databaseTest(
  "the surface is stored as arrays of f4 and u4",
  (database) =>
    withStudy(database, ["t1"], async ({ services, pid, analyses }) => {
      await storeOutcome(services, analyses, outcomeOf({ t1: t1Result("A") }));
      const headers: string[] = [];
      for (const field of ["verts", "faces", "normals", "values"] as const) {
        const file = await openViewerFile(services, pid, field);
        const bytes = new Uint8Array(
          await new Response(await file.plain(0, file.sizeBytes)).arrayBuffer(),
        );
        headers.push(
          /'descr': '(\S+)'.*'shape': (\(.*?\))/.exec(new TextDecoder().decode(bytes))!.slice(1)
            .join(" "),
        );
      }
      assert.deepEqual(headers, ["<f4 (3, 3)", "<u4 (1, 3)", "<f4 (3, 3)", "<f4 (3,)"]);
    }),
);
