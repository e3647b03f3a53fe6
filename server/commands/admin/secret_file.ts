import { AppError } from "@/model/errors.ts";

/** Maximum size of a file with a secret, bytes: it contains one line of text. */
const MAX_SECRET_BYTES = 4096;

/**
 * First line of a file, or of standard input for `-`. Secrets are not taken from arguments,
 * because the process list shows arguments to all users.
 * @throws {AppError} `input.invalid` for an unreadable or empty file, or one without text.
 */
export async function secretOf(path: string): Promise<string> {
  const bytes = new Uint8Array(MAX_SECRET_BYTES);
  let size = 0;
  try {
    using file = path === "-" ? null : await Deno.open(path);
    const source = file ?? Deno.stdin;
    for (
      let count;
      size < bytes.length && (count = await source.read(bytes.subarray(size))) !== null;
    ) {
      size += count;
    }
  } catch (cause) {
    throw new AppError(
      "input.invalid",
      `Cannot read a password from ${path}: no such file, or no permission to read it`,
      {},
      {
        cause,
      },
    );
  }
  const line = new TextDecoder().decode(bytes.subarray(0, size)).split(/\r?\n/)[0]!;
  if (line !== "" && size < bytes.length) return line;
  throw new AppError(
    "input.invalid",
    `Cannot read a password from ${path}: its first line is empty or too long`,
  );
}
