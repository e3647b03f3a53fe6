import type { Log } from "@/model/log.ts";
import type { SiteServer } from "@/fresh.config.ts";
import type { Environment } from "@/commands/environment.ts";

export const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
/** Answers under way may end within this time after a signal. */
const LONGEST_GOODBYE_MS = 3000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/** Ends the process with one line. */
export const stop = (text: string): never => {
  Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
  Deno.exit(1);
};

/**
 * Takes the data folder for this process. The lock ends with the process, however it ends.
 * @param makeFolders Makes it, with what must be in it.
 * @returns the open lock file: keep it until the end.
 */
export async function lockData(dataDir: string, makeFolders: () => void): Promise<Deno.FsFile> {
  try {
    makeFolders();
    const file = await Deno.open(`${dataDir}/lock`, { create: true, write: true, mode: 0o600 });
    if (await file.tryLock(true)) return file;
    file.close();
  } catch (error) {
    stop(`Cannot use the data folder ${dataDir}: ${error instanceof Error ? error.message : error}`);
  }
  return stop(`Cannot use the data folder ${dataDir}: another Sulcus is running on it`);
}

/** Listens and prints the address; ends the process with one line when the port cannot be had. */
function serve(
  { port, host }: Environment,
  signal: AbortSignal,
  handler: Deno.ServeHandler,
): Deno.HttpServer {
  try {
    return Deno.serve({
      port,
      hostname: host,
      signal,
      onListen: (address) => {
        const name = host === "127.0.0.1" ? "localhost" : address.hostname;
        print(`Sulcus serves http://${name.includes(":") ? `[${name}]` : name}:${address.port}`);
      },
    }, handler);
  } catch (error) {
    const why = error instanceof Deno.errors.AddrInUse ? "the port is in use (set SULCUS_PORT)" : error;
    return stop(`Cannot listen on ${host}:${port}: ${why instanceof Error ? why.message : why}`);
  }
}

/** Two signals within this time are one: a terminal sends it to every process, and the one that started us passes it on. */
const SAME_SIGNAL_MS = 1000;

/**
 * Serves a site until SIGINT or SIGTERM, then closes it and what is behind it, and ends the process.
 * @param options `endsWithInput`: the end of the standard input ends it too.
 */
export async function serveSite(
  environment: Environment,
  log: Log,
  site: SiteServer,
  { endsWithInput, close }: { endsWithInput: boolean; close: () => Promise<void> },
): Promise<never> {
  const leaving = new AbortController();
  let leftAt = 0;
  const leave = (why: string) => {
    log("info", "Stopping", { why });
    leftAt = performance.now();
    leaving.abort();
  };
  const server = serve(environment, leaving.signal, (request, info) => site.fetch(request, info));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (!leaving.signal.aborted) leave(signal);
      else if (performance.now() - leftAt > SAME_SIGNAL_MS) Deno.exit(130);
    });
  }
  if (endsWithInput) {
    const ended = Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {});
    ended.then(() => leaving.signal.aborted || leave("the launcher ended"));
  }
  // open sockets would keep it for ever
  await Promise.race([server.finished, aborted(leaving.signal).then(() => pause(LONGEST_GOODBYE_MS))]);
  site.close();
  await close();
  Deno.exit(0);
}
