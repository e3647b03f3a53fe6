import { dirname } from "node:path";
import { AppError } from "@/model/errors.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";

/** A file of the inbox that cannot be used, and is put aside. */
export interface UnusableFile {
  name: string;
  /** as the Connections page shows it; docs/site/pacs.md explains each */
  reason: string;
}

/** Errors of the system that are of one file, since its folder could be read. */
const OF_ONE_FILE: Readonly<Record<string, string>> = {
  EISDIR: "no_file",
  ELOOP: "no_file",
  ENXIO: "no_file",
  EACCES: "no_permission",
  EPERM: "no_permission",
  EIO: "disk_error",
};

/**
 * Why a file that its folder lists cannot be used. @returns `null` when the trouble is not of this
 * file alone: the disk is full, its folder is gone, or there are too many open files. Then no file
 * may be put aside for it.
 */
export async function reasonOf(path: string, error: unknown): Promise<string | null> {
  if (error instanceof AppError) {
    return error.code === "upload.format_not_supported" ? String(error.details.reason) : null;
  }
  // the reader stumbled over the bytes
  if (error instanceof RangeError || error instanceof TypeError) return "unreadable";
  const code = String((error as { code?: string } | null)?.code);
  if (code === "ENOENT") {
    const isThere = await Deno.lstat(path).then(() => true, () => false);
    const hasFolder = await Deno.stat(dirname(path)).then(
      ({ isDirectory }) => isDirectory,
      () => false,
    );
    return !isThere && hasFolder ? "vanished" : null;
  }
  return OF_ONE_FILE[code] ?? null;
}

/** Says in both logs which files were put aside, and why. */
export async function noteUnusable(
  { db, log }: Pick<ServiceContext, "db" | "log">,
  files: readonly UnusableFile[],
): Promise<void> {
  for (const { name: file, reason } of files) {
    log("warn", "A file that came cannot be used", { file, reason });
    const details = { reason, file };
    await logConnection(db, {
      at: nowIso(),
      peer: "",
      address: "",
      event: "unusable",
      isError: true,
      details,
    });
  }
}
