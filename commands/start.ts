import { AppError } from "@/model/errors.ts";
import { createLog } from "@/core/log.ts";
import { createCore } from "@/core/mod.ts";
import { makeFolders } from "@/core/storage/blob_file.ts";
import { networkList } from "@/core/services/allowed_networks.ts";
import { createSite } from "@/fresh.config.ts";
import { type Environment, environmentOrExit } from "@/commands/environment.ts";

const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
/** Answers under way may end within this time after a signal. */
const LONGEST_GOODBYE_MS = 3000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

const stop = (text: string): never => {
  Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));
  Deno.exit(1);
};

/** The new administrator's password, once, where it cannot be overlooked. It is not logged or kept. */
function printAdministrator(email: string, password: string): void {
  const lines = [
    "The administrator has been created.",
    "",
    `E-mail     ${email}`,
    `Password   ${password}`,
    "",
    "Write the password down: it is shown only this once.",
  ];
  const width = Math.max(...lines.map((line) => line.length));
  print(`\n  ┌${"─".repeat(width + 4)}┐`);
  for (const line of lines) print(`  │  ${line.padEnd(width)}  │`);
  print(`  └${"─".repeat(width + 4)}┘\n`);
}

/**
 * Takes the data folder for this process. The lock ends with the process, however it ends.
 * @returns the open lock file: keep it until the end.
 */
async function lockData(dataDir: string): Promise<Deno.FsFile> {
  try {
    makeFolders(dataDir);
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
 * Serves the site until SIGINT or SIGTERM.
 * @param converter Socket of the converter of the process that started this one, whose end is the end of the standard
 *   input; `null` when nobody looks after this one: then it converts by itself.
 */
export async function start(converter: string | null = null): Promise<void> {
  const environment = environmentOrExit(), { dataDir } = environment;
  const log = createLog(environment.logLevel);
  const lock = await lockData(dataDir);
  const core = await createCore({ ...environment, converter, log }).catch((error: unknown) => {
    if (error instanceof AppError) return stop(`${error.message}`);
    throw error;
  });
  // at once: the account exists from now on, whatever fails below
  const { administrator } = core;
  if (administrator?.password) printAdministrator(administrator.email, administrator.password);
  const { userService, language } = environment, proxies = networkList(environment.trustedProxies);
  const settings = { dataDir, log, userService, language, isTrustedProxy: proxies.has };
  const site = await createSite({ core, settings }).catch((error: Error) => stop(error.message));

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
  if (converter !== null) {
    const ended = Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {});
    ended.then(() => leaving.signal.aborted || leave("the launcher ended"));
  }
  // open sockets would keep it for ever
  await Promise.race([server.finished, aborted(leaving.signal).then(() => pause(LONGEST_GOODBYE_MS))]);
  site.close();
  await core.close();
  lock.close();
  Deno.exit(0);
}
