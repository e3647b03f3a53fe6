import { blobPath, type FileDigest, unnamedFiles } from "@/server/core/blobs/blob_file.ts";
import {
  blobsAfter,
  blobsIn,
  blobSize,
  type BlobUse,
  usesOfBlob,
} from "@/server/core/blobs/blob_index.ts";
import { storedDigest } from "@/server/core/blobs/stored_digest.ts";
import type { Database } from "@/server/core/database/database.ts";
import { checkDatabase } from "@/server/core/blobs/integrity.ts";
import { verifyAudit } from "@/server/core/site/service/audit/audit.ts";

const BLOB_CONCURRENCY = 1000;

/** A stored file that differs from the original. */
export interface BlobFinding {
  hash: string;
  reason: "missing" | "changed" | "unreadable";
  uses: BlobUse[];
}

/** Result of verifying all data of a site. */
export interface SiteVerdict {
  /** integrity errors of the database, one line each */
  database: string[];
  audit: { count: number; hash: string; broken: number | null; proven: number };
  blobs: { count: number; sizeBytes: number; findings: BlobFinding[] };
  /**
   * number of unreferenced files: files of running uploads, or leftovers,
   * which are deleted after the next start
   */
  unnamed: number;
}

const textOf = (error: unknown) => error instanceof Error ? error.message : String(error);

/** Whether no damage was found. Unreferenced files are not damage. */
export const isWhole = ({ database, audit, blobs }: SiteVerdict): boolean =>
  database.length === 0 && audit.broken === null && blobs.findings.length === 0;

/** Digests the file of a blob; `null` for a missing file. */
type DigestReader = (path: string, hash: string) => Promise<FileDigest | null>;

export async function reasonOf(
  folder: string,
  hash: string,
  read: DigestReader,
): Promise<BlobFinding["reason"] | null> {
  try {
    const digest = await read(blobPath(folder, hash), hash);
    return digest === null ? "missing" : digest.hash === hash ? null : "changed";
  } catch {
    // the disk itself reported an error
    return "unreadable";
  }
}

/**
 * Verifies all data of a site or a backup: database, audit log, and the hash of every stored file.
 * Other processes may write during the check.
 *
 * @param folder Folder of the stored files.
 * @param found Called at once for each damaged file.
 * @param read Reads files; decrypts the files of a sealed backup or an encrypted store.
 */
export async function checkSite(
  db: Database,
  folder: string,
  found: (finding: BlobFinding) => void = () => {},
  read: DigestReader = storedDigest(null),
): Promise<SiteVerdict> {
  const database = await checkDatabase(db).catch((error) => [textOf(error)]);
  const log = await verifyAudit(db).catch((error) => {
    database.push(textOf(error));
    return { count: 0, hash: "", broken: null, proven: 0 };
  });
  const { count, hash, broken, proven } = log;
  const blobs: SiteVerdict["blobs"] = { count: 0, sizeBytes: 0, findings: [] };
  let unnamed = 0;
  try {
    await checkBlobs(db, folder, blobs, found, read);
    unnamed = (await Array.fromAsync(unnamedFiles(folder, blobsIn(db))).catch(() => [])).length;
  } catch (error) {
    // the list of files is in damaged pages
    if (!/malformed|corrupt|not a database/i.test(textOf(error))) throw error;
    if (!database.includes(textOf(error))) database.push(textOf(error));
  }
  return { database, audit: { count, hash, broken, proven }, blobs, unnamed };
}

/** Verifies the hash of every stored file. */
async function checkBlobs(
  db: Database,
  folder: string,
  blobs: SiteVerdict["blobs"],
  found: (finding: BlobFinding) => void,
  read: DigestReader,
): Promise<void> {
  for (let last = "";;) {
    const batch = await blobsAfter(db, last, BLOB_CONCURRENCY);
    if (batch.length === 0) return;
    for (const blob of batch) {
      last = blob.hash;
      const reason = await reasonOf(folder, last, read);
      // a missing file is not reported if its study was deleted during the check
      if (reason !== null && await blobSize(db, last) === null) continue;
      blobs.count++;
      blobs.sizeBytes += blob.sizeBytes;
      if (reason === null) continue;
      const finding = { hash: last, reason, uses: await usesOfBlob(db, last) };
      blobs.findings.push(finding);
      found(finding);
    }
  }
}
