import process from "node:process";

/** Limits beyond which a stage of the engine counts as hanging. */
export interface StageLimits {
  /**
   * CPU time of one stage, s; of the whole process, so other work of the server is included.
   * The longest stage takes about a minute.
   * A slow or loaded machine increases the wall time, but not the CPU time.
   */
  cpuS: number;
  /**
   * wall time without a progress report of a stage, ms
   * detects threads that wait for one another without using CPU time
   */
  silentMs: number;
  everyMs: number;
}

export const STAGE_LIMITS: StageLimits = { cpuS: 45 * 60, silentMs: 6 * 3_600_000, everyMs: 5_000 };

const cpuS = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Monitors the stages of one run; the limit of a stage starts with its first report. */
export class StageWatch {
  #stage = "start";
  #cpuS = cpuS();
  #heardMs = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;

  /** @param ended Called once, with the reason, when a stage exceeds its limit. */
  constructor(private readonly limits: StageLimits, ended: (reason: string) => void) {
    this.#timer = setInterval(() => {
      const reason = this.#reason();
      if (reason === null) return;
      this.close();
      ended(reason);
    }, limits.everyMs);
  }

  /** Records a report of a stage. A repeated report does not restart the CPU time limit. */
  heard(stage: string): void {
    this.#heardMs = performance.now();
    if (stage === this.#stage) return;
    this.#stage = stage;
    this.#cpuS = cpuS();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #reason(): string | null {
    const usedS = Math.round(cpuS() - this.#cpuS), silentMs = performance.now() - this.#heardMs;
    if (usedS > this.limits.cpuS) {
      return `time limit: stage ${this.#stage} took ${usedS} s of processor`;
    }
    return silentMs > this.limits.silentMs
      ? `time limit: no news of stage ${this.#stage} for ${Math.round(silentMs / 60_000)} minutes`
      : null;
  }
}
