import * as z from "zod/mini";
import { percentileRank } from "@/model/schema/report/percentile_rank.ts";
import { isoDate } from "@/model/schema/studies/study.ts";

const side = z.enum(["L", "R", ""]);

/**
 * How sure a finding is. `firm`: hardly any healthy person has it among all the values of a study.
 * `single`: marked in a table, but with so many values a healthy person may have one like it.
 * `possible`: the error of the method leaves it open.
 */
export const certainty = z.enum(["firm", "single", "possible"]);
export type Certainty = z.infer<typeof certainty>;

/** A value of a finding as the tables have it: mL of a volume, mm of a thickness. */
const sidedValue = z.object({ side, value: z.number(), rank: percentileRank });

/**
 * A volume or a thickness outside of the expected range. `part`: a part of the atlas, a lobe, or a
 * sum.
 */
const outside = z.object({
  kind: z.enum(["low", "high"]),
  measure: z.enum(["volume", "thickness"]),
  part: z.string(),
  /** `both` where each side is outside; empty for the total alone and for midline parts */
  side: z.enum(["L", "R", "both", ""]),
  certainty,
  values: z.array(sidedValue),
  /**
   * the norms doubt a value, or the difference of its sides: the segmentation has to be looked at
   */
  is_doubted: z.boolean(),
});
export type OutsideFinding = z.infer<typeof outside>;

/** A difference of the sides that healthy people and the error of the method do not explain. */
const asymmetry = z.object({
  kind: z.literal("asymmetry"),
  part: z.string(),
  /**
   * the side that is too small beside the other one, or too large of fluid, by the norms of both;
   * it may be the larger one where the norms expect more of it still
   */
  side: z.enum(["L", "R"]),
  certainty,
  /** 100 × (left − right) / mean of both */
  percent: z.number(),
  rank: percentileRank,
  is_doubted: z.boolean(),
});
export type AsymmetryFinding = z.infer<typeof asymmetry>;

/** The Atrophy Score, of four parts together. */
const score = z.object({
  kind: z.literal("score"),
  certainty,
  score: z.number(),
  rank: percentileRank,
});

/** White matter hyperintensities beyond the smallest load that is distinguishable from noise. */
const lesions = z.object({
  kind: z.literal("lesions"),
  certainty,
  /** mL */
  total: z.number(),
  peri: z.number(),
  deep: z.number(),
  fazekas_equivalent: z.nullable(z.number()),
  /** groups of regions with the most of it, the largest first */
  places: z.array(z.string()),
});

/** A change since an earlier study beyond the error of the method, percent a year. */
const change = z.object({
  kind: z.literal("change"),
  certainty,
  key: z.string(),
  percent: z.number(),
  /** of the norms at this age */
  norm_percent: z.nullable(z.number()),
  since: isoDate,
});
export type ChangeFinding = z.infer<typeof change>;

export const finding = z.union([outside, asymmetry, score, lesions, change]);
export type Finding = z.infer<typeof finding>;

/**
 * Conclusion from all figures of a study. `usual`: nothing is outside, and the error allows to say
 * so. `not_determined`: nothing is outside, but the error or missing percentiles leave it open.
 * `single`: nothing but single values that a healthy person may have. `possible`: only values that
 * the error leaves open.
 */
export const conclusionState = z.enum([
  "usual",
  "not_determined",
  "single",
  "possible",
  "findings",
]);
export type ConclusionState = z.infer<typeof conclusionState>;

export const conclusion = z.object({
  state: conclusionState,
  /** the most important first */
  findings: z.array(finding),
  /** parts of which the error does not allow to say that they are usual */
  open_parts: z.array(z.string()),
  /** parts with uncertain borders, of which nothing is said; absent without any */
  withheld_parts: z.optional(z.array(z.string())),
  /** the same in the report's language */
  sentences: z.array(z.string()),
});
export type Conclusion = z.infer<typeof conclusion>;
