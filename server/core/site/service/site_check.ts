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

/** A stored file that is missing, unreadable or changed. */
export interface BlobFinding {
  hash: string;
  reason: "missing" | "changed" | "unreadable";
  uses: BlobUse[];
}

/** Result of verifying all data of a site or backup. */
export interface SiteVerdict {
  /** integrity errors of the database, one line each */
  database: string[];
  audit: { count: number; hash: string; broken: number | null; proven: number };
  blobs: { count: number; sizeBytes: number; findings: BlobFinding[] };
  /**
   * number of files without a database row: of running uploads, or leftovers of a crash,
   * which are deleted after the next start of the server
   */
  unnamed: number;
}

const textOf = (error: unknown) => error instanceof Error ? error.message : String(error);

/** Whether nothing is damaged. Files without a database row are not damage. */
export const isWhole = ({ database, audit, blobs }: SiteVerdict): boolean =>
  database.length === 0 && audit.broken === null && blobs.findings.length === 0;

/** Computes the digest of a blob's file; `null` for a missing file. */
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
    // error of the disk itself
    return "unreadable";
  }
}

/**
 * Verifies all data of a site or a backup: database, audit log, and the hash of every stored file.
 * Other processes may write during the check.
 *
 * @param folder Folder of the stored files.
 * @param found Called for each damaged file as soon as it is detected.
 * @param read Computes digests; decrypts the files of a sealed backup or an encrypted store.
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
    // the damaged pages of the database contain the rows that list the files
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
      // a file that is missing because its study was deleted during the check
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
