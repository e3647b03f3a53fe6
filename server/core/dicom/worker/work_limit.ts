import process from "node:process";

/**
 * Wall time limit as a multiple of the CPU time limit, for tasks that wait instead of computing.
 */
export const LONGEST_WAIT = 10;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Limits the time of a task in a worker of this process. On a loaded machine only CPU time counts,
 * so that other processes do not cause the refusal of an intact file.
 * @param limitMs Limit of CPU time; the limit of wall time is {@link LONGEST_WAIT} times as much.
 * @param ended Called once, when the limit is reached.
 * @returns function that removes the limit
 */
export function limitWork(limitMs: number, ended: () => void): () => void {
  const start = performance.now();
  let lastMs = start, lastCpuMs = cpuMs(), workedMs = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now(), nowCpuMs = cpuMs();
    // CPU time of several threads counts only up to the elapsed wall time
    workedMs += Math.min(nowMs - lastMs, nowCpuMs - lastCpuMs);
    lastMs = nowMs;
    lastCpuMs = nowCpuMs;
    if (workedMs < limitMs && nowMs - start < LONGEST_WAIT * limitMs) return;
    clearInterval(timer);
    ended();
  }, Math.min(250, limitMs / 4));
  return () => clearInterval(timer);
}
