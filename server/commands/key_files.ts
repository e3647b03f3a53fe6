import { resolve, sep } from "node:path";
import { AppError } from "@/model/errors.ts";
import { parseKey } from "@/server/core/blobs/sealed_file.ts";
import { secretOf } from "@/server/commands/admin/secret_file.ts";
import type { Environment } from "@/server/commands/start/environment.ts";

/**
 * Reads the key that seals backups; `null`: backups are not sealed. @throws {AppError}
 * `input.invalid` when the file contains no key.
 */
export async function backupKeyOf(
  { backupKeyFile }: Pick<Environment, "backupKeyFile">,
): Promise<Uint8Array | null> {
  return backupKeyFile === null ? null : parseKey(await secretOf(backupKeyFile));
}

const realPath = (path: string) => Deno.realPath(path).catch(() => resolve(path));

/**
 * Reads the key that encrypts stored files; `null` if files are not encrypted.
 * @throws {AppError} `input.invalid` for an unreadable file, a file without a key, or a file in the
 * data folder, with which the key could be stolen.
 */
export async function storageKeyOf(
  { storageKeyFile, dataDir }: Pick<Environment, "storageKeyFile" | "dataDir">,
): Promise<Uint8Array | null> {
  if (storageKeyFile === null) return null;
  const file = await realPath(storageKeyFile), folder = await realPath(dataDir);
  if (file.startsWith(folder + sep)) {
    throw new AppError(
      "input.invalid",
      "Cannot use SULCUS_STORAGE_KEY_FILE: the key is in the data folder",
    );
  }
  try {
    return parseKey(await secretOf(storageKeyFile));
  } catch (cause) {
    const what = `Cannot use SULCUS_STORAGE_KEY_FILE, ${storageKeyFile}`;
    const help = "it must contain 64 hexadecimal digits (openssl rand -hex 32)";
    throw new AppError("input.invalid", `${what}: ${help}, and be readable`, {}, { cause });
  }
}
