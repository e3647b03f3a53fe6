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
import { VERSION } from "@/server/core/site/service/status.ts";
import { nextSample } from "@/server/core/site/service/backup/backup_sample.ts";
import { ADMIN } from "@/model/site/command_line.ts";

/** Number of attempts to find a file that was deleted with its study during the backup. */
const MAX_ATTEMPTS = 5;

/** Result of a backup. */
interface BackupOutcome {
  note: BackupNote;
  /** number of files already in the folder from an earlier backup */
  kept: number;
  /** hashes of files in the earlier backup that were damaged and copied again */
  replaced: string[];
  /** damaged files of the site */
  findings: BlobFinding[];
  /** integrity errors of the site's database, which the copy also has, one line each */
  database: string[];
}

/** Target and options of a backup. */
interface BackupPlace {
  /** folder of the site's stored files */
  blobs: string;
  folder: string;
  /** key that seals all content; file names are hashes and remain readable; `null`: not sealed */
  key: Key;
  /** key of the site's encrypted files; `null`: not encrypted */
  storageKey: Key;
  /** time of the backup, ms since the epoch */
  nowMs: number;
}

const exists = async (path: string) => await Deno.stat(path).then(() => true, () => false);

/**
 * Checks the target folder. @throws {AppError} `input.invalid`
 * when it contains anything but a backup.
 */
async function checkTarget(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for await (const { name } of Deno.readDir(folder)) {
    // ext4 makes lost+found on each new disk
    if (name === BACKUP_BLOBS || name === "lost+found" || isBackupFile(name)) continue;
    if (await exists(`${folder}/${BACKUP_NOTE}`)) return;
    throw new AppError(
      "input.invalid",
      `Cannot write the backup: ${folder} is not empty, and no earlier backup`,
    );
  }
}

/**
 * @throws {AppError} `input.invalid` when only one of the earlier backup and this one is sealed.
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

/** The earlier backup in the folder; an unreadable note counts as damaged. */
async function earlierNote(folder: string, keys: readonly Uint8Array[]): Promise<ReadNote> {
  if (!await exists(`${folder}/${BACKUP_NOTE}`)) return { note: null, proof: "unproven" };
  return await readNote(folder, keys);
}

/**
 * @returns integrity errors that the original also has: rows that refer to missing rows.
 * @throws {AppError} `internal` when the copy is damaged: the earlier backup is then kept.
 */
async function checkCopy(copy: Database): Promise<string[]> {
  const faults = await checkDatabase(copy);
  const broken = faults.find((line) => !/ names no row of /.test(line));
  if (broken === undefined) return faults;
  throw new AppError(
    "internal",
    `Cannot write the backup: the copy of the database is damaged (${broken}). The earlier backup ` +
      `is as it was. Look at the site first: ${ADMIN} verify`,
  );
}

/** Copies all files that exist before the instant of the backup. */
async function copyFirst(
  db: Database,
  { blobs, folder, key, storageKey, nowMs }: BackupPlace,
  { note: earlier }: ReadNote,
): Promise<{ kept: number; replaced: string[]; wrong: Set<string>; nextFrom: number }> {
  const transfer = { from: storeSeal(storageKey), isEither: true, to: backupSeal(key) };
  // retries files that were damaged earlier
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
 * Copies files that a copy of the database refers to and that are missing in the backup.
 * @param wrong Hashes of files that could not be copied before: their copies are verified.
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
 * Moves a copy of the database and its note into place. The note also describes the previous
 * database, so that an interruption between both steps leaves a valid backup.
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
 * Backs up a site at one instant into an empty folder, or updates an earlier backup, which stays
 * intact until the new one is complete. The site may be running. Sessions and exports are not
 * included. A sample of the existing files is verified by hash, and those that `verify` found
 * damaged; damaged ones are copied again.
 *
 * @throws {AppError} `input.invalid` when the folder contains anything else, or the backup of
 * encrypted files would not be sealed; `storage.full`; `internal` when the database is damaged.
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
  // the plain copy stays inside the site's data folder
  const part = key === null
    ? `${folder}/${BACKUP_DATABASE}.part`
    : `${dirname(blobs)}/backup.sqlite.part`;
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  // most files are copied before the instant, while deleted studies are still irrelevant
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
      version: VERSION,
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
