/**
 * Rolling restart: two sites on one PostgreSQL database and one folder of files, behind a balancer.
 * In turn, each site is taken out of the balancer, stopped, started and put back, while users work
 * with lists, records, labels and uploads with analyses. A failed call, or a lost or unanalysed
 * study, fails the benchmark.
 *
 * deno task bench restart [--rounds N] [--json FILE]; needs a built site and PostgreSQL's programs.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import { getPatient, listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { allAnalysed } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";

const SITES = 2, READERS = 4, UPLOAD_EVERY_MS = 2000;
const rounds = Number(optionOf("rounds") ?? 5);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

/**
 * Sends each call to the next active site. If a stopping site responds with 503 before it has begun
 * the call, the call goes to the other site, as in real balancers; other failures are not retried.
 */
class Balancer {
  readonly active = new Set<Site>();
  readonly failures: string[] = [];
  readonly waitsMs: number[] = [];
  moved = 0;
  #turn = 0;

  readonly send = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url), start = performance.now();
    const { method, headers } = request,
      sent = request.body === null ? null : await request.arrayBuffer();
    try {
      for (;;) {
        const sites = [...this.active], { url } = sites[this.#turn++ % sites.length]!;
        const answer = await fetch(url + pathname + search, { method, headers, body: sent });
        const body = await answer.arrayBuffer();
        if (answer.status === 503 && answer.headers.has("retry-after")) {
          this.moved++;
          continue;
        }
        this.waitsMs.push(performance.now() - start);
        if (answer.status >= 500) this.failures.push(`${method} ${pathname}: ${answer.status}`);
        return new Response(body.byteLength > 0 ? body : null, answer);
      }
    } catch (error) {
      this.failures.push(`${method} ${pathname}: ${error}`);
      throw error;
    }
  };
}

/** Work of users until it is over. @returns numbers of the acknowledged studies. */
async function work(api: Api, isOver: () => boolean): Promise<number[]> {
  const pids: number[] = [];
  const again = async (step: (n: number) => Promise<void>, everyMs: number) => {
    for (let n = 0; !isOver(); n++) {
      // ignored: the balancer counts failures
      await step(n).catch(() => {});
      await pause(everyMs);
    }
  };
  const read = async () => {
    await listPatients(api, { page_size: 50 });
    for (const pid of pids.slice(-2)) await getPatient(api, pid);
  };
  await Promise.all([
    ...Array.from({ length: READERS }, () => again(read, 20)),
    again(async (n) => {
      const { labels, version } = await getLabels(api);
      await saveLabels(
        api,
        [{ id: labels[0]?.id ?? -1, label_name: `L ${n}`, patients: [] }],
        version,
      );
    }, 50),
    again(async (n) => {
      pids.push(...(await uploadFiles(api, phantomSeries("short", `ROLL-${n}`))).pid_list);
    }, UPLOAD_EVERY_MS),
  ]);
  return pids;
}

async function measure(): Promise<Row[]> {
  const folder = mkdtempSync(`${tmpdir()}/sulcus-restart-`), databaseUrl = await newPostgres();
  mkdirSync(`${folder}/blobs`);
  const dirs = Array.from({ length: SITES }, (_, n) => `${folder}/${n}`);
  for (const dir of dirs) {
    mkdirSync(dir);
    symlinkSync(`${folder}/blobs`, `${dir}/blobs`);
  }
  const start = (dataDir: string) => startSite({ dataDir, databaseUrl, workers: 1 });
  const sites: Site[] = [], balancer = new Balancer();
  try {
    for (const dir of dirs) sites.push(await start(dir));
    for (const site of sites) balancer.active.add(site);
    const open: Api = { send: balancer.send, origin: "http://hospital" };
    const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
    const api = { ...open, token: access_token };
    let isOver = false;
    const working = work(api, () => isOver);
    for (let round = 0; round < rounds; round++) {
      for (const [n, dir] of dirs.entries()) {
        await pause(1000);
        balancer.active.delete(sites[n]!);
        await sites[n]!.stop("SIGTERM");
        sites[n] = await start(dir);
        balancer.active.add(sites[n]!);
      }
      say(
        `${round + 1} rounds, ${balancer.waitsMs.length} calls, ${balancer.failures.length} failed`,
      );
    }
    isOver = true;
    const pids = await working;
    await allAnalysed(api);
    const lost: number[] = [];
    for (const pid of pids) {
      // the engine refuses the incomplete head, so a finished analysis has the state "failed"
      const { t1_analysis_status } = await getPatient(api, pid);
      if (t1_analysis_status !== "failed") lost.push(pid);
    }
    for (const failure of balancer.failures.slice(0, 20)) say(failure);
    balancer.waitsMs.sort((a, b) => a - b);
    const row = rowMaker("restart"), { failures, waitsMs } = balancer;
    return [
      row("restarts", rounds * SITES, "restarts"),
      row("calls", waitsMs.length, "calls", { ok: waitsMs.length > 100 }),
      row("calls sent to another site by one that was leaving", balancer.moved, "calls"),
      row("calls that failed", failures.length, "calls", { bar: 0, ok: failures.length === 0 }),
      row("longest call", waitsMs.at(-1) ?? NaN, "ms"),
      row("studies acknowledged", pids.length, "studies", { ok: pids.length >= rounds }),
      row("studies lost or not analysed", lost.length, "studies", {
        bar: 0,
        ok: lost.length === 0,
      }),
    ];
  } finally {
    for (const site of sites) await site.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

finish(
  "deno task bench restart",
  `${rounds} rounds over ${SITES} sites on one PostgreSQL database`,
  await measure(),
);
