// Exports of many studies: duration, live memory during an export, and growth of the process.
import { readFileSync } from "node:fs";
import type { Api } from "@/client/api/http.ts";
import { getExcel, startExcel } from "@/client/api/report/excel.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { sortKey } from "@/model/schema/studies/study.ts";
import type { Row } from "@/bench/record.ts";
import { xlsxPieces } from "@/tests/workbook_reader.ts";

/** Maximum live memory, MB: rows are written immediately and not kept. */
const ALIVE_BAR_MB = 10;
/** Maximum growth by a repeated export, MB; the first export leaves garbage that is not counted. */
const GROWTH_BAR_MB = 30;

/** Garbage collection, available because bench/run.ts passes `--v8-flags=--expose-gc`. */
const collect = (globalThis as { gc?: () => void }).gc;

/** Anonymous resident memory of this process, MB. */
const residentMb = () =>
  Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024;
const heapMb = () => Deno.memoryUsage().heapUsed / 1e6;

/** Study numbers in the first column of an export, without the header, read as a stream. */
async function* pidsOf(api: Api, excelId: string, format: "csv" | "xlsx"): AsyncGenerator<number> {
  const answer = await getExcel(api, excelId);
  if (!("file" in answer)) throw new Error(`The export is not done: ${answer.progress.status}`);
  const body = answer.file.body!;
  if (format === "csv") {
    let rest = "", line = 0;
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split("\r\n");
      rest = lines.pop()!;
      for (const each of lines) if (line++ > 0) yield Number(each.slice(0, each.indexOf(",")));
    }
    return;
  }
  let rest = "";
  for await (const piece of xlsxPieces(body)) {
    const rows = (rest + piece).split("<row ");
    rest = rows.pop()!;
    yield* pidsIn(rows);
  }
  yield* pidsIn([rest]);
}

/** Numbers in the first column of XML fragments with one row each; skips the header, a text. */
function* pidsIn(rows: readonly string[]): Generator<number> {
  for (const row of rows) {
    const pid = /<c r="A\d+"><v>(\d+)</.exec(row)?.[1];
    if (pid !== undefined) yield Number(pid);
  }
}

/** Whether an export contains exactly these studies in this order. */
async function hasAll(api: Api, excelId: string, pids: readonly number[], format: "csv" | "xlsx") {
  let n = 0, isRight = true;
  for await (const pid of pidsOf(api, excelId, format)) isRight &&= pid === pids[n++];
  return isRight && n === pids.length;
}

/** Runs one export in this process and measures it. */
async function exported(api: Api, pid_list: number[], format: "csv" | "xlsx") {
  collect?.();
  const start = performance.now(), before = residentMb(), heapBefore = heapMb();
  const { excel_id } = await startExcel(api, { pid_list, format });
  let peak = before, alive = 0, longest = 0, nextPercent = 30, collecting = 0;
  for (let last = performance.now();;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    longest = Math.max(longest, performance.now() - last - 20);
    peak = Math.max(peak, residentMb());
    const answer = await api.send(
      new Request(`http://core/api/v1/patients/excel/${excel_id}/progress`, {
        headers: { authorization: `Bearer ${api.token}` },
      }),
    );
    const { status, percent } = await answer.json();
    if (status === "failed") throw new Error("The export failed");
    if (status === "done") break;
    if (collect && percent >= nextPercent) {
      nextPercent += 30;
      const since = performance.now();
      collect();
      collecting += performance.now() - since;
      alive = Math.max(alive, heapMb() - heapBefore);
    }
    last = performance.now();
  }
  const seconds = (performance.now() - start - collecting) / 1000;
  return { excelId: excel_id, seconds, growthMb: peak - before, aliveMb: alive, longest };
}

/** Rows about exports of `count` studies in both formats. */
export async function exportRows(api: Api, count: number): Promise<Row[]> {
  // the first list builds the worklist's index, which does not belong to an export
  for (const sort_key of sortKey.options) await listPatients(api, { sort_key });
  const { patients } = await listPatients(api, { page_size: 5 }), rows: Row[] = [];
  const first = patients[0]!.pid,
    pids = Array.from({ length: count }, (_, n) => first - n).filter((pid) => pid > 0);
  for (const format of ["csv", "xlsx"] as const) {
    const tenth = await exported(api, pids.slice(0, Math.ceil(pids.length / 10)), format);
    const whole = await exported(api, pids, format), again = await exported(api, pids, format);
    const isRight = await hasAll(api, again.excelId, pids, format);
    const row = (
      name: string,
      value: number,
      unit: string,
      baseline: number | null,
      bar: number | null,
    ): Row => ({
      suite: "worklist",
      name: `export of ${pids.length} studies as ${format}, ${name}`,
      value: Math.round(value * 100) / 100,
      unit,
      baseline: baseline === null ? null : Math.round(baseline * 100) / 100,
      ratio: null,
      bar,
      ok: isRight && (bar === null || value <= bar),
    });
    rows.push(row("time", Math.min(whole.seconds, again.seconds), "s", tenth.seconds, null));
    if (collect) {
      const alive = Math.max(whole.aliveMb, again.aliveMb);
      rows.push(
        row("memory alive meanwhile, beyond that before", alive, "MB", tenth.aliveMb, ALIVE_BAR_MB),
      );
    }
    rows.push(
      row(
        "growth of the process after a tenth of them",
        whole.growthMb,
        "MB",
        tenth.growthMb,
        null,
      ),
    );
    rows.push(
      row("growth of the process the second time", again.growthMb, "MB", null, GROWTH_BAR_MB),
    );
    rows.push(
      row(
        "longest wait of the event loop",
        Math.max(whole.longest, again.longest),
        "ms",
        tenth.longest,
        null,
      ),
    );
  }
  return rows;
}
