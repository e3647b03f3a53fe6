import { statfs } from "node:fs/promises";
import { AppError } from "@/model/errors.ts";
import type { StatusResponse } from "@/model/schema/status.ts";
import type { ServiceContext } from "@/core/services/context.ts";

export const VERSION = "0.1.0";
const DISK_WARN_PERCENT = 80, DISK_ERROR_PERCENT = 95;

/** Free and total bytes of the file system a folder is on. */
async function diskOf(folder: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const disk = await statfs(folder);
  return { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

/** How full the disk of the data folder is. */
export async function getStatus({ dataDir }: ServiceContext): Promise<StatusResponse> {
  const limits = { disk_warn: DISK_WARN_PERCENT, disk_error: DISK_ERROR_PERCENT, version: VERSION };
  const { freeBytes, totalBytes } = await diskOf(dataDir);
  const usage = totalBytes > 0 ? 100 * (1 - freeBytes / totalBytes) : 0;
  return { disk_usage: Math.round(usage * 10) / 10, ...limits };
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
    });
  }
}
