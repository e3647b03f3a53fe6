import process from "node:process";
import type { StageRecord } from "@/server/core/engine/result.ts";
import type { Report } from "@/server/core/engine/worker/serve.ts";

/** Runs the stages of an analysis in order, and records the time and memory of each. */
export class StageRunner {
  readonly stages: StageRecord[] = [];
  #percent = 0;
  #current: { name: string; start: number; cpu: NodeJS.CpuUsage } | null = null;

  /** @param memory  The engine's WebAssembly memory: it never shrinks, so its size is the peak. */
  constructor(private readonly report: Report, private readonly memory: WebAssembly.Memory) {}

  /**
   * Starts a stage, and ends the running stage.
   * @param percent  Progress at the stage's start; the reported progress never decreases.
   */
  begin(percent: number, name: string): void {
    this.end();
    this.#percent = Math.max(this.#percent, percent);
    this.report(this.#percent, name);
    this.#current = { name, start: performance.now(), cpu: process.cpuUsage() };
  }

  /** Records time and memory of the running stage, also when the stage failed. */
  end(): void {
    if (!this.#current) return;
    const { name, start, cpu } = this.#current, used = process.cpuUsage(cpu);
    this.stages.push({
      name,
      seconds: Math.round(performance.now() - start) / 1000,
      cpuSeconds: Math.round((used.user + used.system) / 1000) / 1000,
      peakMb: Math.round(this.memory.buffer.byteLength / 1e5) / 10,
    });
    this.#current = null;
  }

  /** Runs a stage that consists of one call. @param percent  As in {@link begin}. */
  run<T>(percent: number, name: string, work: () => T): T {
    this.begin(percent, name);
    try {
      return work();
    } finally {
      this.end();
    }
  }
}
