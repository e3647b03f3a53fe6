// Every state of the pages around the worklist, one after the other: for pictures of them, and for what must hold in each.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { login } from "@/client/api/accounts/auth.ts";
import { restoreStudy } from "@/client/api/studies/bin.ts";
import { savePeer } from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { deletePatient } from "@/client/api/studies/patients.ts";
import type { ArchiveFound } from "@/model/schema/connections/pacs.ts";
import { type Language } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { filterProblemText } from "@/model/text/worklist/filter_problems.ts";
import { filtersText } from "@/model/text/worklist/filters.ts";
import { helpText } from "@/model/text/help.ts";
import { helpOpenText } from "@/model/text/help_open.ts";
import { trayText } from "@/model/text/tray.ts";
import { labelsText } from "@/model/text/worklist/labels.ts";
import { listStateText } from "@/model/text/worklist/list_state.ts";
import { listViewText } from "@/model/text/worklist/list_view.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { patientEditText } from "@/model/text/worklist/patient_edit.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { createCore } from "@/core/mod.ts";
import { COLLEAGUE, fillWorklist, setUnderWay, WORKED } from "@/tests/sites/worked_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { answersClicks, EMAIL, PASSWORD, type Site, startSite } from "@/tests/e2e/site.ts";

/** A site in the middle of its work, and who looks at it. */
export interface Scene {
  site: Site;
  pids: readonly number[];
  language: Language;
  /** called in every state */
  look: (page: Page, state: string) => Promise<void>;
  /** leaves an open dialog, which can be opened again; by Escape if it is not said */
  leave?: (page: Page, state: string, reopen: () => Promise<void>) => Promise<void>;
}

/** Starts the site of the states. The caller stops it, and removes its folder. */
export async function startWorkedSite(): Promise<{ site: Site; pids: number[]; dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), "sulcus-states-"));
  await createCore({ dataDir, workers: 0, adminEmail: EMAIL, adminPassword: PASSWORD })
    .then((core) => core.close());
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

/** The calls of somebody who signs in. */
async function apiOf(site: Site, user: { email: string; password: string }): Promise<Api> {
  const open: Api = { origin: site.url, send: (request) => fetch(request) };
  const { access_token } = await login(open, user);
  return { ...open, token: access_token };
}

/** Somebody else's calls. */
export const colleagueOf = (site: Site): Promise<Api> => apiOf(site, COLLEAGUE);

/** A page of a size, in a language; `scale` as the browser's zoom. */
export async function openScene(
  browser: Browser,
  { site, language }: Pick<Scene, "site" | "language">,
  viewport: { width: number; height: number },
  scale = 1,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: Math.round(viewport.width / scale), height: Math.round(viewport.height / scale) },
    deviceScaleFactor: scale,
    baseURL: site.url,
  });
  context.setDefaultTimeout(60_000);
  await context.addCookies([{ name: "language", value: language, url: site.url }]);
  return await context.newPage();
}

const dialog = (page: Page) => page.locator("dialog[open]").last();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const rowOf = (page: Page, pid: number) => page.locator(`tr[data-pid="${pid}"]`);
const pidOf = ({ pids }: Scene, state: (row: (typeof WORKED)[number]) => boolean) =>
  pids[WORKED.findIndex(state)]!;

/** The list with all of its studies. */
async function openList(page: Page, search = "?size=20"): Promise<void> {
  await page.goto(`/${search}`);
  await answersClicks(page);
}

/** Closes what is open by its Escape. */
async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
}

/** Opens a dialog, looks, and leaves it. */
async function throughDialog(
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

/** The list: as it is, narrowed, empty, being asked for, not to be had, as cards, with the history of a patient. */
export async function listStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene, patients = "**/api/v1/patients?*";
  await openList(page, "");
  await look(page, "list");
  await openList(page);
  await look(page, "list of all");
  await page.getByRole("group", { name: listStateText.states[l] }).getByRole("button").nth(2).click();
  await page.waitForURL(/state=failed/);
  await look(page, "list of failures");
  await openList(page, "?sex=female&age_from=60&age_to=80&t1w=true&size=20");
  await page.locator(".filter-tags li").nth(1).waitFor();
  await look(page, "list with filters");
  await openList(page, "?age_from=150&size=20");
  await page.locator(".filter-tags li").nth(1).waitFor();
  await look(page, "list with filters and no hit");
  await openList(page, "?search=nobody");
  await look(page, "list with a search and no hit");

  await openList(page);
  const answer = Promise.withResolvers<void>();
  await page.route(patients, async (route) => {
    await answer.promise;
    await route.continue().catch(() => {});
  });
  await page.getByRole("columnheader", { name: worklistText.study[l] }).getByRole("button").click();
  await page.locator("[aria-busy=true]").waitFor();
  await look(page, "list being asked for");
  answer.resolve();
  await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
  await page.unroute(patients);
  await page.route(patients, (route) => route.abort());
  await page.getByRole("columnheader", { name: worklistText.patientId[l] }).getByRole("button").click();
  await button(page, commonText.retry[l]).waitFor();
  await look(page, "list that could not be loaded");
  await page.unroute(patients);

  await openList(page);
  await rowOf(page, scene.pids[9]!).locator("td.col-study").click();
  await page.locator(".history-open tbody tr").nth(1).waitFor();
  await look(page, "history");
  await button(page, worklistText.cardView[l]).click();
  await page.locator(".worklist-card").first().waitFor();
  await look(page, "cards");
  await page.locator(".worklist-card [aria-expanded]").first().click();
  await page.locator(".history-scroll tbody tr").first().waitFor();
  await look(page, "card with its history");
  await button(page, worklistText.tableView[l]).click();
}

/** What opens over the list. */
export async function dialogStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene, seen = (state: string) => () => look(page, state);
  const through = (page: Page, name: string, look: () => Promise<void>) =>
    throughDialog(page, scene, name, () => button(page, name).first().click(), look);
  await openList(page);
  await through(page, worklistText.filter[l], async () => {
    await look(page, "filters");
    await page.getByLabel(filtersText.ageFrom[l]).fill("300");
    await button(page, filtersText.apply[l]).click();
    await page.getByText(filterProblemText.age_range[l]).first().waitFor();
    await look(page, "filters with a mistake");
  });
  await through(page, listViewText.open[l], seen("columns and density"));
  await through(page, helpOpenText.open[l], seen("help"));
  await throughDialog(page, scene, "keys", () => page.keyboard.press("?"), seen("keys"));
  await through(page, worklistText.exportAll[l], async () => {
    await look(page, "export");
    await button(page, excelText.change[l]).click();
    await look(page, "export, choosing columns");
  });
  for (const at of [2, 9, 11]) await rowOf(page, scene.pids[at]!).getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button").nth(3).waitFor();
  await look(page, "selection");
  await through(page, worklistSelectionText.labels[l], async () => {
    await look(page, "labels");
    await page.getByLabel(labelsText.newLabel[l]).fill("x".repeat(30));
    await look(page, "labels with a mistake");
    await page.getByLabel(labelsText.newLabel[l]).fill("");
  });
  await through(page, worklistSelectionText.delete[l], seen("delete"));
  await through(page, worklistSelectionText.analyze[l], seen("analyse again"));
  await button(page, worklistSelectionText.clear[l]).click();
  await rowOf(page, scene.pids[9]!).getByRole("checkbox").check();
  await through(page, worklistSelectionText.deidentify[l], seen("de-identify"));
  await button(page, worklistSelectionText.clear[l]).click();
  await archiveStates(page, scene, through);
}

/** The search of an archive: nothing asked yet, one that cannot be reached, and what another found. */
async function archiveStates(
  page: Page,
  { language: l, look }: Scene,
  through: (page: Page, name: string, look: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const search = "**/api/v1/pacs/*/search";
  await through(page, pacsText.open[l], async () => {
    await look(page, "archive");
    await dialog(page).getByLabel(pacsText.patientId[l]).fill("20481");
    const ask = () => dialog(page).getByRole("button", { name: pacsText.search[l], exact: true }).click();
    await ask();
    await dialog(page).getByRole("alert").waitFor();
    await look(page, "archive that does not answer");
    // the search itself is tested with a real archive (tests/api/connections/pull_test.ts)
    await page.route(search, (route) => route.fulfill({ json: ARCHIVED }));
    await ask();
    await dialog(page).getByRole("checkbox").first().check();
    await look(page, "archive, with a study chosen");
    await page.unroute(search);
  });
}

const ofKim = {
  patient_id: "20481",
  patient_name: "Kim Haneul / 김하늘",
  birth_date: "1954-01-02",
  modalities: ["MR"],
  accession_number: "",
};
const ARCHIVED: ArchiveFound = {
  studies: [
    {
      ...ofKim,
      study_uid: "1.2.3.1",
      study_date: "2022-05-30",
      description: "Brain MRI, dementia protocol",
      series: 6,
      images: 612,
      pid: null,
    },
    {
      ...ofKim,
      study_uid: "1.2.3.2",
      study_date: "2024-11-12",
      description: "Brain MRI",
      series: 5,
      images: 548,
      pid: 1,
    },
  ],
  is_cut: false,
  failure: null,
};

/** The edit of a row, and what comes between. */
export async function editStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look, site } = scene;
  await openList(page);
  const pid = pidOf(scene, ({ id }) => id === "20519");
  await rowOf(page, pid).press("e");
  const form = page.locator("tr[data-editing]");
  await form.waitFor();
  await look(page, "edit of a row");
  await form.getByLabel(patientEditText.patient_name[l]).fill("");
  await form.getByRole("button", { name: patientEditText.save[l] }).click();
  await page.locator("tr.edit-message").waitFor();
  await look(page, "edit with a mistake");
  await form.getByLabel(patientEditText.patient_name[l]).fill("Smith Eleanor Ann");
  const colleague = await colleagueOf(site);
  await deletePatient(colleague, pid, "test");
  await form.getByRole("button", { name: patientEditText.close[l] }).or(dialog(page)).first().waitFor();
  await look(page, "edit of a study that somebody deletes");
  await restoreStudy(colleague, pid);
}

let uploads = 0;

/** The upload: choosing, what is refused before, sending, in the tray, and what became of it. */
export async function uploadStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene, folder = mkdtempSync(join(tmpdir(), "sulcus-states-"));
  // other patients each time: what a site has is not sent
  for (const id of [`${30_771 + uploads++}`, `${30_771 + uploads++}`]) {
    mkdirSync(join(folder, id));
    for (const file of phantomSeries("short", id)) writeFileSync(join(folder, id, file.fileName), file.bytes);
  }
  writeFileSync(join(folder, "broken.dcm"), "not DICOM");
  await openList(page);
  await button(page, worklistText.upload[l]).first().click();
  await dialog(page).waitFor();
  await look(page, "upload");
  await page.locator("input[data-pick=folder]").setInputFiles(folder);
  await dialog(page).locator("table, [role=alert]").first().waitFor();
  await look(page, "upload of several patients as one");
  await page.getByRole("tab", { name: uploadDialogText.multi_case[l] }).click();
  await look(page, "upload, studies found");
  const held = Promise.withResolvers<void>();
  const parts = /\/api\/v1\/patients\?upload_id=/;
  await page.route(parts, async (route) => {
    await held.promise;
    await route.continue().catch(() => {});
  });
  await dialog(page).getByRole("button", { name: uploadDialogText.start[l], exact: true }).click();
  await button(page, uploadDialogText.minimise[l]).waitFor();
  await look(page, "upload, sending");
  await button(page, uploadDialogText.minimise[l]).click();
  await dialog(page).waitFor({ state: "detached" });
  await page.locator(".tray-button").click();
  await page.locator(".tray-panel").waitFor();
  await look(page, "tray, sending");
  await page.keyboard.press("Escape");
  held.resolve();
  // while it was held it may have been taken for a lost connection
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.locator(".tray-button .spinner").waitFor({ state: "detached" });
  await page.locator(".tray-button").click();
  await page.locator(".tray-panel").waitFor();
  await look(page, "tray, finished");
  await page.locator(".tray-panel").getByRole("button").first().click();
  await dialog(page).waitFor();
  await look(page, "upload, result");
  await closeDialog(page);
  await page.unroute(parts);
}

/** As if a study's analysis had failed on the page before. */
const leaveFailure = (page: Page, pid: number): Promise<void> =>
  page.evaluate((failed) => {
    const kept = JSON.parse(sessionStorage.getItem("sulcus-tray") ?? "{}");
    sessionStorage.setItem("sulcus-tray", JSON.stringify({ uid: 1, ...kept, failures: [failed] }));
  }, { pid, code: "t1_failed" });

/** A failure that was collected, with the way to its row. */
export async function trayStates(page: Page, scene: Scene): Promise<void> {
  const { look } = scene, pid = pidOf(scene, ({ state }) => state === "failed");
  await openList(page);
  await leaveFailure(page, pid);
  await page.reload();
  await answersClicks(page);
  await page.locator(".tray-button").click();
  const link = page.locator(".tray-panel").getByRole("link");
  await link.waitFor();
  await look(page, "tray with a failure");
  await link.click();
  await page.waitForURL(/search=20502/);
  await rowOf(page, pid).waitFor();
  await answersClicks(page);
  await look(page, "row of a failure");
}

/** The header's menu, its dialogs with every tab, and the pages that it leads to. */
export async function headerStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene;
  await openList(page);
  const menu = page.locator("header button[aria-haspopup=menu]");
  await menu.click();
  await page.getByRole("menu").waitFor();
  await look(page, "user menu");
  await page.keyboard.press("Escape");
  for (const [place, what] of ["settings", "about", "my page", "sign out"].entries()) {
    const open = async () => {
      await menu.click();
      const items = page.getByRole("menuitem");
      await (what === "sign out" ? items.last() : items.nth(place)).click();
    };
    await throughDialog(page, scene, what, open, async () => {
      const tabs = await dialog(page).getByRole("tab").all();
      if (tabs.length === 0) await look(page, what);
      for (const [n, tab] of tabs.entries()) {
        await tab.click();
        await dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });
        await look(page, `${what}, tab ${n + 1}`);
      }
    });
  }
  await page.goto("/status");
  await page.locator("[data-island=ServerStatus][data-hydrated]").waitFor({ state: "attached" });
  const tabs = await page.getByRole("tab").all();
  for (const [n, tab] of tabs.entries()) {
    await tab.click();
    await page.getByRole("tabpanel").locator(":scope > *").first().waitFor();
    await look(page, `status, tab ${n + 1}`);
    if (n !== 1) continue;
    await page.getByRole("tabpanel").getByRole("button", {
      name: l === "en" ? "Add connection" : "연결 추가",
    }).click();
    await page.getByRole("tabpanel").locator("form").first().waitFor();
    await look(page, "connection being added");
  }
  await page.goto("/second-factor");
  await page.locator("[data-island=SecondFactor][data-hydrated]").waitFor({ state: "attached" });
  await look(page, "one-time codes");
}

/** The help of a page, and what was left on the page before in its tray. */
async function headerTools(page: Page, scene: Scene, name: string): Promise<void> {
  const { language: l, look } = scene;
  const help = button(page, helpOpenText.open[l]);
  await throughDialog(page, scene, `help of the ${name}`, () => help.click(), async () => {
    await dialog(page).getByText(helpText[`${name as "viewer" | "report"}1`][l]).waitFor();
    await look(page, `help of the ${name}`);
  });
  await page.locator(".tray-button").click();
  await page.locator(".tray-panel").getByText(trayText.failures[l]).waitFor();
  await look(page, `${name} with the tray`);
  await page.keyboard.press("Escape");
}

/** The manual, and the viewer with what readers measure and correct in it. */
export async function readingStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene;
  await page.goto("/help");
  await page.locator("[data-island=HeaderBar][data-hydrated]").waitFor({ state: "attached" });
  await look(page, "manual");
  await page.goto(`/help?q=${encodeURIComponent(l === "en" ? "percentile" : "백분위")}`);
  await page.locator("mark").first().waitFor();
  await look(page, "manual, searched");
  await leaveFailure(page, pidOf(scene, ({ state }) => state === "failed"));
  await ((page.viewportSize()?.width ?? 0) >= 1024 ? viewerStates : narrowViewer)(page, scene);
  await page.goto(`/report/${scene.pids[9]}`);
  await page.locator(".report-sheet").first().waitFor();
  await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({ state: "attached" });
  await look(page, "report");
  await headerTools(page, scene, "report");
}

/** The viewer with its images. */
async function openViewer(page: Page, { pids }: Scene): Promise<void> {
  await page.goto(`/viewer/${pids[9]}`);
  await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
  await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
}

/** The viewer in less room than the documents ask for: its list stands below the images. */
async function narrowViewer(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene;
  await openViewer(page, scene);
  await page.getByRole("toolbar", { name: viewerText.toolbar[l] }).waitFor();
  await look(page, "narrow viewer");
  await page.keyboard.press("w");
  await page.getByRole("region", { name: viewerReadingText.reading[l] }).waitFor();
  await look(page, "narrow viewer, measure");
}

async function viewerStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene;
  await openViewer(page, scene);
  await look(page, "viewer");
  await headerTools(page, scene, "viewer");
  // its tools, and with them their keys, come after the images
  await page.getByRole("toolbar", { name: viewerText.toolbar[l] }).waitFor();
  await page.keyboard.press("w");
  const panel = page.getByRole("region", { name: viewerReadingText.reading[l] });
  await panel.waitFor();
  for (const section of ["measure", "correct", "images"] as const) {
    await panel.getByText(viewerReadingText[section][l], { exact: true }).first().click();
    await look(page, `viewer, ${section}`);
  }
}

/** The session ends elsewhere. Nobody is signed in afterwards. */
export async function endedStates(page: Page, { site, look }: Scene): Promise<void> {
  const hears = page.waitForRequest((request) => /\/api\/v1\/patients\?/.test(request.url()));
  await openList(page);
  await hears;
  const open: Api = { origin: site.url, send: (request) => fetch(request) };
  await login(open, { email: EMAIL, password: PASSWORD });
  await page.getByRole("alertdialog").waitFor();
  await page.locator("main").getByText(/\S/).first().waitFor({ state: "detached" });
  await look(page, "session ended elsewhere");
}
