import type { NetworkFile } from "@/server/core/engine/network_weights.ts";

/**
 * The product's network that segments deep structures in T1w images.
 * The training code is in `wasm/network/training/`.
 * The model card is in the same folder as the weights.
 */
export const DEEP_STRUCTURES = {
  name: "Deep structures",
  version: "2",
  licence: "Apache-2.0",
  file: "deep_structures.bin",
  sizeBytes: 1_167_984,
  sha256: "bd00018a21af4e087eaeec923538181b7b6378e3f867b98f197542680614b2da",
} as const satisfies NetworkFile & Record<string, unknown>;
