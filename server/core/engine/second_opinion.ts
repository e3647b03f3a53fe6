import type { NetworkFile } from "@/server/core/engine/network_weights.ts";

/** The published network that gives a second opinion on labels; its weights are in the product. */
export const MODEL = {
  name: "MeshNet-50",
  publisher: "brainchop, the neuroneural group (TReNDS Center)",
  licence: "MIT",
  page: "https://github.com/neuroneural/brainchop",
  file: "meshnet_50/model.bin",
  sizeBytes: 788_120,
  sha256: "a7e597568dc7750c64cce8c64c4ca3ec7215716949efd741f19904da1baffa81",
} as const satisfies NetworkFile & Record<string, unknown>;
