const DAY_MS = 86_400_000, WEEK_MS = 7 * DAY_MS;
/** Values of the first two digits of a hash. */
const PREFIXES = 256;

/** The part of a backup that one run compares with its hashes. */
export interface Sample {
  isDue(hash: string): boolean;
  /** first two digits, as a number, at which the next sample begins */
  nextFrom: number;
}

/**
 * The next sample, so large that all files are compared within a week if runs come as often as
 * before: a 7th for a backup each day, all of it for one a week.
 *
 * @param from First two digits, as a number, at which it begins.
 * @param sinceMs Time since the run before; not positive (a clock was set back): taken as a day.
 */
export function nextSample(from: number, sinceMs: number): Sample {
  const runs = Math.max(1, Math.floor(WEEK_MS / (sinceMs > 0 ? sinceMs : DAY_MS)));
  const count = Math.ceil(PREFIXES / runs);
  return {
    isDue: (hash) => (Number.parseInt(hash.slice(0, 2), 16) - from + PREFIXES) % PREFIXES < count,
    nextFrom: (from + count) % PREFIXES,
  };
}
