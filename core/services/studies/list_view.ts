import { DEFAULT_LIST_VIEW, type ListView, listView } from "@/model/schema/list_view.ts";
import { readSettings, writeSettings } from "@/core/storage/settings.ts";
import type { Caller, ServiceContext } from "@/core/services/context.ts";

const KEY = "view";
const scopeOf = (userId: number) => `worklist:${userId}`;

/** How the caller looks at the worklist; a new user, or one whose choice an earlier version wrote, gets the default. */
export async function getListView({ db }: ServiceContext, { uid }: Caller): Promise<ListView> {
  const stored = listView.safeParse((await readSettings(db, scopeOf(uid)))[KEY]);
  return stored.success ? stored.data : DEFAULT_LIST_VIEW;
}

/** Stores how the caller looks at the worklist: the last one written holds, whichever tab it came from. */
export async function saveListView(
  { db }: ServiceContext,
  view: ListView,
  { uid }: Caller,
): Promise<ListView> {
  await writeSettings(db, scopeOf(uid), { [KEY]: view });
  return view;
}
