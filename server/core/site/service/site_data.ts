import { AppError } from "@/model/errors.ts";
import type { Log } from "@/model/site/log.ts";
import { makeFolders } from "@/server/core/blobs/blob_file.ts";
import { type BlobStore, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { SharedBlobs } from "@/server/core/blobs/shared_blobs.ts";
import { openStoreKey } from "@/server/core/blobs/store_key.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import { isPostgres, openPostgres } from "@/server/core/database/postgres.ts";
import { setAuditFolder } from "@/server/core/site/service/audit/audit_key.ts";

/** Database and folders of a site. */
export interface DataPlace {
  /**
   * folder with `core.sqlite` and `blobs/`; `null`: database in memory, temporary folder (tests)
   */
  dataDir: string | null;
  /**
   * folder of the audit key and anchors; default: `audit` in `dataDir`
   * all server processes with one database use the same folder
   */
  auditDir?: string | null;
  /** key with which stored files are encrypted; `null`: not encrypted */
  storageKey?: Uint8Array | null;
  /**
   * PostgreSQL database that is used instead of `core.sqlite`
   * several server processes may use the same database, with shared `blobs/` and `exports/`
   */
  databaseUrl?: string | null;
}

/** Size of a file; 0 for a missing file. */
function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
}

/** Opens the database of a data folder; creates folder and database if necessary. */
export function openData(dataDir: string | null, auditDir?: string | null): Database {
  if (dataDir === null) return openDatabase(":memory:");
  makeFolders(dataDir);
  const path = `${dataDir}/core.sqlite`, folder = auditDir ?? `${dataDir}/audit`;
  if (sizeOf(path) === 0 && sizeOf(`${folder}/anchors`) > 0) {
    // refused: with a new database all stored files would be unreferenced, and deleted
    const help = `Restore a backup, or move ${folder} and ${dataDir}/blobs away to begin anew`;
    throw new AppError(
      "internal",
      `Cannot open the database ${path}: it is empty or gone. ${help}`,
    );
  }
  const db = openDatabase(path);
  setAuditFolder(db, folder);
  return db;
}

/**
 * Opens the database of a site: SQLite by {@link openData}, or PostgreSQL.
 * @throws Error if PostgreSQL cannot be reached or used.
 */
export async function openSite(
  { dataDir, auditDir, databaseUrl, log }: DataPlace & { log?: Log },
): Promise<Database> {
  if (!databaseUrl) return openData(dataDir, auditDir);
  const db = await openPostgres(databaseUrl, log);
  if (dataDir !== null) setAuditFolder(db, auditDir ?? `${dataDir}/audit`);
  return db;
}

/** Opened database and stored files of a site. */
export interface SiteData {
  db: Database;
  blobs: DiskBlobs | SharedBlobs;
  dataDir: string;
  storageKey: Uint8Array | null;
  /** whether other processes use the same database */
  isShared: boolean;
  /** Closes database and files; a temporary folder is deleted. */
  close(): Promise<void>;
}

/** Opens database and stored files; without a data folder in memory and in a temporary folder. */
export async function openSiteData(place: DataPlace, log: Log): Promise<SiteData> {
  const storageKey = place.storageKey ?? null;
  if (place.dataDir !== null) await openStoreKey(`${place.dataDir}/blobs`, storageKey);
  const db = await openSite({ ...place, log }), isShared = isPostgres(db);
  const dataDir = place.dataDir ?? await Deno.makeTempDir({ prefix: "sulcus-" });
  const folder = `${dataDir}/blobs`;
  const shared = isShared ? new SharedBlobs(folder, db, log, storageKey) : null;
  return {
    db,
    blobs: shared ?? new DiskBlobs(folder, { key: storageKey }),
    dataDir,
    storageKey,
    isShared,
    async close() {
      await shared?.close();
      await db.destroy();
      if (place.dataDir === null) await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/**
 * Stored files of a site, opened only for reading, also while its server runs.
 * @throws {AppError} if `storageKey` is not the key of the files.
 */
export async function storedFilesOf(
  { dataDir, storageKey = null }: { dataDir: string; storageKey?: Uint8Array | null },
): Promise<BlobStore> {
  const folder = `${dataDir}/blobs`;
  await openStoreKey(folder, storageKey);
  return new DiskBlobs(folder, { isShared: true, key: storageKey });
}
