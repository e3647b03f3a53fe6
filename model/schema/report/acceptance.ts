import * as z from "zod/mini";
import { MAX_SCANNER_LENGTH } from "@/model/schema/report/norms.ts";
import { isoDate, isoInstant } from "@/model/schema/studies/study.ts";

/** Most studies of one test. */
export const MAX_TESTED = 200;

/** Use of the results of a scanner and protocol, as signed. */
export const acceptanceDecision = z.enum(["percentiles", "volumes", "none"]);
export type AcceptanceDecision = z.infer<typeof acceptanceDecision>;

/** A reader's answer to "is the segmentation right?" */
export const pictureAnswer = z.enum(["right", "wrong", "unclear"]);
export type PictureAnswer = z.infer<typeof pictureAnswer>;

/** One comparison with a claim. */
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
  /** studies, mm, percent, structures, ratio or pictures; `null`: it could not be tested */
  value: z.nullable(z.number()),
  limit: z.number(),
  state: z.enum(["passed", "failed", "untested"]),
});
export type AcceptanceCriterion = z.infer<typeof acceptanceCriterion>;

/** One structure, in z by the published norms. */
const acceptanceMeasure = z.object({
  measure: z.enum(["volume", "thickness"]),
  key: z.string(),
  n: z.number(),
  median: z.number(),
  /** range that the error table, the number of studies and some ill patients explain */
  low: z.number(),
  high: z.number(),
  spread: z.number(),
  expected_spread: z.number(),
  is_within: z.boolean(),
});
export type AcceptanceMeasure = z.infer<typeof acceptanceMeasure>;

/** Figures of a test. */
export const acceptanceResult = z.object({
  studies: z.number(),
  /** with percentiles: age and sex known, grade A or B */
  compared: z.number(),
  failed: z.number(),
  grades: z.object({ A: z.number(), B: z.number(), C: z.number(), none: z.number() }),
  /** regions without a percentile for uncertain borders, mean of a study */
  doubted: z.number(),
  first_date: z.nullable(isoDate),
  last_date: z.nullable(isoDate),
  measures: z.array(acceptanceMeasure),
  /** pairs of studies of one patient; volumes that agree within the 80 % interval */
  repeats: z.object({ pairs: z.number(), differences: z.number(), within: z.number() }),
  criteria: z.array(acceptanceCriterion),
});
export type AcceptanceResult = z.infer<typeof acceptanceResult>;

/** State of a test: pictures to be checked, to be signed, to be signed by a second person, over. */
export const acceptanceState = z.enum(["checking", "signed", "accepted", "revoked"]);

const acceptanceHead = z.object({
  id: z.number(),
  scanner: z.string(),
  /** empty: the headers do not say */
  protocol: z.string(),
  engine_version: z.string(),
  state: acceptanceState,
  started_at: isoInstant,
  /** e-mail addresses; `null`: not yet, or the account is gone */
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

/** A scanner and protocol with results, and its newest test. */
const acceptanceScanner = z.object({
  scanner: z.string(),
  protocol: z.string(),
  /** of the newest result */
  engine_version: z.string(),
  /** results of that version */
  studies: z.number(),
  /** in force for that version */
  accepted_for: z.nullable(acceptanceDecision),
});
export type AcceptanceScanner = z.infer<typeof acceptanceScanner>;

/** Answer of `GET /acceptances`. */
export const acceptanceList = z.object({
  scanners: z.array(acceptanceScanner),
  /** the newest first */
  tests: z.array(acceptanceHead),
  /** fewest studies of a test that can accept percentiles */
  needed: z.number(),
});
export type AcceptanceList = z.infer<typeof acceptanceList>;

/** A study with a picture to be checked. */
const acceptancePicture = z.object({
  place: z.number(),
  /** `null`: deleted since */
  pid: z.nullable(z.number()),
  answer: z.nullable(pictureAnswer),
  answered_by: z.nullable(z.string()),
  answered_at: z.nullable(isoInstant),
});

/** Answer of `GET /acceptances/{id}`: everything that the page to sign prints. */
export const acceptanceDetails = z.object({
  test: acceptanceHead,
  seed: z.number(),
  result: acceptanceResult,
  pictures: z.array(acceptancePicture),
  /** the answers as a criterion */
  checked: acceptanceCriterion,
  allowed: z.array(acceptanceDecision),
  remark: z.string(),
  /** the caller signed it first */
  is_own: z.boolean(),
  hospital_name: z.string(),
});
export type AcceptanceDetails = z.infer<typeof acceptanceDetails>;

const name = z.string().check(z.maxLength(MAX_SCANNER_LENGTH));
/** Body of `POST /acceptances`: the first studies of a scanner, or chosen ones. */
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
/** Body of the first signature. */
export const signaturePost = z.object({
  decision: acceptanceDecision,
  remark: z.string().check(z.maxLength(MAX_REMARK_LENGTH)),
});
export type SignaturePost = z.infer<typeof signaturePost>;
