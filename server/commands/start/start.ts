import { AppError } from "@/model/errors.ts";
import { createCore } from "@/server/core/mod.ts";
import { leaveFirstPassword } from "@/server/core/accounts/service/first_password.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { gateAt } from "@/server/gate/link/link.ts";
import { BYTE_MESSAGES } from "@/server/wire/byte_messages.ts";
import { unhandledErrorsAt } from "@/server/wire/line_socket.ts";
import { type Sample, sample } from "@/server/wire/metrics.ts";
import { networkList } from "@/model/site/networks.ts";
import { createSite } from "@/server/edge/site.ts";
import { demoSource } from "@/server/commands/demo/demo_source.ts";
import { siteLog } from "@/server/commands/operate/site_log.ts";
import { exportSpans } from "@/server/commands/operate/span_export.ts";
import { environmentOrExit } from "@/server/commands/start/environment.ts";
import { lockData, print, serveSite, stop } from "@/server/commands/start/serve_site.ts";
import { storageKeyOf } from "@/server/commands/key_files.ts";

/** Socket paths of the helper processes; `null` for a process that does not run. */
type Sockets = Record<"converter" | "reader" | "gate", string | null>;

/** Counts unhandled errors of the helper processes, which have no `/metrics`. */
async function errorsBeside(sockets: Sockets): Promise<Sample[]> {
  const samples = Object.entries(sockets).map(async ([process, path]) => {
    const codec = process === "reader" ? BYTE_MESSAGES : undefined;
    const count = path === null ? null : await unhandledErrorsAt(path, codec);
    return count === null ? [] : [sample("sulcus_unhandled_errors_total", count, { process })];
  });
  return (await Promise.all(samples)).flat();
}

/**
 * Whether systemd started the process: output then goes to the journal, which more people can read.
 */
const printsIntoJournal = () => Deno.env.has("JOURNAL_STREAM") && !Deno.stdout.isTerminal();

/**
 * Shows the new administrator's password once: on the terminal, or under systemd in a file of the
 * data folder that only its account can read. It is neither logged nor written to the journal.
 */
export function tellAdministrator(email: string, password: string, dataDir: string): void {
  const lines = ["The administrator account has been created.", "", `E-mail     ${email}`];
  if (printsIntoJournal()) {
    const path = leaveFirstPassword(dataDir, password);
    lines.push(
      `Password   in the file ${path}`,
      "",
      "You will be asked for a new password at the first sign-in; the file is then deleted.",
    );
  } else {lines.push(
      `Password   ${password}`,
      "",
      "Write down the password: it is shown only once.",
    );}
  const width = Math.max(...lines.map((line) => line.length));
  print(`\n  ┌${"─".repeat(width + 4)}┐`);
  for (const line of lines) print(`  │  ${line.padEnd(width)}  │`);
  print(`  └${"─".repeat(width + 4)}┘\n`);
}

/**
 * Serves the site until SIGINT or SIGTERM.
 * @param sockets Sockets of the helper processes that the launcher runs; then this process also
 * ends when its standard input closes. Without them it converts and reads in its own process, and
 * there is no DICOM network traffic.
 */
export async function start({ converter, reader, gate }: Sockets): Promise<void> {
  const environment = environmentOrExit(), { dataDir } = environment;
  const log = siteLog(environment);
  const { tracesUrl } = environment.operating;
  const endTraces = tracesUrl === null ? null : exportSpans(tracesUrl, log);
  const lock = await lockData(dataDir, () => makeFolders(dataDir));
  const core = await createCore({
    ...environment,
    storageKey: await storageKeyOf(environment).catch((error: Error) => stop(error.message)),
    converter,
    reader,
    demo: demoSource,
    isServedFirst: true,
    log,
    gate: gate === null || environment.dicom === null ? null : {
      ask: gateAt(gate),
      aeTitle: environment.dicom.aeTitle,
      reach: environment.dicom.reach,
    },
  }).catch((error: unknown) => {
    if (error instanceof AppError) return stop(`${error.message}`);
    throw error;
  });
  const { administrator } = core;
  let isTold = !administrator?.password;
  const tellPassword = () => {
    if (!isTold) tellAdministrator(administrator!.email, administrator!.password!, dataDir);
    isTold = true;
  };
  // printed last: the administrator's account exists even if a later step fails
  addEventListener("unload", tellPassword);
  const { userService, language, coreKey: edgeKey } = environment;
  const proxies = networkList(environment.trustedProxies);
  const { securityContact, metricsToken } = environment.operating;
  const settings = {
    dataDir,
    log,
    userService,
    language,
    isTrustedProxy: proxies.has,
    securityContact,
    metricsToken,
    edgeKey,
  };
  const metrics =
    async () => [...await core.metrics(), ...await errorsBeside({ converter, reader, gate })];
  const site = await createSite({ core: { ...core, metrics }, settings }).catch((error: Error) =>
    stop(error.message)
  );

  await serveSite(environment, log, site, {
    // the launcher holds standard input open
    endsWithInput: converter !== null,
    onServing: () => {
      tellPassword();
      core.catchUp();
    },
    close: async () => {
      await core.close();
      await endTraces?.();
      lock.close();
    },
  });
}
