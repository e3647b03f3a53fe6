const MINUTE_MS = 60_000;

/** Default maximum number of expensive calls per user and minute. */
export const CALLS_PER_MINUTE = 120;

/** Decision about a call: `seconds` to wait until the next call, 0 for an allowed call. */
interface CallVerdict {
  seconds: number;
  /** whether this is the first refused call after an allowed call */
  isFirst: boolean;
}

/**
 * Token bucket per user, in this process: the calls of a minute at once, then evenly over time.
 * A number and a time per user are enough.
 * Packages for rate limits keep timers running and depend on request objects.
 */
export class CallLimit {
  #used = new Map<number, { calls: number; atMs: number; isRefused: boolean }>();

  /**
   * @param perMinute 0: unlimited.
   * @param nowMs Monotonic clock.
   */
  constructor(
    readonly perMinute: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Counts a call of a user, unless the call is refused. */
  take(uid: number): CallVerdict {
    if (this.perMinute === 0) return { seconds: 0, isFirst: false };
    const nowMs = this.nowMs(),
      used = this.#used.get(uid) ?? { calls: 0, atMs: nowMs, isRefused: false };
    used.calls = Math.max(0, used.calls - (nowMs - used.atMs) * this.perMinute / MINUTE_MS);
    used.atMs = nowMs;
    this.#used.set(uid, used);
    const over = used.calls + 1 - this.perMinute, isFirst = over > 0 && !used.isRefused;
    used.isRefused = over > 0;
    if (over <= 0) used.calls++;
    return { seconds: over > 0 ? Math.ceil(over * MINUTE_MS / this.perMinute / 1000) : 0, isFirst };
  }
}
