// Cumulative sums that detect a lasting change of a mean (Page, Biometrika 1954;41:100–115).
// Robust: values are limited around a line over age, learnt from the chart's earlier values.

/** Parameters of one control chart, in units of the standard deviation of the charted values. */
export interface ChartRule {
  /** deviation that is ignored (CUSUM slack): half of the change to be detected */
  slack: number;
  /** cumulative sum at which the chart signals a change */
  limit: number;
}

/** State of a control chart after its values. */
export interface Chart {
  /** cumulative sums for a higher and a lower mean after each value; 0 during the learning phase */
  higher: number[];
  lower: number[];
  /** index of the value at which the chart signalled a change; `null`: no change */
  movedAt: number | null;
  /** index of the value after which the sum stayed above 0: estimated start of the change */
  beganAt: number | null;
  direction: "higher" | "lower" | null;
}

/** Number of values in the learning phase: line and SD are estimated before charting begins. */
export const LEARNING = 100;
/**
 * Maximum number of learnt values (the newest), and interval after which line and SD are
 * estimated again.
 */
const MAX_LEARNT = 400, LEARN_EVERY = 20;
/**
 * Number of newest values excluded from learning, so that a change is not learnt before its alarm.
 */
const UNLEARNT = 40;
/** Deviations are limited to this many SD, so that one ill patient cannot trigger the chart. */
const MAX_DEVIATION = 2.5;
/** Ratio of the SD of a normal distribution to the median absolute deviation. */
const SD_BY_MAD = 1.4826;
/** Minimum SD, in z: with nearly constant values, rounding alone would trigger the chart. */
const MIN_SPREAD = 0.05;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : sorted.length === 0
    ? NaN
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Line that gives the expected value of a measure at an age, and the spread around the line. */
export interface Usual {
  /** expected value at the age `age` */
  centre: number;
  /** mean age of the learnt values, years */
  age: number;
  /** change of the value per year of age, which corrects errors of the norms that depend on age */
  slope: number;
  spread: number;
}

/**
 * Residuals beyond this many SD get less weight: 95 % efficiency for normal values (Huber 1981).
 */
const HUBER = 1.345;
/** Mean square of a standard normal value that is limited to {@link HUBER}. */
const HUBER_SQUARE = 0.7102;
const ITERATIONS = 5;
/**
 * SD of the expected slopes, z per year. The slope is drawn towards 0 when the ages of the learnt
 * values hardly differ and therefore do not determine a slope.
 */
const SLOPE_SD = 0.015;

/**
 * Line over age by robust regression with a ridge of {@link SLOPE_SD}.
 * Iteratively reweighted least squares with Huber's weights and his second proposal of a scale.
 *
 * @param values  At least one value, in z.
 * @param ages    Years, of the same studies.
 * @see Huber, Robust Statistics, Wiley 1981, chapters 6 and 7. Starts at median and MAD.
 */
export function usual(values: readonly number[], ages: readonly number[]): Usual {
  const age = ages.reduce((sum, each) => sum + each, 0) / ages.length,
    years = ages.map((a) => a - age);
  let centre = median(values), slope = 0;
  let spread = SD_BY_MAD * median(values.map((value) => Math.abs(value - centre)));
  for (let n = 0; n < ITERATIONS; n++) {
    spread = Math.max(MIN_SPREAD, spread);
    let whole = 0, year = 0, value = 0, square = 0, product = 0;
    for (const [at, x] of years.entries()) {
      const y = values[at]!, residual = Math.abs(y - centre - slope * x) / spread;
      const weight = Math.min(1, HUBER / residual);
      whole += weight;
      year += weight * x;
      value += weight * y;
      square += weight * x * x;
      product += weight * x * y;
    }
    slope = (product - year * value / whole) /
      (square - year * year / whole + (spread / SLOPE_SD) ** 2);
    centre = (value - slope * year) / whole;
    let limited = 0;
    for (const [at, x] of years.entries()) {
      const residual = (values[at]! - centre - slope * x) / spread;
      limited += Math.min(HUBER ** 2, residual ** 2);
    }
    spread *= Math.sqrt(limited / values.length / HUBER_SQUARE);
  }
  return { centre, age, slope, spread: Math.max(MIN_SPREAD, spread) };
}

/**
 * Charts values in the order of measurement. The first {@link LEARNING} values only set line and
 * standard deviation. A chart that has signalled a change keeps that state.
 *
 * @param ages  Years, of the same studies.
 */
export function chartOf(
  values: readonly number[],
  ages: readonly number[],
  { slack, limit }: ChartRule,
): Chart {
  const chart: Chart = { higher: [], lower: [], movedAt: null, beganAt: null, direction: null };
  let higher = 0, lower = 0, learnt: Usual = { centre: 0, age: 0, slope: 0, spread: 1 };
  for (const [at, value] of values.entries()) {
    if (at >= LEARNING) {
      if ((at - LEARNING) % LEARN_EVERY === 0) {
        const end = Math.max(LEARNING, at - UNLEARNT), start = Math.max(0, end - MAX_LEARNT);
        learnt = usual(values.slice(start, end), ages.slice(start, end));
      }
      const expected = learnt.centre + learnt.slope * (ages[at]! - learnt.age);
      const deviation = Math.max(
        -MAX_DEVIATION,
        Math.min(MAX_DEVIATION, (value - expected) / learnt.spread),
      );
      higher = Math.max(0, higher + deviation - slack);
      lower = Math.max(0, lower - deviation - slack);
      if (chart.movedAt === null && Math.max(higher, lower) > limit) {
        const isHigher = higher > lower;
        chart.movedAt = at;
        chart.beganAt = 1 + (isHigher ? chart.higher : chart.lower).lastIndexOf(0);
        chart.direction = isHigher ? "higher" : "lower";
      }
    }
    chart.higher.push(higher);
    chart.lower.push(lower);
  }
  return chart;
}

/** Minimum baseline rate of the event, and the odds ratio that the chart detects. */
const MIN_SHARE = 0.02, ODDS = 3;

/**
 * Charts events, such as unreliable results, by a cumulative log likelihood ratio: three times the
 * usual odds (Reynolds and Stoumbos, J Qual Technol 1999;31:87–108).
 * Only an increase of the rate is detected.
 */
export function chartOfEvents(events: readonly boolean[], limit: number): Chart {
  const chart: Chart = { higher: [], lower: [], movedAt: null, beganAt: null, direction: null };
  let sum = 0, share = MIN_SHARE;
  for (const [at, isEvent] of events.entries()) {
    if (at >= LEARNING) {
      if ((at - LEARNING) % LEARN_EVERY === 0) {
        const end = Math.max(LEARNING, at - UNLEARNT);
        const learnt = events.slice(Math.max(0, end - MAX_LEARNT), end);
        const counted = learnt.filter(Boolean).length;
        share = Math.max(MIN_SHARE, (counted + 1) / (learnt.length + 2));
      }
      const odds = ODDS * share / (1 - share), more = odds / (1 + odds);
      sum = Math.max(0, sum + Math.log(isEvent ? more / share : (1 - more) / (1 - share)));
      if (chart.movedAt === null && sum > limit) {
        chart.movedAt = at;
        chart.beganAt = 1 + chart.higher.lastIndexOf(0);
        chart.direction = "higher";
      }
    }
    chart.higher.push(sum);
    chart.lower.push(0);
  }
  return chart;
}
