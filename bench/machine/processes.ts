// What other processes of this machine use, as Linux tells it.
import { readdirSync, readFileSync } from "node:fs";

/** Of /proc: a hundredth of a second on every Linux that Deno runs on (USER_HZ). */
const TICKS_PER_S = 100;

/** Processor time that a process has used on all its threads, s. */
export function processorSeconds(pid: number): number {
  // after the name, which may hold anything, come the fields from the third on
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

const statusOf = (pid: number, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);

/** Resident memory of a process that no file backs, MB. */
export const memoryOf = (pid: number): number => statusOf(pid, "RssAnon") / 1024;

/** Open files, sockets and pipes of a process. */
export const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

export const threadsOf = (pid: number): number => statusOf(pid, "Threads");
