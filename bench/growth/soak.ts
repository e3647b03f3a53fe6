/**
 * Soak: many hours of a site's work in minutes. Uploads that are analysed, deletions, edits, labels, pages, exports,
 * sockets and calls that are broken off take turns; memory, open files, threads and the write-ahead log are recorded
 * while they do. Growth from the second to the last quarter of the time is what counts: the first is warm-up.
 *
 * deno task bench soak [MINUTES] [--heap] [--json FILE]; 20 minutes by default; needs a built site. `--heap`: with the server's
 * inspector, which tells what its memory is made of after a collection, and which objects are more at the end.
 */
import { statSync } from "node:fs";
import type { Api } from "@/client/api/http.ts";
import { cancelExcel, getExcelProgress, startExcel } from "@/client/api/report/excel.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import {
  deletePatient,
  getPatient,
  listPatients,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { ERRORS } from "@/model/errors.ts";
import { type Classes, growth, HeapProbe, type MemoryKinds } from "@/bench/growth/heap.ts";
import { handlesOf, memoryOf, processorSeconds, threadsOf } from "@/bench/machine/processes.ts";
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import { pageApi, signInPage } from "@/bench/server_parts/server_site.ts";
import { allAnalysed } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";

const BAR_GROWTH = 1.1,
  SAMPLE_EVERY_MS = 10_000,
  PAUSE_MS = 100,
  SETTLE_MS = 500,
  KEPT_STUDIES = 4,
  SOCKETS = 10;
/** As the launcher starts a server. */
const FLAGS = ["--v8-flags=--max-semi-space-size=4"];
const hasHeap = Deno.args.includes("--heap");

const minutes = Number(Deno.args.find((one) => /^\d+(\.\d+)?$/.test(one)) ?? 20);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Sample {
  memoryMb: number;
  handles: number;
  threads: number;
  walMb: number;
  /** after a collection */
  kinds: MemoryKinds | null;
}

/** What is done in turns; each leaves nothing open behind it. */
function stepsOf(site: Site, api: Api, cookie: string): Record<string, (n: number) => Promise<void>> {
  const pids: number[] = [];
  const page = async (path: string) => {
    const answer = await fetch(site.url + path, { headers: { cookie } });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
  };
  return {
    "pages": async () => {
      for (const path of ["/", "/?size=50", "/status"]) await page(path);
    },
    "lists and records": async () => {
      for (let i = 0; i < 5; i++) await listPatients(api, { page_size: 50, search_string: `SOAK-${i}` });
      for (const pid of pids) await getPatient(api, pid);
    },
    "upload and deletion": async (n) => {
      pids.push((await uploadFiles(api, phantomSeries("short", `SOAK-${n}`))).pid_list[0]!);
      if (pids.length > KEPT_STUDIES) await deletePatient(api, pids.shift()!);
    },
    "edit": async (n) => {
      const patient_id = `EDIT-${n}`, patient_name = `EDIT ${n}`;
      const [pid] = pids;
      if (pid === undefined) return;
      const days = { patient_birthdate: "1950-03-01", study_date: "2026-01-05" };
      await updatePatient(api, pid, { patient_id, patient_name, patient_sex: "female", ...days });
    },
    "label": async (n) => {
      const [label] = (await getLabels(api)).labels;
      await saveLabels(api, [{ id: label?.id ?? -1, label_name: `LABEL ${n}`, patients: pids.slice(0, 1) }]);
    },
    "export": async () => {
      if (pids.length === 0) return;
      const { excel_id } = await startExcel(api, { pid_list: pids.slice(0, 2), format: "xlsx" });
      for (;;) {
        const { status } = await getExcelProgress(api, excel_id);
        if (status !== "queued" && status !== "running") break;
        await pause(50);
      }
      await cancelExcel(api, excel_id);
    },
    "sockets": async () => {
      await Promise.all(Array.from({ length: SOCKETS }, async () => {
        const headers = { cookie, origin: site.url };
        const socket = new WebSocket(
          `${site.url.replace("http", "ws")}/api/v1/ws`,
          { headers } as unknown as string[],
        );
        await new Promise((resolve, reject) => {
          socket.onopen = resolve;
          socket.onerror = () => reject(new Error("A socket was refused"));
        });
        const closed = new Promise((resolve) => socket.onclose = resolve);
        socket.close();
        await closed;
      }));
    },
    "calls broken off": async () => {
      await Promise.all(Array.from({ length: 5 }, async (_, n) => {
        const leaving = AbortSignal.timeout(2 * n);
        try {
          await (await fetch(`${site.url}/?page_size=50`, { headers: { cookie }, signal: leaving })).text();
        } catch (error) {
          if (!leaving.aborted) throw error;
        }
      }));
    },
  };
}

async function measure(): Promise<Row[]> {
  await using site = await startSite({
    workers: 1,
    flags: [...FLAGS, ...hasHeap ? ["--inspect=127.0.0.1:0"] : []],
  });
  const cookie = await signInPage(site.url, EMAIL, PASSWORD), { pid } = site.process;
  const api = pageApi(site.url, cookie), steps = stepsOf(site, api, cookie), samples: Sample[] = [];
  const wal = `${site.dataDir}/core.sqlite-wal`;
  const problems: string[] = [], done: Record<string, number> = {};
  const probe = hasHeap ? await HeapProbe.open(site.output(), pid) : null;
  let early: Classes | null = null;
  const start = performance.now(), end = start + 60_000 * minutes;
  let sampledAt = start;
  for (let n = 0; performance.now() < end; n++) {
    for (const [name, step] of Object.entries(steps)) {
      try {
        await step(n);
        done[name] = (done[name] ?? 0) + 1;
      } catch (error) {
        // a study that is being analysed is neither edited nor deleted
        const code = (error as { code?: keyof typeof ERRORS }).code;
        if (code !== "study.being_analyzed") problems.push(`${name}: ${error}`);
      }
      await pause(PAUSE_MS);
    }
    if (performance.now() - sampledAt < SAMPLE_EVERY_MS) continue;
    // an analysis takes memory and threads for as long as it runs
    await allAnalysed(api);
    await pause(SETTLE_MS);
    sampledAt = performance.now();
    samples.push({
      memoryMb: memoryOf(pid),
      handles: handlesOf(pid),
      threads: threadsOf(pid),
      walMb: (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) / 1e6,
      kinds: await probe?.kinds() ?? null,
    });
    if (probe && early === null && sampledAt - start > (end - start) / 4) early = await probe.classes();
    if (samples.length % 6 === 0) {
      const text = `${Math.round((sampledAt - start) / 1000)} s: ${JSON.stringify(samples.at(-1))}\n`;
      Deno.stderr.writeSync(new TextEncoder().encode(text));
    }
  }
  for (const problem of problems.slice(0, 20)) {
    Deno.stderr.writeSync(new TextEncoder().encode(problem + "\n"));
  }
  if (probe && early) {
    const more = growth(early, await probe.classes());
    Deno.stderr.writeSync(new TextEncoder().encode(`More since the first quarter:\n${more.join("\n")}\n`));
    probe.close();
  }
  const seconds = processorSeconds(pid);
  await site.stop("SIGTERM");
  return rowsOf(samples, { problems: problems.length, done, seconds });
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

function rowsOf(
  samples: readonly Sample[],
  { problems, done, seconds }: { problems: number; done: Record<string, number>; seconds: number },
): Row[] {
  const quarter = (n: number) =>
    samples.slice(Math.floor(n * samples.length / 4), Math.floor((n + 1) * samples.length / 4));
  const of = (n: number, name: Exclude<keyof Sample, "kinds">) => quarter(n).map((sample) => sample[name]);
  const isRight = problems === 0 && samples.length >= 8;
  const make = rowMaker("soak");
  const row = (name: string, value: number, unit: string, baseline: number | null = null): Row =>
    make(name, value, unit, { baseline, ok: isRight });
  const memory = row(
    "memory, median of the last quarter",
    median(of(3, "memoryMb")),
    "MB",
    median(of(1, "memoryMb")),
  );
  const kinds = samples.every(({ kinds }) => kinds === null)
    ? []
    : (["objects", "buffers", "spare", "native"] as const).map((kind) => {
      const medianOf = (n: number) => median(quarter(n).map(({ kinds }) => kinds![kind]));
      return row(`of it ${kind}, median of the last quarter`, medianOf(3), "MB", medianOf(1));
    });
  // what is open for good is there also when least is
  const least = row(
    "open files, least in the last quarter",
    Math.min(...of(3, "handles")),
    "files",
    Math.min(...of(1, "handles")),
  );
  const threads = row(
    "threads, least in the last quarter",
    Math.min(...of(3, "threads")),
    "threads",
    Math.min(...of(1, "threads")),
  );
  return [
    { ...memory, bar: `≤ ${BAR_GROWTH} ×`, ok: isRight && memory.ratio! <= BAR_GROWTH },
    ...kinds,
    { ...least, bar: "no more", ok: isRight && least.value <= least.baseline! },
    { ...threads, bar: "no more", ok: isRight && threads.value <= threads.baseline! },
    row("write-ahead log, largest", Math.max(...samples.map(({ walMb }) => walMb)), "MB"),
    row("answers that should not have come", problems, "answers"),
    row("processor time of the server", seconds, "s"),
    ...Object.entries(done).map(([name, times]) => row(`turns: ${name}`, times, "turns")),
  ];
}

finish("deno task bench soak", `${minutes} minutes of everything in turns`, await measure());
