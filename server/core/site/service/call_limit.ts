const MINUTE_MS = 60_000;

/** Default maximum number of expensive calls per user and minute. */
export const CALLS_PER_MINUTE = 120;

/** Decision about a call: allowed (`seconds` is 0), or refused for that many seconds. */
interface CallVerdict {
  seconds: number;
  /** whether this is the first refused call of a user since an allowed call */
  isFirst: boolean;
}

/**
 * Token bucket per user in this process: as many calls as per minute at once, then evenly in time.
 * Only a number and a time are stored for each user;
 * packages for rate limits would keep timers running and depend on request objects.
 */
export class CallLimit {
  #used = new Map<number, { calls: number; atMs: number; isRefused: boolean }>();

  /**
   * @param perMinute Maximum number of calls per user and minute; 0: unlimited.
   * @param nowMs Monotonic clock, ms.
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
