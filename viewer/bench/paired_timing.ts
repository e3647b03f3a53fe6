// Alternating timing of two implementations, so that other programs slow both equally.

/** Times of one round (a series of calls) of each implementation, ms per call. */
export type Pair = readonly [kernelMs: number, plainMs: number];

export interface PairedTimes {
  pairs: readonly Pair[];
  /** median time of the WASM kernel, ms per call */
  kernelMs: number;
  plainMs: number;
  /** median of the time ratios kernel / plain JavaScript */
  ratio: number;
  /** 95 % confidence interval of the median ratio */
  interval: readonly [low: number, high: number];
  /** true if the interval is still wider than a fifth of the ratio after the last pair */
  isNoisy: boolean;
}

type Clock = () => number;

/** Minimum duration of a round, in clock ticks: one tick is then at most 1 % of the round. */
const TICKS = 100;
const MIN_ROUND_MS = 4, MAX_ROUND_MS = 200;
const WARM_UP_CALLS = 5, WARM_UP_MS = 30;
/**
 * Rounds per block: pairs are measured in blocks until the confidence interval is narrow enough.
 */
const BLOCK = 25, BLOCKS = 3, MAX_WIDTH = 0.2;

/** Measures the clock's resolution in ms; browsers make the clock coarser for privacy. */
export function tickMs(clock: Clock): number {
  let tick = Infinity;
  for (let step = 0; step < 5; step++) {
    const start = clock();
    let currentMs = start;
    while (currentMs === start) currentMs = clock();
    tick = Math.min(tick, currentMs - start);
  }
  return tick;
}

export function roundMs(
  call: () => unknown,
  calls: number,
  clock: Clock = () => performance.now(),
): number {
  const start = clock();
  for (let n = 0; n < calls; n++) call();
  return clock() - start;
}

/** Number of calls that fill a round, measured after the browser has compiled the function. */
function callsOf(call: () => unknown, wantedMs: number, clock: Clock): number {
  const end = clock() + WARM_UP_MS;
  for (let n = 0; n < WARM_UP_CALLS || clock() < end; n++) call();
  for (let calls = 1;;) {
    const ms = roundMs(call, calls, clock);
    if (ms >= wantedMs) return calls;
    calls = ms <= wantedMs / 10 ? calls * 8 : Math.ceil(calls * wantedMs / ms * 1.1);
  }
}

const median = (sorted: readonly number[]): number =>
  (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;

const ascending = (values: Iterable<number>) => [...values].sort((a, b) => a - b);

/**
 * Distribution-free interval of the median with at least 95 % coverage, between the k-th smallest
 * and the k-th largest value, by the binomial distribution (Conover 1999, 3.2).
 * @param sorted Values in ascending order, at least 6.
 */
export function medianInterval(sorted: readonly number[]): [low: number, high: number] {
  const n = sorted.length;
  let k = 0, term = 0.5 ** n, below = term;
  while (below <= 0.025) {
    k++;
    term *= (n - k + 1) / k;
    below += term;
  }
  const at = Math.max(k - 1, 0);
  return [sorted[at]!, sorted[n - 1 - at]!];
}

const ratiosOf = (pairs: readonly Pair[]) =>
  ascending(pairs.map(([kernel, plain]) => kernel / plain));

/** @param pairs At least one pair of rounds. */
export const medianRatio = (pairs: readonly Pair[]): number => median(ratiosOf(pairs));

/** Whether the interval of a speed ratio is too wide to report the ratio. */
export const isTooWide = (ratio: number, [low, high]: readonly [number, number]): boolean =>
  high - low > MAX_WIDTH * ratio;

/** @param values At least one number. */
export const medianOf = (values: readonly number[]): number => median(ascending(values));

/** Pairs the kernel's and plain JavaScript's time of each round, ms per call. */
export const pairsOf = (kernelMs: readonly number[], plainMs: readonly number[]): Pair[] =>
  kernelMs.map((ms, round) => [ms, plainMs[round]!]);

/** @param pairs At least 6 pairs of rounds, measured alternately. */
export function timesOf(pairs: readonly Pair[]): PairedTimes {
  const ratios = ratiosOf(pairs);
  const ratio = median(ratios), interval = medianInterval(ratios);
  return {
    pairs,
    kernelMs: median(ascending(pairs.map(([kernel]) => kernel))),
    plainMs: median(ascending(pairs.map(([, plain]) => plain))),
    ratio,
    interval,
    isNoisy: isTooWide(ratio, interval),
  };
}

/**
 * Times implementations of the same task in alternate rounds. Stops when the confidence intervals
 * of the ratios between the first implementation and each of the other ones are narrow enough.
 *
 * @returns milliseconds per call, by implementation, then by round.
 */
export function alternateRounds(
  ways: readonly (() => unknown)[],
  clock: Clock = () => performance.now(),
  mostBlocks = BLOCKS,
): number[][] {
  const wantedMs = Math.min(Math.max(TICKS * tickMs(clock), MIN_ROUND_MS), MAX_ROUND_MS);
  const calls = ways.map((way) => callsOf(way, wantedMs, clock));
  const ms: number[][] = ways.map(() => []), order = [...ways.keys()];
  for (let block = 0; block < mostBlocks; block++) {
    for (let n = 0; n < BLOCK; n++) {
      // the order alternates, so that a machine that slows down favours no implementation
      for (const at of n % 2 === 0 ? order : order.toReversed()) {
        ms[at]!.push(roundMs(ways[at]!, calls[at]!, clock) / calls[at]!);
      }
    }
    const [first, ...others] = ms as [number[], ...number[][]];
    if (others.every((other) => !timesOf(pairsOf(first, other)).isNoisy)) break;
  }
  return ms;
}

/** Times two implementations in alternating rounds. */
export function pairedTimes(
  kernel: () => void,
  plain: () => void,
  clock: Clock = () => performance.now(),
): PairedTimes {
  const [kernelMs, plainMs] = alternateRounds([kernel, plain], clock) as [number[], number[]];
  return timesOf(pairsOf(kernelMs, plainMs));
}

/** Number of calls that fill a round of an implementation, for timing against another program. */
export const callsOfRound = (call: () => unknown): number =>
  callsOf(call, MIN_ROUND_MS, () => performance.now());

/** Rounds per block, and maximum number of blocks, for callers with a separate measuring loop. */
export const BLOCK_ROUNDS = BLOCK, MOST_BLOCKS = BLOCKS;

/**
 * Ratio of the time of `b` to that of `a`:
 * Hodges–Lehmann estimate with a 95 % interval by the Mann–Whitney test (Conover 1999, 5.4).
 * The times differ significantly when the interval excludes 1.
 */
export function compareTimes(
  a: readonly number[],
  b: readonly number[],
): { ratio: number; interval: readonly [low: number, high: number] } {
  const ratios = ascending(b.flatMap((later) => a.map((earlier) => later / earlier)));
  const m = a.length, n = b.length;
  const k = Math.max(Math.floor(m * n / 2 - 1.96 * Math.sqrt(m * n * (m + n + 1) / 12)), 1);
  return { ratio: median(ratios), interval: [ratios[k - 1]!, ratios[m * n - k]!] };
}
