import { dirname } from "node:path";
import { AppError } from "@/model/errors.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";

/** An unusable file of the inbox, to be quarantined. */
export interface UnusableFile {
  name: string;
  /** reason as shown on the Connections page; explained in docs/site/pacs.md */
  reason: string;
}

/** System errors that affect a single file, if the folder could be read. */
const OF_ONE_FILE: Readonly<Record<string, string>> = {
  EISDIR: "no_file",
  ELOOP: "no_file",
  ENXIO: "no_file",
  EACCES: "no_permission",
  EPERM: "no_permission",
  EIO: "disk_error",
};

/**
 * Reason why a file is unusable. @returns `null` for an error that affects other files too:
 * a full disk, a missing folder, or too many open files. No file is quarantined after such errors.
 */
export async function reasonOf(path: string, error: unknown): Promise<string | null> {
  if (error instanceof AppError) {
    return error.code === "upload.format_not_supported" ? String(error.details.reason) : null;
  }
  // the DICOM parser failed on the content of the file
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

/** Logs quarantined files with their reasons in the server log and in the connection log. */
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
