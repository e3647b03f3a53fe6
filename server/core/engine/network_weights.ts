import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";

/** A segmentation network with weights that are released with the product. */
export interface NetworkFile {
  name: string;
  /** name of the weights' file in the folder `models` */
  file: string;
  sizeBytes: number;
  sha256: string;
}

const FOLDER = new URL("./models/", import.meta.url);

/**
 * Checks network weights against the released size and hash.
 * Different weights would change results although the version number stays the same.
 *
 * @throws {AppError} `internal` that states the expected and the actual size or hash.
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
 * Reads a network's weights from the folder `models`.
 *
 * @returns content of the weights' file, held in memory.
 * @throws {AppError} `internal` for a missing file, or a file that differs from the released one.
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
