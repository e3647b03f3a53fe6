// covers: D1-3.3, D1-3.4, D1-3.7, D1-7.17, S-9
import assert from "node:assert/strict";
import { sql } from "kysely";
import { call } from "@/client/api/http.ts";
import {
  deletePatient,
  getPatient,
  getVolume,
  listPatients,
  startAnalyses,
  startReanalysis,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { openData } from "@/server/core/mod.ts";
import { PdfRenderer } from "@/report/pdf/pdf_renderer.ts";
import { ingest } from "@/server/core/studies/service/ingest.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { sortKey } from "@/model/schema/studies/study.ts";
import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { allAnalysed, blobsOnDisk, coreTest, withCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import {
  FLAIR_GRID,
  FLAIR_SERIES,
  KOREAN_PATIENT,
} from "@/server/commands/demo/phantom/dicom/series.ts";
import { until } from "@/tests/sites/until.ts";

const noise = (fileName: string) => ({
  fileName,
  bytes: new TextEncoder().encode("not a DICOM file"),
});

coreTest(
  "an upload becomes one row, with the name decoded and a verdict for each bad file",
  async ({ api, events }) => {
    const files = phantomSeries("short", "SP-1");
    const bad = [noise("notes.txt"), {
      fileName: "cut.dcm",
      bytes: files[0]!.bytes.slice(0, 3000),
    }];
    const answer = await uploadFiles(api, [...files, ...bad]);
    assert.deepEqual([answer.total, answer.success, answer.pid_list], [1, 1, [1]]);
    assert.deepEqual(answer.failed.map((f) => [f.file_name, f.code, f.reason]).toSorted(), [
      ["cut.dcm", "upload.format_not_supported", "truncated"],
      ["notes.txt", "upload.format_not_supported", "not_dicom"],
    ]);
    const { patients: [row], total } = await listPatients(api);
    assert.equal(total, 1);
    assert.deepEqual(
      [row!.patient_id, row!.patient_name, row!.patient_age, row!.patient_sex, row!.study_date],
      ["SP-1", "Kim Haneul / 金 하늘 / 김 하늘", 67, "female", "2026-01-05"],
    );
    assert.deepEqual([row!.is_t1_uploaded, row!.is_t2_uploaded, row!.t1_analysis_status], [
      true,
      false,
      "waiting",
    ]);
    assert.deepEqual(events.map(({ event }) => event), [
      { event: "study_create", pid_list: [1] },
      { event: "study_analysis", pid: 1, series: "t1", status: "waiting" },
    ]);
  },
);

// covers: D1-8.23
Deno.test("an upload without one usable file is answered with the reasons", () =>
  withCore(async ({ api }) => {
    const answer = await uploadFiles(api, [noise("a.txt"), noise("b.txt")]);
    assert.deepEqual([answer.total, answer.success, answer.failed.length], [0, 0, 2]);
    assert.equal((await listPatients(api)).total, 0);
  }));

coreTest(
  "a FLAIR of the same study joins the row; both are queued again when its T1w arrives",
  async ({ api, events }) => {
    /** Series queued since the last call, from events, as their analyses may have ended. */
    const queued = () =>
      events.splice(0).flatMap(({ event }) =>
        event.event === "study_analysis" && event.status === "waiting" ? [event.series] : []
      ).sort();
    const grid = {
      ...FLAIR_GRID,
      // only noise far above the head, so that each analysis fails at once
      centreRasMm: [0, -14, 400] as [number, number, number],
      shape: [64, 72, 30] as [number, number, number],
      spacingMm: [3.2, 3.2, 4],
    } as typeof FLAIR_GRID;
    const flair = phantomSeries("short", "SP-1", {
      ...FLAIR_SERIES,
      grid,
      noise: 2,
      patient: { ...KOREAN_PATIENT, patientId: "SP-1" },
    });
    assert.equal((await uploadFiles(api, flair)).success, 1);
    const { patients: [alone] } = await listPatients(api);
    assert.deepEqual([alone!.is_t1_uploaded, queued()], [false, ["t2"]]);
    await allAnalysed(api);
    assert.deepEqual(await startAnalyses(api, [1, 2]), {
      accepted: [1],
      excluded: [{ pid: 2, code: "entity.not_found" }],
    });
    await allAnalysed(api);
    assert.deepEqual(queued(), ["t2"]);
    assert.deepEqual((await uploadFiles(api, phantomSeries("short", "SP-1"))).pid_list, [1]);
    const { patients: [both], total } = await listPatients(api);
    assert.equal(total, 1);
    assert.deepEqual([both!.is_t1_uploaded, both!.is_t2_uploaded], [true, true]);
    assert.deepEqual(queued(), ["t1", "t2"]);
    await allAnalysed(api);
  },
  { workers: 1 },
);

Deno.test("files of another patient under the identifier of a stored study are refused", () =>
  withCore(async ({ api }) => {
    const grid = {
      ...FLAIR_GRID,
      shape: [64, 72, 40],
      spacingMm: [3.2, 3.2, 4],
    } as typeof FLAIR_GRID;
    const patient = { ...KOREAN_PATIENT, patientId: "SP-1" };
    const flair = phantomSeries("short", "SP-1", { ...FLAIR_SERIES, grid, patient });
    assert.equal((await uploadFiles(api, flair)).success, 1);
    const foreign = phantomSeries("short", "SP-1").map(({ fileName, bytes }) => {
      const text = Buffer.from(bytes);
      const at = text.indexOf("SP-1");
      assert.ok(at > 0 && text.indexOf("SP-1", at + 1) < 0);
      text.write("SP-9", at, "latin1");
      return { fileName, bytes: new Uint8Array(text) };
    });
    const refused = await uploadFiles(api, foreign);
    assert.equal(refused.success, 0);
    assert.equal(refused.failed.length, foreign.length);
    assert.ok(refused.failed.every((f) => f.reason === "other_patient" && f.pid === 1));
    const named = ({ patients }: UploadFailure) =>
      patients?.map(({ patient_id, slices, pid }) => [patient_id, slices, pid]);
    assert.deepEqual(named(refused.failed[0]!), [
      ["SP-9", foreign.length, undefined],
      ["SP-1", undefined, 1],
    ]);
    const both = await uploadFiles(api, [
      ...phantomSeries("short", "SP-1").slice(0, 28),
      ...foreign.slice(28),
    ]);
    assert.ok(both.success === 0 && both.failed.every((f) => f.reason === "mixed_patients"));
    const rest = foreign.length - 28;
    assert.deepEqual(
      named(both.failed[0]!),
      [
        ["SP-1", 28, undefined],
        ["SP-9", rest, undefined],
      ].sort((a, b) => Number(b[1]) - Number(a[1])),
    );
    const { patients: [row], total } = await listPatients(api);
    assert.deepEqual([total, row!.patient_id, row!.is_t1_uploaded], [1, "SP-1", false]);
  }));

Deno.test("a part of a stored series never takes the place of the whole", () =>
  withCore(async ({ api }) => {
    const flair = phantomSeries("short", "SP-7", {
      ...FLAIR_SERIES,
      // far above the head: the analysis fails at once
      noise: 2,
      grid: {
        ...FLAIR_GRID,
        centreRasMm: [0, -14, 400],
        shape: [64, 72, 40],
        spacingMm: [3.2, 3.2, 4],
      },
      patient: { ...KOREAN_PATIENT, patientId: "SP-7" },
    });
    assert.equal((await uploadFiles(api, flair.slice(0, 25))).success, 1);
    await allAnalysed(api);
    const other = await uploadFiles(api, flair.slice(15));
    assert.equal(other.success, 0);
    assert.equal(other.failed.length, 25);
    assert.ok(
      other.failed.every((f) => f.reason === "series_incomplete"),
      JSON.stringify(other.failed[0]),
    );
    assert.deepEqual((await uploadFiles(api, flair)).pid_list, [1]);
    assert.equal((await listPatients(api)).total, 1);
  }, { workers: 1 }));

// covers: D1-7.18, D1-8.23
Deno.test("a study that is being analysed is refused with 409 and cannot be deleted", () =>
  withCore(async ({ api }) => {
    const files = phantomSeries("short", "SP-1");
    await uploadFiles(api, files);
    await assert.rejects(uploadFiles(api, files), { code: "study.being_analyzed", status: 409 });
    await assert.rejects(deletePatient(api, 1), { code: "study.being_analyzed" });
    await assert.rejects(startReanalysis(api, 1), { code: "study.being_analyzed" });
    const other = await uploadFiles(api, [...files, ...phantomSeries("short", "SP-2")]);
    assert.deepEqual(other.pid_list, [2]);
    assert.ok(other.failed.every((f) => f.code === "study.being_analyzed" && f.pid === 1));
  }));

Deno.test("a broken upload leaves no row and no file", () =>
  withCore(async ({ core, api, dataDir }) => {
    const form = new FormData();
    for (const file of phantomSeries("short", "SP-1")) {
      form.append("dicom_files", new Blob([file.bytes]), file.fileName);
    }
    const whole = new Request("http://core/api/v1/patients", { method: "POST", body: form });
    const type = whole.headers.get("content-type")!;
    const bytes = new Uint8Array(await whole.arrayBuffer());
    const send = (body: BodyInit, contentType: string) =>
      core.fetch(
        new Request("http://core/api/v1/patients", {
          method: "POST",
          body,
          headers: { "content-type": contentType, authorization: `Bearer ${api.token}` },
        }),
      );
    const aborting = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, bytes.length / 2));
        setTimeout(() => controller.error(new Error("connection reset")), 20);
      },
    });
    for (
      const [body, contentType] of [
        [bytes.slice(0, bytes.length - 20), type],
        [bytes.slice(0, 2000), type],
        [bytes, "multipart/form-data; boundary=another"],
        [bytes, "application/json"],
        [new Uint8Array(0), type],
        [aborting, type],
      ] as [BodyInit, string][]
    ) {
      const response = await send(body, contentType);
      assert.equal(response.status, 400);
      assert.equal((await response.json()).code, "input.invalid");
    }
    assert.equal((await listPatients(api)).total, 0);
    assert.deepEqual(blobsOnDisk(dataDir), []);
    const odd = new FormData();
    odd.append("series_type", "t3");
    odd.append("dicom_files", new Blob(["x"]), "x");
    await assert.rejects(call(api, "/api/v1/patients", { method: "POST", body: odd }), {
      code: "input.invalid",
    });
  }));

// covers: D1-2.5
coreTest(
  "the worklist sorts by every key, pages, and finds parts of ids and names",
  async ({ api }) => {
    for (const id of ["B_1", "A%2", "C-3"]) {
      await uploadFiles(
        api,
        phantomSeries("short", id, {
          patient: { ...KOREAN_PATIENT, patientId: id, name: `Family${id.slice(-1)}^Given` },
        }),
      );
    }
    for (const key of sortKey.options) {
      for (const direction of ["asc", "desc"] as const) {
        const { total } = await listPatients(api, { sort_key: key, sort_direction: direction });
        assert.equal(total, 3, key);
      }
    }
    const ids = async (query: Parameters<typeof listPatients>[1]) =>
      (await listPatients(api, query)).patients.map((p) => p.patient_id);
    assert.deepEqual(await ids({ sort_key: "patient_id", sort_direction: "asc" }), [
      "A%2",
      "B_1",
      "C-3",
    ]);
    assert.deepEqual(await ids({ sort_key: "patient_name", sort_direction: "desc" }), [
      "C-3",
      "A%2",
      "B_1",
    ]);
    assert.deepEqual(await ids({ page_idx: 2, page_size: 2 }), ["B_1"]);
    assert.deepEqual(await ids({ page_idx: 3, page_size: 2 }), []);
    const last = await listPatients(api, { page_idx: 9, page_size: 2, beyond: "last" });
    assert.deepEqual([last.page_idx, last.patients.map((row) => row.patient_id)], [2, ["B_1"]]);
    const none = await listPatients(api, {
      page_idx: 9,
      search_string: "nobody at all",
      beyond: "last",
    });
    assert.deepEqual([none.total, none.page_idx], [0, 1]);
    assert.deepEqual(await ids({ search_string: "family2" }), ["A%2"]);
    assert.deepEqual(await ids({ search_string: "%" }), ["A%2"]);
    assert.deepEqual(await ids({ search_string: "_" }), ["B_1"]);
    const { total, patients } = await listPatients(api, { search_string: "given", page_size: 1 });
    assert.deepEqual([total, patients.length], [3, 1]);
  },
);

coreTest(
  "a series the engine cannot use ends as failed with its reason; deleting frees its files",
  async ({ api, events, dataDir }) => {
    await uploadFiles(api, phantomSeries("short", "SP-1"));
    // 56 slices and the converted volume
    assert.equal(blobsOnDisk(dataDir).length, 57);
    await allAnalysed(api);
    const { patients: [row] } = await listPatients(api);
    assert.equal(row!.t1_analysis_status, "failed");
    assert.deepEqual(row!.analysis_error, {
      code: "engine.unsupported_input",
      reason: "field of view",
    });
    await assert.rejects(getVolume(api, 1), { code: "study.not_analyzed" });
    const again = await uploadFiles(api, phantomSeries("short", "SP-1"));
    assert.ok(
      again.success === 0 && again.failed.every((f) => f.code === "study.duplicate" && f.pid === 1),
    );
    await deletePatient(api, 1);
    // with PostgreSQL, files are removed after the response
    await until(() => blobsOnDisk(dataDir).length === 0);
    await assert.rejects(getPatient(api, 1), { code: "study.deleted", status: 410 });
    await assert.rejects(deletePatient(api, 1), { code: "study.deleted" });
    assert.deepEqual(events.at(-1)!.event, { event: "study_delete", pid: 1, uid: 1 });
    assert.deepEqual((await uploadFiles(api, phantomSeries("short", "SP-1"))).pid_list, [2]);
  },
  { workers: 1, binDays: 0 },
);

// covers: D1-8.23
Deno.test("an upload that the database has no room for is refused whole as storage.full", () =>
  withCore(async ({ core, dataDir }) => {
    await core.close();
    const db = openData(dataDir);
    const blobs = new DiskBlobs(`${dataDir}/blobs`);
    try {
      const { page_count } = (await sql<{ page_count: number }>`PRAGMA page_count`.execute(db))
        .rows[0]!;
      await sql`PRAGMA max_page_count = ${sql.lit(page_count + 1)}`.execute(db);
      const files = phantomSeries("short", "SP-1");
      const engine = { threads: 1 };
      const context = {
        db,
        blobs,
        dataDir,
        log: () => {},
        publish: () => {},
        wakeJobs: () => {},
        missingFindings: { request: () => [] },
        cancelJob: () => Promise.resolve(false),
        pdf: new PdfRenderer(),
        engine,
      };
      const incoming = async function* () {
        for (const { fileName, bytes } of files) {
          yield { fileName, body: await Promise.resolve(chunksOf(bytes)) };
        }
      };
      const upload = { files: incoming(), seriesType: () => undefined, sizeBytes: 0 };
      await assert.rejects(ingest(context, { uid: 1 }, upload), { code: "storage.full" });
      for (const table of ["patients", "series", "instances", "analyses", "jobs"] as const) {
        assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [], table);
      }
      assert.deepEqual(blobsOnDisk(dataDir), []);
    } finally {
      await db.destroy();
    }
  }));
