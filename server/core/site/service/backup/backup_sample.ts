const DAY_MS = 86_400_000, WEEK_MS = 7 * DAY_MS;
/** Number of values of a hash's first two digits. */
const PREFIXES = 256;

/** Part of a backup that one run verifies. */
export interface Sample {
  isDue(hash: string): boolean;
  /** first two digits, as a number, where the next sample begins */
  nextFrom: number;
}

/**
 * Next sample, large enough to verify all files within a week if backups continue at the same rate.
 * A seventh of the files for a daily backup, all for a weekly backup.
 *
 * @param from Start of the sample: first two digits of the hashes, as a number.
 * @param sinceMs Time since the previous run; not positive (clock set back): taken as a day.
 */
export function nextSample(from: number, sinceMs: number): Sample {
  const runs = Math.max(1, Math.floor(WEEK_MS / (sinceMs > 0 ? sinceMs : DAY_MS)));
  const count = Math.ceil(PREFIXES / runs);
  return {
    isDue: (hash) => (Number.parseInt(hash.slice(0, 2), 16) - from + PREFIXES) % PREFIXES < count,
    nextFrom: (from + count) % PREFIXES,
  };
}
