import { join } from "node:path";
import { AppError } from "@/model/errors.ts";
import {
  checkTopology,
  checkWeights,
  MODEL,
  type ModelFile,
  TOPOLOGY_LIMIT_BYTES,
} from "@/core/engine/model.ts";

const TIMEOUT_MS = 60_000;

/** The body of one answer, never more than `limit` bytes. */
async function download(address: URL, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const unreachable = (why: string, cause?: unknown) =>
    new AppError("network.offline", `Cannot fetch ${address.href}: ${why}`, {}, { cause });
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) {
      await response.body?.cancel();
      throw unreachable(`the server answers ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > limit) throw unreachable(`it is larger than ${limit} bytes`);
      chunks.push(chunk);
    }
    return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unreachable(error instanceof Error ? error.message : String(error), error);
  }
}

/** Writes beside the target, forces it to disk, and only then takes the target's place. */
async function replaceFile(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(folder, `.${name}.${crypto.randomUUID()}`);
  try {
    const file = await Deno.open(temporary, { write: true, createNew: true });
    try {
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
      await file.sync();
    } finally {
      file.close();
    }
    await Deno.rename(temporary, join(folder, name));
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

/**
 * Fetches the published network into `dir`/meshnet_50. Both files are fetched and checked before either replaces
 * anything; the weights go first, because a model.json makes the folder a network. Sends nothing but two GET requests.
 *
 * @param address  Folder of the files; ends with a slash.
 * @param file     The weights as published; another one in tests only.
 * @returns The folder with the files.
 * @throws {AppError} `network.offline` when a file cannot be had, `input.invalid` when it is not the published one.
 */
export async function fetchModel(
  dir: string,
  address: string = MODEL.address,
  file: ModelFile = MODEL.weights,
): Promise<string> {
  const topology = await download(new URL(MODEL.topology, address), TOPOLOGY_LIMIT_BYTES);
  checkTopology(new TextDecoder().decode(topology));
  const weights = await download(new URL(file.name, address), file.sizeBytes);
  checkWeights(weights, file);
  const folder = join(dir, MODEL.folder);
  await Deno.mkdir(folder, { recursive: true });
  await replaceFile(folder, file.name, weights);
  await replaceFile(folder, MODEL.topology, topology);
  const handle = await Deno.open(folder);
  try {
    await handle.sync();
  } finally {
    handle.close();
  }
  return folder;
}
