import { hostAndPort } from "@/model/site/networks.ts";
import type { ErrorCode } from "@/model/errors.ts";
import type { Log } from "@/model/site/log.ts";
import type { RequestHandler } from "@/server/edge/web/connections.ts";
import { type HttpServer, serveHttp } from "@/server/edge/web/http_server.ts";
import {
  readTlsPair,
  type TlsFiles,
  type TlsPair,
  watchTlsPair,
} from "@/server/edge/web/tls/tls_files.ts";
import { writeError, writeOutput } from "@/server/core/log.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";
import type { SiteServer } from "@/server/edge/site.ts";
import { CANNOT_START } from "@/server/commands/exit_codes.ts";
import type { Environment } from "@/server/commands/start/environment.ts";

export const print = (text: string) => writeOutput(text + "\n");
/** Time after a signal for running calls to end, and then for their responses to be sent. */
const MAX_SHUTDOWN_MS = 10_000, MAX_ANSWER_MS = 3000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/** Ends the process with an error line, because the site cannot start. */
export const stop = (text: string): never => {
  writeError(text + "\n");
  Deno.exit(CANNOT_START);
};

/**
 * Locks the data folder for this process. The operating system releases the lock with the process.
 * @param makeFolders Creates the data folder with its required subfolders.
 * @returns the open lock file: keep it open until the process ends.
 */
export async function lockData(dataDir: string, makeFolders: () => void): Promise<Deno.FsFile> {
  try {
    makeFolders();
    const file = await Deno.open(`${dataDir}/lock`, { create: true, write: true, mode: 0o600 });
    if (await file.tryLock(true)) return file;
    file.close();
  } catch (error) {
    stop(
      `Cannot use the data folder ${dataDir}: ${error instanceof Error ? error.message : error}`,
    );
  }
  return stop(`Cannot use the data folder ${dataDir}: another Sulcus server is using it`);
}

/** Listens and prints the address; exits with one line when the port is not available. */
async function serve(
  { port, host }: Environment,
  tls: TlsPair | null,
  handler: RequestHandler,
): Promise<HttpServer> {
  try {
    const server = await serveHttp({ port, hostname: host, tls }, handler);
    const name = host === "127.0.0.1" ? "localhost" : server.addr.hostname;
    print(
      `Sulcus serves http${tls === null ? "" : "s"}://${hostAndPort(name, server.addr.port)}`,
    );
    return server;
  } catch (error) {
    const isInUse = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const why = isInUse ? "the port is in use (set SULCUS_PORT)" : error;
    return stop(
      `Cannot listen on ${hostAndPort(host, port)}: ${why instanceof Error ? why.message : why}`,
    );
  }
}

/** Reads the certificate and the key; exits with one line if these are invalid. */
function tlsPairOf(files: TlsFiles): TlsPair {
  try {
    return readTlsPair(files);
  } catch (error) {
    return stop((error as Error).message);
  }
}

const CLOSING_ERROR: ErrorCode = "core.unreachable";
/**
 * Refuses a call that arrives during shutdown.
 * The client retries, and another process, or this process after a restart, answers.
 */
const isLeaving = () =>
  Response.json({
    type: "about:blank",
    status: 503,
    title: CLOSING_ERROR,
    code: CLOSING_ERROR,
    request_id: "",
  }, {
    status: 503,
    headers: {
      "content-type": "application/problem+json",
      "connection": "close",
      "retry-after": "5",
    },
  });

/**
 * Signals within this interval count as one signal: a terminal signals every process of the group,
 * and the launcher also forwards the signal.
 */
const SIGNAL_DEBOUNCE_MS = 1000;

/**
 * Serves a site until SIGINT or SIGTERM,
 * closes it and the services behind it, and ends the process.
 * @param options `endsWithInput`: also end when standard input closes; `onServing`: called after
 * the address was printed.
 */
export async function serveSite(
  environment: Environment,
  log: Log,
  site: SiteServer,
  { endsWithInput, onServing, close }: {
    endsWithInput: boolean;
    onServing?: () => void;
    close: () => Promise<void>;
  },
): Promise<never> {
  const leaving = new AbortController(), quiet = Promise.withResolvers<void>();
  let leftAt = 0, underWay = 0;
  const checkPeriodically = () => {
    if (leaving.signal.aborted && underWay === 0) quiet.resolve();
  };
  const leave = (why: string) => {
    log("info", "Stopping", { why });
    leftAt = performance.now();
    leaving.abort();
    // open WebSockets would delay the end indefinitely; pages reconnect
    site.leave();
    checkPeriodically();
  };
  const { tls } = environment, pair = tls && tlsPairOf(tls);
  const server = await serve(environment, pair, async (request, info) => {
    if (leaving.signal.aborted) return isLeaving();
    underWay++;
    try {
      return await site.fetch(request, info);
    } finally {
      underWay--;
      checkPeriodically();
    }
  });
  const endWatch = tls && pair && watchTlsPair(tls, pair, log, server.renew);
  onServing?.();
  keepServing(log);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (!leaving.signal.aborted) leave(signal);
      else if (performance.now() - leftAt > SIGNAL_DEBOUNCE_MS) Deno.exit(130);
    });
  }
  if (endsWithInput) {
    const ended = Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {});
    ended.then(() => leaving.signal.aborted || leave("the launcher ended"));
  }
  await Promise.race([quiet.promise, aborted(leaving.signal).then(() => pause(MAX_SHUTDOWN_MS))]);
  endWatch?.();
  // shutdown() aborts request bodies that are still being sent: called after the calls have ended
  await Promise.race([server.shutdown(), pause(MAX_ANSWER_MS)]);
  site.close();
  await close();
  Deno.exit(0);
}
