import { AppError } from "@/model/errors.ts";
import { checkStoreKey, readKeyNote } from "@/server/core/blobs/store_key.ts";
import type { Finding } from "@/server/commands/doctor/checks.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { storageKeyOf } from "@/server/commands/key_files.ts";
import { ADMIN } from "@/model/site/command_line.ts";

/** Advice for an existing but unreadable key: change the owner of the key, do not copy it. */
async function adviceOf(path: string | null): Promise<string> {
  const cause = path === null
    ? null
    : await Deno.open(path).then((file) => file.close(), (error) => error);
  return cause instanceof Deno.errors.PermissionDenied
    ? `Make the server's account the owner of the key: chown sulcus ${path} && chmod 400 ${path}`
    : "Restore the correct key from a copy: the files cannot be opened without it";
}

/** Whether stored files are encrypted, and whether the key exists and is owned by this account. */
export async function checkStoredFiles(
  environment: Pick<Environment, "dataDir" | "storageKeyFile">,
): Promise<Finding> {
  const name = "Stored files",
    { dataDir, storageKeyFile } = environment,
    folder = `${dataDir}/blobs`;
  try {
    const key = await storageKeyOf(environment);
    await checkStoreKey(folder, key);
    if (key === null) {
      return { name, state: "good", text: "not encrypted (SULCUS_STORAGE_KEY_FILE)" };
    }
    const otherRights = ((await Deno.stat(storageKeyFile!)).mode ?? 0) & 0o077;
    if (otherRights !== 0) {
      const text = `encrypted, but other users can read the key in ${storageKeyFile}`;
      return { name, state: "warning", text, advice: `chmod 400 ${storageKeyFile}` };
    }
    const note = await readKeyNote(folder);
    if (note === null) {
      return { name, state: "good", text: "will be encrypted the next time the server starts" };
    }
    if (note.isWhole) return { name, state: "good", text: `all encrypted (key ${note.mark})` };
    const text = "new files are encrypted; earlier files are not";
    return {
      name,
      state: "warning",
      text,
      advice: `Run ${ADMIN} files encrypt (this can be done while the site is running)`,
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { name, state: "bad", text: error.message, advice: await adviceOf(storageKeyFile) };
  }
}
