const DAY_MS = 86_400_000, WEEK_MS = 7 * DAY_MS;
/** Number of possible values of the first two hexadecimal digits of a hash. */
const PREFIXES = 256;

/** Part of a backup's files that one run verifies. */
export interface Sample {
  isDue(hash: string): boolean;
  /** first two digits of the hashes, as a number, with which the next sample begins */
  nextFrom: number;
}

/**
 * Sample for this run, so large that equally frequent backups verify all files within a week:
 * a seventh of the files for a daily backup, all for a weekly backup.
 *
 * @param from First two digits of the hashes, as a number, with which the sample begins.
 * @param sinceMs Time since the previous run; if not positive (clock set back), a day is assumed.
 */
export function nextSample(from: number, sinceMs: number): Sample {
  const runs = Math.max(1, Math.floor(WEEK_MS / (sinceMs > 0 ? sinceMs : DAY_MS)));
  const count = Math.ceil(PREFIXES / runs);
  return {
    isDue: (hash) => (Number.parseInt(hash.slice(0, 2), 16) - from + PREFIXES) % PREFIXES < count,
    nextFrom: (from + count) % PREFIXES,
  };
}
