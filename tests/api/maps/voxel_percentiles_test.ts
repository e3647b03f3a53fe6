// covers: S-156, S-222
// Percentiles in voxels: no output has them of a stopped scanner, of one that is not accepted, or
// of other norms than the stored map has. All outputs are asked in each state; DICOMweb, archives
// and files are made by the one function that also makes the download.
import assert from "node:assert/strict";
import { getDicom } from "@/client/api/report/dicom.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { requestOf } from "@/client/api/http.ts";
import type { Database } from "@/server/core/database/database.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";
import { ACCEPTED, acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";

const VIEWER = "/api/v1/patients/image/viewer", FIELD = "t1w_np_mask_file";

/** Gives the phantom a stored map of percentiles: the file of its labels serves as one. */
async function addMap(db: Database): Promise<void> {
  const { analysis_id, blob, gzip_blob } = await db.selectFrom("analysis_files")
    .selectAll().where("field", "=", "t1w_mask_file").executeTakeFirstOrThrow();
  await db.insertInto("analysis_files").values({ analysis_id, field: FIELD, blob, gzip_blob })
    .execute();
}

/** Names of the outputs that show percentiles in voxels now. */
async function shownBy(test: TestCore, pid: number, hash: string): Promise<string[]> {
  const { api, core } = test, shown: string[] = [];
  const ask = async (path: string, method = "GET", headers: Record<string, string> = {}) => {
    const answer = await core.fetch(requestOf(api, path, { method, headers }));
    await answer.body?.cancel();
    if (answer.status < 400) {
      shown.push(`${method} ${path.replace(/.*\?/, "")} ${Object.keys(headers)}`.trim());
      assert.doesNotMatch(answer.headers.get("cache-control") ?? "", /immutable|max-age=[1-9]/);
    }
  };
  const file = `${VIEWER}/${pid}?file=${FIELD}`;
  if ((await getPatient(api, pid)).t1w_np_mask_file !== null) shown.push("record");
  await ask(file);
  await ask(file, "HEAD");
  await ask(`${file}&v=${hash.slice(0, 16)}`);
  await ask(`${file}&slices=0-1`);
  await ask(file, "GET", { range: "bytes=0-99" });
  await ask(file, "GET", { "if-none-match": `"${hash}"` });
  const dicom = await getDicom(api, pid, "percentiles").catch(() => null);
  await dicom?.body?.cancel();
  if (dicom) shown.push("DICOM");
  return shown;
}

Deno.test("percentiles in voxels have one rule in every output: accepted, not stopped, as stored", () =>
  withCore(async (test) => {
    const pid = await analysedPhantom(test, studyFiles()), db = await openBeside(test.dataDir);
    try {
      await addMap(db);
      const { blob } = await db.selectFrom("analysis_files").select("blob")
        .where("field", "=", FIELD).executeTakeFirstOrThrow();
      const shown = () => shownBy(test, pid, blob);
      assert.deepEqual(await shown(), [], "not accepted");
      await acceptScanner(test, pid);
      assert.equal((await shown()).length, 8);
      const stop = { ...ACCEPTED, since: null, moved: [], stoppedAt: "2026-01-02T00:00:00.000Z" };
      const id = await insertStop(db, stop);
      assert.deepEqual(await shown(), [], "stopped");
      await db.deleteFrom("scanner_stops").where("id", "=", id).execute();
      await db.updateTable("acceptances").set({ revoked_at: "2026-01-03T00:00:00.000Z" }).execute();
      assert.deepEqual(await shown(), [], "acceptance withdrawn");
    } finally {
      await db.destroy();
    }
  }));
