import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { AppError } from "@/model/errors.ts";
import { storageError } from "@/server/core/database/storage_error.ts";
import type { StatusResponse } from "@/model/schema/site/status.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { getLicense } from "@/server/core/site/service/license.ts";

export const VERSION = "0.1.0";
/** Disk usage in percent from which a warning is shown, and from which uploads are refused. */
const DISK_LIMITS = { warn: 80, error: 95 };
export const diskLimitsOf = ({ diskLimits = DISK_LIMITS }: ServiceContext): typeof DISK_LIMITS =>
  diskLimits;

interface Disk {
  freeBytes: number;
  totalBytes: number;
}

/** Disk usage, percent with one decimal. */
export const usagePercent = ({ freeBytes, totalBytes }: Disk): number =>
  totalBytes > 0 ? Math.round(1000 * (1 - freeBytes / totalBytes)) / 10 : 0;

/**
 * Free and total bytes of a folder's file system, excluding space reserved for root, as in `df`.
 */
export async function diskOf(folder: string): Promise<Disk> {
  const { bavail, bfree, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize };
}

/** Whether a file can be created in a folder, which a test file shows. */
async function isWritable(folder: string): Promise<boolean> {
  const path = `${folder}/writable-${crypto.randomUUID()}`;
  try {
    await Deno.writeTextFile(path, "1", { createNew: true, mode: 0o600 });
    await Deno.remove(path);
    return true;
  } catch (error) {
    await Deno.remove(path).catch(() => {});
    const code = storageError(error);
    // counts as writable, because a full disk has a separate alarm
    return code instanceof AppError && code.code === "storage.full";
  }
}

/**
 * Whether the folders of data, stored images and exports of a site can be written.
 * Each folder may be on a different file system.
 */
export async function canStore(dataDir: string): Promise<boolean> {
  const folders = [dataDir, `${dataDir}/blobs/incoming`, `${dataDir}/exports`];
  // the folder does not exist before the first export
  const there = folders.filter((folder) => existsSync(folder));
  return (await Promise.all(there.map(isWritable))).every((each) => each);
}

/** Disk usage of the data folder, and public information about the site without its version. */
export async function getStatus(services: ServiceContext): Promise<StatusResponse> {
  const { warn, error } = diskLimitsOf(services),
    usage = usagePercent(await diskOf(services.dataDir));
  const { cert_type } = await getLicense(services.db);
  return { disk_usage: usage, disk_warn: warn, disk_error: error, cert_type };
}

/**
 * Checks that an upload fits on the disk before it is received.
 * @param sizeBytes Announced size of the upload; 0 when unknown.
 * @throws {AppError} `storage.full` above the limit for uploads, or if the upload does not fit.
 */
export async function checkDiskSpace(services: ServiceContext, sizeBytes: number): Promise<void> {
  const { warn, error } = diskLimitsOf(services), disk = await diskOf(services.dataDir);
  const { freeBytes, totalBytes } = disk, reserve = totalBytes * (1 - error / 100);
  if (freeBytes - sizeBytes < Math.min(reserve, 1e9)) {
    throw new AppError("storage.full", "Cannot store the upload: the disk is full", {
      percent: Math.round(usagePercent(disk)),
      warn,
      error,
    });
  }
}
