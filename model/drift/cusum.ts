// Cumulative sums that find a lasting change of a mean (Page, Biometrika 1954;41:100–115), made
// robust by the median and limited values.

/** A rule of one chart, in spreads of its own values. */
export interface ChartRule {
  /** part of a deviation that is ignored: half of the change to be found */
  slack: number;
  /** sum from which the chart has moved */
  limit: number;
}

/** A chart after some values. */
export interface Chart {
  /** sums for a higher and a lower mean after each value; 0 while the chart learns */
  higher: number[];
  lower: number[];
  /** index of the value at which the chart moved; `null`: it has not */
  movedAt: number | null;
  /** index of the value from which its sum has grown since: when the change began */
  beganAt: number | null;
  direction: "higher" | "lower" | null;
}

/** Values from which the usual mean and spread are learnt before anything is charted. */
export const LEARNING = 100;
/** The newest values that mean and spread are learnt from, and how often they are learnt again. */
const MAX_LEARNT = 400, LEARN_EVERY = 20;
/**
 * The newest values are not learnt from: a change would become usual before its chart can move.
 */
const UNLEARNT = 40;
/** No value counts for more than so many spreads: one ill patient moves no chart. */
const MAX_DEVIATION = 2.5;
/** Spread of a normal distribution by its median absolute deviation. */
const SD_BY_MAD = 1.4826;
/** Smallest spread, in z: values that hardly differ would move a chart by rounding. */
const MIN_SPREAD = 0.05;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : sorted.length === 0
    ? NaN
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Median, and the spread by the median absolute deviation. */
function usual(values: readonly number[]): { centre: number; spread: number } {
  const centre = median(values);
  const spread = SD_BY_MAD * median(values.map((value) => Math.abs(value - centre)));
  return { centre, spread: Math.max(MIN_SPREAD, spread) };
}

/**
 * Charts values in the order in which they were measured. The first {@link LEARNING} only say
 * how the values usually are; a chart that has moved stays so.
 */
export function chartOf(values: readonly number[], { slack, limit }: ChartRule): Chart {
  const chart: Chart = { higher: [], lower: [], movedAt: null, beganAt: null, direction: null };
  let higher = 0, lower = 0, learnt = { centre: 0, spread: 1 };
  for (const [at, value] of values.entries()) {
    if (at >= LEARNING) {
      if ((at - LEARNING) % LEARN_EVERY === 0) {
        const end = Math.max(LEARNING, at - UNLEARNT);
        learnt = usual(values.slice(Math.max(0, end - MAX_LEARNT), end));
      }
      const deviation = Math.max(
        -MAX_DEVIATION,
        Math.min(MAX_DEVIATION, (value - learnt.centre) / learnt.spread),
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

/** The rarest usual event that a chart of events assumes, and how much more often it must happen. */
const MIN_SHARE = 0.02, ODDS = 3;

/**
 * Charts events, such as unreliable results, by the sum of log likelihood ratios of three times
 * their usual odds (Reynolds and Stoumbos, J Qual Technol 1999;31:87–108). Fewer events than usual
 * are no change.
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
