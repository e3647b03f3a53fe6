import { dirname, resolve, sep } from "node:path";
import { AppError } from "@/model/errors.ts";
import type { Environment } from "@/server/commands/start/environment.ts";
import { print } from "@/server/commands/output.ts";
import { ADMIN } from "@/model/site/command_line.ts";

export const KEY_USAGE =
  `${ADMIN} key FILE              creates a key for SULCUS_STORAGE_KEY_FILE or SULCUS_BACKUP_KEY_FILE`;

const realPath = (path: string) => Deno.realPath(path).catch(() => resolve(path));

/**
 * Writes 32 random bytes in hexadecimal into a new file with mode 0600. The release's command runs
 * as the service's user, so that the service can read a key that root created.
 * @throws {AppError} `input.invalid` for an existing file, a file in the data folder,
 * or one that cannot be written.
 */
export async function key(
  path: string,
  { dataDir }: Pick<Environment, "dataDir">,
): Promise<number> {
  if (path === "") return 2;
  const folder = await realPath(dirname(resolve(path)));
  if (`${folder}${sep}`.startsWith(`${await realPath(dataDir)}${sep}`)) {
    throw new AppError(
      "input.invalid",
      `Cannot keep a key in the data folder, because anyone who stole the data would also have the key: ${path}`,
    );
  }
  try {
    using file = await Deno.open(path, { write: true, createNew: true, mode: 0o400 });
    const line = new TextEncoder().encode(
      crypto.getRandomValues(new Uint8Array(32)).toHex() + "\n",
    );
    for (let done = 0; done < line.length;) done += await file.write(line.subarray(done));
    await file.sync();
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AlreadyExists
      ? "the file already exists, and a new key cannot open files encrypted with the existing key"
      : cause instanceof Deno.errors.NotFound
      ? `the folder ${folder} does not exist`
      : "the server's account is not allowed to write there; on an installed server, keep keys in /etc/sulcus/keys";
    throw new AppError("input.invalid", `Cannot write the key ${path}: ${reason}`, {}, { cause });
  }
  print(
    `New key saved in ${path}. Keep a copy elsewhere: without the key, the files cannot be opened.`,
  );
  return 0;
}
