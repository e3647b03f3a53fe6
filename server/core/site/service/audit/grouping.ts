import type { Database } from "@/server/core/database/database.ts";

/**
 * Maximum number of open groups; beyond it the oldest is closed, which causes one more audit entry.
 */
const MAX_GROUPS = 10_000;
const groups = new WeakMap<Database, Map<string, number>>();

const groupsOf = (db: Database): Map<string, number> => {
  const openGroups = groups.get(db) ?? new Map<string, number>();
  groups.set(db, openGroups);
  return openGroups;
};

/** Opens a group of audit entries, or extends the time of an open group. */
export function openGroup(db: Database, group: string, nowMs: number): void {
  const openGroups = groupsOf(db);
  openGroups.delete(group);
  openGroups.set(group, nowMs);
  if (openGroups.size > MAX_GROUPS) openGroups.delete(openGroups.keys().next().value!);
}

/** Closes a group if its entry could not be written, so that the next call writes one. */
export const closeGroup = (db: Database, group: string): void => void groupsOf(db).delete(group);

/** Whether this process opened any of these groups within a time. */
export function isInGroup(
  db: Database,
  names: readonly string[],
  withinMs: number,
  nowMs: number,
): boolean {
  const openGroups = groupsOf(db);
  return names.some((name) => Math.abs(nowMs - (openGroups.get(name) ?? -Infinity)) < withinMs);
}

/** Whether no entry of the group was written within a time; opens the group. */
export function isFirstIn(db: Database, group: string, withinMs: number, nowMs: number): boolean {
  if (isInGroup(db, [group], withinMs, nowMs)) return false;
  openGroup(db, group, nowMs);
  return true;
}
