import * as z from "zod/mini";
import { driftGroup } from "@/model/schema/report/drift.ts";
import { MAX_SCANNER_LENGTH } from "@/model/schema/report/norms.ts";
import { isoDate, isoInstant } from "@/model/schema/studies/study.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Maximum number of studies in one test. */
export const MAX_TESTED = 200;

/** Results that the signers accept: percentiles and volumes, volumes only, or none. */
export const acceptanceDecision = z.enum(["percentiles", "volumes", "none"]);
export type AcceptanceDecision = z.infer<typeof acceptanceDecision>;

/** A reader's answer to the question "is the segmentation right?" about a picture. */
export const pictureAnswer = z.enum(["right", "wrong", "unclear"]);
export type PictureAnswer = z.infer<typeof pictureAnswer>;

/** One criterion of a test: measured value, compared with a claim of the accuracy documents. */
const acceptanceCriterion = z.object({
  name: z.enum([
    "studies",
    "voxels",
    "grades",
    "failures",
    "volumes",
    "spread",
    "intervals",
    "pictures",
  ]),
  /**
   * value in studies, mm, percent, structures, ratio or pictures
   * `null`: not testable, or voxels that are too large in the images but not by the header
   */
  value: z.nullable(z.number()),
  limit: z.number(),
  state: z.enum(["passed", "failed", "untested"]),
});
export type AcceptanceCriterion = z.infer<typeof acceptanceCriterion>;

/** Result of one structure, in z by the published norms. */
const acceptanceMeasure = z.object({
  measure: z.enum(["volume", "thickness"]),
  key: z.string(),
  n: z.number(),
  median: z.number(),
  /** range expected from the error table, the number of studies and some ill patients */
  low: z.number(),
  high: z.number(),
  spread: z.number(),
  expected_spread: z.number(),
  is_within: z.boolean(),
});
export type AcceptanceMeasure = z.infer<typeof acceptanceMeasure>;

/** All measured values of an acceptance test. */
export const acceptanceResult = z.object({
  studies: z.number(),
  /** number of studies with percentiles: age and sex known, grade A or B */
  compared: z.number(),
  failed: z.number(),
  grades: z.object({ A: z.number(), B: z.number(), C: z.number(), none: z.number() }),
  /** mean number of regions per study without a percentile because of uncertain borders */
  doubted: z.number(),
  first_date: z.nullable(isoDate),
  last_date: z.nullable(isoDate),
  measures: z.array(acceptanceMeasure),
  /** number of study pairs of one patient; number of volumes that agree within the 80 % interval */
  repeats: z.object({ pairs: z.number(), differences: z.number(), within: z.number() }),
  criteria: z.array(acceptanceCriterion),
});
export type AcceptanceResult = z.infer<typeof acceptanceResult>;

/**
 * State of a test: picture check, first signature, second signature, or finished: replaced by a
 * newer test, or revoked.
 */
export const acceptanceState = z.enum(["checking", "signed", "accepted", "superseded", "revoked"]);

const acceptanceHead = z.object({
  id: z.number(),
  scanner: z.string(),
  /** protocol; empty if the headers do not name one */
  protocol: z.string(),
  engine_version: z.string(),
  state: acceptanceState,
  /** number of the newer test of a superseded one */
  replaced_by: z.nullable(z.number()),
  started_at: isoInstant,
  /**
   * e-mail address of the user who started the test; like all `_by` fields `null`: not yet, or the
   * account was deleted
   */
  started_by: z.nullable(z.string()),
  decision: z.nullable(acceptanceDecision),
  signed_at: z.nullable(isoInstant),
  signed_by: z.nullable(z.string()),
  countersigned_at: z.nullable(isoInstant),
  countersigned_by: z.nullable(z.string()),
  revoked_at: z.nullable(isoInstant),
  revoked_by: z.nullable(z.string()),
});
export type AcceptanceHead = z.infer<typeof acceptanceHead>;

/** A scanner and protocol with results, and their newest acceptance test. */
const acceptanceScanner = z.object({
  scanner: z.string(),
  protocol: z.string(),
  /** engine version of the newest result */
  engine_version: z.string(),
  /** number of results of that engine version */
  studies: z.number(),
  /** decision that is valid for that engine version */
  accepted_for: z.nullable(acceptanceDecision),
  /**
   * whether it is accepted for percentiles by other norms than those of new results, of which the
   * percentiles are then provisional until another test
   */
  has_other_norms: z.boolean(),
  /** whether percentiles are withheld at present, because the control charts show a change */
  is_stopped: z.boolean(),
});
export type AcceptanceScanner = z.infer<typeof acceptanceScanner>;

/** Response of `GET /acceptances`. */
export const acceptanceList = z.object({
  scanners: z.array(acceptanceScanner),
  /** acceptance tests, newest first */
  tests: z.array(acceptanceHead),
  /** minimum number of studies of a test that can accept percentiles or volumes */
  needed: z.number(),
});
export type AcceptanceList = z.infer<typeof acceptanceList>;

/** A study with the picture that a reader must check. */
const acceptancePicture = z.object({
  place: z.number(),
  /** study id; `null`: deleted in the meantime */
  pid: z.nullable(z.number()),
  answer: z.nullable(pictureAnswer),
  answered_by: z.nullable(z.string()),
  answered_at: z.nullable(isoInstant),
});

/** Response of `GET /acceptances/{id}`: all data of the printed page. */
export const acceptanceDetails = z.object({
  test: acceptanceHead,
  seed: z.number(),
  result: acceptanceResult,
  pictures: z.array(acceptancePicture),
  /** the reader's answers as a criterion */
  checked: acceptanceCriterion,
  allowed: z.array(acceptanceDecision),
  /** criteria that stand against each use, with the pictures' limits for that use */
  unmet: z.object({
    percentiles: z.array(acceptanceCriterion),
    volumes: z.array(acceptanceCriterion),
  }),
  remark: z.string(),
  /** norms of the tested results; local: `null` for the published norms alone */
  norms: z.nullable(z.object({
    published: z.string(),
    local: z.array(z.nullable(z.number())),
  })),
  /** whether new results get other norms than the tested ones, so that they are not accepted */
  has_other_norms: z.boolean(),
  /** stops that withhold percentiles of the scanner and protocol at present */
  stops: z.array(z.object({
    stopped_at: isoInstant,
    /** first study date with withheld percentiles; `null`: every study */
    since: z.nullable(isoDate),
  })),
  /** number of results among which a user chose the studies; `null`: the first results */
  chosen_of: z.nullable(z.number()),
  /** earlier tests of the same scanner and protocol, newest first */
  earlier: z.array(acceptanceHead),
  /** control charts of the scanner and protocol at present, by coil and engine version */
  charts: z.array(z.object({
    coil: z.string(),
    engine_version: z.string(),
    studies: z.number(),
    /** number of studies in the baseline; the charts detect changes once it is `needed` */
    learnt: z.number(),
    needed: z.number(),
    moved: driftGroup.shape.moved,
    /** time at which the chart was last computed */
    computed_at: isoInstant,
  })),
  /** restarts of the control charts, newest first, with their state before */
  restarts: z.array(z.object({
    coil: z.string(),
    engine_version: z.string(),
    studies: z.number(),
    moved: driftGroup.shape.moved,
    reason: z.string(),
    restarted_at: isoInstant,
    restarted_by: z.nullable(z.string()),
    agreed_by: z.nullable(z.string()),
  })),
  /** whether the caller gave the first signature */
  is_own: z.boolean(),
  hospital_name: z.string(),
});
export type AcceptanceDetails = z.infer<typeof acceptanceDetails>;

const name = z.string().check(z.maxLength(MAX_SCANNER_LENGTH));
/** Body of `POST /acceptances`: the first studies of a scanner, or selected studies. */
export const acceptancePost = z.object({
  scanner: name.check(z.minLength(1)),
  protocol: name,
  pid_list: z.optional(
    z.array(z.int().check(z.gte(1))).check(z.minLength(1), z.maxLength(MAX_TESTED)),
  ),
});
export type AcceptancePost = z.infer<typeof acceptancePost>;
export const acceptanceCreated = z.object({ id: z.number() });

export const answerPut = z.object({ answer: pictureAnswer });
export const MAX_REMARK_LENGTH = 1000;
/** Request body of the first signature. */
export const signaturePost = z.object({
  decision: acceptanceDecision,
  remark: z.string().check(typedText, z.maxLength(MAX_REMARK_LENGTH)),
});
export type SignaturePost = z.infer<typeof signaturePost>;
