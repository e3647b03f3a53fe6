import { THICKNESS_KEYS, VOLUME_KEYS } from "@/model/regions/measures.ts";
import firstBiases from "@/model/norms/first_biases.json" with { type: "json" };
import type { Measure } from "@/model/norms/norms.ts";
import type { LocalNorm, LocalNorms } from "@/model/norms/percentile_rank.ts";

/** Minimum number of controls for a local norm. */
export const MIN_CONTROLS = 20;
/** Limits of the SD of the controls' z; an SD beyond them has another cause than the scanner. */
export const SCALE_MIN = 0.5, SCALE_MAX = 2;
/** z of the 97.5th percentile: 95 % intervals. */
const Z975 = 1.959964;

/** Name of a measure in stored norms, such as "volume:19+20". */
export type MeasureName = `${Measure}:${string}`;

/** All measures that can have a local norm. */
export const LOCAL_MEASURES: readonly { measure: Measure; key: string; name: MeasureName }[] = [
  ...VOLUME_KEYS.map((key) => ({
    measure: "volume" as const,
    key,
    name: `volume:${key}` as const,
  })),
  ...[...THICKNESS_KEYS, "thickness"].map((key) => ({
    measure: "thickness" as const,
    key,
    name: `thickness:${key}` as const,
  })),
];

/** Local norms as stored, by {@link MeasureName}. */
export type NormValues = Readonly<Record<string, StoredNormValue>>;
/** `bias` is absent in norms stored by earlier versions: see {@link localNormsOf}. */
type StoredNormValue =
  & Omit<Required<LocalNorm>, "bias" | "isIndirect">
  & Pick<LocalNorm, "bias" | "isIndirect">
  & { n: number };

/**
 * Result of checking a norm against controls: open, confirmed, shifted (the interval of the mean
 * excludes 0), or a different SD (the interval of the SD excludes 1).
 */
type NormVerdict = "too_few" | "agrees" | "shifted" | "wider" | "narrower";

/** z scores of the controls in one measure, with 95 % intervals. */
interface ControlSummary {
  n: number;
  mean: number;
  meanLow: number;
  meanHigh: number;
  sd: number;
  sdLow: number;
  sdHigh: number;
  verdict: NormVerdict;
}

/**
 * 97.5th percentile of Student's t by the Cornish-Fisher expansion.
 * The error is below 0.002 from 10 degrees of freedom.
 */
export function t975(freedom: number): number {
  const z = Z975;
  return z + (z ** 3 + z) / (4 * freedom) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3);
}

/** Percentile of chi-square at a z score (Wilson and Hilferty 1931). */
export const chiSquare = (z: number, freedom: number): number =>
  freedom * Math.max(0, 1 - 2 / (9 * freedom) + z * Math.sqrt(2 / (9 * freedom))) ** 3;

function verdictOf(
  { n, meanLow, meanHigh, sdLow, sdHigh }: Omit<ControlSummary, "verdict">,
): NormVerdict {
  if (n < MIN_CONTROLS) return "too_few";
  if (meanLow > 0 || meanHigh < 0) return "shifted";
  return sdLow > 1 ? "wider" : sdHigh < 1 ? "narrower" : "agrees";
}

/** Mean and SD of z scores with 95 % intervals; `null` for fewer than two scores. */
export function summaryOf(z: readonly number[]): ControlSummary | null {
  const n = z.length;
  if (n < 2) return null;
  const mean = z.reduce((sum, value) => sum + value, 0) / n;
  const sd = Math.sqrt(z.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  const reach = t975(n - 1) * sd / Math.sqrt(n);
  const sdAt = (chi: number) => chi > 0 ? sd * Math.sqrt((n - 1) / chi) : Infinity;
  const summary = {
    n,
    mean,
    meanLow: mean - reach,
    meanHigh: mean + reach,
    sd,
    sdLow: sdAt(chiSquare(Z975, n - 1)),
    sdHigh: Math.min(99, sdAt(chiSquare(-Z975, n - 1))),
  };
  return { ...summary, verdict: verdictOf(summary) };
}

/** Offset and scale that move the controls to the norms' average; `null` with too few controls. */
export function proposalOf({ n, mean, sd }: ControlSummary): NormValues[string] | null {
  return n < MIN_CONTROLS ? null : {
    offset: mean,
    scale: Math.min(SCALE_MAX, Math.max(SCALE_MIN, sd)),
    offsetSd: sd / Math.sqrt(n),
    n,
  };
}

/**
 * Local norms in the form that ranks use. Norms of earlier versions lack the bias that was applied
 * to the controls: the bias is taken from the error table of that time.
 */
export function localNormsOf(values: NormValues, hasOpinion: boolean): LocalNorms {
  const biases: Readonly<Record<string, number>> = hasOpinion
    ? firstBiases.with_second_opinion
    : firstBiases.without_second_opinion;
  return (measure, key) => {
    const name: MeasureName = `${measure}:${key}`,
      value = values[name],
      bias = value?.bias ?? biases[name];
    return value ? { ...value, ...(bias === undefined ? {} : { bias }) } : null;
  };
}
