import * as z from "zod/mini";
import { jobProgress } from "@/model/schema/site/jobs.ts";

/** Kind of values in a registry file: volumes, or percentiles with intervals. */
export const registryFigures = z.enum(["volumes", "percentiles"]);
export type RegistryFigures = z.infer<typeof registryFigures>;

export const registryRequest = z.object({
  format: z.enum(["csv", "json"]),
  figures: registryFigures,
  /** signed texts in which no name, identifier or date is found; only with volumes */
  has_texts: z.boolean(),
}).check(
  // a text in both files would join their rows, and volumes and percentiles together give the age
  z.refine(({ figures, has_texts }) => figures === "volumes" || !has_texts, {
    path: ["has_texts"],
  }),
);
export type RegistryRequest = z.infer<typeof registryRequest>;

/** Number of studies that a registry file would contain now. */
export const registryPreview = z.object({
  studies: z.number(),
  persons: z.number(),
  /** minimum number of people who share the demographics and acquisition of a row */
  min_persons: z.number(),
  /** number of studies at each level of coarsening, from none to everything withheld */
  levels: z.array(z.number()),
  /** number of studies with a signed text */
  texts: z.number(),
  /** the caller's newest registry file; `null`: none in the last day */
  current: z.nullable(z.object({ id: z.string(), progress: jobProgress })),
});
export type RegistryPreview = z.infer<typeof registryPreview>;

export const registryCreated = z.object({ id: z.string() });
