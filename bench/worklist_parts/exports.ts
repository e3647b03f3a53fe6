// Exports of many studies: seconds, and how far the memory grows beyond what a tenth of them takes.
import type { Api } from "@/client/api/http.ts";
import { startExcel } from "@/client/api/excel.ts";
import { listPatients } from "@/client/api/patients.ts";
import { sortKey } from "@/model/schema/study.ts";
import type { Row } from "@/bench/record.ts";

/** Rows are written as they are made: ten times as many may take no more memory, but for what waits to be collected. */
const GROWTH_BAR_MB = 50;

/** One export, while the core runs in this process. */
async function exported(api: Api, pid_list: number[], format: "csv" | "xlsx") {
  const start = performance.now(), before = Deno.memoryUsage().rss;
  const { excel_id } = await startExcel(api, { pid_list, format });
  let peak = before, longest = 0;
  for (let last = performance.now();;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    longest = Math.max(longest, performance.now() - last - 20);
    peak = Math.max(peak, Deno.memoryUsage().rss);
    const answer = await api.send(
      new Request(`http://core/api/v1/patients/excel/${excel_id}/progress`, {
        headers: { authorization: `Bearer ${api.token}` },
      }),
    );
    const { status } = await answer.json();
    if (status === "failed") throw new Error("The export failed");
    if (status === "done") break;
    last = performance.now();
  }
  return { seconds: (performance.now() - start) / 1000, growthMb: (peak - before) / 1e6, longest };
}

/** Figures of exports of `count` studies in both formats. */
export async function exportRows(api: Api, count: number): Promise<Row[]> {
  // the worklist's index is made at the start, and not for an export
  for (const sort_key of sortKey.options) await listPatients(api, { sort_key });
  const { patients } = await listPatients(api, { page_size: 5 }), rows: Row[] = [];
  const first = patients[0]!.pid,
    pids = Array.from({ length: count }, (_, n) => first - n).filter((pid) => pid > 0);
  for (const format of ["csv", "xlsx"] as const) {
    const tenth = await exported(api, pids.slice(0, Math.ceil(pids.length / 10)), format);
    const whole = await exported(api, pids, format);
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
      ok: bar === null || value <= bar,
    });
    rows.push(row("time", whole.seconds, "s", tenth.seconds, null));
    rows.push(
      row("growth of memory after a tenth of them", whole.growthMb, "MB", tenth.growthMb, GROWTH_BAR_MB),
    );
    rows.push(row("longest wait of the event loop", whole.longest, "ms", tenth.longest, null));
  }
  return rows;
}
