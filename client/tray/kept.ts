/** Session storage key under which a tab's running tasks are stored for the tab's next page. */
export const KEPT_TRAY = "sulcus-tray";
/** Session storage key of the running PACS retrievals (client/tray/pulls.ts). */
export const KEPT_PULLS = "sulcus-pulls";

/** Whether the previous page left running tasks, or failures that the user has not dismissed. */
export function hasKeptWork(): boolean {
  if (sessionStorage.getItem(KEPT_PULLS) !== null) return true;
  try {
    const lists: unknown = JSON.parse(sessionStorage.getItem(KEPT_TRAY) ?? "{}");
    return Object.values(lists ?? {}).some((list) => Array.isArray(list) && list.length > 0);
  } catch {
    return false;
  }
}
