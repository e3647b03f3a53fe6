import process from "node:process";
import type { StageRecord } from "@/server/core/engine/result.ts";
import type { Report } from "@/server/core/engine/worker/serve.ts";

/** Runs the stages of one analysis in order, reports each and records its time and memory. */
export class StageRunner {
  readonly stages: StageRecord[] = [];
  #percent = 0;
  #current: { name: string; start: number; cpu: NodeJS.CpuUsage } | null = null;

  /** @param memory  Memory of the engine; its size is the peak, because it never shrinks. */
  constructor(private readonly report: Report, private readonly memory: WebAssembly.Memory) {}

  /**
   * Begins a stage, and ends the one before.
   *   @param percent  Progress of the analysis when the stage begins; reported progress never falls.
   */
  begin(percent: number, name: string): void {
    this.end();
    this.#percent = Math.max(this.#percent, percent);
    this.report(this.#percent, name);
    this.#current = { name, start: performance.now(), cpu: process.cpuUsage() };
  }

  /**
   * Records the stage that runs, if there is one. A stage that failed is recorded too: it took its
   * time.
   */
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

  /** A stage that is one call. @param percent  As in {@link begin}. */
  run<T>(percent: number, name: string, work: () => T): T {
    this.begin(percent, name);
    try {
      return work();
    } finally {
      this.end();
    }
  }
}
