const MINUTE_MS = 60_000;

/** Costly calls of one user in a minute, unless the operator says otherwise. */
export const CALLS_PER_MINUTE = 120;

/** Verdict on a call: `seconds` to wait for the next, 0 when it may go on. */
interface CallVerdict {
  seconds: number;
  /** the first that is refused since one went on */
  isFirst: boolean;
}

/**
 * How many calls each user may make in a minute, in this process: as many at once, then one by one
 * as time goes by. (Packages for it keep timers running and know requests; this is a number and a
 * time per user.)
 */
export class CallLimit {
  #used = new Map<number, { calls: number; atMs: number; isRefused: boolean }>();

  /**
   * @param perMinute 0: no limit.
   * @param nowMs A clock that is never set back.
   */
  constructor(
    readonly perMinute: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Counts a call of a user, unless it is refused. */
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
