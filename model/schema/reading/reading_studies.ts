import * as z from "zod/mini";
import { hasControlCharacter, patient } from "@/model/schema/studies/patients.ts";
import { isoInstant } from "@/model/schema/studies/study.ts";
import { viewerVolume } from "@/model/schema/studies/viewer_files.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Arm of a reading study: with the results of Sulcus, or with the images alone. */
export const readingArm = z.enum(["without", "with"]);
export type ReadingArm = z.infer<typeof readingArm>;

/** Scale on which readers rate: 1 to 5, 0 to 100, or no rating. */
export const ratingScale = z.enum(["five", "hundred", "none"]);
export type RatingScale = z.infer<typeof ratingScale>;

const estimate = z.object({ value: z.number(), low: z.number(), high: z.number() });
/** Members are `null` if the answers do not determine them, for example with equal times. */
const uncertain = z.object({
  value: z.nullable(z.number()),
  low: z.nullable(z.number()),
  high: z.nullable(z.number()),
});
const ofReader = z.extend(estimate, { reader: z.number() });
const areaDifference = z.extend(estimate, { p: z.nullable(z.number()) });

/** Statistics of one arm; intervals are 95 % confidence intervals. */
const armStatistics = z.object({
  arm: readingArm,
  readings: z.number(),
  /** area under the ROC curve of each reader */
  auc: z.array(ofReader),
  mean_auc: z.nullable(estimate),
  /** Cohen's kappa of two readers; for ratings with linear weights */
  kappas: z.array(
    z.extend(uncertain, { readers: z.array(z.number()), of: z.enum(["decision", "rating"]) }),
  ),
  /** intraclass correlation ICC(2,1) of the ratings */
  icc: z.nullable(uncertain),
});

/** Differences of the arms, with − without results, and ratios of times, with / without results. */
const readingContrast = z.object({
  auc: z.array(z.extend(areaDifference, { reader: z.number() })),
  mean_auc: z.nullable(areaDifference),
  /** fraction of right decisions, with McNemar's test */
  accuracy: z.array(z.extend(ofReader, {
    cases: z.number(),
    /** cases that readers decided rightly in one arm only */
    only_with: z.number(),
    only_without: z.number(),
    exact_p: z.number(),
    mid_p: z.number(),
  })),
  time: z.array(z.extend(uncertain, { reader: z.number() })),
  mean_time: z.nullable(uncertain),
});
export type ReadingContrast = z.infer<typeof readingContrast>;

export const readingStatistics = z.object({
  arms: z.array(armStatistics),
  contrast: z.nullable(readingContrast),
});
export type ReadingStatistics = z.infer<typeof readingStatistics>;

/**
 * The same statistics without readings of cases that the reader knew, or of which images or
 * results had changed; `null` if there are no such readings.
 */
const unaffected = z.nullable(z.object({
  /** number of readings that are left out */
  left_out: z.number(),
  statistics: readingStatistics,
}));

export const MAX_STUDY_CASES = 200, MAX_STUDY_READERS = 20, MAX_WASHOUT_DAYS = 365;
export const MAX_STUDY_TITLE = 100, MAX_STUDY_QUESTION = 300;
/** Lowest and highest rating on each scale. */
export const RATING_LIMITS: Readonly<Record<Exclude<RatingScale, "none">, [number, number]>> = {
  five: [1, 5],
  hundred: [0, 100],
};

const line = (length: number) =>
  z.pipe(
    z.string(),
    z.pipe(
      z.transform((text: string) => text.trim()),
      z.string().check(
        z.refine((text) => !hasControlCharacter(text), "control_character"),
        typedText,
        z.trim(),
        z.minLength(1),
        z.maxLength(length),
      ),
    ),
  );
const isUnique = <T>(values: readonly T[]): boolean => new Set(values).size === values.length;
const id = z.int().check(z.gte(1));

const readingCase = z.object({
  pid: id,
  /** reference standard of the case: positive or negative; `null`: unknown */
  reference: z.nullable(z.boolean()),
});

/** Body of `POST /reading-studies`. */
export const readingStudyPost = z.object({
  title: line(MAX_STUDY_TITLE),
  /** question that readers answer by rating and decision */
  question: line(MAX_STUDY_QUESTION),
  scale: ratingScale,
  asks_decision: z.boolean(),
  asks_region: z.boolean(),
  arms: z.array(readingArm).check(z.minLength(1), z.maxLength(2), z.refine(isUnique)),
  /** days between the last reading of the first session and the second session */
  washout_days: z.int().check(z.gte(0), z.lte(MAX_WASHOUT_DAYS)),
  cases: z.array(readingCase).check(
    z.minLength(2),
    z.maxLength(MAX_STUDY_CASES),
    z.refine((cases) => isUnique(cases.map(({ pid }) => pid)), "repeated_case"),
  ),
  /** account numbers of the readers */
  readers: z.array(id).check(
    z.minLength(1),
    z.maxLength(MAX_STUDY_READERS),
    z.refine(isUnique, "repeated_reader"),
  ),
}).check(
  z.refine(({ scale, asks_decision }) => scale !== "none" || asks_decision, {
    path: ["asks_decision"],
    error: "nothing_asked",
  }),
);
export type ReadingStudyPost = z.infer<typeof readingStudyPost>;
export const readingStudyCreated = z.object({ id: z.number() });

const form = {
  title: z.string(),
  question: z.string(),
  scale: ratingScale,
  asks_decision: z.boolean(),
  asks_region: z.boolean(),
};
const progress = {
  done: z.number(),
  total: z.number(),
  /** when the second session opens; absent without a wait */
  opens_at: z.optional(isoInstant),
};

/** A reading study in the list: for administrators, and for the study's readers. */
const readingStudyEntry = z.object({
  id: z.number(),
  title: z.string(),
  created_at: isoInstant,
  cases: z.number(),
  readers: z.number(),
  /** progress of the caller's readings; `null`: the caller is not a reader of the study */
  mine: z.nullable(z.object(progress)),
  /** progress of all readings; `null` for callers who are not administrators */
  all: z.nullable(z.object(progress)),
});
export const readingStudyList = z.object({ studies: z.array(readingStudyEntry) });
export type ReadingStudyList = z.infer<typeof readingStudyList>;
export type ReadingStudyEntry = ReadingStudyList["studies"][number];

/** Response of `GET /reading-studies/{id}`: design, progress and statistics, for administrators. */
export const readingStudyDetails = z.object({
  id: z.number(),
  ...form,
  arms: z.array(readingArm),
  washout_days: z.number(),
  created_at: isoInstant,
  created_by: z.nullable(z.string()),
  seed: z.number(),
  /** whether no reading has been opened, so that the reading study can still be removed */
  is_removable: z.boolean(),
  cases: z.array(z.object({
    /** number of the case from 1, which replaces the study in exports */
    number: z.number(),
    pid: z.number(),
    reference: z.nullable(z.boolean()),
    /** false for a case of which the study or the images have been deleted */
    is_available: z.boolean(),
    /** whether images or results differed between readings of the case */
    has_changed: z.boolean(),
  })),
  readers: z.array(z.object({
    /** number of the reader from 1, which replaces the reader in exports */
    number: z.number(),
    user: z.nullable(z.string()),
    /** number of cases seen outside the reading study: before answering, or until now */
    known_cases: z.number(),
    ...progress,
  })),
  statistics: readingStatistics,
  unaffected,
});
export type ReadingStudyDetails = z.infer<typeof readingStudyDetails>;

/** Results that the arm with results shows; no data of the patient. */
const shownResults = z.pick(patient, {
  t1_result: true,
  t1_thick_result: true,
  thickness_reason: true,
  aggregates: true,
  wm: true,
  wmh: true,
  deep_wmh: true,
  peri_wmh: true,
  wmh_detail: true,
  icv: true,
  norm_reason: true,
  threshold_list: true,
  t1_quality: true,
  t2_quality: true,
});

/** Files of a reading; in the arm without results, only images. */
export const readingFile = z.enum([
  "t1w_file",
  "t2w_file",
  "t1w_mask_file",
  "thick_mask_file",
  "t2w_mask_file",
  "icv_mask_file",
]);
export type ReadingFile = z.infer<typeof readingFile>;

/** The reading that a reader must do next. */
const nextReading = z.object({
  /** position of the reading from 0, in the order of the reader */
  place: z.number(),
  arm: readingArm,
  volume: viewerVolume,
  files: z.array(readingFile),
  /** results that the reader sees; `null` in the arm without results */
  results: z.nullable(shownResults),
});
export type NextReading = z.infer<typeof nextReading>;

/** Response of `GET /reading-studies/{id}/reading`, for a reader of the study. */
export const readingTask = z.object({
  ...form,
  done: z.number(),
  total: z.number(),
  /** next reading; `null`: every reading is done */
  reading: z.nullable(nextReading),
});
export type ReadingTask = z.infer<typeof readingTask>;

const DAY_MS = 86_400_000;
/** Body of `POST /reading-studies/{id}/readings/{place}/answer`. */
export const readingAnswer = z.object({
  rating: z.nullable(z.int().check(z.gte(0), z.lte(100))),
  decision: z.nullable(z.boolean()),
  /** name of a brain region from the list of regions; `null`: none */
  region: z.nullable(z.string().check(z.maxLength(60))),
  /** time during which the images were visible, ms */
  visible_ms: z.int().check(z.gte(0), z.lte(DAY_MS)),
  /** how often the page was hidden */
  pauses: z.int().check(z.gte(0), z.lte(10_000)),
});
export type ReadingAnswer = z.infer<typeof readingAnswer>;

/** Query of `GET /reading-studies/{id}/export`. */
export const readingExportQuery = z.object({ format: z.enum(["csv", "json"]) });

/** One answered reading in the export, which names neither patient nor reader. */
export const readingRow = z.object({
  reader: z.number(),
  case: z.number(),
  reference: z.nullable(z.boolean()),
  session: z.number(),
  /** position of the reading in the reader's order, from 1 */
  reading: z.number(),
  arm: readingArm,
  rating: z.nullable(z.number()),
  decision: z.nullable(z.boolean()),
  region: z.nullable(z.string()),
  visible_seconds: z.number(),
  elapsed_seconds: z.number(),
  pauses: z.number(),
  opened_at: isoInstant,
  answered_at: isoInstant,
  /** engine version of the case's results at the time when the reading was opened */
  engine_version: z.nullable(z.string()),
  /**
   * whether images or results differed from an earlier reading, or changed before the answer
   * `null`: unknown, opened by an older release
   */
  results_changed: z.nullable(z.boolean()),
  /** the reader had opened the case outside the reading study before this answer */
  known_case: z.boolean(),
});
export type ReadingRow = z.infer<typeof readingRow>;

/** The export as JSON. */
export const readingExport = z.object({
  title: z.string(),
  question: z.string(),
  scale: ratingScale,
  arms: z.array(readingArm),
  washout_days: z.number(),
  seed: z.number(),
  rows: z.array(readingRow),
  statistics: readingStatistics,
  unaffected,
});
export type ReadingExport = z.infer<typeof readingExport>;
