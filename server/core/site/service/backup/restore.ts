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
 * Deletes rows that are valid only in the server process that wrote them:
 * sessions, exports, edit locks, uploads.
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

/** Target and options of a restore. */
interface RestorePlace {
  dataDir: string;
  keys: BackupKeys;
  /** key with which the restored site encrypts its files; `null`: not encrypted */
  storageKey: Key;
  /** moves the restored database file to its final path */
  placeDatabase: (path: string) => Promise<void>;
  /** whether the undamaged part of a damaged backup is restored */
  acceptDamage: boolean;
  report: (fault: BackupFault) => void;
}

/**
 * Checks the target. @throws {AppError} `input.invalid` if it contains a database or WAL file.
 */
async function checkEmpty(dataDir: string): Promise<void> {
  if (await exists(`${dataDir}/core.sqlite`)) {
    throw new AppError("input.invalid", `Cannot restore: there is a site in ${dataDir} already`);
  }
  // SQLite would apply another site's leftover WAL file to the restored database
  for (const name of ["core.sqlite-wal", "core.sqlite-journal"]) {
    if (!await exists(`${dataDir}/${name}`)) continue;
    throw new AppError(
      "input.invalid",
      `Cannot restore: ${name} of another site is in ${dataDir}, move it away`,
    );
  }
}

/** @throws {AppError} `file.damaged` for a damaged backup, unless this is accepted. */
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
 * Restores a backup into an empty data folder: files, each verified by hash, and the database
 * with all migrations applied. The whole backup is verified before: a damaged one is refused.
 * The database is moved into place last, so that an interrupted restore leaves no site and can be
 * repeated. A failed restore deletes the files that it copied.
 *
 * @returns files that are missing or damaged in the backup.
 * @throws {AppError} `input.invalid` if the folder has a site, or the backup is unreadable,
 * `file.damaged` for a damaged backup, `storage.full`.
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

/** Deletes a stored file, and its folders if they become empty. */
async function removeBlob(blobs: string, hash: string): Promise<void> {
  const path = blobPath(blobs, hash), folder = path.slice(0, path.lastIndexOf("/"));
  for (const each of [path, folder, folder.slice(0, folder.lastIndexOf("/"))]) {
    await Deno.remove(each).catch(() => {});
  }
}

/**
 * Copies the files to which the database refers, and deletes rows of the former server process.
 * @param copied Receives the hashes of files that were copied now.
 * @returns missing or damaged files.
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
      // files that an earlier attempt copied are verified by hash
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
