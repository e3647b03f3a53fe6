import process from "node:process";
import type { StageRecord } from "@/server/core/engine/result.ts";
import type { Report } from "@/server/core/engine/worker/serve.ts";

/** Runs the stages of one analysis in order, reports each stage and records time and memory. */
export class StageRunner {
  readonly stages: StageRecord[] = [];
  #percent = 0;
  #current: { name: string; start: number; cpu: NodeJS.CpuUsage } | null = null;

  /** @param memory  Memory of the engine, of which the size is also the peak: it never shrinks. */
  constructor(private readonly report: Report, private readonly memory: WebAssembly.Memory) {}

  /**
   * Starts a stage, and ends the previous one.
   * @param percent  Progress at the start of the stage; reported progress never decreases.
   */
  begin(percent: number, name: string): void {
    this.end();
    this.#percent = Math.max(this.#percent, percent);
    this.report(this.#percent, name);
    this.#current = { name, start: performance.now(), cpu: process.cpuUsage() };
  }

  /** Records the running stage, if any. A failed stage is recorded too, because it took time. */
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

  /** Runs a stage that is a single call. @param percent  As in {@link begin}. */
  run<T>(percent: number, name: string, work: () => T): T {
    this.begin(percent, name);
    try {
      return work();
    } finally {
      this.end();
    }
  }
}
