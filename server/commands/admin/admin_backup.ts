import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { AppError } from "@/model/errors.ts";
import { openSite } from "@/server/core/mod.ts";
import { noteCommand } from "@/server/commands/admin/note_command.ts";
import {
  BACKUP_BLOBS,
  backupDigest,
  openBackupDatabase,
  readBackup,
  readNote,
  writeBackup,
} from "@/server/core/site/service/backup.ts";
import { type BlobFinding, checkSite, isWhole } from "@/server/core/site/service/site_check.ts";
import { type Database, openToRead } from "@/server/core/database/database.ts";
import { moveToPostgres } from "@/server/core/database/move_to_postgres.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { checkStoreKey } from "@/server/core/blobs/store_key.ts";
import { storedDigest } from "@/server/core/blobs/stored_digest.ts";
import { lockFolder } from "@/server/commands/data_folder.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { backupKeyOf, storageKeyOf } from "@/server/commands/key_files.ts";
import { print, printError } from "@/server/commands/output.ts";

export const BACKUP_USAGE =
  `deno task admin backup FOLDER    also while the site runs; again into the same folder
deno task admin restore FOLDER   into an empty data folder (and an empty PostgreSQL database)
deno task admin verify [FOLDER]  the site, or the backup in FOLDER: database, audit log, every stored file`;

const REASONS = {
  missing: "is missing",
  changed: "has other bytes than were stored",
  unreadable: "cannot be read from its disk",
};
const THINGS = {
  image: "an image of the scanner",
  volume: "the volume made from its images",
  result: "a result of its analysis",
};

/** One line for each damaged file: what it is, of which study, and what helps. */
function printFinding({ hash, reason, uses }: BlobFinding): void {
  const names = uses.map(({ pid, what }) => `${THINGS[what]} of study ${pid}`);
  printError(`File ${hash} ${REASONS[reason]} (${names.join(", ") || "of no study"})`);
}

const HELP =
  "What helps: the file of the same name from a whole backup, or the study's images uploaded and analysed anew.";

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`;

/** @throws {AppError} `input.invalid` when there is no site: looking at it must not make one. */
async function openExisting(environment: Environment): Promise<Database> {
  const path = `${environment.dataDir}/core.sqlite`;
  if (environment.databaseUrl === null && !(await Deno.stat(path).catch(() => null))?.isFile) {
    throw new AppError("input.invalid", `Cannot find the site: there is no ${path}`);
  }
  return await openSite(environment);
}

/** @returns exit code: 1 when stored files are damaged; the backup holds everything else. */
export async function backup(folder: string, environment: Environment): Promise<number> {
  if (folder === "") return 2;
  const db = await openExisting(environment), started = performance.now();
  try {
    await noteCommand(db, "admin.backup");
    const { note, kept, findings } = await writeBackup(
      db,
      `${environment.dataDir}/blobs`,
      folder,
      await backupKeyOf(environment),
      await storageKeyOf(environment),
    );
    findings.forEach(printFinding);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const old = kept > 0 ? `, ${kept} of them there already` : "";
    print(
      `Backup of ${note.files} files${old} (${megabytes(note.size_bytes)}) and the database in ${seconds} s.`,
    );
    print(`Check it where it is kept: deno task admin verify ${folder}`);
    if (findings.length > 0) printError(HELP);
    return findings.length > 0 ? 1 : 0;
  } finally {
    await db.destroy();
  }
}

/**
 * What was written since the backup is gone, and the anchors of it would say so for ever: the restored log begins anew.
 * @returns where key and anchors are now; `null` when there were none.
 */
async function putAnchorsAside({ dataDir, auditDir }: Environment): Promise<string | null> {
  const folder = auditDir ?? `${dataDir}/audit`, aside = `${folder}.before-${Date.now()}`;
  return await Deno.rename(folder, aside).then(() => aside, (error) => {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  });
}

/** @returns exit code: 1 when the backup lacks files; everything else is restored. */
export async function restore(folder: string, environment: Environment): Promise<number> {
  const { dataDir } = environment;
  if (folder === "") return 2;
  const made = makeFolders(dataDir);
  try {
    return await restoreInto(folder, environment);
  } catch (error) {
    // the lock alone, or something that was there before
    if (made.length > 0) await Deno.remove(`${dataDir}/lock`).catch(() => {});
    for (const each of made.toReversed()) await Deno.remove(each).catch(() => {});
    throw error;
  }
}

async function restoreInto(folder: string, environment: Environment): Promise<number> {
  const { dataDir, databaseUrl } = environment;
  using _lock = await lockFolder(dataDir, "restore");
  const started = performance.now();
  const { note, findings } = await readBackup(
    folder,
    dataDir,
    async (path) => {
      if (databaseUrl === null) return await Deno.rename(path, `${dataDir}/core.sqlite`);
      const target = await openPostgres(databaseUrl);
      try {
        await moveToPostgres(path, target);
      } finally {
        await target.destroy();
      }
      await Deno.remove(path);
    },
    await backupKeyOf(environment),
    await storageKeyOf(environment),
  );
  findings.forEach(printFinding);
  const aside = await putAnchorsAside(environment);
  const db = await openSite(environment);
  try {
    await noteCommand(db, "admin.restore", { backup_of: note.created_at });
  } finally {
    await db.destroy();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(`Restored the site of ${note.created_at}: ${note.files} files and the database, in ${seconds} s.`);
  print("Everybody has to sign in again.");
  if (aside !== null) print(`Key and anchors of the former site's audit log are in ${aside} now.`);
  if (findings.length > 0) printError(HELP);
  return findings.length > 0 ? 1 : 0;
}

/** @returns exit code: 0 when everything is whole. */
export async function verify(folder: string, environment: Environment): Promise<number> {
  const key = folder === "" ? null : await backupKeyOf(environment);
  const aside = await Deno.makeTempDir({ prefix: "sulcus-verify-" });
  try {
    return await verifyAt(folder, environment, key, `${aside}/database`);
  } finally {
    await Deno.remove(aside, { recursive: true });
  }
}

async function verifyAt(
  folder: string,
  environment: Environment,
  key: Uint8Array | null,
  aside: string,
): Promise<number> {
  const isSealed = folder !== "" && (await readNote(folder)).sealed === true;
  const db = folder === ""
    ? await openExisting(environment)
    : openToRead(await openBackupDatabase(folder, key, aside));
  const blobs = folder === "" ? `${environment.dataDir}/blobs` : `${folder}/${BACKUP_BLOBS}`;
  try {
    const storageKey = folder === "" ? await storageKeyOf(environment) : null;
    await checkStoreKey(blobs, storageKey);
    const digest = isSealed ? backupDigest(key!) : storedDigest(storageKey);
    const verdict = await checkSite(db, blobs, printFinding, digest);
    for (const line of verdict.database) printError(`The database is damaged: ${line}`);
    if (verdict.audit.broken !== null) {
      const { broken, proven } = verdict.audit;
      printError(
        `The audit log is not intact: entry ${broken} is missing or was changed; the last proven one is ${proven}`,
      );
    }
    const { count, sizeBytes, findings } = verdict.blobs;
    print(`Database   ${verdict.database.length === 0 ? "whole" : "damaged"}
Audit log  ${verdict.audit.broken === null ? "whole" : "not whole"}, ${verdict.audit.count} entries
Files      ${count - findings.length} of ${count} whole (${megabytes(sizeBytes)})`);
    if (verdict.unnamed > 0) {
      print(
        `${verdict.unnamed} files belong to no study: of uploads under way, or removed after the next start`,
      );
    }
    if (findings.length > 0) printError(HELP);
    return isWhole(verdict) ? 0 : 1;
  } finally {
    await db.destroy();
  }
}
