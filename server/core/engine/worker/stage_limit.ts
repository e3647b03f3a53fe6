import process from "node:process";

/** When a stage of the engine counts as hanging. */
export interface StageLimits {
  /**
   * Processor time of one stage, s: of the whole process, so that other work of the server counts
   * too. The longest stage takes about a minute of it; a slow or loaded machine takes longer by the
   * clock, not by this.
   */
  cpuS: number;
  /**
   * time by the clock without any news of a stage, ms: threads that wait for one another use no
   * processor
   */
  silentMs: number;
  everyMs: number;
}

export const STAGE_LIMITS: StageLimits = { cpuS: 45 * 60, silentMs: 6 * 3_600_000, everyMs: 5_000 };

const cpuS = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Watches the stages of one run: each has its own limit, which begins with its first report. */
export class StageWatch {
  #stage = "start";
  #cpuS = cpuS();
  #heardMs = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;

  /** @param ended Called once, with the reason, when a stage is over its limit. */
  constructor(private readonly limits: StageLimits, ended: (reason: string) => void) {
    this.#timer = setInterval(() => {
      const reason = this.#reason();
      if (reason === null) return;
      this.close();
      ended(reason);
    }, limits.everyMs);
  }

  /** A report of a stage. The same stage again is no new limit of processor time. */
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
