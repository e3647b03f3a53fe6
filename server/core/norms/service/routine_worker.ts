/// <reference lib="deno.worker" />
// Worker that estimates which part of routine studies is healthy.
import { indirectNorm } from "@/model/norms/indirect/indirect_norm.ts";
import { histogramFrom, pooled } from "@/model/norms/indirect/pooling.ts";
import type { FitAnswer, FitTask } from "@/server/core/norms/service/routine_fit.ts";

self.onmessage = ({ data }: MessageEvent<FitTask[]>) => {
  const answer: FitAnswer = data.map(({ name, counts, others, prior }) => {
    const { histogram } = pooled(histogramFrom(counts), others.map(histogramFrom));
    return [name, indirectNorm(histogram, prior)];
  });
  self.postMessage(answer);
};
