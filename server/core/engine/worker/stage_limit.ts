import process from "node:process";

/** Limits beyond which a stage of the engine counts as hanging and the analysis is ended. */
export interface StageLimits {
  /**
   * CPU time of the whole process during one stage, s; includes other work of the server.
   * The longest stage uses about a minute of CPU time.
   * A slow or loaded machine increases the wall time, but not the CPU time.
   */
  cpuS: number;
  /**
   * wall time without a progress report, ms; detects threads that wait for one another,
   * which use no CPU time
   */
  silentMs: number;
  everyMs: number;
}

export const STAGE_LIMITS: StageLimits = { cpuS: 45 * 60, silentMs: 6 * 3_600_000, everyMs: 5_000 };

const cpuS = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Monitors the stages of one run; a stage's time limit starts with its first progress report. */
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

  /** Records a progress report. A repeated report does not restart the stage's CPU time limit. */
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
