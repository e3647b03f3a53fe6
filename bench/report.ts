// deno task bench report [--json FILE]: one report; many reports as one PDF; cancelling such a PDF.
import process from "node:process";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { cancelReports, startReports } from "@/client/api/report/report_job.ts";
import { getReportPdf } from "@/client/api/report/report.ts";
import { REPORT_PAGES } from "@/model/report/pages.ts";
import { finish, type Row } from "@/bench/record.ts";

const STUDIES = 50, EDGE = 176, WARM_RUNS = 5;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const rounded = (value: number) => Math.round(value * 100) / 100;
const rows: Row[] = [];
const row = (name: string, value: number, unit: string, bar: number | null): Row => ({
  suite: "report",
  name,
  value: rounded(value),
  unit,
  baseline: null,
  ratio: null,
  bar,
  ok: bar === null || value <= bar,
});

await withCore(async ({ api, open, dataDir, events }) => {
  await addReported(dataDir, STUDIES, EDGE);
  const pages = { page_list: REPORT_PAGES.map(({ code }) => code).join(",") };
  const one = async () => {
    const start = performance.now(),
      bytes = await (await getReportPdf(api, 1, pages)).arrayBuffer();
    return { seconds: (performance.now() - start) / 1000, megabytes: bytes.byteLength / 1e6 };
  };
  const cold = await one(), warm = [];
  for (let n = 0; n < WARM_RUNS; n++) warm.push(await one());
  warm.sort((a, b) => a.seconds - b.seconds);
  rows.push(row("one report with every page, first", cold.seconds, "s", null));
  rows.push(
    row("one report with every page, warm, median", warm[WARM_RUNS >> 1]!.seconds, "s", 1.5),
  );
  rows.push(row("size of one report with every page", cold.megabytes, "MB", 3));

  const pid_list = Array.from({ length: STUDIES }, (_, n) => n + 1);
  const before = Deno.memoryUsage().rss, start = performance.now(), cpu = process.cpuUsage();
  const { uuid } = await startReports(api, { pid_list });
  const lastOf = (uuid: string) =>
    events.findLast(({ event }) => event.event === "report" && event.uuid === uuid)?.event as
      | Extract<ServerEvent, { event: "report" }>
      | undefined;
  let peak = before, longest = 0;
  for (let last = performance.now();; last = performance.now()) {
    await pause(20);
    longest = Math.max(longest, performance.now() - last - 20);
    peak = Math.max(peak, Deno.memoryUsage().rss);
    const status = lastOf(uuid)?.status;
    if (status === "failed") throw new Error("The reports were not made");
    if (status === "done") break;
  }
  const { user, system } = process.cpuUsage(cpu), seconds = (performance.now() - start) / 1000;
  rows.push(row(`${STUDIES} reports as one PDF`, seconds, "s", 90));
  rows.push(row(`${STUDIES} reports as one PDF, processor time`, (user + system) / 1e6, "s", null));
  rows.push(
    row(`${STUDIES} reports as one PDF, growth of memory`, (peak - before) / 1e6, "MB", 300),
  );
  rows.push(
    row(`${STUDIES} reports as one PDF, longest wait of the event loop`, longest, "ms", null),
  );
  const { size } = await Deno.stat(`${dataDir}/exports/${uuid}`);
  rows.push(row(`size of ${STUDIES} reports`, size / 1e6, "MB", null));

  let slowest = 0;
  for (let n = 0; n < 3; n++) {
    const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
    const again = { ...open, token: access_token },
      { uuid } = await startReports(again, { pid_list });
    while ((lastOf(uuid)?.percent ?? 0) < 1 + n) await pause(20);
    const asked = performance.now();
    await cancelReports(again, uuid);
    slowest = Math.max(slowest, performance.now() - asked);
  }
  rows.push(row("canceling reports under way, slowest of 3", slowest / 1000, "s", 1));
}, { workers: 1 });

finish("deno task bench report", `${STUDIES} studies with volumes of ${EDGE}³ voxels`, rows);
