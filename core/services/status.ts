import { statfs } from "node:fs/promises";
import { AppError } from "@/model/errors.ts";
import type { StatusResponse } from "@/model/schema/status.ts";
import type { ServiceContext } from "@/core/services/context.ts";

export const VERSION = "0.1.0";
export const DISK_WARN_PERCENT = 80, DISK_ERROR_PERCENT = 95;

interface Disk {
  freeBytes: number;
  totalBytes: number;
}

/** How full a disk is, percent with one decimal. */
export const usagePercent = ({ freeBytes, totalBytes }: Disk): number =>
  totalBytes > 0 ? Math.round(1000 * (1 - freeBytes / totalBytes)) / 10 : 0;

/** Free and total bytes of the file system a folder is on. */
export async function diskOf(folder: string): Promise<Disk> {
  const disk = await statfs(folder);
  return { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

/** How full the disk of the data folder is. */
export async function getStatus({ dataDir }: ServiceContext): Promise<StatusResponse> {
  const limits = { disk_warn: DISK_WARN_PERCENT, disk_error: DISK_ERROR_PERCENT, version: VERSION };
  return { disk_usage: usagePercent(await diskOf(dataDir)), ...limits };
}

/**
 * Makes sure that an upload fits beside what is there.
 * @param sizeBytes Announced size of the upload; 0 when unknown.
 * @throws {AppError} `storage.full` when the disk is past its error threshold or would not hold the upload.
 */
export async function checkRoom({ dataDir }: ServiceContext, sizeBytes: number): Promise<void> {
  const { freeBytes, totalBytes } = await diskOf(dataDir);
  const reserve = totalBytes * (1 - DISK_ERROR_PERCENT / 100);
  if (freeBytes - sizeBytes < Math.min(reserve, 1e9)) {
    throw new AppError("storage.full", "Cannot store the upload: the disk is full", {
      percent: Math.round(100 * (1 - freeBytes / totalBytes)),
      warn: DISK_WARN_PERCENT,
      error: DISK_ERROR_PERCENT,
    });
  }
}
