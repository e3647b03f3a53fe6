// `main.ts worker`: runs analyses of a site that other machines serve.
import { AppError } from "@/model/errors.ts";
import { keepServing } from "@/server/wire/unhandled_errors.ts";
import { createCore } from "@/server/core/mod.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { environmentOrExit } from "@/server/commands/start/environment.ts";
import { storageKeyOf } from "@/server/commands/key_files.ts";
import { tellAdministrator } from "@/server/commands/start/start.ts";
import { lockData, print, stop } from "@/server/commands/start/serve_site.ts";
import { siteLog } from "@/server/commands/operate/site_log.ts";
import { exportSpans } from "@/server/commands/operate/span_export.ts";

/**
 * Signals within this interval count as one signal: a terminal signals every process of the group,
 * and the launcher also forwards the signal.
 */
const SIGNAL_DEBOUNCE_MS = 1000;

/**
 * Runs analyses and file jobs from the queue of a site's database until SIGINT or SIGTERM; then it
 * completes running jobs and takes no more. A second signal returns running jobs to the queue.
 * @param endsWithInput A closed standard input counts as the second signal: the launcher has died.
 */
export async function work(endsWithInput: boolean): Promise<never> {
  const environment = environmentOrExit(), { dataDir, databaseUrl } = environment;
  if (databaseUrl === null) {
    return stop(
      "Cannot start the worker: SULCUS_DATABASE_URL does not specify the site's database",
    );
  }
  const log = siteLog(environment), lock = await lockData(dataDir, () => makeFolders(dataDir));
  const { tracesUrl } = environment.operating;
  const endTraces = tracesUrl === null ? null : exportSpans(tracesUrl, log);
  const core = await createCore({
    ...environment,
    isWorker: true,
    storageKey: await storageKeyOf(environment).catch((error: Error) => stop(error.message)),
    converter: null,
    gate: null,
    contextHub: null,
    log,
  }).catch((error: unknown) => {
    if (error instanceof AppError) return stop(error.message);
    throw error;
  });
  const { administrator } = core;
  if (administrator?.password) {
    tellAdministrator(administrator.email, administrator.password, dataDir);
  }
  keepServing(log);
  print("Sulcus worker: runs analyses from the site's queue and does not serve web pages");
  const stopping = Promise.withResolvers<void>(), urged = Promise.withResolvers<void>();
  let askedAt: number | null = null;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => {
      if (askedAt === null) {
        log("info", "Stopping after the running analyses have finished", { why: signal });
        askedAt = performance.now();
        stopping.resolve();
      } else if (performance.now() - askedAt > SIGNAL_DEBOUNCE_MS) urged.resolve();
    });
  }
  if (endsWithInput) {
    void Deno.stdin.readable.pipeTo(new WritableStream()).catch(() => {}).then(() => {
      stopping.resolve();
      urged.resolve();
    });
  }
  await stopping.promise;
  await Promise.race([core.drain(), urged.promise]);
  await core.close();
  await endTraces?.();
  lock.close();
  Deno.exit(0);
}
