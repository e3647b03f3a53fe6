import process from "node:process";

/** Maximum wall time of a task as a multiple of the CPU time limit, for tasks that only wait. */
export const LONGEST_WAIT = 10;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Time limit of a task in a worker of this process. On a loaded machine only CPU time counts,
 * so that an intact file is not refused because other processes compute.
 * @param limitMs Limit of computing time; {@link LONGEST_WAIT} times as much by the clock.
 * @param ended Called once, when the limit is reached.
 * @returns function that cancels the limit
 */
export function limitWork(limitMs: number, ended: () => void): () => void {
  const start = performance.now();
  let lastMs = start, lastCpuMs = cpuMs(), workedMs = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now(), nowCpuMs = cpuMs();
    // several threads may compute: no more than the clock shows counts
    workedMs += Math.min(nowMs - lastMs, nowCpuMs - lastCpuMs);
    lastMs = nowMs;
    lastCpuMs = nowCpuMs;
    if (workedMs < limitMs && nowMs - start < LONGEST_WAIT * limitMs) return;
    clearInterval(timer);
    ended();
  }, Math.min(250, limitMs / 4));
  return () => clearInterval(timer);
}
