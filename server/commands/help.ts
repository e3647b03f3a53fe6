// Texts of `help` and `--help`.
import { TASK } from "@/model/site/command_line.ts";
import { USAGE as ADMIN_USAGE } from "@/server/commands/admin/admin.ts";
import { RECOMPUTE_USAGE, REHEARSE_USAGE } from "@/server/commands/operate/rehearse.ts";
import { print } from "@/server/commands/output.ts";

export const SITE_USAGE = `${TASK} start      starts the server
${TASK} worker     runs analyses on an additional machine
${TASK} doctor     checks settings, data folder, keys, ports and the running site`;

const FILES_USAGE =
  `${TASK} analyze --help and longitudinal --help: how to analyze files without a server`;

const USAGES: Readonly<Record<string, string>> = {
  start: SITE_USAGE,
  worker: SITE_USAGE,
  doctor: SITE_USAGE,
  rehearse: REHEARSE_USAGE,
  recompute: RECOMPUTE_USAGE,
};

/** Prints the usage of a command, or of all. */
export function help(command: string): void {
  const all = [SITE_USAGE, ADMIN_USAGE, REHEARSE_USAGE, RECOMPUTE_USAGE, FILES_USAGE].join("\n\n");
  print(Object.hasOwn(USAGES, command) ? USAGES[command]! : all);
}
