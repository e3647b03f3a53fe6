/**
 * Soak: many hours of a site's work in minutes. Uploads, analyses, deletions, edits, labels, pages,
 * volumes, reports, exports, sockets and aborted calls alternate; memory, open files, threads and
 * the write-ahead log are measured. Growth is judged from the second to the last quarter, as the
 * first is warm-up.
 *
 * deno task bench soak [MINUTES] [--data FOLDER] [--samples FILE] [--heap] [--json FILE]; 20
 * minutes by default; needs a built site. SIGINT or SIGTERM end it early with a result. `--samples`
 * stores each measurement at once; with the same FILE and FOLDER, an interrupted soak continues for
 * the remaining minutes with a new server. `--heap` uses the server's inspector to measure memory
 * by kind after garbage collections, and lists the objects that increased.
 *
 * Eight hours: nohup deno task bench soak 480 --data soak --samples soak.jsonl --json soak.json > soak.log 2>&1 &
 */
import { statSync } from "node:fs";
import type { Api } from "@/client/api/http.ts";
import { cancelExcel, getExcelProgress, startExcel } from "@/client/api/report/excel.ts";
import { getReportPdf } from "@/client/api/report/report.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import {
  deletePatient,
  getPatient,
  getVolume,
  listPatients,
  updatePatient,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { ERRORS } from "@/model/errors.ts";
import { type Classes, growth, HeapProbe } from "@/bench/growth/heap.ts";
import { keepSample, readSamples, rowsOf, type Sample } from "@/bench/growth/soak_samples.ts";
import { handlesOf, memoryOf, processorSeconds, threadsOf } from "@/bench/machine/processes.ts";
import { finish, optionOf } from "@/bench/record.ts";
import { pageApi, signInPage } from "@/bench/server/server_site.ts";
import { allocatorVariables, V8_FLAGS } from "@/server/commands/start/process_memory.ts";
import { allAnalysed } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";

const SAMPLE_EVERY_MS = 10_000,
  PAUSE_MS = 100,
  SAY_EVERY_MS = 60_000,
  MAX_SAID = 20,
  SETTLE_MS = 500,
  KEPT_STUDIES = 4,
  /** one of this number of uploads can be analysed, in a minute; the engine refuses the others */
  WHOLE_EVERY = 20,
  SOCKETS = 10;
/** Only one of this number of rounds is run, by name: a report takes as long as all other work. */
const EVERY: Readonly<Record<string, number>> = { "volume and report": 5 };
const hasHeap = Deno.args.includes("--heap");

const READ_STUDY = "SOAK-READ";

const minutes = Number(Deno.args.find((one) => /^\d+(\.\d+)?$/.test(one)) ?? 20);
const samplesFile = optionOf("samples"), dataDir = optionOf("data");
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

/** Kinds of work that alternate; each leaves nothing open. */
function stepsOf(
  { site, api, cookie, pids, read }: {
    site: Site;
    api: Api;
    cookie: string;
    pids: number[];
    read: number;
  },
): Record<string, (n: number) => Promise<void>> {
  const page = async (path: string) => {
    const answer = await fetch(site.url + path, { headers: { cookie } });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
  };
  return {
    "pages": async () => {
      for (const path of ["/", "/?size=50", "/status", `/viewer/${read}`, `/report/${read}`]) {
        await page(path);
      }
    },
    "volume and report": async () => {
      await getVolume(api, read);
      await (await getReportPdf(api, read)).bytes();
    },
    "lists and records": async () => {
      for (let i = 0; i < 5; i++) {
        await listPatients(api, { page_size: 50, search_string: `SOAK-${i}` });
      }
      for (const pid of pids) await getPatient(api, pid);
    },
    "upload and deletion": async (n) => {
      const extent = n % WHOLE_EVERY === WHOLE_EVERY - 1 ? "whole" : "short";
      pids.push((await uploadFiles(api, phantomSeries(extent, `SOAK-${n}`))).pid_list[0]!);
      if (pids.length <= KEPT_STUDIES) return;
      await deletePatient(api, pids[0]!);
      pids.shift();
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
      await saveLabels(api, [{
        id: label?.id ?? -1,
        label_name: `LABEL ${n}`,
        patients: pids.slice(0, 1),
      }]);
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
          await (await fetch(`${site.url}/?page_size=50`, { headers: { cookie }, signal: leaving }))
            .text();
        } catch (error) {
          if (!leaving.aborted) throw error;
        }
      }));
    },
  };
}

/** The analysed study to read, and studies to edit and delete. */
async function studiesOf(api: Api): Promise<{ read: number; pids: number[] }> {
  const isKept = (await listPatients(api, { page_size: 200 })).patients.some((p) =>
    p.patient_id === READ_STUDY
  );
  if (!isKept) await uploadFiles(api, phantomSeries("whole", READ_STUDY));
  await allAnalysed(api);
  const { patients } = await listPatients(api, { page_size: 200 });
  const isRead = (p: { patient_id: string }) => p.patient_id === READ_STUDY;
  return {
    read: patients.find(isRead)!.pid,
    pids: patients.filter((p) => !isRead(p)).map(({ pid }) => pid).toSorted((a, b) => a - b),
  };
}

/** Soaks until the time is over or a signal arrives. @returns all measurements so far. */
async function measure(): Promise<Sample[]> {
  await using site = await startSite({
    dataDir,
    workers: 1,
    // as set by the launcher
    env: allocatorVariables(),
    flags: [V8_FLAGS, ...hasHeap ? ["--inspect=127.0.0.1:0"] : []],
  });
  const cookie = await signInPage(site.url, EMAIL, PASSWORD), { pid } = site.process;
  const api = pageApi(site.url, cookie), { read, pids } = await studiesOf(api);
  const steps = stepsOf({ site, api, cookie, pids, read }), samples = readSamples(samplesFile);
  const wal = `${site.dataDir}/core.sqlite-wal`;
  const before = samples.at(-1),
    run = before === undefined ? 0 : before.run + 1,
    beforeS = before?.atS ?? 0;
  const done: Record<string, number> = {};
  let problems = 0;
  const probe = hasHeap ? await HeapProbe.open(site.output(), pid) : null;
  let early: Classes | null = null, isEnded = false;
  const endNow = () => isEnded = true;
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, endNow);
  const start = performance.now(), end = start + 60_000 * minutes - 1000 * beforeS;
  let sampledAt = start, saidAt = start;
  for (let n = 0; performance.now() < end && !isEnded; n++) {
    for (const [name, step] of Object.entries(steps)) {
      if (n % (EVERY[name] ?? 1) !== 0) continue;
      try {
        await step(n);
        done[name] = (done[name] ?? 0) + 1;
      } catch (error) {
        // expected: a study under analysis can be neither edited nor deleted
        const code = (error as { code?: keyof typeof ERRORS }).code;
        if (code === "study.being_analyzed") continue;
        // Ctrl+C in a terminal also ends the server
        if (isEnded) break;
        problems++;
        if (problems <= MAX_SAID) say(`turn ${n}, ${name}: ${error}`);
      }
      await pause(PAUSE_MS);
    }
    if (performance.now() - sampledAt < SAMPLE_EVERY_MS) continue;
    // measured without running analyses, which take memory and threads
    await allAnalysed(api).catch((error) => {
      if (!isEnded) throw error;
    });
    await pause(SETTLE_MS);
    if (isEnded) break;
    sampledAt = performance.now();
    const sample: Sample = {
      run,
      atS: Math.round(beforeS + (sampledAt - start) / 1000),
      memoryMb: memoryOf(pid),
      handles: handlesOf(pid),
      threads: threadsOf(pid),
      walMb: (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) / 1e6,
      kinds: await probe?.kinds() ?? null,
      processorS: processorSeconds(pid),
      problems,
      done: { ...done },
    };
    samples.push(sample);
    keepSample(samplesFile, sample);
    if (probe && early === null && sampledAt - start > (end - start) / 4) {
      early = await probe.classes();
    }
    if (sampledAt - saidAt < SAY_EVERY_MS) continue;
    saidAt = sampledAt;
    say(JSON.stringify(sample));
  }
  if (probe && early) {
    say(`More since the first quarter:\n${growth(early, await probe.classes()).join("\n")}`);
    probe.close();
  }
  await site.stop("SIGTERM");
  return samples;
}

const samples = await measure();
const soaked = `${Math.round((samples.at(-1)?.atS ?? 0) / 60)} minutes of everything in turns`;
const runs = new Set(samples.map(({ run }) => run)).size;
finish("deno task bench soak", runs > 1 ? `${soaked}, ${runs} runs` : soaked, rowsOf(samples));
