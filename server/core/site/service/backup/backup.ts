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

/** Maximum number of attempts, because files may be deleted with their study during a backup. */
const MAX_ATTEMPTS = 5;

/** Result of a backup. */
interface BackupOutcome {
  note: BackupNote;
  /** number of files that an earlier backup had already copied into the folder */
  kept: number;
  /** hashes of files that were damaged in the backup folder and copied again */
  replaced: string[];
  /** files that are damaged on the site, and therefore not copied */
  findings: BlobFinding[];
  /** integrity errors of the site's database, which its copy has too, one line each */
  database: string[];
}

/** Target and options of a backup. */
interface BackupPlace {
  /** folder with the site's stored files */
  blobs: string;
  folder: string;
  /** key that encrypts (seals) database and files; file names remain hashes; `null`: not sealed */
  key: Key;
  /** key with which the site's stored files are encrypted; `null`: not encrypted */
  storageKey: Key;
  /** time of the backup, ms since 1970 */
  nowMs: number;
}

const exists = async (path: string) => await Deno.stat(path).then(() => true, () => false);

/**
 * Checks that the target folder is empty or contains a backup.
 * @throws {AppError} `input.invalid` for any other content.
 */
async function checkTarget(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  for await (const { name } of Deno.readDir(folder)) {
    // ignored: ext4 creates lost+found on each new disk
    if (name === BACKUP_BLOBS || name === "lost+found" || isBackupFile(name)) continue;
    if (await exists(`${folder}/${BACKUP_NOTE}`)) return;
    throw new AppError(
      "input.invalid",
      `Cannot write the backup: ${folder} is not empty, and no earlier backup`,
    );
  }
}

/**
 * @throws {AppError} `input.invalid` if only one of the stored and the new backup is sealed.
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

/** Note of the backup in the folder; an unreadable note counts as damaged. */
async function earlierNote(folder: string, keys: readonly Uint8Array[]): Promise<ReadNote> {
  if (!await exists(`${folder}/${BACKUP_NOTE}`)) return { note: null, proof: "unproven" };
  return await readNote(folder, keys);
}

/**
 * @returns integrity errors of the original database: rows that refer to missing rows.
 * @throws {AppError} `internal` if only the copy is damaged: the earlier backup is then kept.
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

/** Copies all stored files that exist before the instant of the backup. */
async function copyFirst(
  db: Database,
  { blobs, folder, key, storageKey, nowMs }: BackupPlace,
  { note: earlier }: ReadNote,
): Promise<{ kept: number; replaced: string[]; wrong: Set<string>; nextFrom: number }> {
  const transfer = { from: storeSeal(storageKey), isEither: true, to: backupSeal(key) };
  // files that were damaged in an earlier check are verified, and copied again if needed
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
 * Copies files that are missing in the backup, although the database copy refers to them.
 * @param wrong Hashes of files that {@link copyFirst} could not copy: their copies are verified.
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
 * Moves the copied database and its note into place. The note also describes the previous
 * database, so that an interruption between the two moves leaves a valid backup.
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
 * Backs up a site at one instant, into an empty folder or over an earlier backup, which stays
 * usable until the new backup is complete. The site may be running. Sessions and exports are not
 * backed up. Existing files in the folder are verified by hash: a sample, and files that `verify`
 * reported; damaged files are copied again.
 *
 * @throws {AppError} `input.invalid` if the folder has other content, or if the backup of
 * encrypted files would not be sealed; `storage.full`; `internal` if the database is damaged.
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
  // the unencrypted copy of the database never leaves the site's data folder
  const part = key === null
    ? `${folder}/${BACKUP_DATABASE}.part`
    : `${dirname(blobs)}/backup.sqlite.part`;
  await Deno.mkdir(to, { recursive: true, mode: 0o700 });
  // most files are copied before the instant: studies deleted until then do not matter
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
