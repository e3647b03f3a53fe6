// `main.ts start`: starts server, converter, DICOM reader and gate, each as a process with minimal
// permissions. Only this launcher may start processes; it does no other work.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { type DicomEnvironment, environmentOrExit } from "@/server/commands/start/environment.ts";
import { CANNOT_START } from "@/server/commands/exit_codes.ts";
import { Restarts } from "@/server/commands/start/restarts.ts";
import { writeError } from "@/server/core/log.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";
import { startChores } from "@/server/commands/operate/chores.ts";
import {
  allocatorVariables,
  READER_V8_FLAGS,
  V8_FLAGS,
} from "@/server/commands/start/process_memory.ts";
import {
  converterFlags,
  edgeFlags,
  gateFlags,
  plainVariables,
  readerFlags,
  readerFolders,
  serverFlags,
} from "@/server/commands/start/permissions.ts";

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));
const CONVERTER = fileURLToPath(new URL("./converter.ts", import.meta.url));
const READER = fileURLToPath(new URL("./reader.ts", import.meta.url));
const GATE = fileURLToPath(new URL("./gate.ts", import.meta.url));
/** Delay before a converter, reader or gate that ended is restarted. */
const RESTART_MS = 500;

const say = (text: string) => writeError(text + "\n");
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** @param env Environment of the child process; absent: that of this process. */
const child = (args: readonly string[], env?: Record<string, string>) =>
  new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", ...args],
    env: { ...env, ...allocatorVariables() },
    clearEnv: env !== undefined,
    // a child process detects the end of this process by the closed stdin
    stdin: "piped",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn();

/** Keeps a helper process running. @returns a function that ends the process. */
function keepRunning(name: string, start: () => Deno.ChildProcess): () => Promise<void> {
  let isLeaving = false, process = start();
  const running = (async () => {
    for (;;) {
      const { code } = await process.status;
      if (isLeaving) return;
      say(`The ${name} ended with code ${code} and is being restarted`);
      for (let isBack = false; !isBack;) {
        await pause(RESTART_MS);
        if (isLeaving) return;
        try {
          process = start();
          isBack = true;
        } catch (error) {
          // starting fails, for example, when memory is not enough for another process
          say(`Cannot start the ${name}: ${error}`);
        }
      }
    }
  })();
  return async () => {
    isLeaving = true;
    await process.stdin.close().catch(() => {});
    await running;
  };
}

/** Command line of the gate: permissions and settings, without secrets. */
function gateArgs(
  dataDir: string,
  socket: string,
  { port, host, hl7, tls, reach }: DicomEnvironment,
): string[] {
  const inbox = join(Deno.realPathSync(dataDir), "inbox"),
    files = tls ? [tls.cert, tls.key, tls.ca] : [];
  makeFolders(inbox);
  const gateOptions = { host, port, hl7, inbox, socket, tls, reach };
  return [...gateFlags({ inbox, socket, tls: files }), GATE, JSON.stringify(gateOptions)];
}

/**
 * Serves the site until SIGINT or SIGTERM. Ends this process with the server's exit code.
 * @param isWorker Run only analyses of a site that other machines serve.
 * No pages, converter, reader, gate or background tasks are started.
 */
export async function launch(isWorker = false): Promise<never> {
  const environment = environmentOrExit(), { dataDir } = environment;
  // no converter for an edge, because the remote core converts files
  const isEdge = environment.coreUrl !== null;
  for (const path of [dataDir, MAIN]) {
    if (!path.includes(",")) continue;
    say(
      `Cannot start: Deno cannot restrict the server to a folder whose name contains a comma: ${path}`,
    );
    Deno.exit(2);
  }
  try {
    // created by the launcher, because the server may only write inside the folder
    if (isEdge) Deno.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    else makeFolders(join(dataDir, "blobs", "incoming"));
  } catch (error) {
    say(`Cannot use the data folder ${dataDir}: ${error instanceof Error ? error.message : error}`);
    Deno.exit(1);
  }
  // Deno has no Unix sockets on Windows, where the server process itself converts
  const hasSockets = Deno.build.os !== "windows" && !isEdge && !isWorker;
  const folder = hasSockets ? Deno.makeTempDirSync({ prefix: "sulcus-" }) : "";
  const socket = join(folder, "converter.sock"), reader = join(folder, "reader.sock");
  const root = dirname(MAIN);
  const variables = plainVariables();
  const keep = (name: string, args: readonly string[]) =>
    keepRunning(name, () => child(["--no-check", ...args], variables));
  const endConverter = hasSockets
    ? keep("converter", [...converterFlags(dataDir, root, socket), CONVERTER, socket])
    : null;
  const endReader = hasSockets
    ? keep("reader", [
      READER_V8_FLAGS,
      ...readerFlags(dataDir, root, reader),
      READER,
      reader,
      ...readerFolders(dataDir),
    ])
    : null;
  const { dicom } = environment,
    gate = hasSockets && dicom !== null ? join(folder, "gate.sock") : null;
  const endGate = gate === null ? null : keep("gate", gateArgs(dataDir, gate, dicom!));
  const sockets = hasSockets ? [socket, reader, ...(gate === null ? [] : [gate])] : [];
  const flags = isEdge ? edgeFlags(environment, root) : serverFlags(environment, root, sockets);
  const startServer = () =>
    child([
      "--no-check",
      V8_FLAGS,
      ...flags,
      MAIN,
      "serve",
      ...(isWorker
        ? ["--worker"]
        : isEdge
        ? ["--edge"]
        : hasSockets
        ? ["--beside", ...sockets]
        : []),
    ]);
  const chores = isWorker ? null : startChores(
    environment,
    (args, isPlain) => child(["--no-check", ...args], isPlain ? variables : undefined),
  );
  keepServing((_, message, { error }) => say(`Launcher: ${message}: ${error}`));
  // afterwards only child processes are started; the converter removes its socket folder
  for (const name of ["write", "read", "net", "sys", "ffi", "import"] as const) {
    Deno.permissions.revokeSync({ name });
  }
  let server = startServer(), isLeaving = false, wake = () => {};
  /** Restarts the server after a crash. @returns the last exit code of the server. */
  const keepServer = async (): Promise<number> => {
    const restarts = new Restarts();
    for (let started = performance.now(), code = 0;; started = performance.now()) {
      code = (await server.status).code;
      const waitMs = restarts.waitMs(code, performance.now() - started);
      if (isLeaving || waitMs === null) return code;
      say(`The server ended with code ${code} and is being restarted in ${waitMs / 1000} s`);
      chores?.serverEnded(code);
      for (let isBack = false; !isBack;) {
        await Promise.race([pause(waitMs), new Promise<void>((resolve) => wake = resolve)]);
        if (isLeaving) return code;
        try {
          server = startServer();
          isBack = true;
        } catch (error) {
          // starting fails, for example, when memory is not enough for another process
          say(`Cannot start the server: ${error}`);
        }
      }
    }
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      try {
        isLeaving = true;
        server.kill(signal);
      } catch { /* it has ended */ }
      // a signal during the restart delay prevents the restart
      wake();
    });
  }
  const code = await keepServer();
  await chores?.end();
  await endReader?.();
  await endConverter?.();
  await endGate?.();
  Deno.exit(code === CANNOT_START ? 1 : code);
}
