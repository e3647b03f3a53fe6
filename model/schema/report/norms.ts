import * as z from "zod/mini";
import { isoDate, isoInstant, sex } from "@/model/schema/studies/study.ts";

/** Maximum number of studies per request. */
const MAX_STUDIES = 2000;
/** Maximum length of a scanner name. */
export const MAX_SCANNER_LENGTH = 200;

const pid = z.number().check(z.int(), z.gte(1));
const count = z.number();
const scanner = z.nullable(z.string());

/** Reasons why a study cannot be a control. */
export const controlProblem = z.enum([
  "not_analyzed",
  "age_unknown",
  "sex_unknown",
  "age_outside_norms",
  "quality",
]);
export type ControlProblem = z.infer<typeof controlProblem>;

const excluded = z.object({ pid, reason: z.union([controlProblem, z.literal("deleted")]) });

/** Body of `POST /norms/controls`: studies by number, or all studies with a label. */
export const controlsPost = z.object({
  pid_list: z.optional(z.array(pid).check(z.minLength(1), z.maxLength(MAX_STUDIES))),
  label_id: z.optional(z.number().check(z.int(), z.gte(1))),
}).check(
  z.refine(({ pid_list, label_id }) => (pid_list === undefined) !== (label_id === undefined)),
);
export type ControlsPost = z.infer<typeof controlsPost>;

export const controlsMarked = z.object({ marked: z.array(pid), excluded: z.array(excluded) });
export type ControlsMarked = z.infer<typeof controlsMarked>;

/** A control: study of a healthy volunteer. */
const control = z.object({
  pid,
  patient_id: z.string(),
  patient_name: z.string(),
  patient_age: z.nullable(z.number()),
  patient_sex: z.nullable(sex),
  study_date: z.nullable(isoDate),
  /** protocol of the series; `null` when the headers do not contain it */
  scanner,
  engine_version: z.nullable(z.string()),
  /** reason why the control is no longer used; `null` while it is used */
  problem: z.nullable(controlProblem),
});
export type Control = z.infer<typeof control>;

const normState = z.enum(["proposed", "accepted", "revoked"]);

/** Local norms: offsets and scales made from controls or routine studies. */
const localNorm = z.object({
  id: z.number(),
  scanner,
  /** protocol of the scanner; `null`: all protocols */
  protocol: z.nullable(z.string()),
  /**
   * origin of the norms: controls, routine studies of `sites` sites, or an imported table
   * for routine studies, `controls` is the number of studies
   */
  source: z.enum(["controls", "routine", "table"]),
  sites: count,
  /** engine version that the norms apply to; empty: every version */
  engine_version: z.string(),
  controls: count,
  /** title of an imported table of norms */
  title: z.nullable(z.string()),
  state: normState,
  proposed_at: isoInstant,
  /**
   * e-mail addresses of the users who proposed and accepted the norms; `null` for deleted accounts
   */
  proposed_by: z.nullable(z.string()),
  /** whether the caller proposed these norms, so that another user must accept them */
  is_own: z.boolean(),
  accepted_at: z.nullable(isoInstant),
  accepted_by: z.nullable(z.string()),
  revoked_at: z.nullable(isoInstant),
  revoked_by: z.nullable(z.string()),
});
export type LocalNormItem = z.infer<typeof localNorm>;

/** Answer of `GET /norms`: controls and local norms of the site. */
export const normsResponse = z.object({
  controls: z.array(control),
  /** scanners that the controls were measured on */
  scanners: z.array(z.string()),
  /** local norms of the site, newest first */
  norms: z.array(localNorm),
  /** engine version of the newest result, to which norms of another version are not applied */
  engine_version: z.nullable(z.string()),
});
export type NormsResponse = z.infer<typeof normsResponse>;

/** Query that names a scanner; absent: all scanners of the site. */
export const scannerQuery = z.object({
  scanner: z.optional(z.string().check(z.maxLength(MAX_SCANNER_LENGTH))),
});
/** Body of `POST /norms`: a request to propose local norms. */
export const normPost = z.object({
  scanner: z.nullable(z.string().check(z.minLength(1), z.maxLength(MAX_SCANNER_LENGTH))),
});
export const normCreated = z.object({ id: z.number() });

/** Mean and sd of the controls' z scores of one measure, with 95 % intervals. */
const controlRegion = z.object({
  measure: z.enum(["volume", "thickness"]),
  key: z.string(),
  n: count,
  mean: z.number(),
  mean_low: z.number(),
  mean_high: z.number(),
  sd: z.number(),
  sd_low: z.number(),
  sd_high: z.number(),
  verdict: z.enum(["too_few", "agrees", "shifted", "wider", "narrower"]),
});
export type ControlRegion = z.infer<typeof controlRegion>;

/** Answer of `GET /norms/summary`. */
export const normSummary = z.object({
  scanner,
  /** version of the engine that measured the controls; `null` without controls */
  engine_version: z.nullable(z.string()),
  /** number of controls in the summary */
  controls: count,
  /** number of controls left out because another version of the engine measured them */
  other_engine: count,
  regions: z.array(controlRegion),
});
export type NormSummary = z.infer<typeof normSummary>;

const reading = z.object({
  percentile: z.number(),
  /** number of thresholds that the value exceeds: 0 none, 1 low, 2 very low */
  level: z.number(),
  possible_level: z.number(),
  is_usual: z.boolean(),
});

/** A study with percentiles that local norms would change. */
const normChange = z.object({
  pid,
  patient_id: z.string(),
  study_date: z.nullable(isoDate),
  measures: z.array(z.object({
    measure: z.enum(["volume", "thickness"]),
    key: z.string(),
    /** whether the measure is fluid, of which high percentiles are abnormal */
    is_inverted: z.boolean(),
    before: reading,
    after: reading,
  })),
});
export type NormChange = z.infer<typeof normChange>;

/** Query of `GET /norms/{id}/changes`. */
export const changesQuery = z.object({
  /** cursor: `next` of the previous page */
  after: z._default(z.coerce.number().check(z.int(), z.gte(0), z.lte(Number.MAX_SAFE_INTEGER)), 0),
});
/** Answer of `GET /norms/{id}/changes`: one page. */
export const normChanges = z.object({
  changes: z.array(normChange),
  /** number of results of other engine versions on this page, which do not change */
  other_engine: count,
  /** cursor of the next page; `null` on the last page */
  next: z.nullable(z.number()),
});
export type NormChanges = z.infer<typeof normChanges>;

/** Answer of a recomputation: number of studies with changed percentiles. */
export const normApplied = z.object({ studies: count });
