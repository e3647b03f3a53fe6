import { AppError } from "@/model/errors.ts";
import { contentDigest, unsealFile } from "@/server/core/blobs/sealed_file.ts";
import { listBlobFiles } from "@/server/core/blobs/blob_file.ts";
import { type Database, openToRead } from "@/server/core/database/database.ts";
import {
  type BlobFinding,
  checkSite,
  isWhole,
  reasonOf,
  type SiteVerdict,
} from "@/server/core/site/service/site_check.ts";
import {
  BACKUP_BLOBS,
  backupDigest,
  isSealedBackup,
  type Key,
} from "@/server/core/site/service/backup/backup_files.ts";
import {
  BACKUP_DATABASE,
  BACKUP_NOTE,
  type BackupNote,
  type NoteProof,
  readNote,
} from "@/server/core/site/service/backup/backup_note.ts";

/** Keys on this machine with which a backup is opened and verified. */
export interface BackupKeys {
  /** key that decrypts sealed backups; `null`: none */
  backup: Key;
  /** audit keys of the site, with which backups are signed */
  audit: readonly Uint8Array[];
}

/** A damaged or missing file of a backup. */
export type BackupFault =
  | { file: string; fault: string }
  | { blob: BlobFinding };

/** Result of checking a backup. */
export interface BackupVerdict {
  /** note of the backup (backup.json); `null`: unreadable */
  note: BackupNote | null;
  proof: NoteProof;
  isSealed: boolean;
  /** errors of backup.json and core.sqlite, one line each */
  faults: BackupFault[];
  /** number of stored files that the database refers to; `null`: the database is unreadable */
  site: SiteVerdict | null;
  /** stored files that are damaged or missing */
  wrong: string[];
  /** number of stored files that were verified */
  compared: number;
}

export const isWholeBackup = ({ faults, site, wrong }: BackupVerdict): boolean =>
  faults.length === 0 && wrong.length === 0 && site !== null && isWhole(site);

const NOTE_FAULTS: Record<NoteProof, string | null> = {
  proven: null,
  unproven: null,
  forged: "bears no signature by a key of this site: it was changed, is of another site, or of a " +
    "release that did not sign",
};

const withoutKey = (folder: string) =>
  new AppError(
    "input.invalid",
    `Cannot read the backup in ${folder}: it is sealed, name its key in SULCUS_BACKUP_KEY_FILE`,
  );

/**
 * Decrypts the database of a backup.
 * @param to Path for the decrypted database of a sealed backup.
 * @returns path of the database that can be opened.
 * @throws {AppError} `input.invalid` if the key is missing, `file.damaged` if it is wrong.
 */
export async function openBackupDatabase(
  folder: string,
  isSealed: boolean,
  key: Key,
  to: string,
): Promise<string> {
  const path = `${folder}/${BACKUP_DATABASE}`;
  if (!isSealed) return path;
  if (key === null) throw withoutKey(folder);
  await unsealFile(path, to, key);
  return to;
}

/** Compares the hash of core.sqlite with that in the note. @returns the error, if any. */
async function databaseFault(folder: string, note: BackupNote | null): Promise<string | null> {
  try {
    const { hash } = await contentDigest(`${folder}/${BACKUP_DATABASE}`, null);
    const right = [note?.database, note?.database_before].filter((each) => each !== undefined);
    return right.length === 0 || right.includes(hash) ? null : "has other bytes than were written";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "is missing";
    return `cannot be read from its disk (${error instanceof Error ? error.message : error})`;
  }
}

/** Verifies stored files without the database, for a backup with a damaged one. */
async function checkFiles(
  folder: string,
  db: Database | null,
  key: Key,
  report: (fault: BackupFault) => void,
): Promise<{ compared: number; wrong: string[] }> {
  const wrong: string[] = [], blobs = `${folder}/${BACKUP_BLOBS}`;
  let compared = 0;
  for (const hash of await listBlobFiles(blobs).catch(() => [])) {
    const isNamed = db !== null &&
      await db.selectFrom("blobs").select("hash").where("hash", "=", hash).executeTakeFirst()
          .catch(() => undefined) !== undefined;
    if (isNamed) continue;
    compared++;
    const reason = await reasonOf(blobs, hash, backupDigest(key));
    if (reason === null) continue;
    wrong.push(hash);
    report({ blob: { hash, reason, uses: [] } });
  }
  return { compared, wrong };
}

/** Opens the database of a backup. @returns `null`, and an error, if it is unreadable. */
async function openDatabaseOf(
  folder: string,
  verdict: Pick<BackupVerdict, "isSealed">,
  key: Key,
  aside: string,
  isKnownWrong: boolean,
): Promise<{ db: Database | null; fault: string | null }> {
  try {
    const path = await openBackupDatabase(folder, verdict.isSealed, key, aside);
    return { db: openToRead(path), fault: null };
  } catch (error) {
    // the hash is right, so the file is intact and the key is wrong
    if (error instanceof AppError && (!isKnownWrong || error.code !== "file.damaged")) throw error;
    return { db: null, fault: "is no database that can be read" };
  }
}

/**
 * Verifies all parts of a backup: the signed note, the database, and every stored file.
 *
 * @param aside Path for the decrypted database of a sealed backup, which the caller deletes.
 * @param report Called for each error as soon as it is detected.
 * @throws {AppError} `input.invalid` if the folder has no backup, or the key of a sealed one is
 * missing; `file.damaged` if the key is wrong.
 */
export async function checkBackup(
  folder: string,
  keys: BackupKeys,
  aside: string,
  report: (fault: BackupFault) => void,
): Promise<BackupVerdict> {
  const { audit, backup } = keys, all = backup === null ? audit : [...audit, backup];
  const read = await readNote(folder, all), faults: BackupFault[] = [];
  const add = (file: string, fault: string) => {
    faults.push({ file, fault });
    report({ file, fault });
  };
  const isSealed = await isSealedBackup(folder, read) === true, key = isSealed ? backup : null;
  if (isSealed && key === null) throw withoutKey(folder);
  let fault = await databaseFault(folder, read.note);
  const { db, fault: openFault } = fault === "is missing"
    ? { db: null, fault: null }
    : await openDatabaseOf(
      folder,
      { isSealed },
      backup,
      aside,
      fault !== null || read.note === null,
    );
  const noteFault = read.note === null
    ? "is damaged: no program wrote it so"
    : NOTE_FAULTS[read.proof];
  if (noteFault !== null) add(BACKUP_NOTE, noteFault);
  fault ??= openFault;
  if (fault !== null) add(BACKUP_DATABASE, fault);
  const verdict = { note: read.note, proof: read.proof, isSealed, faults, wrong: [] as string[] };
  try {
    const onFinding = (blob: BlobFinding) => {
      verdict.wrong.push(blob.hash);
      report({ blob });
    };
    const blobs = `${folder}/${BACKUP_BLOBS}`;
    const site = db && await checkSite(db, blobs, onFinding, backupDigest(key)).catch(() => null);
    let compared = site?.blobs.count ?? 0;
    // with a wrong hash, a list of damaged database pages is not needed
    if (fault === null) {
      for (const line of site?.database ?? []) add(BACKUP_DATABASE, `is damaged (${line})`);
    }
    if (site === null && fault === null) {
      add(BACKUP_DATABASE, "is damaged: it cannot be read to its end");
    }
    if (faults.some((each) => "file" in each && each.file === BACKUP_DATABASE)) {
      const otherFiles = await checkFiles(folder, site && db, key, report);
      compared += otherFiles.compared;
      verdict.wrong = [...new Set([...verdict.wrong, ...otherFiles.wrong])];
    }
    return { ...verdict, site, compared };
  } finally {
    await db?.destroy();
  }
}
