import { AppError } from "@/model/errors.ts";
import { openSite } from "@/server/core/mod.ts";
import type { Database } from "@/server/core/database/database.ts";
import { accept, ACCEPT_USAGE } from "@/server/commands/admin/admin_accept.ts";
import { audit, AUDIT_USAGE } from "@/server/commands/admin/admin_audit.ts";
import { backup, BACKUP_USAGE, restore, verify } from "@/server/commands/admin/admin_backup.ts";
import { files, FILES_USAGE } from "@/server/commands/admin/admin_files.ts";
import { key, KEY_USAGE } from "@/server/commands/admin/admin_key.ts";
import { license, LICENSE_USAGE } from "@/server/commands/admin/admin_license.ts";
import { migrate, MIGRATE_USAGE } from "@/server/commands/admin/admin_migrate.ts";
import { network, NETWORK_USAGE } from "@/server/commands/admin/admin_network.ts";
import { REGISTRY_USAGE, registryExport } from "@/server/commands/admin/admin_registry.ts";
import { user, USER_USAGE } from "@/server/commands/admin/admin_user.ts";
import { noteCommand } from "@/server/commands/admin/note_command.ts";
import { type Arguments, readArguments } from "@/server/commands/arguments.ts";
import { type Environment, environmentOrExit } from "@/server/commands/start/environment.ts";
import { printError } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

/**
 * Usage text of admin commands, printed for wrong arguments; docs/reference/commands.md contains
 * it.
 */
export const USAGE = `${USER_USAGE}
${LICENSE_USAGE}
${NETWORK_USAGE}
${AUDIT_USAGE}
${ACCEPT_USAGE}
${REGISTRY_USAGE}
${BACKUP_USAGE}
${FILES_USAGE}
${KEY_USAGE}
${MIGRATE_USAGE}
The commands use the database in SULCUS_DATABASE_URL or the data folder SULCUS_DATA_DIR (by default ./data). They can be
run while the site is running. The password is the first line of FILE; "-" reads it from standard input. Without
--password-file, a password is generated and shown once.`;

const NOUNS: Record<
  string,
  (db: Database, args: Arguments, environment: Environment) => Promise<number>
> = {
  user,
  license,
  network,
  audit,
  accept,
  "registry-export": registryExport,
};
/**
 * Admin commands that act on all data of the site; their argument is a backup folder or an action.
 */
const WHOLE_SITE: Record<
  string,
  (word: string, environment: Environment, options: Arguments["options"]) => Promise<number>
> = {
  backup: (folder, environment, options) =>
    backup(folder, environment, { isNightly: options.has("nightly") }),
  restore: (folder, environment, options) =>
    restore(folder, environment, { acceptDamage: options.has("accept-damage") }),
  verify,
  files,
};
/** Actions of admin commands that do not change anything. */
const READING = ["list", "delays", "show", "sign", "verify", "export"];

/** @returns exit code of the command; the audit log records all changes. */
async function run(args: Arguments, environment: Environment): Promise<number> {
  const { words: [noun = "", verb = "", subject] } = args;
  if (environment.coreUrl !== null) {
    throw new AppError(
      "input.invalid",
      "Cannot run this command on an edge server (SULCUS_CORE_URL is set here): run it on the core server, which has the data",
    );
  }
  if (noun === "key") return await key(verb, environment);
  if (noun === "migrate") return await migrate(verb, environment);
  if (Object.hasOwn(WHOLE_SITE, noun)) {
    return await WHOLE_SITE[noun]!(verb, environment, args.options);
  }
  const act = Object.hasOwn(NOUNS, noun) ? NOUNS[noun] : undefined;
  if (!act || verb === "") return 2;
  const db = await openSite(environment);
  try {
    const code = await act(db, args, environment);
    if (code === 0 && !READING.includes(verb)) {
      await noteCommand(db, `admin.${noun}.${verb}`, subject === undefined ? {} : { subject });
    }
    return code;
  } finally {
    await db.destroy();
  }
}

/** Runs an admin command. @returns the exit code: 0 done, 1 refused, 2 wrong usage. */
export async function admin(args: readonly string[]): Promise<number> {
  const parsed = readArguments(args);
  try {
    const code = parsed === null ? 2 : await run(parsed, environmentOrExit());
    if (code === 2) printError(USAGE);
    return code;
  } catch (error) {
    if (error instanceof AppError) printError(error.message);
    else if (/database disk image is malformed|file is not a database/i.test(String(error))) {
      printError(`The database is damaged. Restore a backup: ${ADMIN} restore FOLDER`);
    } else throw error;
    return 1;
  }
}
