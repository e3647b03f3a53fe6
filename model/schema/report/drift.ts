import * as z from "zod/mini";
import { isoDate, isoInstant } from "@/model/schema/studies/study.ts";

/** State of the charts of a scanner: too few studies yet, as usual, or changed. */
export const driftState = z.enum(["learning", "steady", "moved"]);
export type DriftState = z.infer<typeof driftState>;

const direction = z.enum(["higher", "lower"]);

/** A chart that has moved. */
const movedChart = z.object({
  /** "overall", "unreliable", or a measure such as "volume:19+20" */
  name: z.string(),
  direction,
  /** date of the study with which the change began; `null`: unknown */
  date: z.nullable(isoDate),
});

/** Charts of one scanner, protocol and version of the engine. */
const driftGroup = z.object({
  id: z.number(),
  scanner: z.string(),
  /** empty: the headers do not say */
  protocol: z.string(),
  engine_version: z.string(),
  computed_at: isoInstant,
  /** that the charts consist of */
  studies: z.number(),
  state: driftState,
  moved: z.array(movedChart),
  /** e-mail address of the user who started the charts again; `null`: never, or the account is gone */
  restarted_by: z.nullable(z.string()),
  restarted_at: z.nullable(isoInstant),
});
export type DriftGroup = z.infer<typeof driftGroup>;

/** Answer of `GET /norms/drift`. */
export const driftGroups = z.object({
  groups: z.array(driftGroup),
  /** studies from which a chart begins to say something */
  learning: z.number(),
  computed_at: z.nullable(isoInstant),
  is_computing: z.boolean(),
});
export type DriftGroups = z.infer<typeof driftGroups>;

/** One chart, study by study. */
const driftChart = z.object({
  name: z.string(),
  limit: z.number(),
  /** of the study, the oldest first */
  dates: z.array(z.nullable(isoDate)),
  values: z.array(z.number()),
  higher: z.array(z.number()),
  lower: z.array(z.number()),
  moved_at: z.nullable(z.number()),
  /** index of the study from which on the sum has grown: when the change began */
  began_at: z.nullable(z.number()),
  direction: z.nullable(direction),
});
export type DriftChart = z.infer<typeof driftChart>;
/** Charts as they are stored. */
export const driftCharts = z.array(driftChart);

/** Answer of `GET /norms/drift/{id}`. */
export const driftDetails = z.object({ group: driftGroup, charts: driftCharts });
export type DriftDetails = z.infer<typeof driftDetails>;
