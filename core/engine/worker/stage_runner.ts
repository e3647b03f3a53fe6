import process from "node:process";
import type { StageRecord } from "@/core/engine/result.ts";
import type { Report } from "@/core/engine/worker/serve.ts";

/** Runs the stages of one analysis in order, reports each and records what it took. */
export class StageRunner {
  readonly stages: StageRecord[] = [];
  #percent = 0;

  /** @param memory  Memory of the engine, whose size is the peak: it never shrinks. */
  constructor(private readonly report: Report, private readonly memory: WebAssembly.Memory) {}

  /** @param percent  Progress of the analysis when the stage begins; what is reported never falls. */
  run<T>(percent: number, name: string, work: () => T): T {
    this.#percent = Math.max(this.#percent, percent);
    this.report(this.#percent, name);
    const start = performance.now(), cpu = process.cpuUsage();
    const value = work();
    const used = process.cpuUsage(cpu);
    this.stages.push({
      name,
      seconds: Math.round(performance.now() - start) / 1000,
      cpuSeconds: Math.round((used.user + used.system) / 1000) / 1000,
      peakMb: Math.round(this.memory.buffer.byteLength / 1e5) / 10,
    });
    return value;
  }
}
