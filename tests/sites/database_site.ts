// A site with its own PostgreSQL server, which is stopped, killed and started during operation.
/// <reference path="../../server/core/database/pg.d.ts" />
import pg from "pg";
import { until } from "@/tests/sites/until.ts";
import {
  initialize,
  makeFolder,
  serverOf,
  startServer,
  stopServer,
  urlIn,
} from "@/tests/sites/postgres_server.ts";
import { type Site, startSite } from "@/tests/e2e/site.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ways in which the database becomes unavailable. */
export const DEPARTURES = ["fast", "immediate", "killed", "backends", "stopped"] as const;
export type Departure = typeof DEPARTURES[number];

interface DatabaseSite extends AsyncDisposable {
  site: Site;
  databaseUrl: string;
  /** Makes the database unavailable for a time; resolves when it accepts connections again. */
  leave(how: Departure, awayMs: number): Promise<void>;
}

/** Process ids of a server's child processes. */
function processesOf(postmaster: number): number[] {
  const text = Deno.readTextFileSync(`/proc/${postmaster}/task/${postmaster}/children`).trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

const isBackend = (pid: number) => {
  try {
    return /^postgres: sulcus sulcus|^postgres: sulcus postgres/.test(
      Deno.readTextFileSync(`/proc/${pid}/cmdline`),
    );
  } catch {
    return false;
  }
};

function signal(pids: readonly number[], name: Deno.Signal): void {
  for (const pid of pids) {
    try {
      Deno.kill(pid, name);
    } catch { /* it has ended */ }
  }
}

/** Waits until the server executes a statement. */
async function takesConnections(connectionString: string): Promise<void> {
  await pause(100);
  await until(async () => {
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: 500,
      query_timeout: 500,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("SELECT 1");
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  });
}

/** @throws {Error} if PostgreSQL cannot be started. */
export async function openDatabaseSite(workers: number): Promise<DatabaseSite> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-database-" });
  await Deno.chmod(folder, 0o711);
  makeFolder(`${folder}/postgres`);
  makeFolder(`${folder}/sockets`);
  const cluster = {
    data: `${folder}/postgres/data`,
    sockets: `${folder}/sockets`,
    settings: ["max_connections=50", "shared_buffers=64MB"],
  };
  await initialize(cluster);
  await startServer(cluster);
  const databaseUrl = urlIn(cluster, "postgres");
  const site = await startSite({ dataDir: `${folder}/site`, databaseUrl, workers });
  return {
    site,
    databaseUrl,
    async leave(how, awayMs) {
      const server = serverOf(cluster);
      if (how === "fast" || how === "immediate") {
        await stopServer(cluster, how);
        await pause(awayMs);
        return await startServer(cluster);
      }
      const backends = processesOf(server).filter(isBackend);
      // after the death of one process, PostgreSQL restarts all, as shared memory may be damaged
      if (how === "killed") {
        signal(backends.slice(0, 1), "SIGKILL");
        return await takesConnections(databaseUrl);
      }
      if (how === "backends") return signal(backends, "SIGTERM");
      const all = [server, ...processesOf(server)];
      signal(all, "SIGSTOP");
      await pause(awayMs);
      signal(all.reverse(), "SIGCONT");
    },
    async [Symbol.asyncDispose]() {
      await site.stop("SIGKILL");
      await stopServer(cluster, "immediate").catch(() => {});
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Status and duration of a call that reads the database; status 0: no response. */
export async function read(
  url: string,
  token: string,
): Promise<{ status: number; retryAfter: string | null; ms: number }> {
  const started = performance.now(), ended = () => performance.now() - started;
  try {
    const answer = await fetch(`${url}/api/v1/patients`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await answer.body?.cancel();
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), ms: ended() };
  } catch {
    return { status: 0, retryAfter: null, ms: ended() };
  }
}

/** Repeats reads until one succeeds. @returns the time until then, ms. */
export async function firstAnswer(url: string, token: string, withinMs: number): Promise<number> {
  const started = performance.now();
  for (;;) {
    const ms = performance.now() - started;
    if ((await read(url, token)).status === 200) return performance.now() - started;
    if (ms > withinMs) return Infinity;
    await pause(50);
  }
}
