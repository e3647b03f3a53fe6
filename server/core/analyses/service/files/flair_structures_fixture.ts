import type { FlairResults } from "@/server/core/analyses/storage/analyses.ts";

/** What the network for any contrast read in a FLAIR alone, and was sure of. @param volumeOf  mm³ by label. */
export const readOnFlair = (
  volumeOf: (label: number) => number,
): NonNullable<FlairResults["deepStructures"]> => ({
  model: "1",
  isUsed: true,
  reason: "agreed",
  coverage: 1,
  entropy: 0.1,
  agreement: 0.7,
  volumesMm3: Array.from({ length: 105 }, (_, label) => volumeOf(label)),
});
