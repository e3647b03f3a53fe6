import { dirname } from "node:path";
import { AppError } from "@/model/errors.ts";
import { contentDigest, sealFile } from "@/server/core/blobs/sealed_file.ts";
import { checkStoreKey } from "@/server/core/blobs/store_key.ts";
import { blobPath, syncFolder, unnamedFiles } from "@/server/core/blobs/blob_file.ts";
import { blobsIn, usesOfBlob } from "@/server/core/blobs/blob_index.ts";
import { checkDatabase } from "@/server/core/blobs/integrity.ts";
import { copyToSqlite } from "@/server/core/database/copy_to_sqlite.ts";
import { type Database, openToRead } from "@/server/core/database/database.ts";
import type { BlobFinding } from "@/server/core/site/service/site_check.ts";
import { auditKeyOf } from "@/server/core/site/service/audit/audit_key.ts";
import {
  allBlobs,
  BACKUP_BLOBS,
  backupSeal,
  copyBlob,
  isSealedBackup,
  type Key,
  storeSeal,
  syncFolders,
} from "@/server/core/site/service/backup/backup_files.ts";
import {
  BACKUP_DATABASE,
  BACKUP_NOTE,
  type BackupNote,
  isBackupFile,
  type ReadNote,
  readNote,
  readSuspects,
  writeNote,
  writeSuspects,
} from "@/server/core/site/service/backup/backup_note.ts";
import { nextSample } from "@/server/core/site/service/backup/backup_sample.ts";

/** A file that was deleted with its study between both copies is looked for again, so often. */
const MAX_ATTEMPTS = 5;

/** Result of a backup. */
interface BackupOutcome {
  note: BackupNote;
  /** files that were there from an earlier backup into the same folder */
  kept: number;
  /** hashes of files of the earlier backup that had other bytes, and were copied again */
  replaced: string[];
  /** damaged originals */
  findings: BlobFinding[];
  /** faults of the site's database that its copy has too, one line each */
  database: string[];
}

/** Where a backup is written, and how. */
interface BackupPlace {
  /** folder of the site's stored files */
  blobs: string;
  folder: string;
  /** seals everything but the names of the files, which are hashes; `null`: nothing is sealed */
  key: Key;
  /** key that the site's stored files are encrypted with; `null`: they are not */
  storageKey: Key;
  /** time of the run, ms since the epoch */
  nowMs: number;
}

const exists = async (path: string) => await Deno.stat(path).then(() => true, () => false);

/** @throws {AppError} `input.invalid` when something else than a backup is there. */
async function checkTarget(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for await (const { name } of Deno.readDir(folder)) {
    if (name === BACKUP_BLOBS || isBackupFile(name)) continue;
    if (await exists(`${folder}/${BACKUP_NOTE}`)) return;
    throw new AppError(
      "input.invalid",
      `Cannot write the backup: ${folder} is not empty, and no earlier backup`,
    );
  }
}

/**
 * @throws {AppError} `input.invalid` when an earlier backup there is sealed and this one is not, or
 *   the other way round.
 */
async function checkKind(folder: string, earlier: ReadNote, isSealed: boolean): Promise<void> {
  const sealed = await isSealedBackup(folder, earlier);
  if (sealed === null || sealed === isSealed) return;
  const fault = sealed
    ? "is sealed: name its key in SULCUS_BACKUP_KEY_FILE"
    : "is not sealed: choose another folder";
  throw new AppError(
    "input.invalid",
    `Cannot write the backup: the earlier one in ${folder} ${fault}`,
  );
}

/** The earlier backup in the folder; a note that cannot be read is taken as damaged. */
async function earlierNote(folder: string, keys: readonly Uint8Array[]): Promise<ReadNote> {
  if (!await exists(`${folder}/${BACKUP_NOTE}`)) return { note: null, proof: "unproven" };
  return await readNote(folder, keys);
}

/**
 * @returns faults of the copy that its original has: rows that name no other row.
 * @throws {AppError} `internal` when the copy is no whole database: the earlier backup stays.
 */
async function checkCopy(copy: Database): Promise<string[]> {
  const faults = await checkDatabase(copy);
  const broken = faults.find((line) => !/ names no row of /.test(line));
  if (broken === undefined) return faults;
  throw new AppError(
    "internal",
    `Cannot write the backup: the copy of the database is damaged (${broken}). The earlier backup ` +
      "is as it was. Look at the site first: deno task admin verify",
  );
}

/** Copies all files that exist before the instant of the backup. */
async function copyFirst(
  db: Database,
  { blobs, folder, key, storageKey, nowMs }: BackupPlace,
  { note: earlier }: ReadNote,
): Promise<{ kept: number; replaced: string[]; wrong: Set<string>; nextFrom: number }> {
  const transfer = { from: storeSeal(storageKey), isEither: true, to: backupSeal(key) };
  // files that were damaged in the site may be copied by now
  const suspects = (await readSuspects(folder)).union(new Set(earlier?.damaged ?? []));
  const sinceMs = earlier === null ? 0 : nowMs - Date.parse(earlier.created_at);
  const { isDue, nextFrom } = nextSample(earlier?.sample_from ?? 0, sinceMs);
  const replaced: string[] = [], wrong = new Set<string>();
  let keptCount = 0;
  for await (const blob of allBlobs(db)) {
    const isCompared = isDue(blob.hash) || suspects.has(blob.hash);
    const result = await copyBlob(blobs, `${folder}/${BACKUP_BLOBS}`, blob, transfer, isCompared);
    if (result === "kept") keptCount++;
    else if (result === "replaced") replaced.push(blob.hash);
    else if (result !== "copied") wrong.add(blob.hash);
  }
  return { kept: keptCount, replaced, wrong, nextFrom };
}

/**
 * Copies files that a copy of the database names and that are not there yet.
 * @param wrong Hashes of files that could not be copied before: their copies are compared.
 */
async function copyLast(
  copy: Database,
  { blobs, folder, key, storageKey }: BackupPlace,
  wrong: ReadonlySet<string>,
): Promise<{ files: number; sizeBytes: number; findings: BlobFinding[] }> {
  const transfer = { from: storeSeal(storageKey), isEither: true, to: backupSeal(key) };
  const findings: BlobFinding[] = [], to = `${folder}/${BACKUP_BLOBS}`;
  let files = 0, sizeBytes = 0;
  for await (const blob of allBlobs(copy)) {
    const result = await copyBlob(blobs, to, blob, transfer, wrong.has(blob.hash));
    if (result === "copied" || result === "replaced" || result === "kept") {
      files++;
      sizeBytes += blob.sizeBytes;
    } else {
      findings.push({ hash: blob.hash, reason: result, uses: await usesOfBlob(copy, blob.hash) });
    }
  }
  return { files, sizeBytes, findings };
}

/**
 * Puts a copy of the database and its note in their places. A run that is cut short in between
 * leaves a note that fits the database before and the one after it.
 */
async function placeDatabase(
  part: string,
  { folder, key }: BackupPlace,
  note: Omit<BackupNote, "database">,
  keys: readonly Uint8Array[],
): Promise<BackupNote> {
  const path = `${folder}/${BACKUP_DATABASE}`, ready = `${path}.ready`;
  if (key === null) await Deno.rename(part, ready);
  else {
    await sealFile(part, ready, key);
    await Deno.remove(part);
  }
  const fullNote: BackupNote = { ...note, database: (await contentDigest(ready, null)).hash };
  const previousDigest = await contentDigest(path, null).catch(() => null);
  if (previousDigest !== null) {
    await writeNote(folder, { ...fullNote, database_before: previousDigest.hash }, keys);
  }
  await Deno.rename(ready, path);
  await syncFolder(folder);
  await writeNote(folder, fullNote, keys);
  return fullNote;
}

/**
 * Copies a site at one instant into a folder: an empty one, or that of an earlier backup, which is
 * brought up to date and stays whole until the new one is. The site may run. Sessions of browsers
 * and exports are left out. Of the files that are there already a sample is compared with its
 * hashes, as are those that `verify` found wrong; wrong ones are copied again.
 *
 * @throws {AppError} `input.invalid` when the folder holds something else, or the backup of
 *   encrypted files would not be sealed; `storage.full`; `internal` when the database is damaged.
 */
export async function writeBackup(
  db: Database,
  options: Omit<BackupPlace, "nowMs"> & { nowMs?: number },
): Promise<BackupOutcome> {
  const place = { nowMs: Date.now(), ...options }, { blobs, folder, key, storageKey } = place;
  await checkStoreKey(blobs, storageKey);
  if (storageKey !== null && key === null) {
    throw new AppError(
      "input.invalid",
      "Cannot write the backup: the stored files are encrypted, and a backup without " +
        "SULCUS_BACKUP_KEY_FILE would not be",
    );
  }
  const keys = [(await auditKeyOf(db))?.secret ?? null, key].filter((each) => each !== null);
  await checkTarget(folder);
  const earlier = await earlierNote(folder, keys);
  await checkKind(folder, earlier, key !== null);
  const to = `${folder}/${BACKUP_BLOBS}`;
  // in the clear it stays in the site's data folder
  const part = key === null
    ? `${folder}/${BACKUP_DATABASE}.part`
    : `${dirname(blobs)}/backup.sqlite.part`;
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  // most of the time goes here, before the instant: studies that are deleted meanwhile do not
  // matter yet
  const { kept, replaced, wrong, nextFrom } = await copyFirst(db, place, earlier);
  for (let tries = 1;; tries++) {
    await Deno.remove(part).catch(() => {});
    await copyToSqlite(db, part);
    const copy = openToRead(part);
    let copied, stale: string[], database: string[];
    try {
      database = await checkCopy(copy);
      copied = await copyLast(copy, place, wrong);
      stale = await Array.fromAsync(unnamedFiles(to, blobsIn(copy)));
    } finally {
      await copy.destroy();
    }
    const { files, sizeBytes, findings } = copied;
    if (findings.some(({ reason }) => reason === "missing") && tries < MAX_ATTEMPTS) continue;
    await syncFolders(to);
    const note = await placeDatabase(part, place, {
      format: 1,
      created_at: new Date(place.nowMs).toISOString(),
      files,
      size_bytes: sizeBytes,
      damaged: findings.map(({ hash }) => hash),
      ...(key === null ? {} : { sealed: true as const }),
      sample_from: nextFrom,
    }, keys);
    await writeSuspects(folder, []);
    await syncFolder(folder);
    for (const hash of stale) await Deno.remove(blobPath(to, hash));
    return { note, kept, replaced, findings, database };
  }
}
