import { dirname } from "node:path";
import { AppError } from "@/model/errors.ts";
import {
  contentDigest,
  contentOf,
  type Seal,
  sealedSize,
  sealFile,
  unsealFile,
  writeContent,
} from "@/server/core/blobs/sealed_file.ts";
import { storedDigest } from "@/server/core/blobs/stored_digest.ts";
import { checkStoreKey, openStoreKey, writeKeyNote } from "@/server/core/blobs/store_key.ts";
import {
  blobPath,
  copyFile,
  type FileDigest,
  hasBlobFiles,
  syncFolder,
  unnamedFiles,
} from "@/server/core/blobs/blob_file.ts";
import { blobsAfter, blobsIn, usesOfBlob } from "@/server/core/blobs/blob_index.ts";
import { copyToSqlite } from "@/server/core/database/copy_to_sqlite.ts";
import { type Database, openDatabase, openToRead } from "@/server/core/database/database.ts";
import type { BlobFinding } from "@/server/core/site/service/site_check.ts";
import { nowIso } from "@/server/core/site/service/context.ts";

/** A backup is a folder: the database as a SQLite file, the stored files as in a data folder, and what it is. */
export const BACKUP_BLOBS = "blobs";
const BACKUP_DATABASE = "core.sqlite", BACKUP_NOTE = "backup.json";
const FORMAT = 1;
const BLOB_CONCURRENCY = 1000;
/** A file that was deleted with its study between the copy of the database and its own is looked for again. */
const MAX_ATTEMPTS = 5;

/** What a backup says of itself. */
interface BackupNote {
  format: typeof FORMAT;
  created_at: string;
  files: number;
  size_bytes: number;
  /** stored files that were damaged already, and so are not in the backup */
  damaged: string[];
  /** its database and files open with a key alone */
  sealed?: true;
}

/** What was copied. */
interface BackupOutcome {
  note: BackupNote;
  /** files that were there from an earlier backup into the same folder */
  kept: number;
  findings: BlobFinding[];
}

const exists = async (path: string) => await Deno.stat(path).then(() => true, () => false);

async function* allBlobs(db: Database) {
  for (let last = "";;) {
    const some = await blobsAfter(db, last, BLOB_CONCURRENCY);
    if (some.length === 0) return;
    yield* some;
    last = some.at(-1)!.hash;
  }
}

/** A key, or none. */
type Key = Uint8Array | null;

/** How files get into a backup, or out of it: what they are sealed with at each end. A backup's seal has no name. */
interface Transfer {
  from: (hash: string) => Seal | null;
  /** files from the time before an encryption lie among the others */
  isEither: boolean;
  to: (hash: string) => Seal | null;
}
const backupSeal = (key: Key) => (): Seal | null => key && { key };
const storeSeal = (key: Key) => (hash: string): Seal | null => key && { key, name: hash };

/** Copies a blob unless it is there in its full size. @returns what is wrong with the original. */
async function copyBlob(
  from: string,
  to: string,
  blob: { hash: string; sizeBytes: number },
  { from: fromSeal, isEither, to: toSeal }: Transfer,
): Promise<"copied" | "kept" | BlobFinding["reason"]> {
  const target = blobPath(to, blob.hash), folder = target.slice(0, target.lastIndexOf("/"));
  const there = await Deno.stat(target).catch(() => null), seal = toSeal(blob.hash);
  if (there?.size === (seal === null ? blob.sizeBytes : sealedSize(blob.sizeBytes))) return "kept";
  if (!await exists(blobPath(from, blob.hash))) return "missing";
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const content = contentOf(blobPath(from, blob.hash), fromSeal(blob.hash), isEither);
    await writeContent(target, content, seal, { hash: blob.hash });
    return "copied";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "missing";
    if (error instanceof AppError && error.code === "file.damaged") return "changed";
    if (error instanceof AppError || !/os error 5\b/.test(String(error))) throw error;
    return "unreadable";
  }
}

/** Forces the names of all stored files to disk. */
async function syncFolders(blobs: string): Promise<void> {
  for await (const first of Deno.readDir(blobs)) {
    if (!first.isDirectory) continue;
    for await (const { name } of Deno.readDir(`${blobs}/${first.name}`)) {
      await syncFolder(`${blobs}/${first.name}/${name}`);
    }
    await syncFolder(`${blobs}/${first.name}`);
  }
  await syncFolder(blobs);
}

/** @throws {AppError} `input.invalid` when something else than a backup is there. */
async function checkTarget(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  if (await exists(`${folder}/${BACKUP_NOTE}`)) return;
  for await (const { name } of Deno.readDir(folder)) {
    // of one that was cut short
    if (name === BACKUP_BLOBS || name.startsWith(BACKUP_DATABASE)) continue;
    throw new AppError(
      "input.invalid",
      `Cannot write the backup: ${folder} is not empty, and no earlier backup`,
    );
  }
}

/** @throws {AppError} `input.invalid` when an earlier backup there is sealed and this one is not, or the other way round. */
async function checkKind(folder: string, isSealed: boolean): Promise<void> {
  if (!await exists(`${folder}/${BACKUP_NOTE}`)) return;
  const { sealed = false } = await readNote(folder);
  if (sealed === isSealed) return;
  const what = sealed
    ? "is sealed: name its key in SULCUS_BACKUP_KEY_FILE"
    : "is not sealed: choose another folder";
  throw new AppError("input.invalid", `Cannot write the backup: the earlier one in ${folder} ${what}`);
}

/**
 * The database of a backup, in the clear.
 * @param to Where it is written when it is sealed.
 * @returns its path. @throws {AppError} `input.invalid` without the key, `file.damaged` with another one.
 */
export async function openBackupDatabase(
  folder: string,
  key: Key,
  to: string,
): Promise<string> {
  const { sealed = false } = await readNote(folder), path = `${folder}/${BACKUP_DATABASE}`;
  if (!sealed) return path;
  if (key === null) {
    throw new AppError(
      "input.invalid",
      `Cannot read the backup in ${folder}: it is sealed, name its key in SULCUS_BACKUP_KEY_FILE`,
    );
  }
  await unsealFile(path, to, key);
  return to;
}

/** Digest of a stored file of a sealed backup; `null`: it is not there. */
export const backupDigest = (key: Uint8Array) => async (path: string): Promise<FileDigest | null> => {
  try {
    return await contentDigest(path, { key });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    // what it holds nobody knows: no hash fits
    if (error instanceof AppError && error.code === "file.damaged") return { hash: "", sizeBytes: 0 };
    throw error;
  }
};

/** Writes a small file whole or not at all. */
async function writeNote(path: string, note: BackupNote): Promise<void> {
  await Deno.writeTextFile(`${path}.part`, JSON.stringify(note, null, 2) + "\n", { mode: 0o600 });
  using file = await Deno.open(`${path}.part`, { read: true, write: true });
  await file.sync();
  await Deno.rename(`${path}.part`, path);
}

/**
 * Copies a site, as it stands at one instant, into a folder: an empty one, or that of an earlier backup, which is brought
 * up to date and stays whole until the new one is. The site may run. Sessions of browsers and exports are left out.
 *
 * @param blobs Folder of the stored files.
 * @param key Seals everything but the names of the files, which are hashes; `null`: nothing is sealed.
 * @param storageKey What the stored files are encrypted with; `null`: they are not.
 * @throws {AppError} `input.invalid` when the folder holds something else, or the backup of encrypted files would not be
 *   sealed; `storage.full`.
 */
export async function writeBackup(
  db: Database,
  blobs: string,
  folder: string,
  key: Key = null,
  storageKey: Key = null,
): Promise<BackupOutcome> {
  await checkStoreKey(blobs, storageKey);
  if (storageKey !== null && key === null) {
    throw new AppError(
      "input.invalid",
      "Cannot write the backup: the stored files are encrypted, and a backup without SULCUS_BACKUP_KEY_FILE would not be",
    );
  }
  await checkTarget(folder);
  await checkKind(folder, key !== null);
  const transfer = { from: storeSeal(storageKey), isEither: true, to: backupSeal(key) },
    to = `${folder}/${BACKUP_BLOBS}`;
  // in the clear it stays where the site's own database is
  const part = key === null ? `${folder}/${BACKUP_DATABASE}.part` : `${dirname(blobs)}/backup.sqlite.part`;
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  let kept = 0;
  // most of the time goes here, before the instant: studies that are deleted meanwhile do not matter yet
  for await (const blob of allBlobs(db)) if (await copyBlob(blobs, to, blob, transfer) === "kept") kept++;
  for (let tries = 1;; tries++) {
    await Deno.remove(part).catch(() => {});
    await copyToSqlite(db, part);
    const copy = openToRead(part), findings: BlobFinding[] = [];
    let sizeBytes = 0, files = 0, stale: string[];
    try {
      for await (const blob of allBlobs(copy)) {
        files++;
        const reason = await copyBlob(blobs, to, blob, transfer);
        if (reason === "copied" || reason === "kept") sizeBytes += blob.sizeBytes;
        else findings.push({ hash: blob.hash, reason, uses: await usesOfBlob(copy, blob.hash) });
      }
      stale = await Array.fromAsync(unnamedFiles(to, blobsIn(copy)));
    } finally {
      await copy.destroy();
    }
    if (findings.some(({ reason }) => reason === "missing") && tries < MAX_ATTEMPTS) continue;
    const note: BackupNote = {
      format: FORMAT,
      created_at: nowIso(),
      files: files - findings.length,
      size_bytes: sizeBytes,
      damaged: findings.map(({ hash }) => hash),
      ...(key === null ? {} : { sealed: true as const }),
    };
    await syncFolders(to);
    if (key === null) await Deno.rename(part, `${folder}/${BACKUP_DATABASE}`);
    else {
      await sealFile(part, `${folder}/${BACKUP_DATABASE}`, key);
      await Deno.remove(part);
    }
    await writeNote(`${folder}/${BACKUP_NOTE}`, note);
    await syncFolder(folder);
    for (const hash of stale) await Deno.remove(blobPath(to, hash));
    return { note, kept, findings };
  }
}

/** @throws {AppError} `input.invalid` when the folder holds no backup that this program can read. */
export async function readNote(folder: string): Promise<BackupNote> {
  const problem = (what: string, cause?: unknown) =>
    new AppError("input.invalid", `Cannot read the backup in ${folder}: ${what}`, {}, { cause });
  let note: Partial<BackupNote>;
  try {
    note = JSON.parse(await Deno.readTextFile(`${folder}/${BACKUP_NOTE}`));
  } catch (cause) {
    throw problem(`there is no ${BACKUP_NOTE}, so none was finished here`, cause);
  }
  if (note.format !== FORMAT) throw problem(`its format is ${note.format}, this program reads ${FORMAT}`);
  return note as BackupNote;
}

/** What a site must not take over from the time of its backup: open sessions, exports without files, edit locks, uploads. */
async function forget(db: Database): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const gone = ["tokens", "sessions", "excel_exports", "edit_claims", "sign_in_failures"] as const;
    for (const table of [...gone, "upload_files", "uploads"] as const) {
      await tx.deleteFrom(table).execute();
    }
  });
}

/**
 * Copies the files of a backup into an empty data folder, each checked against its hash, and its database, brought to
 * the newest migration. The database comes last: a restore that was cut short leaves no site behind and can be repeated.
 * One that fails takes back what it has copied.
 *
 * @param placeDatabase What becomes of the finished database file, which it may move away.
 * @param storageKey Encrypts the files of the site; `null`: they are in the clear.
 * @returns the files that the backup should hold and that are missing or damaged.
 * @throws {AppError} `input.invalid` when the folder holds a site or the backup cannot be read, `storage.full`.
 */
export async function readBackup(
  folder: string,
  dataDir: string,
  placeDatabase: (path: string) => Promise<void>,
  key: Key = null,
  storageKey: Key = null,
): Promise<{ note: BackupNote; findings: BlobFinding[] }> {
  const note = await readNote(folder);
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
  const blobs = `${dataDir}/blobs`, part = `${dataDir}/restore.sqlite`;
  await checkStoreKey(blobs, storageKey);
  await Deno.mkdir(blobs, { recursive: true, mode: 0o700 });
  for (const name of [part, `${part}-wal`, `${part}-shm`]) await Deno.remove(name).catch(() => {});
  const copied: string[] = [];
  try {
    const isSealed = await openBackupDatabase(folder, key, part) === part;
    if (!isSealed) await copyFile(`${folder}/${BACKUP_DATABASE}`, part);
    const from = backupSeal(isSealed ? key : null);
    const transfer = { from, isEither: false, to: storeSeal(storageKey) };
    await openStoreKey(blobs, storageKey);
    const place = { from: `${folder}/${BACKUP_BLOBS}`, blobs, transfer, storageKey };
    const findings = await copyContents(part, place, copied);
    await syncFolders(blobs);
    await placeDatabase(part);
    await syncFolder(dataDir);
    return { note, findings };
  } catch (cause) {
    for (const name of [part, `${part}-wal`, `${part}-shm`]) await Deno.remove(name).catch(() => {});
    for (const hash of copied) await removeBlob(blobs, hash);
    if (storageKey !== null && !await hasBlobFiles(blobs)) await writeKeyNote(blobs, null);
    await Deno.remove(blobs).catch(() => {});
    if (!/malformed|not a database|cut short|NotFound|No such file/i.test(String(cause))) throw cause;
    throw new AppError(
      "input.invalid",
      `Cannot restore: the database of the backup in ${folder} is damaged`,
      {},
      {
        cause,
      },
    );
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
 * Copies the files that a database names, and forgets in it what a site must not take over.
 * @param copied Gets the hashes of those that were not there before.
 * @returns those that are missing or damaged.
 */
async function copyContents(
  path: string,
  { from, blobs, transfer, storageKey }: { from: string; blobs: string; transfer: Transfer; storageKey: Key },
  copied: string[],
): Promise<BlobFinding[]> {
  const db = openDatabase(path), findings: BlobFinding[] = [], digest = storedDigest(storageKey);
  try {
    for await (const blob of allBlobs(db)) {
      const to = blobPath(blobs, blob.hash);
      let reason = await copyBlob(from, blobs, blob, transfer);
      // of an earlier try
      if (reason === "kept" && (await digest(to, blob.hash))?.hash !== blob.hash) {
        await Deno.remove(to);
        reason = await copyBlob(from, blobs, blob, transfer);
      }
      if (reason === "copied") copied.push(blob.hash);
      if (reason === "copied" || reason === "kept") continue;
      findings.push({ hash: blob.hash, reason, uses: await usesOfBlob(db, blob.hash) });
    }
    await forget(db);
    return findings;
  } finally {
    await db.destroy();
  }
}
