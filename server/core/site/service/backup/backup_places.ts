import { AppError } from "@/model/errors.ts";
import { syncFolder } from "@/server/core/blobs/blob_file.ts";
import { blobsAfter } from "@/server/core/blobs/blob_index.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  BACKUP_DATABASE,
  BACKUP_NOTE,
  readNote,
} from "@/server/core/site/service/backup/backup_note.ts";
import { ADMIN } from "@/model/site/command_line.ts";

/** File in the data folder with a JSON list of the folders into which backups were made. */
const PLACES = "backup-folders";
/** Maximum number of listed folders; the one that was not used for the longest time is dropped. */
const MAX_PLACES = 32;

const exists = async (path: string) => await Deno.stat(path).then(() => true, () => false);

/** Folders into which backups were made, as listed in the file; empty if it cannot be read. */
async function placesIn(dataDir: string): Promise<string[]> {
  const text = await Deno.readTextFile(`${dataDir}/${PLACES}`).catch(() => "[]");
  try {
    const places: unknown = JSON.parse(text);
    return Array.isArray(places) ? places.filter((place) => typeof place === "string") : [];
  } catch {
    return [];
  }
}

/** Adds a folder with a finished backup to the file of backup folders. */
export async function rememberPlace(dataDir: string, folder: string): Promise<void> {
  const places = await placesIn(dataDir);
  if (places.at(-1) === folder) return;
  const next = [...places.filter((place) => place !== folder), folder].slice(-MAX_PLACES);
  const path = `${dataDir}/${PLACES}`;
  await Deno.writeTextFile(`${path}.part`, JSON.stringify(next) + "\n", { mode: 0o600 });
  using file = await Deno.open(`${path}.part`, { read: true, write: true });
  await file.sync();
  await Deno.rename(`${path}.part`, path);
  await syncFolder(dataDir);
}

const refused = (text: string) => new AppError("input.invalid", `Cannot write the backup: ${text}`);

/**
 * Refuses a nightly backup if a disk seems to be missing.
 * The target disk: a listed folder is empty, so the backup would fill the system disk.
 * The site's disk: the site has no files, so the backup's files would be deleted.
 * @throws {AppError} `input.invalid`.
 */
export async function checkNightly(db: Database, dataDir: string, folder: string): Promise<void> {
  const hasNote = await exists(`${folder}/${BACKUP_NOTE}`);
  if (!hasNote) {
    const isGone = (await placesIn(dataDir)).includes(folder) &&
      !await exists(`${folder}/${BACKUP_DATABASE}`);
    if (!isGone) return;
    throw refused(
      `the earlier one in ${folder} is gone. Mount its disk; for a new disk run once: ` +
        `${ADMIN} backup ${folder}`,
    );
  }
  const { note } = await readNote(folder, []);
  if (note === null || note.files === 0 || (await blobsAfter(db, "", 1)).length > 0) return;
  throw refused(
    `this site holds no files, and the earlier one in ${folder} holds ${note.files}. Is the disk ` +
      `of ${dataDir} mounted? If the site was emptied on purpose, run once: ${ADMIN} backup ${folder}`,
  );
}
