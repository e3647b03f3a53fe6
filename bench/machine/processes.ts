// What other processes of this machine use, as Linux tells it.
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Of /proc: a hundredth of a second on every Linux that Deno runs on (USER_HZ). */
const TICKS_PER_S = 100;

/** Processor time that a process has used on all its threads, s. */
export function processorSeconds(pid: number): number {
  // after the name, which may hold anything, come the fields from the third on
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

const statusOf = (pid: number, field: string) =>
  Number(
    new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))
      ?.[1] ?? 0,
  );

/** Resident memory of a process that no file backs, MB. */
export const memoryOf = (pid: number): number => statusOf(pid, "RssAnon") / 1024;

/** Open files, sockets and pipes of a process. */
export const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

export const threadsOf = (pid: number): number => statusOf(pid, "Threads");

/** Processes that a process has started, and those that these have. */
export function descendantsOf(pid: number): number[] {
  const path = `/proc/${pid}/task`, threads = existsSync(path) ? readdirSync(path) : [];
  const children = threads.flatMap((thread) =>
    readFileSync(`${path}/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number)
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Processor time of a process and of all that it has started and that still run, s. */
export function processorSecondsOfAll(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => {
    try {
      return sum + processorSeconds(each);
    } catch {
      // it has ended meanwhile
      return sum;
    }
  }, 0);
}

/** Ends a process and all that it has started at the same instant, without a warning. */
export function killAll(pid: number): void {
  // held still it starts nothing anew
  Deno.kill(pid, "SIGSTOP");
  for (const one of [...descendantsOf(pid), pid]) {
    try {
      Deno.kill(one, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
