/**
 * Worker machines on one job queue (PostgreSQL): throughput of three workers compared with one, and
 * the rate at which the queue distributes jobs.
 *
 * The workers are `main.ts serve --worker` processes with the real engine on one thread. All run on
 * this machine, each limited to a share of one processor (`--share`, 0.3) by stopping its process
 * whenever it has used more. They share only the database and the folder of files, which are not
 * limited. The queue is also measured alone, with jobs that only wait.
 *
 * deno task bench workers [--share 0.3] [--each 2] [--json FILE]; needs PostgreSQL; some 8 minutes.
 */
import { fileURLToPath } from "node:url";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { processorSeconds } from "@/bench/machine/processes.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { enqueue, JobRunner } from "@/server/core/jobs/runner.ts";
import { createCore } from "@/server/core/mod.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { NO_NETWORKS, setGroupBefore } from "@/tests/sites/group_settings.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const WORKERS = 3, BAR = 2.7, LOOK_EVERY_MS = 20, ASK_EVERY_MS = 250;
const share = Number(optionOf("share") ?? 0.3), each = Number(optionOf("each") ?? 2);
const make = rowMaker("workers");
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Limits a process to its share of one processor. @returns a function that ends the limit. */
function throttle(pid: number): () => Promise<void> {
  const from = performance.now(), before = processorSeconds(pid);
  let isOver = false;
  const running = (async () => {
    for (let isStopped = false; !isOver;) {
      const hasMore = processorSeconds(pid) - before > share * (performance.now() - from) / 1000;
      if (hasMore !== isStopped) Deno.kill(pid, hasMore ? "SIGSTOP" : "SIGCONT");
      isStopped = hasMore;
      await pause(LOOK_EVERY_MS);
    }
  })().catch(() => {/* it has ended */});
  return async () => {
    isOver = true;
    await running;
  };
}

/** Studies per hour of a number of workers, with `each` studies per worker. */
async function studiesPerHour(workers: number): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-workers-" }),
    databaseUrl = await newPostgres();
  const folders = ["site", ...Array.from({ length: workers }, (_, n) => `worker${n}`)];
  for (const shared of ["blobs", "exports"]) {
    Deno.mkdirSync(`${folder}/${shared}`);
    for (const name of folders) {
      Deno.mkdirSync(`${folder}/${name}`, { recursive: true });
      Deno.symlinkSync(`${folder}/${shared}`, `${folder}/${name}/${shared}`);
    }
  }
  const dataDir = `${folder}/site`;
  await setGroupBefore({ dataDir, databaseUrl }, NO_NETWORKS);
  const core = await createCore({
    dataDir,
    databaseUrl,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  });
  const processes: Deno.ChildProcess[] = [], ends: (() => Promise<void>)[] = [];
  try {
    const open: Api = { send: core.fetch, origin: "http://core" };
    const api = {
      ...open,
      token: (await login(open, { email: EMAIL, password: PASSWORD })).access_token,
    };
    const count = workers * each;
    for (let n = 0; n < count; n++) await uploadFiles(api, phantomSeries("whole", `STUDY-${n}`));
    for (const name of folders.slice(1)) {
      processes.push(
        new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--no-check", MAIN, "serve", "--worker"],
          env: {
            NODE_ENV: "production",
            SULCUS_DATA_DIR: `${folder}/${name}`,
            SULCUS_DATABASE_URL: databaseUrl,
            SULCUS_WORKERS: "1",
          },
          stdin: "piped",
          stdout: "null",
          stderr: "null",
        }).spawn(),
      );
    }
    const statuses = async () =>
      (await listPatients(api, { page_size: 50 })).patients.map((one) => one.t1_analysis_status);
    const reach = async (status: string, wanted: number) => {
      while ((await statuses()).filter((one) => one === status).length < wanted) {
        await pause(ASK_EVERY_MS);
      }
    };
    // the start is not measured: waits until each worker processes a study
    await reach("processing", workers);
    const started = performance.now();
    for (const { pid } of processes) ends.push(throttle(pid));
    await reach("completed", count);
    return count * 3_600_000 / (performance.now() - started);
  } finally {
    for (const end of ends) await end();
    for (const process of processes) {
      process.kill("SIGKILL");
      await process.status;
    }
    await core.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Jobs per second that several runners complete, each one job at a time; a job waits `ms`. */
async function jobsPerSecond(runners: number, jobs: number, ms: number): Promise<number> {
  const url = await newPostgres(),
    databases = await Promise.all(
      Array.from({ length: runners }, () => openPostgres(url)),
    );
  for (let n = 0; n < jobs; n++) await enqueue(databases[0]!, "wait", {});
  let ended = 0;
  const all = Promise.withResolvers<void>();
  const wait = {
    run: async () => {
      await pause(ms);
      if (++ended === jobs) all.resolve();
    },
    retrying: () => Promise.resolve(),
    failed: () => Promise.reject(new Error("A job that waits failed")),
  };
  const queues = databases.map((db) =>
    new JobRunner(db, { wait }, { workers: 1, log: () => {}, isShared: true })
  );
  const started = performance.now();
  await Promise.all(queues.map((queue) => queue.start()));
  await all.promise;
  const seconds = (performance.now() - started) / 1000;
  for (const queue of queues) await queue.close();
  for (const db of databases) await db.destroy();
  return jobs / seconds;
}

const rows: Row[] = [];
for (const [ms, jobs] of [[0, 300], [1000, 10]] as const) {
  const what = ms === 0 ? "jobs that do nothing" : "jobs of one second";
  const one = await jobsPerSecond(1, jobs, ms),
    three = await jobsPerSecond(WORKERS, WORKERS * jobs, ms);
  rows.push(
    make(`queue alone, one runner: ${what}`, one, "/s"),
    make(`queue alone, three runners: ${what}`, three, "/s", { baseline: one }),
  );
}
const one = await studiesPerHour(1), three = await studiesPerHour(WORKERS);
rows.push(
  make(`one worker with ${share} of a processor`, one, "studies/h"),
  make(`three workers with ${share} of a processor each`, three, "studies/h", {
    baseline: one,
    bar: `≥ ${BAR} ×`,
    ok: three / one >= BAR,
  }),
);
finish(
  "deno task bench workers",
  `${each} phantoms a worker, T1w without networks, simulated machines`,
  rows,
);
