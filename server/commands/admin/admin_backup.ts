import { resolve } from "node:path";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { AppError } from "@/model/errors.ts";
import { openSite } from "@/server/core/mod.ts";
import { noteCommand } from "@/server/commands/admin/note_command.ts";
import { writeBackup } from "@/server/core/site/service/backup/backup.ts";
import { checkNightly, rememberPlace } from "@/server/core/site/service/backup/backup_places.ts";
import {
  type BackupFault,
  type BackupKeys,
  type BackupVerdict,
  checkBackup,
  isWholeBackup,
} from "@/server/core/site/service/backup/backup_check.ts";
import { BACKUP_DATABASE, writeSuspects } from "@/server/core/site/service/backup/backup_note.ts";
import { readBackup } from "@/server/core/site/service/backup/restore.ts";
import { auditSecretsIn, putAuditAside } from "@/server/core/site/service/audit/audit_key.ts";
import {
  type BlobFinding,
  checkSite,
  isWhole,
  type SiteVerdict,
} from "@/server/core/site/service/site_check.ts";
import type { Database } from "@/server/core/database/database.ts";
import { checkEmpty, moveToPostgres } from "@/server/core/database/move_to_postgres.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { checkStoreKey } from "@/server/core/blobs/store_key.ts";
import { storedDigest } from "@/server/core/blobs/stored_digest.ts";
import { lockFolder } from "@/server/commands/data_folder.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { backupKeyOf, storageKeyOf } from "@/server/commands/key_files.ts";
import { makeWorkFolder } from "@/server/commands/work_folder.ts";
import { print, printError } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

export const BACKUP_USAGE =
  `${ADMIN} backup FOLDER [--nightly]   can be run while the site is running; the same folder can be used again;
                                 --nightly: fails if the backup disk or the data disk is not mounted
${ADMIN} restore FOLDER [--accept-damage]   restores a backup into an empty data folder (and an empty
                                 PostgreSQL database); --accept-damage: restores the intact part of a damaged backup
${ADMIN} verify [FOLDER]  checks the site, or the backup in FOLDER: database, audit log and every stored file`;

const REASONS = {
  missing: "is missing",
  changed: "does not match its hash",
  unreadable: "cannot be read from disk",
};
const THINGS = {
  image: "an image from the scanner",
  volume: "the volume made from its images",
  result: "an analysis result",
};

/** Advice for a damaged file in the site's data folder. */
const SITE_HELP =
  "copy the file of that name from an intact backup, or upload the study's images again";

/** Text about a damaged file in one line: its defect, its study, and advice. */
function printFinding({ hash, reason, uses }: BlobFinding, help = SITE_HELP): void {
  const names = uses.map(({ pid, what }) => `${THINGS[what]} of study ${pid}`);
  printError(`File ${hash} ${REASONS[reason]} (${names.join(", ") || "of no study"}): ${help}`);
}

/** Text about a wrong file of a backup, in one line. */
function printFault(fault: BackupFault, help: string): void {
  if ("blob" in fault) printFinding(fault.blob, help);
  else printError(`${fault.file} ${fault.fault}: ${help}`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;

/** @throws {AppError} `input.invalid` without a site: a read command must not create one. */
async function openExisting(environment: Environment): Promise<Database> {
  const path = `${environment.dataDir}/core.sqlite`;
  if (environment.databaseUrl === null && !(await Deno.stat(path).catch(() => null))?.isFile) {
    throw new AppError("input.invalid", `Cannot find the site's data: ${path} does not exist`);
  }
  return await openSite(environment);
}

/** Options of the command `backup`. */
interface BackupOptions {
  /** refuse when the disk of the backup or of the data is not mounted */
  isNightly?: boolean;
}

/** @returns exit code: 1 when stored files are damaged; the backup contains everything else. */
export async function backup(
  folder: string,
  environment: Environment,
  { isNightly = false }: BackupOptions = {},
): Promise<number> {
  if (folder === "") return 2;
  const place = resolve(folder), { dataDir } = environment;
  const db = await openExisting(environment), started = performance.now();
  try {
    if (isNightly) await checkNightly(db, dataDir, place);
    await noteCommand(db, "admin.backup");
    const { note, kept, replaced, findings, database } = await writeBackup(db, {
      blobs: `${environment.dataDir}/blobs`,
      folder,
      key: await backupKeyOf(environment),
      storageKey: await storageKeyOf(environment),
    });
    // a failure is only reported: the backup is complete without this note
    await rememberPlace(dataDir, place).catch((error) =>
      printError(`Cannot record in ${dataDir} that ${place} contains a backup: ${error}`)
    );
    for (const hash of replaced) {
      print(`File ${hash} in the earlier backup was damaged and has been copied again`);
    }
    for (const finding of findings) printFinding(finding);
    for (const line of database) printError(`The site's database is damaged: ${line}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const old = kept > 0 ? `, ${kept} already present` : "";
    print(
      `Backed up ${note.files} files${old} (${
        megabytes(note.size_bytes)
      }) and the database in ${seconds} s.`,
    );
    print(`Verify the backup where it is stored: ${ADMIN} verify ${folder}`);
    return findings.length + database.length > 0 ? 1 : 0;
  } finally {
    await db.destroy();
  }
}

const auditFolder = ({ auditDir, dataDir }: Environment) => auditDir ?? `${dataDir}/audit`;

const keysOf = async (environment: Environment): Promise<BackupKeys> => ({
  backup: await backupKeyOf(environment),
  audit: await auditSecretsIn(auditFolder(environment)),
});

const UNPROVEN =
  "The signature of backup.json could not be verified because this machine has no backup signing key (SULCUS_AUDIT_DIR " +
  "is the folder with the site's audit key). Hashes were compared instead.";

/** Options of the command `restore`. */
export interface RestoreOptions {
  acceptDamage?: boolean;
}

/**
 * @returns exit code: 1 when files are missing from the backup; everything else is restored.
 * @throws {AppError} `file.damaged` for a damaged backup, unless `acceptDamage`.
 */
export async function restore(
  folder: string,
  environment: Environment,
  { acceptDamage = false }: RestoreOptions = {},
): Promise<number> {
  const { dataDir } = environment;
  if (folder === "") return 2;
  const newFolders = makeFolders(dataDir);
  try {
    return await restoreInto(folder, environment, acceptDamage);
  } catch (error) {
    // removes only folders that this call created, and the lock file in them
    if (newFolders.length > 0) await Deno.remove(`${dataDir}/lock`).catch(() => {});
    for (const each of newFolders.toReversed()) await Deno.remove(each).catch(() => {});
    throw error;
  }
}

async function restoreInto(
  folder: string,
  environment: Environment,
  acceptDamage: boolean,
): Promise<number> {
  const { dataDir, databaseUrl } = environment;
  using _lock = await lockFolder(dataDir, "restore");
  const started = performance.now();
  if (databaseUrl !== null) {
    // checked before the backup is read; an empty database gets its tables here
    const target = await openPostgres(databaseUrl);
    await checkEmpty(target).finally(() => target.destroy());
  }
  let aside: string | null = null;
  const placeDatabase = async (path: string) => {
    // Moves the former site's audit anchors aside: with them, verification would always report the
    // entries since the backup as missing. A repeated restore finds the keys in that folder.
    aside = await putAuditAside(auditFolder(environment));
    if (databaseUrl === null) return await Deno.rename(path, `${dataDir}/core.sqlite`);
    const target = await openPostgres(databaseUrl);
    try {
      await moveToPostgres(path, target);
    } finally {
      await target.destroy();
    }
    await Deno.remove(path);
  };
  const help = acceptDamage ? "use verify to check the restored site" : "restore another backup";
  const { verdict: { note, proof }, findings } = await readBackup(folder, {
    dataDir,
    keys: await keysOf(environment),
    storageKey: await storageKeyOf(environment),
    placeDatabase,
    acceptDamage,
    report: (fault) => printFault(fault, help),
  });
  const db = await openSite(environment);
  try {
    await noteCommand(db, "admin.restore", { backup_of: note?.created_at ?? "" });
  } finally {
    await db.destroy();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const of = note === null ? "" : ` of ${note.created_at}: ${note.files} files and the database`;
  print(`Restored the site${of} in ${seconds} s.`);
  if (proof === "unproven") print(UNPROVEN);
  print("All users must sign in again.");
  if (aside !== null) {
    print(
      `The previous audit log's key and anchors (from before the restore) were moved to ${aside}.`,
    );
  }
  return findings.length > 0 ? 1 : 0;
}

/** @returns exit code: 0 when nothing is damaged or missing. */
export async function verify(folder: string, environment: Environment): Promise<number> {
  return folder === "" ? await verifySite(environment) : await verifyBackup(folder, environment);
}

async function verifySite(environment: Environment): Promise<number> {
  const db = await openExisting(environment), blobs = `${environment.dataDir}/blobs`;
  try {
    const storageKey = await storageKeyOf(environment);
    await checkStoreKey(blobs, storageKey);
    const report = (finding: BlobFinding) => printFinding(finding);
    const verdict = await checkSite(db, blobs, report, storedDigest(storageKey));
    for (const line of verdict.database) {
      printError(
        `The database is damaged (${line}). Restore a backup: ${ADMIN} restore FOLDER`,
      );
    }
    printVerdict(verdict, verdict.blobs.count, verdict.blobs.findings.length);
    return isWhole(verdict) ? 0 : 1;
  } finally {
    await db.destroy();
  }
}

/** Findings of a check that are not about single files. */
function printVerdict(verdict: SiteVerdict | null, compared: number, wrong: number): void {
  if (verdict !== null && verdict.audit.broken !== null) {
    const { broken, proven } = verdict.audit;
    printError(
      `The audit log is not intact: entry ${broken} is missing or was changed; the last verified entry is ${proven}`,
    );
  }
  const audit = verdict === null
    ? "cannot be read"
    : `${verdict.audit.broken === null ? "intact" : "not intact"}, ${verdict.audit.count} entries`;
  const size = verdict === null ? "" : ` (${megabytes(verdict.blobs.sizeBytes)})`;
  print(`Database   ${verdict !== null && verdict.database.length === 0 ? "intact" : "damaged"}
Audit log  ${audit}
Files      ${compared - wrong} of ${compared} intact${size}`);
  if (verdict !== null && verdict.unnamed > 0) {
    print(
      `${verdict.unnamed} files do not belong to any study: they come from uploads in progress, or will be removed after the server is next started`,
    );
  }
}

async function verifyBackup(folder: string, environment: Environment): Promise<number> {
  const aside = await makeWorkFolder(environment.dataDir, "sulcus-verify-");
  const help = `run \`${ADMIN} backup ${folder}\` to write the file again, or use another backup`;
  let verdict: BackupVerdict;
  try {
    const report = (fault: BackupFault) => printFault(fault, help);
    verdict = await checkBackup(folder, await keysOf(environment), `${aside}/database`, report);
  } finally {
    await Deno.remove(aside, { recursive: true });
  }
  const { site, faults, compared, wrong, proof, note } = verdict;
  await writeSuspects(folder, wrong).catch((error) => {
    if (wrong.length === 0) return;
    printError(
      `Cannot record the damaged files in ${folder}; later backups may not detect them for up to a week: ${error}`,
    );
  });
  const database = faults.some((fault) => "file" in fault && fault.file === BACKUP_DATABASE);
  printVerdict(
    database ? site && { ...site, database: ["damaged"] } : site,
    compared,
    wrong.length,
  );
  if (note !== null) {
    print(`Written    ${note.created_at}, version ${note.version ?? "not recorded"}`);
    print(`Signed     ${{ proven: "yes", unproven: "not verified", forged: "no" }[proof]}`);
  }
  if (proof === "unproven") print(UNPROVEN);
  return isWholeBackup(verdict) ? 0 : 1;
}
