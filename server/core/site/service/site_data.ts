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
   * folder of `core.sqlite` and `blobs/`; `null`: in-memory database and temporary folder (tests)
   */
  dataDir: string | null;
  /**
   * folder of the audit log's key and anchors; default: `audit` in `dataDir`
   * all cores of one database share this folder
   */
  auditDir?: string | null;
  /** key that encrypts stored files; `null`: not encrypted */
  storageKey?: Uint8Array | null;
  /**
   * PostgreSQL database instead of `core.sqlite`
   * several cores may use the same database, with shared `blobs/` and `exports/`
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

/** Opens the database of a data folder, creating both if necessary. */
export function openData(dataDir: string | null, auditDir?: string | null): Database {
  if (dataDir === null) return openDatabase(":memory:");
  makeFolders(dataDir);
  const path = `${dataDir}/core.sqlite`, folder = auditDir ?? `${dataDir}/audit`;
  if (sizeOf(path) === 0 && sizeOf(`${folder}/anchors`) > 0) {
    // a new database would make all stored files appear unreferenced
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
 * Opens the database of a site: {@link openData}, or PostgreSQL.
 * @throws Error when PostgreSQL cannot be reached or used.
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
  /** whether other processes work on the same database */
  isShared: boolean;
  /** Closes both; a temporary folder is removed. */
  close(): Promise<void>;
}

/** Opens the database and the stored files; without a folder, in memory and a temporary folder. */
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
 * Stored files of a site that may be running, only to be read.
 * @throws {AppError} when `storageKey` does not fit the files.
 */
export async function storedFilesOf(
  { dataDir, storageKey = null }: { dataDir: string; storageKey?: Uint8Array | null },
): Promise<BlobStore> {
  const folder = `${dataDir}/blobs`;
  await openStoreKey(folder, storageKey);
  return new DiskBlobs(folder, { isShared: true, key: storageKey });
}
