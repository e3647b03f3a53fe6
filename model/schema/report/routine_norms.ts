import * as z from "zod/mini";
import { isoInstant } from "@/model/schema/studies/study.ts";
import { AGE_BANDS, BIN_WIDTH, BINS, Z_MIN } from "@/model/norms/indirect/histogram.ts";
import { REFUSALS } from "@/model/norms/indirect/indirect_norm.ts";
import { LOCAL_MEASURES } from "@/model/norms/local_norms.ts";
import { typedText } from "@/model/schema/typed_text.ts";

const count = z.number();
const measure = z.enum(["volume", "thickness"]);

/** Routine studies of one scanner and protocol, and the state of the estimated norms. */
const routineGroup = z.object({
  id: z.number(),
  scanner: z.string(),
  /** protocol: timing and voxel size; empty when the headers do not contain them */
  protocol: z.string(),
  engine_version: z.string(),
  computed_at: isoInstant,
  /** number of studies of this site (one per patient), and in imported files of other sites */
  studies: count,
  other_studies: count,
  sites: count,
  /** number of measures with estimated norms, and of measures that were refused */
  estimated: count,
  refused: count,
  /** number of measures with an offset outside the interval of the norms in use */
  moved: count,
  is_alarm: z.boolean(),
});
export type RoutineGroup = z.infer<typeof routineGroup>;

/** Response of `GET /norms/routine`. */
export const routineGroups = z.object({
  groups: z.array(routineGroup),
  /** when the estimates were last computed; `null`: never */
  computed_at: z.nullable(isoInstant),
  /** whether a computation is in progress */
  is_computing: z.boolean(),
});
export type RoutineGroups = z.infer<typeof routineGroups>;

/** Estimated healthy part of the routine studies in one measure; z, with 90 % intervals. */
const routineRegion = z.object({
  measure,
  key: z.string(),
  /** reason for having no norm; `null` with a norm */
  refusal: z.nullable(z.enum(REFUSALS)),
  /** number of studies used, of this site and of other sites with agreeing studies */
  n: count,
  /** the estimate; `null` without one */
  part: z.nullable(z.object({
    offset: z.number(),
    offset_low: z.number(),
    offset_high: z.number(),
    scale: z.number(),
    scale_low: z.number(),
    scale_high: z.number(),
    healthy_share: z.number(),
  })),
  /**
   * counts of studies of all ages in bins of width {@link PLOT_STEP}, the first at {@link PLOT_MIN}
   */
  counts: z.array(count),
});
export type RoutineRegion = z.infer<typeof routineRegion>;

/** Lower end and bin width of the plotted counts, z. */
export const PLOT_MIN = -6, PLOT_STEP = 0.4, PLOT_COUNT = 30;

/** Response of `GET /norms/routine/{id}`. */
export const routineDetails = z.object({
  group: routineGroup,
  regions: z.array(routineRegion),
});
export type RoutineDetails = z.infer<typeof routineDetails>;

/** Maximum number of studies behind a pooled file, and its maximum size in bytes. */
const MAX_POOLED = 1_000_000;
export const MAX_ROUTINE_FILE_BYTES = 4 << 20;
/** Maximum number of imported files for one scanner and protocol. */
export const MAX_POOLS = 50;

/** The first wrong number ends the check of a list, as describing a million of them takes long. */
const whole = (least: number, most: number) =>
  z.number().check(
    z.int({ abort: true }),
    z.gte(least, { abort: true }),
    z.lte(most, { abort: true }),
  );

/**
 * File by which sites pool routine studies: counts of residuals by measure, age band and bin.
 * The file contains no study, patient, date, scanner or hospital.
 */
export const routineFile = z.object({
  format: z.literal("sulcus-routine-norms"),
  version: z.literal(1),
  /** random id of the file; a newer file with this id replaces the older one on import */
  site: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  engine_version: z.string().check(typedText, z.minLength(1), z.maxLength(100)),
  has_opinion: z.boolean(),
  protocol: z.string().check(typedText, z.maxLength(200)),
  z_min: z.literal(Z_MIN),
  bin_width: z.literal(BIN_WIDTH),
  bins: z.literal(BINS),
  age_bands: z.array(z.number()).check(
    z.refine((bands) => bands.join() === AGE_BANDS.join()),
  ),
  studies: whole(1, MAX_POOLED),
  measures: z.array(z.object({
    name: z.string().check(typedText, z.maxLength(60)),
    /** version of the error table that was used to compute the residuals */
    bias: z.number().check(z.gte(-10), z.lte(10)),
    outside: whole(0, MAX_POOLED),
    bands: z.array(
      z.array(whole(0, MAX_POOLED)).check(z.maxLength(2 * BINS)),
    ).check(z.length(AGE_BANDS.length)),
  })).check(z.maxLength(LOCAL_MEASURES.length)),
});
export type RoutineFile = z.infer<typeof routineFile>;

/** Reasons for which another site's file is refused. */
export const poolProblem = z.enum([
  "engine",
  "protocol",
  "opinion",
  "own",
  "bias",
  "counts",
  "too_many",
]);
export type PoolProblem = z.infer<typeof poolProblem>;

/** Response of an import: number of pooled studies. */
export const routineImported = z.object({ studies: count });
