import { AppError } from "@/model/errors.ts";
import { blobPath, copyFile, hasBlobFiles, syncFolder } from "@/server/core/blobs/blob_file.ts";
import { usesOfBlob } from "@/server/core/blobs/blob_index.ts";
import { checkStoreKey, openStoreKey, writeKeyNote } from "@/server/core/blobs/store_key.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import type { BlobFinding } from "@/server/core/site/service/site_check.ts";
import {
  type BackupFault,
  type BackupKeys,
  type BackupVerdict,
  checkBackup,
  isWholeBackup,
  openBackupDatabase,
} from "@/server/core/site/service/backup/backup_check.ts";
import {
  allBlobs,
  BACKUP_BLOBS,
  backupSeal,
  copyBlob,
  type Key,
  storeSeal,
  syncFolders,
  type Transfer,
} from "@/server/core/site/service/backup/backup_files.ts";
import { BACKUP_DATABASE } from "@/server/core/site/service/backup/backup_note.ts";

const exists = async (path: string) => await Deno.stat(path).then(() => true, () => false);

/**
 * Forgets rows that end with the process that wrote them: sessions, exports, edit locks, uploads.
 */
async function forget(db: Database): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const gone = [
      "tokens",
      "sessions",
      "excel_exports",
      "edit_claims",
      "sign_in_failures",
    ] as const;
    for (const table of [...gone, "upload_files", "uploads"] as const) {
      await tx.deleteFrom(table).execute();
    }
  });
}

/** Where a backup is restored to, and how. */
interface RestorePlace {
  dataDir: string;
  keys: BackupKeys;
  /** encrypts the files of the site; `null`: they are in the clear */
  storageKey: Key;
  /** moves the finished database file to its place */
  placeDatabase: (path: string) => Promise<void>;
  /** restores the undamaged part of a damaged backup */
  acceptDamage: boolean;
  report: (fault: BackupFault) => void;
}

/** @throws {AppError} `input.invalid` when there is a site, or pages of one. */
async function checkEmpty(dataDir: string): Promise<void> {
  if (await exists(`${dataDir}/core.sqlite`)) {
    throw new AppError("input.invalid", `Cannot restore: there is a site in ${dataDir} already`);
  }
  // SQLite would take the pages that another site had not written yet for those of the restored one
  for (const name of ["core.sqlite-wal", "core.sqlite-journal"]) {
    if (!await exists(`${dataDir}/${name}`)) continue;
    throw new AppError(
      "input.invalid",
      `Cannot restore: ${name} of another site is in ${dataDir}, move it away`,
    );
  }
}

/** @throws {AppError} `file.damaged` when the backup is not whole and that is not accepted. */
async function checkFirst(
  folder: string,
  part: string,
  place: RestorePlace,
): Promise<BackupVerdict> {
  const remove = async () => {
    for (const name of [part, `${part}-wal`, `${part}-shm`]) {
      await Deno.remove(name).catch(() => {});
    }
  };
  await remove();
  try {
    const verdict = await checkBackup(folder, place.keys, part, place.report);
    if (isWholeBackup(verdict) || place.acceptDamage) return verdict;
    throw new AppError(
      "file.damaged",
      `Cannot restore: the backup in ${folder} is not whole, see above. Nothing was changed. ` +
        "With --accept-damage everything else is restored",
      { reason: "changed" },
    );
  } finally {
    await remove();
  }
}

/**
 * Copies the files of a backup into an empty data folder, each compared with its hash, and its
 * database, brought to the newest migration. Before that all of the backup is read: one that is not
 * whole is refused. The database comes last: a restore that was cut short leaves no site behind and
 * can be repeated. One that fails takes back the files that it copied.
 *
 * @returns the files that the backup should hold and that are missing or damaged.
 * @throws {AppError} `input.invalid` when the folder holds a site or the backup cannot be read,
 *   `file.damaged` when it is not whole, `storage.full`.
 */
export async function readBackup(
  folder: string,
  place: RestorePlace,
): Promise<{ verdict: BackupVerdict; findings: BlobFinding[] }> {
  const { dataDir, keys, storageKey, placeDatabase } = place;
  await checkEmpty(dataDir);
  const blobs = `${dataDir}/blobs`, part = `${dataDir}/restore.sqlite`;
  await checkStoreKey(blobs, storageKey);
  const verdict = await checkFirst(folder, part, place), { isSealed } = verdict;
  await Deno.mkdir(blobs, { recursive: true, mode: 0o700 });
  const copied: string[] = [];
  try {
    await openBackupDatabase(folder, isSealed, keys.backup, part);
    if (!isSealed) await copyFile(`${folder}/${BACKUP_DATABASE}`, part);
    const from = backupSeal(isSealed ? keys.backup : null);
    const transfer = { from, isEither: false, to: storeSeal(storageKey) };
    await openStoreKey(blobs, storageKey);
    const findings = await copyContents(part, `${folder}/${BACKUP_BLOBS}`, blobs, transfer, copied);
    await syncFolders(blobs);
    await placeDatabase(part);
    await syncFolder(dataDir);
    return { verdict, findings };
  } catch (cause) {
    for (const name of [part, `${part}-wal`, `${part}-shm`]) {
      await Deno.remove(name).catch(() => {});
    }
    for (const hash of copied) await removeBlob(blobs, hash);
    if (storageKey !== null && !await hasBlobFiles(blobs)) await writeKeyNote(blobs, null);
    await Deno.remove(blobs).catch(() => {});
    const isDamaged = cause instanceof AppError && cause.code === "file.damaged" ||
      /malformed|not a database|cut short|NotFound|No such file/i.test(String(cause));
    if (!isDamaged) throw cause;
    const text = `Cannot restore: the database of the backup in ${folder} is damaged`;
    throw new AppError("input.invalid", text, {}, { cause });
  }
}

/** Removes a stored file, and the folders that are empty then. */
async function removeBlob(blobs: string, hash: string): Promise<void> {
  const path = blobPath(blobs, hash), folder = path.slice(0, path.lastIndexOf("/"));
  for (const each of [path, folder, folder.slice(0, folder.lastIndexOf("/"))]) {
    await Deno.remove(each).catch(() => {});
  }
}

/**
 * Copies the files that a database names, and forgets in it the rows that end with a process.
 * @param copied Gets the hashes of those that were not there before.
 * @returns those that are missing or damaged.
 */
async function copyContents(
  path: string,
  from: string,
  blobs: string,
  transfer: Transfer,
  copied: string[],
): Promise<BlobFinding[]> {
  const db = openDatabase(path), findings: BlobFinding[] = [];
  try {
    for await (const blob of allBlobs(db)) {
      // a file of an earlier try may be there: its bytes are compared
      const result = await copyBlob(from, blobs, blob, transfer, true);
      if (result === "copied") copied.push(blob.hash);
      if (result === "copied" || result === "replaced" || result === "kept") continue;
      findings.push({ hash: blob.hash, reason: result, uses: await usesOfBlob(db, blob.hash) });
    }
    await forget(db);
    return findings;
  } finally {
    await db.destroy();
  }
}
