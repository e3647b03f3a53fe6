import type { NetworkFile } from "@/server/core/engine/network_weights.ts";

/**
 * The product's network that segments deep structures in images of any contrast and resolution.
 * Used for a FLAIR series analysed alone; the training code is in `wasm/network/training/`.
 * The model card is in the same folder as the weights.
 */
export const ANY_CONTRAST = {
  name: "Deep structures, any contrast",
  version: "1",
  licence: "Apache-2.0",
  file: "any_contrast.bin",
  sizeBytes: 1_167_984,
  sha256: "cec95b93693a8e18acf059dd9260248c5f0df49b6ed1babe6793359b2bb7484e",
} as const satisfies NetworkFile & Record<string, unknown>;
