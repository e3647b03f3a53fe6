// covers: D2-5.6, D2-7.1, D2-8.1
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { Api } from "@/client/api/http.ts";
import {
  cancelReports,
  getReports,
  getReportsPdf,
  getReportsProgress,
  startReports,
} from "@/client/api/report/report_job.ts";
import { getExcel } from "@/client/api/report/excel.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { getReport } from "@/client/api/report/report.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { hasPoppler, hasQpdf, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { colleague, coreTest, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

async function ended(api: Api, uuid: string) {
  let progress = await getReportsProgress(api, uuid);
  await until(async () => {
    progress = await getReportsProgress(api, uuid);
    return progress.status !== "queued" && progress.status !== "running";
  });
  return progress;
}
/** Numbers of the studies that the list marks as reported. */
const reported = async (api: Api) =>
  (await listPatients(api)).patients.filter((row) => row.is_reported).map(({ pid }) => pid).sort();
const bytesOf = async (file: Response) => new Uint8Array(await file.arrayBuffer());

// covers: D2-3.8
Deno.test({
  name: "reports of several studies come as one PDF that names its failures, to their owner alone" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  ignore: !hasPoppler,
  fn: () =>
    withCore(async ({ api, open, dataDir, events }) => {
      await addReported(dataDir, 2);
      await addStudies(dataDir, 2, (n) => ({ studyUid: `1.2.9.${n}` }));
      await setCompleted(dataDir, 4, "2026-01-06T01:00:00Z");
      const { uuid, excluded } = await startReports(api, { pid_list: [2, 3, 4, 99, 1, 2] });
      assert.deepEqual(await reported(api), [], "asked for is not printed");
      assert.deepEqual(excluded, [{ pid: 3, code: "study.not_analyzed" }, {
        pid: 99,
        code: "entity.not_found",
      }]);
      assert.deepEqual(await ended(api, uuid), {
        percent: 100,
        status: "done",
        failed_pid_list: [4],
      });
      // told after it is stored
      await until(() =>
        events.some(({ event }) => event.event === "report" && event.status === "done")
      );
      const told = events.filter(({ event }) => event.event === "report");
      assert.ok(told.every(({ audience }) => audience.uid === 1));
      assert.deepEqual(told.at(-1)!.event, { event: "report", uuid, percent: 100, status: "done" });
      assert.deepEqual(await reported(api), [1, 2], "neither the excluded nor the failed one");
      const db = await openBeside(dataDir), later = new Date(Date.now() + 60_000).toISOString();
      await db.updateTable("analyses").set({ finished_at: later }).where("pid", "=", 2).execute();
      await db.destroy();
      assert.deepEqual(await reported(api), [1], "of newer results there is no report");
      const answer = await getReports(api, uuid);
      assert.ok("file" in answer);
      assert.match(
        answer.file.headers.get("content-disposition")!,
        /filename="reports_\d{4}-\d\d-\d\d\.pdf"/,
      );
      const pdf = await bytesOf(answer.file);
      const sheets = await Promise.all(
        [2, 1].map(async (pid) => reportSheetsOf(await getReport(api, pid)).length),
      );
      assert.match(
        await runOnPdf("pdfinfo", [""], pdf),
        new RegExp(`Pages: +${sheets[0]! + sheets[1]!}\n`),
      );
      const words = await runOnPdf("pdftotext", ["-raw", "", "-"], pdf);
      const pages = words.split("\f").map((page) => /P-\d/.exec(page)?.[0]);
      assert.deepEqual([pages[0], pages[sheets[0]!]], ["P-2", "P-1"]);
      if (hasQpdf) await runOnPdf("qpdf", ["--check", ""], pdf);

      const other = await colleague(open, dataDir);
      for (const call of [getReports, getReportsProgress, cancelReports]) {
        await assert.rejects(call(other, uuid), { code: "entity.not_found" });
      }
      await assert.rejects(getExcel(api, uuid), { code: "entity.not_found" });

      const direct = await bytesOf(await getReportsPdf(api, [1]));
      assert.match(await runOnPdf("pdfinfo", [""], direct), new RegExp(`Pages: +${sheets[1]}\n`));
      await assert.rejects(getReportsPdf(api, [1, 99]), { code: "entity.not_found" });
      await assert.rejects(getReportsPdf(api, []), { code: "input.invalid" });

      await cancelReports(api, uuid);
      await assert.rejects(getReports(api, uuid), { code: "entity.not_found" });
    }, { workers: 1 }),
});

// covers: D2-3.8
Deno.test("reports under way stop when they are canceled, and leave no file", () =>
  withCore(async ({ api, dataDir, events }) => {
    await addReported(dataDir, 3);
    const { uuid } = await startReports(api, { pid_list: [1, 2, 3] });
    await until(async () => (await getReportsProgress(api, uuid)).status !== "queued");
    await cancelReports(api, uuid);
    await assert.rejects(getReports(api, uuid), { code: "job.canceled" });
    const last = events.at(-1)!.event;
    assert.ok(last.event === "report" && last.status === "canceled");
    assert.deepEqual(await reported(api), []);
    assert.ok(
      !existsSync(`${dataDir}/exports/${uuid}`) && !existsSync(`${dataDir}/exports/${uuid}.part`),
    );
  }, { workers: 1 }));

coreTest("reports of studies that have none fail and name them all", async ({ api, dataDir }) => {
  await addStudies(dataDir, 2);
  // its files are gone
  await setCompleted(dataDir, 1, "2026-01-06T01:00:00Z");
  await assert.rejects(startReports(api, { pid_list: [2] }), { code: "study.not_analyzed" });
  const { uuid } = await startReports(api, { pid_list: [1, 2] });
  const { status, failed_pid_list } = await ended(api, uuid);
  assert.deepEqual([status, failed_pid_list], ["failed", [1]]);
  await assert.rejects(getReports(api, uuid), { code: "job.failed" });
  assert.deepEqual(await reported(api), []);
  for (const pid_list of [[], [0], [1.5], Array.from({ length: 501 }, (_, n) => n + 1)]) {
    await assert.rejects(startReports(api, { pid_list }), { code: "input.invalid" });
  }
}, { workers: 1 });
