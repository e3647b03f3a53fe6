/** Measures one start of a site, as a separate process with its processor time; prints JSON. */
import process from "node:process";
import { pathToFileURL } from "node:url";
import { createCore } from "@/server/core/mod.ts";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

/** Kinds of jobs that are queued at a start for studies stored earlier. */
const AUTOMATIC = ["longitudinal", "flair_change"];
const LISTS = 200, LIST_EVERY_MS = 50, MAX_WAIT_MS = 180_000;

/** Figures of one start. */
export interface StartFigures {
  /** processor time until requests are answered, and until the program was loaded, s */
  readyCpuS: number;
  loadedCpuS: number;
  readyS: number;
  /** time of the first list, which waits for the search index, and of later lists, ms */
  firstListMs: number;
  listP95Ms: number;
  /** number of catch-up jobs started between an upload and its analysis; `null`: no analysis */
  jobsBefore: number | null;
  /** processor time until the analysis started, s */
  analysisCpuS: number;
}

const cpuS = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function measure(
  dataDir: string,
  databaseUrl: string | null,
  isWorking: boolean,
): Promise<StartFigures> {
  const loadedCpuS = cpuS(), started = performance.now(), jobs: string[] = [];
  const core = await createCore(
    {
      dataDir,
      databaseUrl,
      workers: isWorking ? 1 : 0,
      isServedFirst: true,
      log: (_, message, fields) => {
        if (message === "Job started") jobs.push(String(fields?.kind));
      },
    } as Parameters<typeof createCore>[0],
  );
  const server = Deno.serve({ port: 0, onListen: () => {} }, core.fetch);
  (core as { catchUp?: () => void }).catchUp?.();
  // the first response over HTTP
  await (await fetch(`http://localhost:${server.addr.port}/`)).body?.cancel();
  const readyCpuS = cpuS(), readyS = (performance.now() - started) / 1000;
  const open: Api = { send: core.fetch, origin: "http://core" };
  const credentials = { email: "bench@localhost", password: "sulcus-bench-1" };
  const api = { ...open, token: (await login(open, credentials)).access_token };
  const listMs = async (page: number) => {
    const start = performance.now();
    await listPatients(api, { page_size: 50, page_idx: page });
    return performance.now() - start;
  };
  const firstListMs = await listMs(1), lists: number[] = [];
  let jobsBefore: number | null = null, analysisCpuS = NaN;
  if (isWorking) {
    const begun = jobs.length;
    await uploadFiles(api, phantomSeries("short", `START-${Date.now()}`));
    const uploaded = jobs.length;
    for (
      const end = Date.now() + MAX_WAIT_MS;
      Date.now() < end && !jobs.slice(begun).includes("analysis");
    ) {
      await sleep(20);
    }
    const at = jobs.indexOf("analysis", begun);
    if (at >= 0) {
      jobsBefore = jobs.slice(uploaded, at).filter((kind) => AUTOMATIC.includes(kind)).length;
    }
    analysisCpuS = cpuS();
  }
  for (let n = 0; n < LISTS; n++) {
    lists.push(await listMs(1 + n % 20));
    await sleep(LIST_EVERY_MS);
  }
  lists.sort((a, b) => a - b);
  const listP95Ms = lists[Math.floor(lists.length * 0.95)]!;
  return { readyCpuS, loadedCpuS, readyS, firstListMs, listP95Ms, jobsBefore, analysisCpuS };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [dataDir, url, work] = Deno.args;
  const figures = await measure(dataDir!, url === "sqlite" ? null : url!, work === "work");
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(figures) + "\n"));
  // exits without closing the core, like a power cut
  Deno.exit(0);
}
