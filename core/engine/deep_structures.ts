/** Weights of our own network for deep structures (see `training/`), part of the product. */
const WEIGHTS = new URL("./models/deep_structures.bin", import.meta.url);

/**
 * Reads the weights. The engine checks what is in them.
 * @returns `null` when there are none: the atlas works alone.
 */
export async function readDeepStructures(
  file: URL | string = WEIGHTS,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return await Deno.readFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
