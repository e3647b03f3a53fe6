import { AppError } from "@/model/errors.ts";
import { openSite } from "@/server/core/mod.ts";
import { markOf, openStoreKey, readKeyNote, writeKeyNote } from "@/server/core/blobs/store_key.ts";
import { rewriteBlobs } from "@/server/core/blobs/rewrite_blobs.ts";
import { noteCommand } from "@/server/commands/admin/note_command.ts";
import { lockFolder } from "@/server/commands/data_folder.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { storageKeyOf } from "@/server/commands/key_files.ts";
import { print, printError } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

export const FILES_USAGE =
  `${ADMIN} files encrypt    encrypts every stored file with the key in SULCUS_STORAGE_KEY_FILE
${ADMIN} files decrypt    decrypts every stored file; the site must be stopped`;

const TOLD_EVERY_MS = 10_000;

/** Prints the progress of the command at intervals. */
function teller(): (done: number, all: number) => void {
  let printedAtMs = performance.now();
  return (done, all) => {
    if (performance.now() - printedAtMs < TOLD_EVERY_MS) return;
    printedAtMs = performance.now();
    print(`${done} of ${all} files`);
  };
}

/**
 * Checks that a site running meanwhile has the key, without which it cannot read encrypted files.
 * A site that was started with the key has written a note with the key's hash into its data folder.
 * @throws {AppError} `input.invalid` when a running site was started without the key.
 */
async function takeFolder(
  dataDir: string,
  key: Uint8Array,
  isEncrypting: boolean,
): Promise<Disposable> {
  const note = await readKeyNote(`${dataDir}/blobs`);
  const mayRun = isEncrypting && note?.mark === markOf(key);
  try {
    return await lockFolder(dataDir, isEncrypting ? "encrypt the files" : "decrypt the files");
  } catch (error) {
    if (mayRun && error instanceof AppError) return { [Symbol.dispose]: () => {} };
    throw error;
  }
}

/** @returns exit code: 1 when files are damaged; those are left unchanged. */
export async function files(verb: string, environment: Environment): Promise<number> {
  if (verb !== "encrypt" && verb !== "decrypt") return 2;
  const { dataDir } = environment, folder = `${dataDir}/blobs`, isEncrypting = verb === "encrypt";
  const key = await storageKeyOf(environment), started = performance.now();
  if (key === null) {
    throw new AppError(
      "input.invalid",
      `Cannot ${verb} the files: SULCUS_STORAGE_KEY_FILE does not specify a key`,
    );
  }
  using _lock = await takeFolder(dataDir, key, isEncrypting);
  await openStoreKey(folder, key);
  // until the run is finished, the folder contains encrypted and plain files
  await writeKeyNote(folder, { mark: markOf(key), isWhole: false });
  const { count, kept, damaged } = await rewriteBlobs(folder, key, isEncrypting, teller());
  for (const hash of damaged) {
    printError(`File ${hash} does not match its hash and was left unchanged`);
  }
  const isWhole = damaged.length === 0;
  if (isWhole) await writeKeyNote(folder, isEncrypting ? { mark: markOf(key), isWhole } : null);
  const db = await openSite(environment);
  try {
    await noteCommand(db, `admin.files.${verb}`, {
      files: String(count),
      damaged: String(damaged.length),
    });
  } finally {
    await db.destroy();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(
    `${
      isEncrypting ? "Encrypted" : "Decrypted"
    } ${count} files in ${seconds} s; ${kept} needed no changes.`,
  );
  if (!isWhole) printError(`To see which studies they belong to, run ${ADMIN} verify.`);
  else if (isEncrypting) {
    print("Keep a copy of the key elsewhere: without it the files cannot be opened.");
  } else print("Start the server without SULCUS_STORAGE_KEY_FILE.");
  return isWhole ? 0 : 1;
}
