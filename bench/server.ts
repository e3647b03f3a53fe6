/**
 * Server benchmark: response time of the worklist while studies are queued and analysed, compared
 * with the same server when idle. A wrong response fails the benchmark.
 *
 * deno task bench server [--json FILE]; needs a built site.
 */
import type { Api } from "@/client/api/http.ts";
import { getPatient, listPatients } from "@/client/api/studies/patients.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import { finish, type Row } from "@/bench/record.ts";
import { pageApi, signInPage } from "@/bench/server/server_site.ts";
import type { UploadNews, UploadRequest } from "@/bench/server/server_upload_worker.ts";
import { EMAIL, PASSWORD, startSite } from "@/tests/e2e/site.ts";

/** Maximum response time that users do not notice as a delay, ms. */
const BAR_MS = 250;
const STUDIES = 3, IDLE_ROUNDS = 300, PAUSE_MS = 40, WARM_ROUNDS = 30;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const round = (value: number) => Math.round(value * 100) / 100;

/** A request with its whole body. @returns time, ms, and whether the response is correct. */
type Call = () => Promise<{ ms: number; isRight: boolean }>;

async function timed(work: () => Promise<boolean>): Promise<{ ms: number; isRight: boolean }> {
  const start = performance.now(), isRight = await work().catch(() => false);
  return { ms: performance.now() - start, isRight };
}

/** Measured requests: the list through the API, and the page through a browser's request. */
function callsOf(
  url: string,
  api: Api,
  cookie: string,
  stored: () => number,
): Record<string, Call> {
  return {
    "GET /patients": () =>
      timed(async () => {
        const before = stored(), { total } = await listPatients(api);
        // the server may have stored one more study than the upload has reported
        return total >= before && total <= stored() + 1;
      }),
    "worklist page": () =>
      timed(async () => {
        const expected = stored() === 0 ? '"queryKey"' : "BENCH-1";
        const answer = await fetch(url, { headers: { cookie }, redirect: "manual" });
        return (await answer.text()).includes(expected) && answer.status === 200;
      }),
  };
}

interface Samples {
  ms: number[];
  wrong: number;
}

/** Repeats the requests one after another until `isOver`. */
async function sample(
  calls: Record<string, Call>,
  isOver: (rounds: number) => boolean,
): Promise<Record<string, Samples>> {
  const samples = Object.fromEntries(
    Object.keys(calls).map((name) => [name, { ms: [], wrong: 0 } as Samples]),
  );
  for (let rounds = 0; !isOver(rounds); rounds++) {
    for (const [name, call] of Object.entries(calls)) {
      const { ms, isRight } = await call();
      samples[name]!.ms.push(ms);
      if (!isRight) samples[name]!.wrong++;
      await pause(PAUSE_MS);
    }
  }
  return samples;
}

const quantile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]!;

function latencyRows(name: string, idle: Samples, busy: Samples): Row[] {
  const isRight = idle.wrong + busy.wrong === 0;
  return ([["median", 0.5, null], ["99th percentile", 0.99, BAR_MS], ["longest", 1, null]] as const)
    .map(
      ([what, part, bar]): Row => {
        const value = round(quantile(busy.ms, part)), baseline = round(quantile(idle.ms, part));
        return {
          suite: "server",
          name: `${name}, ${what}`,
          value,
          unit: "ms",
          baseline,
          ratio: round(value / baseline),
          bar,
          ok: isRight && (bar === null || value <= bar),
        };
      },
    );
}

/** Starts a worker that has generated the studies and uploads them on request. */
async function openUploads(url: string, cookie: string) {
  const worker = new Worker(new URL("./server/server_upload_worker.ts", import.meta.url), {
    type: "module",
  });
  const made = Promise.withResolvers<number>(),
    all = Promise.withResolvers<void>(),
    state = { stored: 0 };
  worker.onmessage = ({ data }: MessageEvent<UploadNews>) => {
    if ("made" in data) made.resolve(data.megabytes);
    else if ((state.stored = data.stored) === STUDIES) all.resolve();
  };
  worker.onerror = (event) => all.reject(new Error(event.message));
  worker.postMessage({ url, cookie, studies: STUDIES } satisfies UploadRequest);
  const megabytes = await made.promise;
  return {
    megabytes,
    state,
    start: () => worker.postMessage(null),
    all: all.promise,
    end: () => worker.terminate(),
  };
}

/** Waits until all studies are analysed. */
async function allAnalysed(api: Api): Promise<void> {
  for (let ended = 0; ended < STUDIES;) {
    await pause(1000);
    const { patients } = await listPatients(api);
    ended = patients.filter((p) =>
      !isAnalyzing(p.t1_analysis_status) && !isAnalyzing(p.t2_analysis_status)
    ).length;
  }
}

async function measure(): Promise<Row[]> {
  await using site = await startSite();
  const cookie = await signInPage(site.url, EMAIL, PASSWORD), api = pageApi(site.url, cookie);
  const uploads = await openUploads(site.url, cookie);
  const calls = callsOf(site.url, api, cookie, () => uploads.state.stored);
  await sample(calls, (rounds) => rounds >= WARM_ROUNDS);
  const idle = await sample(calls, (rounds) => rounds >= IDLE_ROUNDS);

  const start = performance.now();
  let uploaded = start, isUploaded = false, isOver = false;
  uploads.start();
  const uploading = uploads.all.then(() => {
    uploaded = performance.now();
    isUploaded = true;
  });
  const during = await sample(calls, () => isUploaded);
  await uploading;
  const analysing = allAnalysed(api).then(() => isOver = true);
  const busy = await sample(calls, () => isOver);
  await analysing;
  const seconds = (performance.now() - uploaded) / 1000, rows: Row[] = [];
  uploads.end();

  for (const name of Object.keys(calls)) {
    rows.push(...latencyRows(`${name} during ${STUDIES} analyses`, idle[name]!, busy[name]!));
    rows.push(...latencyRows(`${name} during uploads and an analysis`, idle[name]!, during[name]!));
  }
  const results = await Promise.all(
    Array.from({ length: STUDIES }, (_, n) => getPatient(api, n + 1)),
  );
  const isWhole = results.every((patient) => patient.t1_result !== null && patient.wmh !== null);
  const row = (name: string, value: number, unit: string, ok = true): Row => ({
    suite: "server",
    name,
    value: round(value),
    unit,
    baseline: null,
    ratio: null,
    bar: null,
    ok,
  });
  const answers = Object.values(busy).reduce((n, { ms }) => n + ms.length, 0);
  rows.push(
    row(
      "studies taken in while the first is analysed",
      1000 * uploads.megabytes / (uploaded - start),
      "MB/s",
    ),
  );
  rows.push(
    row(`${STUDIES} studies, from the last upload to the last result`, seconds, "s", isWhole),
  );
  rows.push(row("answers measured during the analyses", answers, "answers"));
  return rows;
}

if (import.meta.main) {
  finish(
    "deno task bench server",
    `${STUDIES} phantoms with T1w of 1 mm and FLAIR of 3 mm`,
    await measure(),
  );
}
