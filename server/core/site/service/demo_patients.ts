// Study numbers of the demo patients, stored as a setting, because users can remove study labels.
import type { Database } from "@/server/core/database/database.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";

const SCOPE = "demo", KEY = "pids";

async function writtenPids(db: Database): Promise<number[]> {
  const value = (await readSettings(db, SCOPE))[KEY];
  return Array.isArray(value)
    ? value.filter((pid): pid is number => Number.isSafeInteger(pid))
    : [];
}

/** Numbers of the demo studies that were not deleted. */
export const demoPids = async (db: Database): Promise<number[]> =>
  (await readPatients(db, await writtenPids(db))).map(({ row }) => row.pid);

/**
 * Adds demo studies to the setting. Deleted studies stay in it, because they may be restored,
 * and study numbers are not reused.
 */
export const addDemoPids = async (db: Database, pids: readonly number[]): Promise<void> =>
  writeSettings(db, SCOPE, { [KEY]: [...new Set([...await writtenPids(db), ...pids])] });

/** Whether a study is of a demo patient; its results are never sent to other systems. */
export const isDemoPatient = async (db: Database, pid: number): Promise<boolean> =>
  (await writtenPids(db)).includes(pid);
