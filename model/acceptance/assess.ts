// Acceptance test of one scanner and protocol: compares the results of the first studies with the
// claims of the accuracy documents (claims.json and the error table model/norms/method_error.json).
import claims from "@/model/acceptance/claims.json" with { type: "json" };
import { CHARTED } from "@/model/drift/charts.ts";
import { median } from "@/model/drift/cusum.ts";
import type { MeasureName } from "@/model/norms/local_norms.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import type { Measure, Sex } from "@/model/norms/norms.ts";
import { errorSpreads } from "@/model/norms/percentile_rank.ts";
import { isInvertedKey } from "@/model/regions/measures.ts";
import { voxelEdgesMm } from "@/model/registry/acquisition.ts";
import type {
  AcceptanceCriterion,
  AcceptanceDecision,
  AcceptanceMeasure,
  AcceptanceResult,
  PictureAnswer,
} from "@/model/schema/report/acceptance.ts";

/** Minimum number of studies of a test that can accept percentiles or volumes. */
export const MIN_TESTED = 20;
/** Number of studies with pictures that a reader checks. */
export const PICTURES = 10;
/** Uses of results that criteria can allow. */
export type AcceptedUse = Exclude<AcceptanceDecision, "none">;
/** Minimum number of pictures, of ten, that a reader finds correct, for accepting percentiles. */
export const MIN_RIGHT = 8;
/** Minimum number of correct pictures, of ten, and maximum number of wrong ones, by use. */
const PICTURE_LIMITS: Readonly<Record<AcceptedUse, { right: number; wrong: number }>> = {
  percentiles: { right: MIN_RIGHT, wrong: 1 },
  volumes: { right: 5, wrong: 3 },
};
/**
 * Maximum number of structures outside the claimed range. By chance alone, three of ten structures
 * are outside in 1 of 90 tests.
 */
const MAX_OUTSIDE = 2;
/** Minimum numbers of measures and of study pairs with which a criterion can be tested. */
const MIN_MEASURES = 5, MIN_PAIRS = 5;
/** Maximum number of days between two studies of one patient that count as a repeat. */
const REPEAT_DAYS = 180, DAY_MS = 86_400_000;
/** z of a 95 % and of an 80 % interval; then the ratio of a median's standard error to a mean's. */
const Z95 = 1.96, Z80 = 1.2815516, MEDIAN_ERROR = 1.2533;
/** Ratio of the SD of a normal distribution to its median absolute deviation. */
const SD_BY_MAD = 1.4826;
/**
 * Shift of the median, z, if 30 % of the patients are ill by 2 ± 1.2 z, as in the control charts.
 */
export const ILL_SHIFT = 0.38;
/** Limits for the ratio of the observed to the expected SD of the patients. */
const SPREAD_LOW = 0.5, SPREAD_HIGH = 2;

/**
 * Maximum share of grade C results or of failed analyses: upper 95 % limit for none in n.
 * n is the number of undegraded images on which docs/accuracy measured grades and failures.
 */
export const MAX_SHARE: number = 1 -
  0.05 ** (1 / (claims.ordinary_images.A + claims.ordinary_images.B + claims.ordinary_images.C));

/** One completed T1w result of the tested scanner. */
export interface TestedStudy {
  pid: number;
  /** patient ID; empty if unknown */
  patientId: string;
  /** study date, ISO; `null` if unknown */
  studyDate: string | null;
  grade: "A" | "B" | "C" | null;
  /** whether the engine reported too large voxels */
  hasLargeVoxels: boolean;
  /** regions without a percentile because their borders are likely wrong */
  doubted: number;
  /** whether a second opinion influenced the labels */
  hasOpinion: boolean;
  /** age and sex for the norms; `null` for a result without percentiles */
  subject: { age: number; sex: Sex; icvMl: number | null } | null;
  /** z by the norms applied to the result; empty without age and sex */
  z: ReadonlyMap<MeasureName, number>;
  /** standard errors of the site's own norms, z; measures without one use the published norm */
  normSd: ReadonlyMap<MeasureName, number>;
  /** volumes in mm³ and thickness in mm of the {@link CHARTED} measures; 0: not measured */
  values: ReadonlyMap<MeasureName, number>;
}

const round2 = (value: number) => Math.round(100 * value) / 100;
const partsOf = (name: MeasureName) => name.split(":") as [Measure, string];

/** Maximum voxel edge in the name of a protocol, mm; `null` for a name without voxel size. */
export function largestVoxelMm(protocol: string): number | null {
  const edges = voxelEdgesMm(protocol).filter((mm) => Number.isFinite(mm) && mm > 0);
  return edges.length === 0 ? null : Math.max(...edges);
}

/** Median of one structure over the tested studies, and the range expected by the error table. */
function measureOf(name: MeasureName, studies: readonly TestedStudy[]): AcceptanceMeasure | null {
  const [measure, key] = partsOf(name);
  const measured = studies.flatMap(({ z, normSd, subject, hasOpinion }) => {
    const value = z.get(name);
    const spreads = value !== undefined && subject &&
      errorSpreads(
        measure,
        key,
        measure === "volume" ? subject : { ...subject, icvMl: null },
        hasOpinion,
      );
    return value !== undefined && spreads
      ? [{ value, ...spreads, biasSd: normSd.get(name) ?? spreads.biasSd }]
      : [];
  });
  if (measured.length === 0) return null;
  const values = measured.map(({ value }) => value), centre = median(values);
  const spread = SD_BY_MAD * median(values.map((value) => Math.abs(value - centre)));
  const expectedSpread = Math.hypot(1, median(measured.map(({ randomSd }) => randomSd)));
  const biasSd = median(measured.map((each) => each.biasSd));
  const error = MEDIAN_ERROR * Math.max(spread, expectedSpread) / Math.sqrt(values.length);
  const reach = Z95 * Math.hypot(biasSd, error), isInverted = isInvertedKey(key);
  const low = -reach - (isInverted ? 0 : ILL_SHIFT), high = reach + (isInverted ? ILL_SHIFT : 0);
  return {
    measure,
    key,
    n: values.length,
    median: round2(centre),
    low: round2(low),
    high: round2(high),
    spread: round2(spread),
    expected_spread: round2(expectedSpread),
    is_within: centre >= low && centre <= high,
  };
}

/**
 * Pairs of studies of one patient, and the number of volumes that agree within the 80 % interval.
 */
function repeatsOf(studies: readonly TestedStudy[]): AcceptanceResult["repeats"] {
  const dated = studies.filter(({ patientId, studyDate, grade }) =>
    patientId !== "" && studyDate !== null && (grade === "A" || grade === "B")
  );
  let pairs = 0, differences = 0, within = 0;
  for (const own of Map.groupBy(dated, ({ patientId }) => patientId).values()) {
    const sorted = own.sort((a, b) => a.studyDate!.localeCompare(b.studyDate!) || a.pid - b.pid);
    for (const [n, later] of sorted.entries()) {
      const earlier = sorted[n - 1];
      if (!earlier) continue;
      const days = (Date.parse(later.studyDate!) - Date.parse(earlier.studyDate!)) / DAY_MS;
      if (!(days <= REPEAT_DAYS)) continue;
      pairs++;
      for (const name of CHARTED) {
        const [measure, key] = partsOf(name);
        const [a, b] = [earlier, later].map(({ values }) => values.get(name) ?? 0);
        const error = methodErrorOf(key, measure, later.hasOpinion);
        if (!error || !(a! > 0 && b! > 0)) continue;
        const difference = measure === "volume" ? Math.log(b! / a!) : b! - a!;
        differences++;
        if (Math.abs(difference) <= Z80 * Math.SQRT2 * error.randomSd) within++;
      }
    }
  }
  return { pairs, differences, within };
}

const criterion = (
  name: AcceptanceCriterion["name"],
  value: number | null,
  limit: number,
  isPassed: boolean,
): AcceptanceCriterion => ({
  name,
  value: value === null ? null : round2(value),
  limit: round2(limit),
  state: value === null ? "untested" : isPassed ? "passed" : "failed",
});

/**
 * The DICOM header may state a smaller voxel than the images have, if slices have gaps: then
 * `isCoarse`, from the images of any tested study, makes the criterion fail, and `value` is `null`.
 */
function voxelCriterion(headerMm: number | null, isCoarse: boolean): AcceptanceCriterion {
  const limit = claims.largest_voxel_mm, isOver = headerMm !== null && headerMm > limit;
  const usual = criterion("voxels", isCoarse && !isOver ? null : headerMm, limit, !isOver);
  return isCoarse ? { ...usual, state: "failed" } : usual;
}

/**
 * Compares the results of one scanner and protocol with the claims.
 * @param failed Analyses of the same scanner, protocol and engine, in the span of the tested
 * results, that ended without a result by the images or the engine.
 * @param ended All analyses that ended in that span.
 */
export function assess(
  protocol: string,
  studies: readonly TestedStudy[],
  failed: number,
  ended = failed + studies.length,
): AcceptanceResult {
  const n = studies.length,
    of = (grade: TestedStudy["grade"]) => studies.filter((study) => study.grade === grade).length;
  const grades = { A: of("A"), B: of("B"), C: of("C"), none: of(null) };
  const measures = CHARTED.flatMap((name) => measureOf(name, studies) ?? []);
  const repeats = repeatsOf(studies), voxelMm = largestVoxelMm(protocol);
  const large = studies.filter(({ hasLargeVoxels }) => hasLargeVoxels).length;
  const compared = studies.filter(({ z }) => z.size > 0).length;
  const isTested = measures.length >= MIN_MEASURES && compared >= MIN_TESTED;
  const outside = measures.filter(({ is_within }) => !is_within).length;
  const ratio = median(measures.map((each) => each.spread / each.expected_spread));
  const share = repeats.pairs >= MIN_PAIRS && repeats.differences > 0
    ? 100 * repeats.within / repeats.differences
    : null;
  const dates = studies.flatMap(({ studyDate }) => studyDate ?? []).sort();
  const unreliable = (grades.C + grades.none) / n, lost = failed / ended;
  return {
    studies: n,
    compared,
    failed,
    grades,
    doubted: round2(studies.reduce((sum, { doubted }) => sum + doubted, 0) / n),
    first_date: dates[0] ?? null,
    last_date: dates.at(-1) ?? null,
    measures,
    repeats,
    criteria: [
      criterion("studies", n, MIN_TESTED, n >= MIN_TESTED),
      voxelCriterion(voxelMm, large > 0),
      criterion("grades", 100 * unreliable, 100 * MAX_SHARE, unreliable <= MAX_SHARE),
      criterion("failures", 100 * lost, 100 * MAX_SHARE, lost <= MAX_SHARE),
      criterion("volumes", isTested ? outside : null, MAX_OUTSIDE, outside <= MAX_OUTSIDE),
      criterion(
        "spread",
        isTested ? ratio : null,
        SPREAD_HIGH,
        ratio >= SPREAD_LOW && ratio <= SPREAD_HIGH,
      ),
      criterion(
        "intervals",
        share,
        claims.least_interval_percent,
        share !== null && share >= claims.least_interval_percent,
      ),
    ],
  };
}

type CriterionName = AcceptanceCriterion["name"];

/**
 * Criteria that a use needs, beside the pictures. Those that may remain untested need repeats, a
 * header with the voxel size or, for volumes, patients within the ages of the norms.
 */
const NEEDED: Readonly<
  Record<AcceptedUse, { passed: readonly CriterionName[]; notFailed: readonly CriterionName[] }>
> = {
  percentiles: {
    passed: ["studies", "grades", "failures", "volumes", "spread"],
    notFailed: ["voxels", "intervals"],
  },
  volumes: { passed: ["studies", "grades", "failures"], notFailed: ["volumes", "intervals"] },
};

/**
 * Makes a criterion from the reader's answers about pictures.
 * The value is `null` until every picture has an answer.
 */
export function picturesCriterion(
  answers: readonly (PictureAnswer | null)[],
  use: AcceptedUse = "percentiles",
): AcceptanceCriterion {
  const limits = PICTURE_LIMITS[use];
  const right = answers.filter((answer) => answer === "right").length;
  const wrong = answers.filter((answer) => answer === "wrong").length;
  const isWhole = answers.length > 0 && !answers.includes(null);
  const least = Math.ceil(limits.right * answers.length / PICTURES);
  return criterion(
    "pictures",
    isWhole ? right : null,
    least,
    right >= least && wrong <= limits.wrong,
  );
}

/** Criteria that stand against a use: failed, or untested although the use needs them. */
export function unmetCriteria(
  use: AcceptedUse,
  { criteria }: Pick<AcceptanceResult, "criteria">,
  answers: readonly (PictureAnswer | null)[],
): AcceptanceCriterion[] {
  const { passed, notFailed } = NEEDED[use], pictures = picturesCriterion(answers, use);
  const stateOf = (name: CriterionName) => criteria.find((each) => each.name === name)?.state;
  const isUnmet = ({ name, state }: AcceptanceCriterion) =>
    passed.includes(name) ? state !== "passed" : notFailed.includes(name) && state === "failed";
  // a test of an earlier version may lack a criterion
  const missing = passed.filter((name) => stateOf(name) === undefined)
    .map((name) => criterion(name, null, 0, false));
  return [
    ...criteria.filter(isUnmet),
    ...missing,
    ...pictures.state === "passed" ? [] : [pictures],
  ];
}

/**
 * Decisions that criteria and the reader's answers allow; empty until all pictures are answered,
 * which are at least ten, or those of all studies if the test has fewer.
 */
export function allowedDecisions(
  { criteria, studies }: AcceptanceResult,
  answers: readonly (PictureAnswer | null)[],
): AcceptanceDecision[] {
  const pictures = picturesCriterion(answers);
  if (pictures.state === "untested" || answers.length < Math.min(PICTURES, studies)) return [];
  const uses = ["percentiles", "volumes"] as const;
  return [...uses.filter((use) => unmetCriteria(use, { criteria }, answers).length === 0), "none"];
}
