// covers: S-18
import assert from "node:assert/strict";
import type { AnalysisOutcome } from "@/server/core/engine/result.ts";
import { recordLossySeries } from "@/server/core/studies/service/lossy_series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { insertInstances, insertSeries } from "@/server/core/studies/storage/series.ts";
import type { StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { type Element, writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";

const AT = "2026-01-02T00:00:00Z";
const slice = (...elements: Element[]) =>
  writeInstance(
    elements,
    { columns: 2, rows: 2, pixels: new Int16Array(4) },
    "explicit",
    "ISO_IR 100",
  );

Deno.test("recordLossySeries() grades what was compressed with loss B at best, and says which series it was", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-test-" }), db = openDatabase(":memory:");
  const blobs = new DiskBlobs(dataDir), logged: string[] = [];
  const services = {
    db,
    blobs,
    log: (level: string) => void logged.push(level),
  } as unknown as ServiceContext;
  try {
    const pid = await insertPatient(db, {
      studyUid: "1",
      patientId: "P",
      patientName: "",
      birthDate: null,
      sex: null,
      age: null,
      studyDate: null,
      createdAt: AT,
      createdBy: null,
    });
    const analysisOf = async (kind: "t1" | "t2", bytes: Uint8Array<ArrayBuffer>) => {
      const staged = await blobs.stage(chunksOf(bytes), Infinity).staging,
        seriesUid = crypto.randomUUID();
      (await blobs.keep([staged])).release();
      await insertBlobs(db, [staged], AT).catch(() => {/* the same bytes as before */});
      const series = {
        pid,
        seriesUid,
        kind,
        description: "",
        volumeBlob: staged.hash,
        createdAt: AT,
      };
      const seriesId = await insertSeries(db, series);
      await insertInstances(db, pid, seriesId, [{ sopUid: seriesUid, blob: staged.hash }]);
      return { pid, kind, seriesId } as StoredAnalysis;
    };
    const noted = async (kind: "t1" | "t2", bytes: Uint8Array, grade: string) => {
      const graded = { grade, warnings: ["folding"] };
      const outcome = kind === "t1"
        ? { t1: { quality: graded }, flair: null }
        : { t1: null, flair: graded };
      const analysis = await analysisOf(kind, bytes as Uint8Array<ArrayBuffer>);
      await recordLossySeries(services, [analysis], outcome as unknown as AnalysisOutcome);
      return [graded.grade, ...graded.warnings];
    };
    const whole = slice(), lossy = slice([0x00282110, "CS", "01"]);
    assert.deepEqual(await noted("t1", whole, "A"), ["A", "folding"]);
    assert.deepEqual(await noted("t1", lossy, "A"), ["B", "folding", "t1_lossy"]);
    assert.deepEqual(await noted("t1", lossy, "C"), ["C", "folding", "t1_lossy"]);
    assert.deepEqual(await noted("t2", lossy, "A"), ["B", "folding", "flair_lossy"]);
    assert.deepEqual(logged, []);
    // a file that was damaged since takes nothing from the result
    assert.deepEqual(await noted("t1", lossy.subarray(0, 150), "A"), ["A", "folding"]);
    assert.deepEqual(logged, ["warn"]);
    // of a series without a result nothing is said
    const analysis = await analysisOf("t1", lossy as Uint8Array<ArrayBuffer>);
    await recordLossySeries(services, [analysis], { t1: null, flair: null, failures: {} });
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
});
