import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";

/** The published network that gives a second opinion; its weights are part of the product. */
export const MODEL = {
  name: "MeshNet-50",
  publisher: "brainchop, the neuroneural group (TReNDS Center)",
  licence: "MIT",
  page: "https://github.com/neuroneural/brainchop",
  sizeBytes: 788_120,
  sha256: "a7e597568dc7750c64cce8c64c4ca3ec7215716949efd741f19904da1baffa81",
} as const;

const WEIGHTS = new URL("./models/meshnet_50/model.bin", import.meta.url);

/**
 * Checks weights against the published size and hash: other weights would change results under the same version.
 *
 * @throws {AppError} `internal` that says what differs.
 */
export function checkWeights(bytes: Uint8Array): void {
  const damaged = (what: string) =>
    new AppError("internal", `Cannot use ${MODEL.name}: ${what}; install this version of Sulcus again`);
  if (bytes.length !== MODEL.sizeBytes) {
    throw damaged(`model.bin has ${bytes.length} bytes, not ${MODEL.sizeBytes}`);
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== MODEL.sha256) throw damaged(`model.bin has SHA-256 ${sha256}, not ${MODEL.sha256}`);
}

/**
 * The network's weights for the engine.
 *
 * @returns 197,030 float32 values, little-endian, in the order of the layers. Allocates 0.8 MB.
 * @throws {AppError} `internal` when the file is missing or is not the published one.
 */
export async function readWeights(path: URL = WEIGHTS): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(path).catch((cause) => {
    throw new AppError("internal", `Cannot use ${MODEL.name}: model.bin cannot be read`, {}, { cause });
  });
  checkWeights(bytes);
  return bytes;
}
