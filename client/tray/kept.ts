/**
 * Key under which a tab stores its running tasks over a change of the page
 * (client/tray/server_jobs.ts).
 */
export const KEPT_TRAY = "sulcus-tray";
/** Key under which it stores retrievals from the PACS (client/tray/pulls.ts). */
export const KEPT_PULLS = "sulcus-pulls";

/**
 * Whether the page before left work, or failures that were not cleared: one of the lists kept has
 * an entry.
 */
export function hasKeptWork(): boolean {
  if (sessionStorage.getItem(KEPT_PULLS) !== null) return true;
  try {
    const lists: unknown = JSON.parse(sessionStorage.getItem(KEPT_TRAY) ?? "{}");
    return Object.values(lists ?? {}).some((list) => Array.isArray(list) && list.length > 0);
  } catch {
    return false;
  }
}
