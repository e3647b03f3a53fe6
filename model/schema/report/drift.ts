import * as z from "zod/mini";
import { isoDate, isoInstant } from "@/model/schema/studies/study.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** State of a scanner's control charts: still learning, no change, or changed. */
export const driftState = z.enum(["learning", "steady", "moved"]);
export type DriftState = z.infer<typeof driftState>;

const direction = z.enum(["higher", "lower"]);

/** A control chart that signals a change. */
const movedChart = z.object({
  /** name of the chart: "overall", "unreliable", or a measure such as "volume:19+20" */
  name: z.string(),
  direction,
  /** study date at which the change began; `null`: unknown */
  date: z.nullable(isoDate),
});

/** Control charts of one scanner, protocol, coil and engine version. */
export const driftGroup = z.object({
  id: z.number(),
  scanner: z.string(),
  /** protocol of the series; empty when the headers do not contain it */
  protocol: z.string(),
  /** receive coil of the series; empty when the headers do not contain it */
  coil: z.string(),
  engine_version: z.string(),
  computed_at: isoInstant,
  /** number of studies in the charts */
  studies: z.number(),
  /** number of studies in the baseline of the measures' charts, up to `learning` */
  learnt: z.number(),
  state: driftState,
  moved: z.array(movedChart),
  /**
   * e-mail address of the user who restarted the charts;
   * `null`: never restarted, or deleted account
   */
  restarted_by: z.nullable(z.string()),
  restarted_at: z.nullable(isoInstant),
  /** whether a restart needs a second person: for a signalled change, or an accepted scanner */
  needs_second: z.boolean(),
  /** restart that waits for a second person */
  proposal: z.nullable(z.object({
    reason: z.string(),
    proposed_at: isoInstant,
    /** e-mail address; `null`: the account was deleted */
    proposed_by: z.nullable(z.string()),
    /** whether the caller proposed the restart */
    is_own: z.boolean(),
  })),
});
export type DriftGroup = z.infer<typeof driftGroup>;

export const MAX_RESTART_REASON = 500;
/** Request body of a restart. */
export const restartPost = z.object({
  reason: z.string().check(typedText, z.trim(), z.minLength(1), z.maxLength(MAX_RESTART_REASON)),
});
export type RestartPost = z.infer<typeof restartPost>;

/** Agreement of the second person with the restart on that person's page. */
export const restartAgreement = z.object({ proposed_at: z.string().check(z.maxLength(40)) });
export type RestartAgreement = z.infer<typeof restartAgreement>;

/** Response of `GET /norms/drift`. */
export const driftGroups = z.object({
  groups: z.array(driftGroup),
  /** number of studies in the learning phase of a chart */
  learning: z.number(),
  computed_at: z.nullable(isoInstant),
  is_computing: z.boolean(),
});
export type DriftGroups = z.infer<typeof driftGroups>;

/** Data of one control chart, one value per study. */
const driftChart = z.object({
  name: z.string(),
  limit: z.number(),
  /** number of earlier studies in the chart that are no longer listed here */
  before: z.number(),
  /** dates of the charted studies, in the order in which they were charted */
  dates: z.array(z.nullable(isoDate)),
  values: z.array(z.number()),
  higher: z.array(z.number()),
  lower: z.array(z.number()),
  /** index of the study with which the chart signalled a change; `null`: none, or not listed */
  moved_at: z.nullable(z.number()),
  /** index of the study from which the cumulative sum has grown: estimated start of the change */
  began_at: z.nullable(z.number()),
  direction: z.nullable(direction),
});
export type DriftChart = z.infer<typeof driftChart>;
/** Control charts in the form in which they are stored. */
export const driftCharts = z.array(driftChart);

/** Response of `GET /norms/drift/{id}`. */
export const driftDetails = z.object({ group: driftGroup, charts: driftCharts });
export type DriftDetails = z.infer<typeof driftDetails>;
