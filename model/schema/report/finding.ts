import * as z from "zod/mini";
import { percentileRank } from "@/model/schema/report/percentile_rank.ts";
import { isoDate } from "@/model/schema/studies/study.ts";

const side = z.enum(["L", "R", ""]);

/**
 * Certainty of a finding. `firm`: very rare in healthy people, even among all values of a study.
 * `single`: marked in a table, but with so many values a healthy person may have one such value.
 * `possible`: the measurement error allows both a normal and an abnormal value.
 */
export const certainty = z.enum(["firm", "single", "possible"]);
export type Certainty = z.infer<typeof certainty>;

/** Value of a finding, as the tables print it: volume in mL, thickness in mm. */
const sidedValue = z.object({ side, value: z.number(), rank: percentileRank });

/**
 * A volume or thickness outside the expected range. `part`: an atlas part, a lobe, or an aggregate.
 */
const outside = z.object({
  kind: z.enum(["low", "high"]),
  measure: z.enum(["volume", "thickness"]),
  part: z.string(),
  /** `both` when each side is outside; empty for a total alone and for midline parts */
  side: z.enum(["L", "R", "both", ""]),
  certainty,
  values: z.array(sidedValue),
  /** whether the value or the left-right difference is implausible: check the segmentation */
  is_doubted: z.boolean(),
});
export type OutsideFinding = z.infer<typeof outside>;

/** A left-right difference beyond healthy variation and measurement error. */
const asymmetry = z.object({
  kind: z.literal("asymmetry"),
  part: z.string(),
  /**
   * the abnormal side by the norms of both: too small relative to the other, for fluid too large
   * can be the larger side, if the norms expect an even larger one
   */
  side: z.enum(["L", "R"]),
  certainty,
  /** asymmetry in percent: 100 × (left − right) / mean of both */
  percent: z.number(),
  rank: percentileRank,
  is_doubted: z.boolean(),
});
export type AsymmetryFinding = z.infer<typeof asymmetry>;

/** A structure that the label map does not contain, or hardly: with norms and without. */
const missing = z.object({
  kind: z.literal("missing"),
  /** an atlas part, a lobe, or `hemisphere`: the cerebrum of one side */
  part: z.string(),
  side: z.enum(["L", "R", "both", ""]),
  certainty,
  /** volume of each missing side, mL */
  values: z.array(z.object({ side, value: z.number() })),
});
export type MissingFinding = z.infer<typeof missing>;

/** The Atrophy Score, which combines four parts. */
const score = z.object({
  kind: z.literal("score"),
  certainty,
  score: z.number(),
  rank: percentileRank,
});

/** White matter hyperintensities with a volume above noise. */
const lesions = z.object({
  kind: z.literal("lesions"),
  certainty,
  /** volume of the lesions, mL */
  total: z.number(),
  peri: z.number(),
  deep: z.number(),
  fazekas_equivalent: z.nullable(z.number()),
  /** groups of regions with the largest lesion volumes, in descending order */
  places: z.array(z.string()),
});

/** A change since an earlier study beyond the measurement error, percent per year. */
const change = z.object({
  kind: z.literal("change"),
  certainty,
  key: z.string(),
  percent: z.number(),
  /** annual change that the norms expect at this age, percent; `null` without norms */
  norm_percent: z.nullable(z.number()),
  since: isoDate,
  /**
   * true if acquisition data of one study are unreadable, so that the studies may not be comparable
   */
  is_acquisition_unknown: z.optional(z.boolean()),
});
export type ChangeFinding = z.infer<typeof change>;

export const finding = z.union([missing, outside, asymmetry, score, lesions, change]);
export type Finding = z.infer<typeof finding>;

/**
 * Conclusion from all values of a study. `usual`: no value is outside, with an error small enough
 * to state this. `not_determined`: no value is outside, but the error or missing percentiles leave
 * this open. `single`: only single values that a healthy person may have.
 * `possible`: only values that may be outside, given the measurement error.
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
  /** all findings of the study, most important first */
  findings: z.array(finding),
  /** parts with an error too large to call them normal */
  open_parts: z.array(z.string()),
  /** parts that a table marks to be checked on the images; absent without any */
  doubted_parts: z.optional(z.array(z.string())),
  /** the findings as sentences in the report's language */
  sentences: z.array(z.string()),
  /** for each sentence, the indices of the findings that it names or counts */
  stated: z.array(z.array(z.number())),
  /** keys of the standard opinions that no finding contradicts */
  agreeing: z.array(z.string()),
});
export type Conclusion = z.infer<typeof conclusion>;
