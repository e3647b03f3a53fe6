import { DEFAULT_LIST_VIEW, type ListView, listView } from "@/model/schema/worklist/list_view.ts";
import { type ExportSets, exportSets } from "@/model/schema/report/excel.ts";
import { readSettings, writeSettings } from "@/server/core/settings/storage/settings.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const KEY = "view", EXPORT_SETS_KEY = "export_sets";
const scopeOf = (userId: number) => `worklist:${userId}`;

/** The caller's worklist settings. Default settings for a new user or an outdated format. */
export async function getListView({ db }: ServiceContext, { uid }: Caller): Promise<ListView> {
  const stored = listView.safeParse((await readSettings(db, scopeOf(uid)))[KEY]);
  return stored.success ? stored.data : DEFAULT_LIST_VIEW;
}

/** Stores the caller's worklist settings. If several tabs store settings, the last one wins. */
export async function saveListView(
  { db }: ServiceContext,
  view: ListView,
  { uid }: Caller,
): Promise<ListView> {
  await writeSettings(db, scopeOf(uid), { [KEY]: view });
  return view;
}

/** Column selections for table exports that the caller has named; empty for an outdated format. */
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
