// Background tasks: uploads, and files that the server makes. Shown by
// components/header/tray_menu.tsx on every page.
import { signal } from "@preact/signals-react";
import type { ErrorCode } from "@/model/errors.ts";

type TrayKind = "upload" | "table" | "reports" | "pull";

/** Something that takes its time. */
export interface TrayTask {
  id: string;
  kind: TrayKind;
  /** studies that it is about */
  count: number;
  /** 0..100; `null` before anything is known */
  percent: number | null;
  state: "running" | "waiting" | "done" | "failed";
  /** of a table or reports: where the finished file is */
  file?: string;
  /** which study, where it is one */
  what?: string;
  /** of a failed one from an archive: why */
  failure?: { failure: string; text: string };
  /** it goes on in another tab, where it can be seen */
  isElsewhere?: boolean;
  /** shows it whole */
  show?: () => void;
  cancel?: () => void;
  /** it is taken off the list when it is over */
  forget?: () => void;
}

/** A failure of a study. */
export interface TrayFailure {
  /** of a study in the list; `null`: it is not there */
  pid: number | null;
  /** patient id and name, where the list cannot tell */
  name?: string;
  code: ErrorCode | "missing_table" | "missing_reports" | "t1_failed" | "t2_failed";
}

export const trayTasks = signal<readonly TrayTask[]>([]);
export const trayFailures = signal<readonly TrayFailure[]>([]);

/** Studies that this user has uploaded or analysed: a failure is reported. */
export const watchedPids = signal<readonly number[]>([]);

const MAX_FAILURES = 50, MAX_WATCHED = 500;

/** Reports a failed analysis of these studies. */
export function watchAnalyses(pids: readonly number[]): void {
  watchedPids.value = [...new Set([...watchedPids.value, ...pids])].slice(-MAX_WATCHED);
}

/** Adds or updates a task. */
export function putTask(task: TrayTask): void {
  const otherTasks = trayTasks.value.filter(({ id }) => id !== task.id);
  trayTasks.value = [...otherTasks, task].sort((a, b) => a.id < b.id ? -1 : 1);
}

export function removeTask(id: string): void {
  trayTasks.value = trayTasks.value.filter((task) => task.id !== id);
}

/** Collects failures, the newest first; once for the same study and reason. */
export function addFailures(failures: readonly TrayFailure[]): void {
  const isNew = (one: TrayFailure) =>
    !failures.some(({ pid, name, code }) =>
      pid === one.pid && name === one.name && code === one.code
    );
  trayFailures.value = [...failures, ...trayFailures.value.filter(isNew)].slice(0, MAX_FAILURES);
}

/** Whether this page itself sends files: leaving it would end that. */
const isUploadingHere = (): boolean =>
  trayTasks.value.some(({ kind, state, isElsewhere }) =>
    kind === "upload" && !isElsewhere && (state === "running" || state === "waiting")
  );

/** Goes to another page; while this one sends files, in a tab of its own. */
export function goTo(path: string): void {
  if (isUploadingHere()) globalThis.open(path, "_blank");
  else location.assign(path);
}
