/** Where the tray keeps what goes on, of this tab and over a change of the page (client/tray/server_jobs.ts). */
export const KEPT_TRAY = "sulcus-tray";
/** Where it keeps what is fetched from the PACS (client/tray/pulls.ts). */
export const KEPT_PULLS = "sulcus-pulls";

/** Whether the page before left work, or failures that were not cleared: one of the lists kept has an entry. */
export const hasKeptWork = (): boolean =>
  sessionStorage.getItem(KEPT_PULLS) !== null ||
  /"(jobs|watched|failures)":\[[^\]]/.test(sessionStorage.getItem(KEPT_TRAY) ?? "");
