import { ICV_MEAN_ML, normalCdf, type NormSubject, valueAt } from "@/model/norms/norms.ts";
import { limitsOf, PLAIN_METHOD, rankOf, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import {
  isInvertedKey,
  type MeasureKey,
  normOfMeasure,
  VOLUME_KEYS,
} from "@/model/regions/measures.ts";
import { mean } from "@/bench/engine/score.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { logErrorOf } from "@/bench/truth/evidence.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import type { Row } from "@/bench/record.ts";

type Make = (
  name: string,
  value: number,
  unit: string,
  given?: Partial<Pick<Row, "bar" | "ok">>,
) => Row;

/** Default thresholds of the percentile bands, from the outermost. */
const THRESHOLDS = [5, 25], LIMITS = limitsOf(THRESHOLDS);
const VERY_LOW = THRESHOLDS.length;
/** Simulated population: women aged 45, each at the middle of an equal part of the distribution. */
const SUBJECT: NormSubject = { age: 45, sex: "female", icvMl: ICV_MEAN_ML.female };
const PEOPLE = 40;
/** Size of a shrunk structure: this number of the norm's SDs below the mean. */
const SHRUNK = 2.5;

/** Percentile of one person's structure, with the volume error of a measured head. */
interface Reading {
  /** percentiles of the true and of the measured volume, 0..100 */
  truth: number;
  ours: number;
  hasBands: boolean;
  isCovered: boolean;
  isFirm: boolean;
  isNamed: boolean;
}

const NORMAL = Array.from({ length: PEOPLE }, (_, n) => zOfPercentile(100 * (n + 0.5) / PEOPLE));

/** @param people z of each person; negated for fluid, of which more is abnormal. */
function readingsOf(
  key: MeasureKey,
  error: number,
  people: readonly number[],
  hasOpinion: boolean,
): Reading[] {
  const norm = normOfMeasure(key, "volume", SUBJECT), isInverted = isInvertedKey(key);
  if (!norm) return [];
  return people.flatMap((own) => {
    const z = isInverted ? -own : own, volume = valueAt(z, norm);
    if (!(volume > 0)) return [];
    const rank = rankOf("volume", key, volume * Math.exp(error), SUBJECT, {
      limits: LIMITS,
      isInverted,
    }, { ...PLAIN_METHOD, hasOpinion });
    if (!rank) return [];
    const truth = 100 * normalCdf(z);
    return [{
      truth: isInverted ? 100 - truth : truth,
      ours: isInverted ? 100 - rank.percentile : rank.percentile,
      hasBands: rank.has_bands,
      isCovered: truth >= rank.low && truth <= rank.high,
      isFirm: rank.level === VERY_LOW,
      isNamed: rank.possible_level === VERY_LOW,
    }];
  });
}

const share = (part: readonly unknown[], whole: readonly unknown[]) =>
  whole.length === 0 ? NaN : 100 * part.length / whole.length;

interface ErrorOf {
  key: MeasureKey;
  /** ln(ours / truth) */
  error: number;
  /** whether the second network was used when the error was measured */
  hasOpinion: boolean;
}

/** @param what Prefix of the rows' names, which says where the errors were measured. */
function rowsOf(what: string, errors: readonly ErrorOf[], row: Make): Row[] {
  const all = errors.flatMap(({ key, error, hasOpinion }) =>
    readingsOf(key, error, NORMAL, hasOpinion)
  );
  const banded = all.filter((reading) => reading.hasBands),
    firm = banded.filter((reading) => reading.isFirm);
  const low = banded.filter((reading) => reading.truth <= THRESHOLDS[0]!);
  const shrunk = errors.flatMap(({ key, error, hasOpinion }) =>
    readingsOf(key, error, [-SHRUNK], hasOpinion)
  )
    .filter((reading) => reading.hasBands);
  if (banded.length === 0) return [];
  const bar = (name: string, value: number, unit: string, text: string, ok: boolean) =>
    row(`${what}: ${name}`, value, unit, { bar: text, ok });
  const difference = mean(banded.map((reading) => Math.abs(reading.ours - reading.truth)));
  const wrong = firm.length === 0
    ? 0
    : share(firm.filter(({ truth }) => truth > THRESHOLDS[0]!), firm);
  const found = share(low.filter(({ isNamed }) => isNamed), low);
  const foundShrunk = share(shrunk.filter(({ isNamed }) => isNamed), shrunk);
  const covered = share(all.filter(({ isCovered }) => isCovered), all);
  return [
    bar(
      "percentile against the true one, mean difference",
      difference,
      "points",
      "≤ 16",
      difference <= 16,
    ),
    bar("printed as ≤ 5th and is not", wrong, "%", "≤ 25", wrong <= 25),
    bar("truly ≤ 5th, printed or possibly", found, "%", "≥ 60", found >= 60),
    bar(
      `smaller by ${SHRUNK} sd, printed or possibly`,
      foundShrunk,
      "%",
      "≥ 85",
      foundShrunk >= 85,
    ),
    bar(
      "80 % intervals that hold the truth",
      covered,
      "%",
      "75–90",
      covered >= 75 && covered <= 90,
    ),
  ];
}

/**
 * Percentiles of a normal population measured with the errors of these heads: each structure's
 * error, ln(ours / FreeSurfer's), is applied to people of every percentile.
 *
 * Heads of grade C are left out, because they have no percentiles.
 */
export function populationRows(heads: readonly MeasuredHead[], row: Make): Row[] {
  const errors = heads.filter((head) => head.grade !== "C").flatMap((head) =>
    VOLUME_KEYS.flatMap((key) =>
      logErrorOf(key, head).map((error) => ({ key, error, hasOpinion: head.opinion === "agreed" }))
    )
  );
  return rowsOf("normal population", errors, row);
}

/** The same with errors drawn from the error table, on average over scanners and heads. */
export function expectedRows(hasOpinion: boolean, row: Make): Row[] {
  const errors = VOLUME_KEYS.flatMap((key) => {
    const known = methodErrorOf(key, "volume", hasOpinion);
    return known
      ? NORMAL.map((z) => ({
        key,
        hasOpinion,
        error: known.bias + z * Math.hypot(known.biasSd, known.randomSd),
      }))
      : [];
  });
  return rowsOf(
    `as the error model expects, ${hasOpinion ? "with" : "without"} the second opinion`,
    errors,
    row,
  );
}
