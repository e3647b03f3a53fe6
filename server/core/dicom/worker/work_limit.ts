import process from "node:process";

/** Longest wall time of work, as a multiple of its limit: for work that waits without computing. */
export const LONGEST_WAIT = 10;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Time limit of work in a worker of this process. On a loaded machine only the time counts in
 * which the process computed, so that a sound file is not refused because others compute.
 * @param limitMs Limit of computing time; {@link LONGEST_WAIT} times as much by the clock.
 * @param ended Called once, when the limit is reached.
 * @returns stops the limit
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
