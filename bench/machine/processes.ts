// Resource usage of other processes, as reported by Linux.
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Clock ticks per second in /proc (USER_HZ): 100 on every Linux that Deno supports. */
const TICKS_PER_S = 100;

/** Processor time that a process has used on all its threads, s. */
export function processorSeconds(pid: number): number {
  // the name may contain any character, so the fields are read after it, from the third on
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

const statusOf = (pid: number, field: string) =>
  Number(
    new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))
      ?.[1] ?? 0,
  );

/** Resident memory of a process without file-backed pages, MB. */
export const memoryOf = (pid: number): number => statusOf(pid, "RssAnon") / 1024;

/** Number of open files, sockets and pipes of a process. */
export const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

export const threadsOf = (pid: number): number => statusOf(pid, "Threads");

/** All descendants of a process. */
export function descendantsOf(pid: number): number[] {
  const path = `/proc/${pid}/task`, threads = existsSync(path) ? readdirSync(path) : [];
  const children = threads.flatMap((thread) =>
    readFileSync(`${path}/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number)
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Processor time of a process and its running descendants, s. */
export function processorSecondsOfAll(pid: number): number {
  return [pid, ...descendantsOf(pid)].reduce((sum, each) => {
    try {
      return sum + processorSeconds(each);
    } catch {
      // the process has ended in the meantime
      return sum;
    }
  }, 0);
}

/** Kills a process and its descendants at once, without a signal that they could handle. */
export function killAll(pid: number): void {
  // stopped first, so that it cannot start other processes
  Deno.kill(pid, "SIGSTOP");
  for (const one of [...descendantsOf(pid), pid]) {
    try {
      Deno.kill(one, "SIGKILL");
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
