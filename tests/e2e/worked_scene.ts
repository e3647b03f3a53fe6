// A site as in everyday use, and functions that bring a page into its states.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { login } from "@/client/api/accounts/auth.ts";
import { savePeer } from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { type Language } from "@/model/text.ts";
import { addAdministratorBefore } from "@/tests/sites/sign_in/quick_user.ts";
import { COLLEAGUE, fillWorklist, setUnderWay, WORKED } from "@/tests/sites/worked_site.ts";
import { answersClicks, EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";

/** A site as in everyday use, and the function that examines its states. */
export interface Scene {
  site: Site;
  pids: readonly number[];
  language: Language;
  /** called in every state */
  look: (page: Page, state: string) => Promise<void>;
  /** closes an open dialog, which can be reopened; by default by Escape */
  leave?: (page: Page, state: string, reopen: () => Promise<void>) => Promise<void>;
}

/** Starts the site. The caller stops it and removes its folder. */
export async function startWorkedSite(): Promise<{ site: Site; pids: number[]; dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), "sulcus-states-"));
  await addAdministratorBefore({ dataDir }, { email: EMAIL, password: PASSWORD });
  const pids = await fillWorklist(dataDir);
  const site = await startSite({ dataDir, workers: 1 });
  await setUnderWay(dataDir, pids);
  await savePeer(await apiOf(site, { email: EMAIL, password: PASSWORD }), null, {
    name: "Hospital PACS",
    kind: "dicomweb",
    config: { url: "http://127.0.0.1:1/dicom-web", search: true },
  });
  return { site, pids, dataDir };
}

/** API client of a signed-in user. */
async function apiOf(site: Site, user: { email: string; password: string }): Promise<Api> {
  const open: Api = { origin: site.url, send: (request) => fetch(request) };
  const { access_token } = await login(open, user);
  return { ...open, token: access_token };
}

/** API client of another user. */
export const colleagueOf = (site: Site): Promise<Api> => apiOf(site, COLLEAGUE);

/** A page of a given size and language; `scale` is the browser's zoom. */
export async function openScene(
  browser: Browser,
  { site, language }: Pick<Scene, "site" | "language">,
  viewport: { width: number; height: number },
  scale = 1,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: {
      width: Math.round(viewport.width / scale),
      height: Math.round(viewport.height / scale),
    },
    deviceScaleFactor: scale,
    baseURL: site.url,
  });
  context.setDefaultTimeout(60_000);
  await context.addCookies([{ name: "language", value: language, url: site.url }]);
  return await context.newPage();
}

export const dialog = (page: Page) => page.locator("dialog[open]").last();
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const rowOf = (page: Page, pid: number) => page.locator(`tr[data-pid="${pid}"]`);
export const pidOf = ({ pids }: Scene, state: (row: (typeof WORKED)[number]) => boolean) =>
  pids[WORKED.findIndex(state)]!;

/** Opens the list with all studies. */
export async function openList(page: Page, search = "?size=20"): Promise<void> {
  await page.goto(`/${search}`);
  await answersClicks(page);
}

/** Closes the open dialog by Escape. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
}

/** Opens a dialog, examines it, and closes it. */
export async function throughDialog(
  page: Page,
  { leave = closeDialog }: Scene,
  state: string,
  open: () => Promise<void>,
  look: () => Promise<void>,
): Promise<void> {
  const openWhole = async () => {
    await open();
    await dialog(page).waitFor();
    await dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });
  };
  await openWhole();
  await look();
  await leave(page, state, openWhole);
}

/** Stores a failed analysis for the tray, as if it had failed on the page before. */
export const leaveFailure = (page: Page, pid: number): Promise<void> =>
  page.evaluate((failed) => {
    const kept = JSON.parse(sessionStorage.getItem("sulcus-tray") ?? "{}");
    sessionStorage.setItem("sulcus-tray", JSON.stringify({ uid: 1, ...kept, failures: [failed] }));
  }, { pid, code: "t1_failed" });
