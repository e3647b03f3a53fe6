// Cumulative sums that detect a lasting change of a mean (Page, Biometrika 1954;41:100–115).
// Robust: values are limited around a line over age, learnt from the chart's earlier values.

/** Parameters of one control chart, in units of the standard deviation of the charted values. */
export interface ChartRule {
  /** deviation that is ignored (CUSUM slack): half of the change to be detected */
  slack: number;
  /** cumulative sum at which the chart signals a change */
  limit: number;
}

/** A control chart: its result, and cumulative sums after each value. */
export interface Chart extends Signal {
  /** cumulative sums for a higher and a lower mean after each value; 0 during the learning phase */
  higher: number[];
  lower: number[];
}

/** Change that a control chart has signalled; all three are `null` before the first signal. */
export interface Signal {
  /** index of the value at which the chart signalled a change */
  movedAt: number | null;
  /** index of the value after which the sum stayed above 0: estimated start of the change */
  beganAt: number | null;
  direction: "higher" | "lower" | null;
}

/** A cumulative sum, and the index of the value from which it has stayed above 0. */
interface Sum {
  value: number;
  from: number;
}

/**
 * State of a control chart, to which values are appended: earlier values are not judged again.
 * Plain data, which is stored as JSON.
 */
export interface ChartState extends Signal {
  /** number of values since the chart began */
  count: number;
  higher: Sum;
  lower: Sum;
  /** baseline; `null`: not learnt yet */
  learnt: Usual | null;
  /** values and ages from which the baseline is learnt; empty once the baseline is fixed */
  values: number[];
  ages: number[];
}

/** A chart without values. */
export const newChart = (): ChartState => ({
  count: 0,
  higher: { value: 0, from: 0 },
  lower: { value: 0, from: 0 },
  learnt: null,
  values: [],
  ages: [],
  movedAt: null,
  beganAt: null,
  direction: null,
});

/** Number of values in the learning phase: line and SD are estimated before charting begins. */
export const LEARNING = 100;
/**
 * Number of learnt values with which the baseline is fixed, and interval after which line and SD
 * are estimated again until then. A fixed baseline does not follow a scanner that changes slowly.
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
 * Number of values from which the baseline is learnt at the value `at`; `null`: the baseline stays.
 * The first {@link LEARNING} values, then also later ones, up to {@link MAX_LEARNT}.
 */
function learntAt(at: number): number | null {
  const isDue = at >= LEARNING && (at - LEARNING) % LEARN_EVERY === 0 &&
    at - UNLEARNT < MAX_LEARNT + LEARN_EVERY;
  return isDue ? Math.min(MAX_LEARNT, Math.max(LEARNING, at - UNLEARNT)) : null;
}

const isFixed = (at: number): boolean => at - UNLEARNT >= MAX_LEARNT;

/** Adds to a sum that stays at or above 0. */
function add(sum: Sum, addend: number, at: number): void {
  sum.value = Math.max(0, sum.value + addend);
  if (sum.value === 0) sum.from = at + 1;
}

/** Records the first signal of a chart. */
function signal(chart: ChartState, at: number, limit: number): void {
  const { higher, lower } = chart, isHigher = higher.value > lower.value;
  if (chart.movedAt !== null || Math.max(higher.value, lower.value) <= limit) return;
  chart.movedAt = at;
  chart.beganAt = (isHigher ? higher : lower).from;
  chart.direction = isHigher ? "higher" : "lower";
}

/** Learns the baseline at the value `at` if it is due; drops the values that are no longer needed. */
function learn(chart: ChartState, at: number, learnFrom: (end: number) => Usual): void {
  const end = learntAt(at);
  if (end !== null) chart.learnt = learnFrom(end);
  if (!isFixed(at) || chart.values.length === 0) return;
  chart.values = [];
  chart.ages = [];
}

/**
 * Appends one value to a chart. The first {@link LEARNING} values only set line and standard
 * deviation. A chart that has signalled a change keeps that state.
 *
 * @param chart  Is changed.
 * @param age    Years.
 */
export function appendValue(
  chart: ChartState,
  value: number,
  age: number,
  { slack, limit }: ChartRule,
): void {
  const at = chart.count++;
  learn(chart, at, (end) => usual(chart.values.slice(0, end), chart.ages.slice(0, end)));
  if (!isFixed(at)) {
    chart.values.push(value);
    chart.ages.push(age);
  }
  const { learnt } = chart;
  const expected = learnt ? learnt.centre + learnt.slope * (age - learnt.age) : 0;
  const deviation = learnt ? (value - expected) / learnt.spread : 0;
  const limited = Math.max(-MAX_DEVIATION, Math.min(MAX_DEVIATION, deviation));
  add(chart.higher, limited - slack, at);
  add(chart.lower, -limited - slack, at);
  signal(chart, at, limit);
}

/** Minimum baseline rate of the event, and the odds ratio that the chart detects. */
const MIN_SHARE = 0.02, ODDS = 3;

/** Baseline rate of events as a baseline that does not depend on the age. */
const usualShare = (events: readonly number[]): Usual => ({
  centre: Math.max(
    MIN_SHARE,
    (events.filter((event) => event > 0).length + 1) / (events.length + 2),
  ),
  age: 0,
  slope: 0,
  spread: 1,
});

/**
 * Appends an event, such as an unreliable result, or its absence, to a chart of the cumulative log
 * likelihood ratio: three times the usual odds (Reynolds and Stoumbos, J Qual Technol
 * 1999;31:87–108). Only an increase of the rate is detected.
 */
export function appendEvent(chart: ChartState, isEvent: boolean, limit: number): void {
  const at = chart.count++;
  learn(chart, at, (end) => usualShare(chart.values.slice(0, end)));
  if (!isFixed(at)) chart.values.push(Number(isEvent));
  if (chart.learnt) {
    const share = chart.learnt.centre;
    const odds = ODDS * share / (1 - share), more = odds / (1 + odds);
    add(chart.higher, Math.log(isEvent ? more / share : (1 - more) / (1 - share)), at);
  } else add(chart.higher, 0, at);
  add(chart.lower, 0, at);
  signal(chart, at, limit);
}

/** Charts `count` values one after another; `append` adds the value of a place. */
function chartAll(count: number, append: (chart: ChartState, at: number) => void): Chart {
  const chart = newChart(), higher: number[] = [], lower: number[] = [];
  for (let at = 0; at < count; at++) {
    append(chart, at);
    higher.push(chart.higher.value);
    lower.push(chart.lower.value);
  }
  const { movedAt, beganAt, direction } = chart;
  return { higher, lower, movedAt, beganAt, direction };
}

/** Chart of values in the order of measurement, see {@link appendValue}. */
export const chartOf = (
  values: readonly number[],
  ages: readonly number[],
  rule: ChartRule,
): Chart =>
  chartAll(values.length, (chart, at) => appendValue(chart, values[at]!, ages[at]!, rule));

/** Chart of events in the order of measurement, see {@link appendEvent}. */
export const chartOfEvents = (events: readonly boolean[], limit: number): Chart =>
  chartAll(events.length, (chart, at) => appendEvent(chart, events[at]!, limit));
