import type { Database } from "@/server/core/database/database.ts";

/**
 * Groups that are known at the same time; beyond, the oldest is forgotten and leaves an entry more.
 */
const MAX_GROUPS = 10_000;
const groups = new WeakMap<Database, Map<string, number>>();

const groupsOf = (db: Database): Map<string, number> => {
  const openGroups = groups.get(db) ?? new Map<string, number>();
  groups.set(db, openGroups);
  return openGroups;
};

/** Opens a group, or lets an open one last from now on. */
export function openGroup(db: Database, group: string, nowMs: number): void {
  const openGroups = groupsOf(db);
  openGroups.delete(group);
  openGroups.set(group, nowMs);
  if (openGroups.size > MAX_GROUPS) openGroups.delete(openGroups.keys().next().value!);
}

/** Forgets a group with an entry that could not be written: the next call writes it. */
export const closeGroup = (db: Database, group: string): void => void groupsOf(db).delete(group);

/** Whether one of these groups was opened within a time. Each process counts by itself. */
export function isInGroup(
  db: Database,
  names: readonly string[],
  withinMs: number,
  nowMs: number,
): boolean {
  const openGroups = groupsOf(db);
  return names.some((name) => Math.abs(nowMs - (openGroups.get(name) ?? -Infinity)) < withinMs);
}

/** Whether this is the first of a group within a time; opens it then. */
export function isFirstIn(db: Database, group: string, withinMs: number, nowMs: number): boolean {
  if (isInGroup(db, [group], withinMs, nowMs)) return false;
  openGroup(db, group, nowMs);
  return true;
}
