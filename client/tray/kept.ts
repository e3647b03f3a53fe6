/** Session storage key of a tab's running tasks, for the next page (client/tray/server_jobs.ts). */
export const KEPT_TRAY = "sulcus-tray";
/** Session storage key of retrievals from the PACS (client/tray/pulls.ts). */
export const KEPT_PULLS = "sulcus-pulls";

/** Whether the previous page left running tasks or failures that the user has not cleared. */
export function hasKeptWork(): boolean {
  if (sessionStorage.getItem(KEPT_PULLS) !== null) return true;
  try {
    const lists: unknown = JSON.parse(sessionStorage.getItem(KEPT_TRAY) ?? "{}");
    return Object.values(lists ?? {}).some((list) => Array.isArray(list) && list.length > 0);
  } catch {
    return false;
  }
}
