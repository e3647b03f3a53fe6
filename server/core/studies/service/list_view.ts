import { DEFAULT_LIST_VIEW, type ListView, listView } from "@/model/schema/worklist/list_view.ts";
import { type ExportSets, exportSets } from "@/model/schema/report/excel.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const KEY = "view", EXPORT_SETS_KEY = "export_sets";
const scopeOf = (userId: number) => `worklist:${userId}`;

/**
 * The caller's view of the worklist; the default for a new user, or for a choice stored by an
 * earlier version.
 */
export async function getListView({ db }: ServiceContext, { uid }: Caller): Promise<ListView> {
  const stored = listView.safeParse((await readSettings(db, scopeOf(uid)))[KEY]);
  return stored.success ? stored.data : DEFAULT_LIST_VIEW;
}

/**
 * Stores how the caller looks at the worklist: the last one written holds, whichever tab it came
 * from.
 */
export async function saveListView(
  { db }: ServiceContext,
  view: ListView,
  { uid }: Caller,
): Promise<ListView> {
  await writeSettings(db, scopeOf(uid), { [KEY]: view });
  return view;
}

/**
 * The columns that the caller has chosen for tables, by name; none where an earlier version wrote
 * others.
 */
export async function getExportSets({ db }: ServiceContext, { uid }: Caller): Promise<ExportSets> {
  const stored = exportSets.safeParse((await readSettings(db, scopeOf(uid)))[EXPORT_SETS_KEY]);
  return stored.success ? stored.data : { sets: [] };
}

export async function saveExportSets(
  { db }: ServiceContext,
  sets: ExportSets,
  { uid }: Caller,
): Promise<ExportSets> {
  await writeSettings(db, scopeOf(uid), { [EXPORT_SETS_KEY]: sets });
  return sets;
}
