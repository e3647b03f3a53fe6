// covers: D2-3.6, D2-7.1
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import { affineFromRows } from "@/model/geometry.ts";
import { getReport, getReportPdf, saveMta } from "@/client/api/report/report.ts";
import type { Api } from "@/client/api/http.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { mainPageOf } from "@/report/model/page.ts";
import { createApi } from "@/server/core/http/app.ts";
import { authRoutes } from "@/server/core/accounts/routes/auth.ts";
import { contentDisposition, reportRoutes } from "@/server/core/reports/routes/report.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { setLicense } from "@/server/core/site/service/license_grant.ts";
import { deletePatient } from "@/server/core/studies/service/patients.ts";
import { createAdministrator } from "@/server/core/accounts/service/users.ts";
import {
  completeAnalysis,
  insertAnalysis,
  startAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import {
  insertPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { setFinding } from "@/server/core/studies/storage/findings.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";

const EMAIL = "reader@hospital.test", PASSWORD = "correct-horse-7", AT = "2026-01-02T00:00:00Z";
const SHAPE: [number, number, number] = [24, 28, 20];

/** An API over an empty database with one signed-in user, and a maker of studies. */
async function site() {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  const db = openDatabase(":memory:"), blobs = new DiskBlobs(`${dataDir}/blobs`);
  await createAdministrator(db, { email: EMAIL, password: PASSWORD });
  const services: ServiceContext = {
    db,
    blobs,
    log: () => {},
    publish: () => {},
    wakeJobs: () => {},
    missingFindings: { request: () => [] },
    cancelJob: () => Promise.resolve(false),
    dataDir,
    pdf: new PdfRenderer(),
    engine: { threads: 1 },
  };
  const app = createApi(services, [authRoutes, reportRoutes]);
  const send = async (request: Request) => await app.fetch(request);
  const login = await send(
    new Request("http://core/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    }),
  );
  const api: Api = { send, origin: "http://core", token: (await login.json()).access_token };

  const keep = async (bytes: Uint8Array): Promise<string> => {
    const staged = await blobs.stage(chunksOf(bytes), Infinity).staging;
    (await blobs.keep([staged])).release();
    await insertBlobs(db, [{ hash: staged.hash, sizeBytes: bytes.length }], AT);
    return staged.hash;
  };
  const addStudy = async (patientId: string, isAnalysed: boolean): Promise<number> => {
    const pid = await insertPatient(db, {
      studyUid: `1.2.${patientId.length}.${isAnalysed ? 1 : 2}`,
      patientId,
      patientName: "김지은",
      birthDate: "1955-05-05",
      sex: "female",
      age: 70,
      studyDate: "2026-01-01",
      createdAt: AT,
      createdBy: null,
    });
    const volumeBlob = await keep(gzipSync(encodeNifti({
      voxels: new Uint8Array([1, 2, 3, pid, 5, 6, 7, 8]),
      shape: [2, 2, 2],
      rasFromIjk: affineFromRows([[0.5, 0, 0, 0], [0, 0.75, 0, 0], [0, 0, 1.2, 0], [0, 0, 0, 1]]),
    })));
    const kind = "t1",
      series = { pid, seriesUid: "1.3", kind, description: "T1w", volumeBlob } as const;
    const seriesId = await insertSeries(db, { ...series, createdAt: AT });
    await setActiveSeries(db, pid, kind, seriesId);
    const request = { parameters: {}, inputHashes: [], requestedAt: AT, requestedBy: null };
    const id = await insertAnalysis(db, { pid, seriesId, kind, ...request });
    await setLatestAnalysis(db, pid, kind, id);
    if (!isAnalysed) return pid;
    await startAnalysis(db, id, AT);
    const count = SHAPE[0] * SHAPE[1] * SHAPE[2];
    const labels = new Uint8Array(count).map((_, i) => i % 105);
    const image = await keep(encodeNpy(new Uint8Array(count).fill(120), SHAPE));
    const mask = await keep(encodeNpy(labels, SHAPE));
    await completeAnalysis(db, id, {
      engineVersion: "sulcus-engine 0.1.0",
      results: {
        volumesMm3: Array.from({ length: 105 }, (_, label) => label === 0 ? 0 : 1000),
        icvMm3: 1_409_000,
        shape: SHAPE,
        rasFromIjkRows: [1, 0, 0, -12, 0, 1, 0, -14, 0, 0, 1, -10, 0, 0, 0, 1],
        quality: { warnings: [] },
      },
      stages: [],
      files: [
        { field: "t1w_file", blob: image, gzipBlob: image },
        { field: "t1w_mask_file", blob: mask, gzipBlob: mask },
      ],
      finishedAt: AT,
    });
    return pid;
  };
  /** A study whose FLAIR series alone has been analysed. */
  const addFlairStudy = async (): Promise<number> => {
    const pid = await addStudy("P2", false);
    const volumeBlob = await keep(new Uint8Array([9, pid]));
    const kind = "t2",
      series = { pid, seriesUid: "1.4", kind, description: "FLAIR", volumeBlob } as const;
    const seriesId = await insertSeries(db, { ...series, createdAt: AT });
    await setActiveSeries(db, pid, kind, seriesId);
    const request = { parameters: {}, inputHashes: [], requestedAt: AT, requestedBy: null };
    const id = await insertAnalysis(db, { pid, seriesId, kind, ...request });
    await setLatestAnalysis(db, pid, kind, id);
    await startAnalysis(db, id, AT);
    const count = SHAPE[0] * SHAPE[1] * SHAPE[2];
    const image = await keep(encodeNpy(new Uint8Array(count).fill(110), SHAPE));
    const mask = await keep(
      encodeNpy(new Uint8Array(count).map((_, i) => i % 24 === 3 ? 1 : 0), SHAPE),
    );
    await completeAnalysis(db, id, {
      engineVersion: "sulcus-engine 0.1.0",
      results: {
        shape: SHAPE,
        rasFromIjkRows: [1, 0, 0, -12, 0, 1, 0, -14, 0, 0, 1, -10, 0, 0, 0, 1],
        periMm3: 6000,
        deepMm3: 4000,
        whiteMatterMm3: 400_000,
        lesionCount: 12,
        isLowConfidence: true,
        tissue: "flair",
        registration: null,
        t1FromFlairRows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
        icvMm3: 1_500_000,
        grade: "B",
      },
      stages: [],
      files: [
        { field: "t2w_file", blob: image, gzipBlob: image },
        { field: "t2w_mask_file", blob: mask, gzipBlob: mask },
      ],
      finishedAt: AT,
    });
    return pid;
  };
  const end = async () => {
    services.pdf.close();
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  };
  const get = (path: string) =>
    send(new Request(`http://core${path}`, { headers: { authorization: `Bearer ${api.token}` } }));
  return { api, db, services, addStudy, addFlairStudy, get, [Symbol.asyncDispose]: end };
}

const hasCode = (code: string) => (error: unknown) =>
  error instanceof AppError && error.code === code;

Deno.test("GET /patients/{pid}/report answers with the report in the language that was asked for", async () => {
  await using here = await site();
  const pid = await here.addStudy("P1", true);
  const report = await getReport(here.api, pid, { language: "ko" });
  assert.deepEqual([report.pid, report.language, report.patient.patient_name], [
    pid,
    "ko",
    "김지은",
  ]);
  assert.equal(report.main_page.rows.find((row) => row.key === "hippocampus")!.volume_total, 2);
  assert.equal(report.images.length, 8);
  assert.deepEqual(report.series.voxel_mm, [0.5, 0.75, 1.2]);
  assert.equal(report.cert_type, "DEMO");
  await setLicense(here.db, { certType: "CE" });
  assert.equal((await getReport(here.api, pid)).cert_type, "CE");
  const masked = await getReport(here.api, pid, { anonymize: "true" });
  assert.ok(masked.anonymized && !JSON.stringify(masked).includes("김지은"));
});

// covers: D2-5.6
Deno.test("GET /patients/{pid}/report refuses unanalysed and unknown studies and unknown languages", async () => {
  await using here = await site();
  const pid = await here.addStudy("P1", false);
  await assert.rejects(getReport(here.api, pid), hasCode("study.not_analyzed"));
  await assert.rejects(getReportPdf(here.api, pid), hasCode("study.not_analyzed"));
  await assert.rejects(getReport(here.api, pid + 1), hasCode("entity.not_found"));
  await assert.rejects(
    getReport(here.api, pid, { language: "xx" as "en" }),
    hasCode("input.invalid"),
  );
  await assert.rejects(
    getReport({ ...here.api, token: "none" }, pid),
    (e) => e instanceof AppError && e.status === 401,
  );
});

// covers: D2-2.20
Deno.test("GET /patients/{pid}/report/pdf is a PDF named by patient and study date", async () => {
  await using here = await site();
  const pid = await here.addStudy("환자/1", true);
  const response = await getReportPdf(here.api, pid, { language: "en" });
  assert.equal(response.headers.get("content-type"), "application/pdf");
  const disposition = response.headers.get("content-disposition")!;
  assert.ok(/^[\x20-\x7e]+$/.test(disposition));
  assert.ok(
    disposition.includes(`filename*=UTF-8''${encodeURIComponent("환자_1_2026-01-01_report.pdf")}`),
  );
  const bytes = new Uint8Array(await response.arrayBuffer());
  assert.equal(new TextDecoder("latin1").decode(bytes.subarray(0, 5)), "%PDF-");
  const masked = await getReportPdf(here.api, pid, { anonymize: "true" });
  assert.match(
    masked.headers.get("content-disposition")!,
    /filename="anonymous_report\.pdf"/,
  );
  await masked.body?.cancel();
});

Deno.test("GET /patients/{pid}/report/image/{key}.png gives the pictures that the report names", async () => {
  await using here = await site();
  const pid = await here.addStudy("P1", true);
  for (const { url } of (await getReport(here.api, pid)).images) {
    const response = await here.get(url);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("cache-control")!, /immutable/);
    assert.deepEqual([...new Uint8Array(await response.arrayBuffer()).subarray(1, 4)], [
      0x50,
      0x4e,
      0x47,
    ]);
  }
  const unnamed = await here.get(`/api/v1/patients/${pid}/report/image/axial.png`);
  assert.equal(unnamed.headers.get("cache-control"), "private, no-cache");
  await unnamed.body?.cancel();
  assert.equal((await here.get(`/api/v1/patients/${pid}/report/image/other.png`)).status, 404);
});

Deno.test("a report says that a result of an earlier version has no outline of the intracranial space", async () => {
  await using here = await site();
  const pid = await here.addStudy("P1", true);
  assert.equal((await getReport(here.api, pid)).icv.has_outline, false);
  const { analysis_id, blob, gzip_blob } = await here.db.selectFrom("analysis_files").selectAll()
    .where("field", "=", "t1w_mask_file").executeTakeFirstOrThrow();
  await here.db.insertInto("analysis_files")
    .values({ analysis_id, field: "icv_mask_file", blob, gzip_blob }).execute();
  assert.equal((await getReport(here.api, pid)).icv.has_outline, undefined);
});

Deno.test("a report's pictures outline the first finding of the list, and their address changes with it", async () => {
  await using here = await site();
  const pid = await here.addStudy("P1", true);
  const none = { deviation: null, wmh: null, fazekas_equivalent: null, change: null };
  await setFinding(here.db, pid, none, { deviation: null, lesions: null });
  const plain = await getReport(here.api, pid);
  assert.equal(plain.outlined_place, undefined);
  const axialOf = ({ images }: ReportResponse) => images.find(({ key }) => key === "axial")!.url;
  const bytesOf = async (url: string) => {
    const response = await here.get(url);
    assert.equal(response.status, 200, url);
    return [...new Uint8Array(await response.arrayBuffer())];
  };
  const first = await bytesOf(axialOf(plain));
  const rank = { percentile: 0.2, low: 0.1, high: 1, has_bands: true, level: 2, possible_level: 2 };
  const value = { side: "R", value: 2.1, rank: { ...rank, is_usual: false, doubt: null } } as const;
  await setFinding(here.db, pid, {
    ...none,
    first: {
      kind: "low",
      measure: "volume",
      part: "Hippocampus",
      side: "R",
      certainty: "firm",
      values: [value],
      is_doubted: false,
    },
    more: 0,
  }, { deviation: null, lesions: null });
  const outlined = await getReport(here.api, pid, { language: "en" });
  assert.deepEqual(outlined.outlined_place, { part: "Hippocampus", side: "R" });
  assert.match(mainPageOf(outlined).picturesTitle, /White outline: right hippocampus \(main/);
  assert.notEqual(axialOf(outlined), axialOf(plain));
  // a report that is open keeps the pictures that belong to its words
  assert.deepEqual(await bytesOf(axialOf(plain)), first);
  assert.notDeepEqual(await bytesOf(axialOf(outlined)), first);
  const ofNoRegion = axialOf(outlined).replace(/o[\d-]+s/, "o0-105s");
  assert.equal((await here.get(ofNoRegion)).status, 404);
  const ofOthers = axialOf(outlined).replace(/=t\w{8}/, "=tffffffff");
  assert.equal((await here.get(ofOthers)).status, 404);
});

Deno.test("PUT /patients/{pid}/mta keeps what a physician read, and the report shows by whom", async () => {
  await using here = await site();
  const pid = await here.addStudy("P1", true);
  assert.deepEqual((await getReport(here.api, pid)).mta, {
    left: null,
    right: null,
    cutoff: 2,
    entered_by: null,
    entered_at: null,
  });
  assert.deepEqual(await saveMta(here.api, pid, { left: 1, right: 3 }), { left: 1, right: 3 });
  const { mta } = await getReport(here.api, pid, { page_list: "16,512,8" });
  assert.deepEqual([mta!.left, mta!.right, mta!.entered_by], [1, 3, "Administrator"]);
  await assert.rejects(saveMta(here.api, pid, { left: 5, right: 0 }), hasCode("input.invalid"));
  await assert.rejects(
    saveMta(here.api, pid + 1, { left: 0, right: 0 }),
    hasCode("entity.not_found"),
  );
  // and it goes with the study
  const other = await here.addStudy("P10", true);
  await saveMta(here.api, other, { left: 0, right: 0 });
  await deletePatient(here.services, pid, { uid: 1, sid: "" });
  const kept = await here.services.db.selectFrom("settings").select("scope").where(
    "key",
    "=",
    "mta",
  )
    .execute();
  assert.deepEqual(kept.map(({ scope }) => scope), [`study:${other}`]);
});

// covers: D2-2.18
Deno.test("GET /patients/{pid}/report has the pages that are asked for and that the study can have", async () => {
  await using here = await site();
  const pid = await here.addStudy("P1", true);
  const pages = async (page_list?: string) =>
    (await getReport(here.api, pid, page_list === undefined ? {} : { page_list })).page_list;
  // no FLAIR series, nothing to compare with, and 8 and 16 exclude each other
  assert.deepEqual(await pages("1,64,128,8,16,512"), [1, 8, 512]);
  assert.deepEqual(await pages("16,8"), [16]);
  assert.deepEqual(await pages("4"), []);
  assert.deepEqual(await pages(), [1, 2, 8, 32, 512, 1024]);
  await assert.rejects(pages("1;2"), hasCode("input.invalid"));
});

// covers: D2-2.18
Deno.test("GET /patients/{pid}/report of a FLAIR analysis has its figures, pictures and PDF", async () => {
  await using here = await site();
  const pid = await here.addFlairStudy();
  const report = await getReport(here.api, pid);
  assert.deepEqual([report.report_type, report.icv.volume, report.wmh!.total], ["t2", 1500, 10]);
  // the sagittal picture is the one through the lesions
  assert.equal(report.images.find((image) => image.key === "sagittal")!.position_mm, -9);
  for (const { url } of report.images) {
    const response = await here.get(url);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  }
  const pdf = await (await getReportPdf(here.api, pid)).arrayBuffer();
  assert.equal(new TextDecoder("latin1").decode(pdf.slice(0, 5)), "%PDF-");
});

// covers: S-79
Deno.test("contentDisposition() cannot be broken by a file name", () => {
  assert.equal(
    contentDisposition('a"b\\c\r\nd é.pdf'),
    `attachment; filename="a_b_c__d _.pdf"; filename*=UTF-8''a%22b%5Cc%0D%0Ad%20%C3%A9.pdf`,
  );
});
