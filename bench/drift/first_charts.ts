// The first computation of a site's control charts, as after an upgrade: time, and its longest step.
import process from "node:process";
import { openDatabase } from "@/server/core/database/database.ts";
import { isComputingDrift, startDrift } from "@/server/core/norms/service/charts/drift_job.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { addMeasured } from "@/tests/sites/norms/measured_results.ts";

const MS_PER_US = 0.001;

/** Processor time of this process since an earlier `process.cpuUsage()`, ms. */
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return MS_PER_US * (user + system);
};

interface Steps {
  /** processor time of all steps, s */
  seconds: number;
  /** processor time of the longest step, ms: that of two steps if a tick came late */
  longestMs: number;
}

/**
 * Computes the charts of a new site, and measures the steps between two turns of the event loop.
 * Processor time, because on a machine with other work a step also waits for its turn.
 *
 * @param count Results of the site, one of each study.
 * @param scanners Scanners, which measure in turn.
 */
export async function firstCharts(count: number, scanners: number): Promise<Steps> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-charts-" });
  const db = openDatabase(`${folder}/core.sqlite`);
  try {
    await addMeasured(db, count, { scanners });
    const services = { db, log: () => {}, publish: () => {} } as unknown as ServiceContext;
    const begin = process.cpuUsage();
    let longestMs = 0, turn = begin;
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, cpuMs(turn));
      turn = process.cpuUsage();
    }, 0);
    startDrift(services);
    while (isComputingDrift(services)) await new Promise((resolve) => setTimeout(resolve, 1));
    clearInterval(timer);
    return { seconds: cpuMs(begin) / 1000, longestMs };
  } finally {
    await db.destroy();
    await Deno.remove(folder, { recursive: true });
  }
}
