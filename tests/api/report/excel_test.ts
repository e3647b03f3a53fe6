// covers: D1-2.7, D1-7.19
import assert from "node:assert/strict";
import { exportFieldText } from "@/model/text/worklist/export_columns.ts";
import type { Api } from "@/client/api/http.ts";
import {
  cancelExcel,
  estimateExcel,
  getExcel,
  getExcelProgress,
  getExportSets,
  saveExportSets,
  startExcel,
} from "@/client/api/report/excel.ts";
import { saveLabels } from "@/client/api/worklist/labels.ts";
import type { ExcelJobRequest, ExportColumns } from "@/model/schema/report/excel.ts";
import { exportColumnsOf } from "@/server/core/exports/service/excel_columns.ts";
import { colleague, coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";
import { readSheet } from "@/tests/workbook_reader.ts";

const EXCEL_HEAD = exportColumnsOf().map(({ title }) => title);

async function exported(
  api: Api,
  request: ExcelJobRequest,
): Promise<{ id: string; file: Response }> {
  const { excel_id: id } = await startExcel(api, request);
  let file: Response | undefined;
  await until(async () => {
    const answer = await getExcel(api, id);
    if ("file" in answer) file = answer.file;
    return file !== undefined;
  });
  return { id, file: file! };
}

/** Cells of each line; a cell in quotes may hold commas. */
const linesOf = async (file: Response) =>
  (await file.text()).split("\r\n").filter((line) => line !== "").map((line) =>
    [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) =>
      cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!
    )
  );

// covers: S-39
coreTest(
  "an export holds the studies asked for, with what was measured, and names the others",
  async ({ api, open, dataDir, events }) => {
    await addStudies(dataDir, 3, (n) => ({ patientName: n === 2 ? "=HYPERLINK(1)" : `김 ${n}` }));
    await setCompleted(dataDir, 3, "2026-02-03T04:05:06Z");
    // the number that it got: PostgreSQL leaves one out when a transaction is repeated
    const { labels: [label] } = await saveLabels(api, [
      { id: -1, label_name: "x", patients: [1, 2] },
    ]);
    events.length = 0;
    const { id, file } = await exported(api, { pid_list: [2, 9, 1], format: "csv" });
    assert.equal(file.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.match(
      file.headers.get("content-disposition")!,
      /^attachment; filename="worklist_\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [head, ...rows] = await linesOf(file);
    assert.equal(head!.length, EXCEL_HEAD.length);
    assert.deepEqual(rows.map((row) => row.slice(0, 8)), [
      ["2", "P-2", "'=HYPERLINK(1)", "M", "65", "1960-05-20", "2026-01-05", "x"],
      ["1", "P-1", "김 1", "M", "65", "1960-05-20", "2026-01-05", "x"],
    ]);
    assert.deepEqual(await getExcelProgress(api, id), {
      percent: 100,
      status: "done",
      failed_pid_list: [9],
    });
    // told after it is stored, and so after it could be fetched
    await until(() =>
      events.some(({ event }) => event.event === "excel" && event.status === "done")
    );
    const told = events.filter(({ event }) => event.event === "excel");
    assert.ok(told.every(({ audience }) => audience.uid === 1));
    assert.deepEqual(told.at(-1)!.event, {
      event: "excel",
      excel_id: id,
      percent: 100,
      status: "done",
    });

    const order = { sort_key: "pid", sort_direction: "asc" } as const;
    const filter = { ...order, label_id_list: [label!.id], sex: null };
    const all = await exported(api, { filter, format: "csv" });
    assert.deepEqual((await linesOf(all.file)).slice(1).map(([pid]) => pid), ["1", "2"]);

    const other = await colleague(open, dataDir);
    for (const call of [getExcel, getExcelProgress, cancelExcel]) {
      await assert.rejects(call(other, id), { code: "entity.not_found" });
    }
    await cancelExcel(api, id);
    await assert.rejects(getExcel(api, id), { code: "entity.not_found" });
  },
  { workers: 1 },
);

coreTest(
  "an export as XLSX holds figures of the analysis under their titles",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 2);
    await setCompleted(dataDir, 1, "2026-02-03T04:05:06Z", "t1", {
      volumesMm3: Array.from({ length: 105 }, (_, label) => 1000 + label),
      icvMm3: 1_500_000,
      shape: [1, 1, 1],
      rasFromIjkRows: [],
      quality: { grade: "A" },
      thicknessMm: Array.from({ length: 105 }, () => 2.5),
    });
    const { file } = await exported(api, { format: "xlsx" });
    const { data } = await readSheet(new Uint8Array(await file.arrayBuffer()));
    const cell = (pid: number, title: string) =>
      data[pid === 1 ? 2 : 1]![EXCEL_HEAD.indexOf(title)];
    assert.deepEqual(
      (["number", "icv", "t1_grade"] as const).map((key) => cell(1, exportFieldText[key].en)),
      [1, 1500, "A"],
    );
    assert.deepEqual(
      (["number", "icv", "t1_status"] as const).map((key) => cell(2, exportFieldText[key].en)),
      [2, null, null],
    );
    const volumes = EXCEL_HEAD.filter((title) => title.endsWith(": volume (mL)"));
    assert.ok(
      volumes.length > 140 && volumes.filter((title) => cell(1, title) !== null).length > 140,
    );
    assert.equal(volumes.filter((title) => cell(2, title) !== null).length, 0);
    assert.equal(
      EXCEL_HEAD.filter((t) => t.endsWith("thickness (mm)") && cell(1, t) === 2.5).length,
      68,
    );
    assert.equal(new Set(EXCEL_HEAD).size, EXCEL_HEAD.length);
  },
  { workers: 1 },
);

coreTest(
  "a file is kept for a day; then it is not found, and the next one removes it",
  async (test) => {
    const { api, dataDir } = test, db = await openBeside(dataDir);
    const age = (hours: number) =>
      db.updateTable("excel_exports").set({
        created_at: new Date(Date.now() - hours * 3600_000).toISOString(),
      }).execute();
    const names = async () =>
      (await Array.fromAsync(Deno.readDir(`${dataDir}/exports`))).map(({ name }) => name);
    try {
      await addStudies(dataDir, 1);
      const { id, file } = await exported(api, { format: "csv" });
      await file.body?.cancel();
      await age(23.9);
      assert.ok("file" in await getExcel(api, id));
      await age(24.1);
      await assert.rejects(getExcel(api, id), { code: "entity.not_found" });
      await assert.rejects(getExcelProgress(api, id), { code: "entity.not_found" });
      assert.deepEqual(await names(), [id]);
      const next = await exported(api, { format: "csv" });
      await next.file.body?.cancel();
      assert.deepEqual(await names(), [next.id]);
    } finally {
      await db.destroy();
    }
  },
  { workers: 1 },
);

coreTest("a cancelled export says so and leaves no file", async ({ api, dataDir, events }) => {
  await addStudies(dataDir, 1);
  const { excel_id } = await startExcel(api, { format: "csv" });
  const waiting = await getExcel(api, excel_id);
  assert.deepEqual(waiting, { progress: { percent: 0, status: "queued", failed_pid_list: [] } });
  await cancelExcel(api, excel_id);
  await assert.rejects(getExcel(api, excel_id), { code: "job.canceled" });
  assert.deepEqual(events.at(-1), {
    event: { event: "excel", excel_id, percent: 0, status: "canceled" },
    audience: { uid: 1 },
  });
  for (
    const request of [{ format: "pdf" }, { pid_list: [], format: "csv" }, {
      pid_list: [1],
      filter: {},
      format: "csv",
    }, { filter: { age_from: 9, age_to: 3 }, format: "csv" }]
  ) {
    await assert.rejects(startExcel(api, request as never), { code: "input.invalid" });
  }
});

coreTest(
  "choices of columns are kept by name, for their user alone, and no two by one name",
  async (site) => {
    const { api, open, dataDir } = site;
    assert.deepEqual(await getExportSets(api), { sets: [] });
    const columns: ExportColumns = {
      fields: ["patient_id", "wmh"],
      measures: ["volume"],
      parts: ["Hippocampus"],
    };
    const kept = await saveExportSets(api, { sets: [{ name: "  Memory trial ", columns }] });
    assert.deepEqual(kept, { sets: [{ name: "Memory trial", columns }] });
    assert.deepEqual(await getExportSets(api), kept);
    assert.deepEqual(await getExportSets(await colleague(open, dataDir)), { sets: [] });
    const refused = (sets: unknown) =>
      assert.rejects(saveExportSets(api, { sets } as never), { code: "input.invalid" });
    await refused([{ name: "a", columns }, { name: "a", columns }]);
    await refused([{ name: " ", columns }]);
    await refused([{ name: "x".repeat(41), columns }]);
    await refused([{ name: "a", columns: { ...columns, fields: ["password_hash"] } }]);
    await refused(Array.from({ length: 21 }, (_, n) => ({ name: `set ${n}`, columns })));
    assert.deepEqual(await getExportSets(api), kept);
  },
);

coreTest(
  "the columns that were chosen are those of the file, and the estimate tells them and its size",
  async (site) => {
    const { api, dataDir } = site, studies = 12;
    await addReported(dataDir, studies, 8);
    const columns: ExportColumns = {
      fields: ["patient_id", "study_date", "t1_status"],
      measures: ["volume"],
      parts: ["Hippocampus", "no such part"],
    };
    const request = { format: "csv", columns, language: "ko" } as const;
    const estimate = await estimateExcel(api, request);
    const bytes = new Uint8Array(await (await exported(api, request)).file.arrayBuffer());
    const [head, first] = new TextDecoder().decode(bytes).split("\r\n");
    assert.equal(
      head!.replace(/^\ufeff/, ""),
      "환자 ID,MRI 검사일,T1w 분석 상태,좌측 해마 부피(mL),우측 해마 부피(mL),양측(합계) 해마 부피(mL)",
    );
    assert.match(first!, /^P-12,2026-01-05,완료,[\d.]+,[\d.]+,[\d.]+$/);
    assert.deepEqual([estimate.studies, estimate.columns], [studies, 6]);
    const off = estimate.size_bytes / bytes.length;
    assert.ok(
      off > 0.8 && off < 1.2,
      `${estimate.size_bytes} bytes were told, ${bytes.length} came`,
    );
    assert.ok(Number.isInteger(estimate.seconds) && estimate.seconds >= 0 && estimate.seconds < 60);
    // everything, as the workbook that it is by default
    const all = await estimateExcel(api, { format: "xlsx" });
    const whole = new Uint8Array(
      await (await exported(api, { format: "xlsx" })).file.arrayBuffer(),
    );
    const ratio = all.size_bytes / whole.length;
    assert.ok(ratio > 0.3 && ratio < 3, `${all.size_bytes} bytes were told, ${whole.length} came`);
    await assert.rejects(estimateExcel(api, { format: "pdf" } as never), { code: "input.invalid" });
  },
  { workers: 1 },
);
