import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";

/** A network, the weights of which are part of the product. */
export interface NetworkFile {
  name: string;
  /** file name in the folder `models` */
  file: string;
  sizeBytes: number;
  sha256: string;
}

const FOLDER = new URL("./models/", import.meta.url);

/**
 * Checks network weights against the released size and hash.
 * Other weights would change results under the same version number.
 *
 * @throws {AppError} `internal` that states the difference.
 */
export function checkNetworkWeights(
  { name, file, sizeBytes, sha256 }: NetworkFile,
  bytes: Uint8Array,
): void {
  const damaged = (what: string) =>
    new AppError(
      "internal",
      `Cannot use ${name}: ${file} ${what}; install this version of Sulcus again`,
    );
  if (bytes.length !== sizeBytes) throw damaged(`has ${bytes.length} bytes, not ${sizeBytes}`);
  const digest = createHash("sha256").update(bytes).digest("hex");
  if (digest !== sha256) throw damaged(`has SHA-256 ${digest}, not ${sha256}`);
}

/**
 * Reads the network's weights for the engine.
 *
 * @returns content of the file. Allocates as many bytes.
 * @throws {AppError} `internal` for a missing file, or one that differs from the released file.
 */
export async function readNetworkWeights(
  network: NetworkFile,
  path: URL = new URL(network.file, FOLDER),
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(path).catch((cause) => {
    throw new AppError(
      "internal",
      `Cannot use ${network.name}: ${network.file} cannot be read`,
      {},
      {
        cause,
      },
    );
  });
  checkNetworkWeights(network, bytes);
  return bytes;
}
