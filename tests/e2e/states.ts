// Every state of the worklist and its dialogs, one after another: for screenshots, and for checks
// of each state. Pages around the worklist: states_around.ts.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { restoreStudy } from "@/client/api/studies/bin.ts";
import { deletePatient } from "@/client/api/studies/patients.ts";
import type { ArchiveFound } from "@/model/schema/connections/pacs.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { filterProblemText } from "@/model/text/worklist/filter_problems.ts";
import { filtersText } from "@/model/text/worklist/filters.ts";
import { helpOpenText } from "@/model/text/help_open.ts";
import { labelsText } from "@/model/text/worklist/labels.ts";
import { listStateText } from "@/model/text/worklist/list_state.ts";
import { listViewText } from "@/model/text/worklist/list_view.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { patientEditText } from "@/model/text/worklist/patient_edit.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { answersClicks } from "@/tests/e2e/site.ts";
import {
  button,
  closeDialog,
  colleagueOf,
  dialog,
  leaveFailure,
  openList,
  pidOf,
  rowOf,
  type Scene,
  throughDialog,
} from "@/tests/e2e/worked_scene.ts";

/** The list: usual, filtered, empty, loading, failed, as cards, and with a patient's history. */
export async function listStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene, patients = "**/api/v1/patients?*";
  await openList(page, "");
  await look(page, "list");
  await openList(page);
  await look(page, "list of all");
  await page.getByRole("group", { name: listStateText.states[l] }).getByRole("button").nth(2)
    .click();
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
  await page.getByRole("columnheader", { name: worklistText.patientId[l] }).getByRole("button")
    .click();
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

/** Dialogs and menus over the list. */
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

/** The search of an archive: before a search, an unreachable archive, and results. */
async function archiveStates(
  page: Page,
  { language: l, look }: Scene,
  through: (page: Page, name: string, look: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const search = "**/api/v1/pacs/*/search";
  await through(page, pacsText.open[l], async () => {
    await look(page, "archive");
    await dialog(page).getByLabel(pacsText.patientId[l]).fill("20481");
    const ask = () =>
      dialog(page).getByRole("button", { name: pacsText.search[l], exact: true }).click();
    await ask();
    await dialog(page).getByRole("alert").waitFor();
    await look(page, "archive that does not answer");
    // simulated results; tests/api/connections/pull_test.ts tests a real archive
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

/** Editing a row: errors, conflicts and confirmations. */
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
  // the message is visible even below the last visible row
  await page.waitForFunction(() => {
    const [message, list] = ["tr.edit-message", ".worklist-scroll"].map((selector) =>
      document.querySelector(selector)!.getBoundingClientRect()
    );
    return message!.bottom <= list!.bottom + 1;
  });
  await look(page, "edit with a mistake");
  await form.getByLabel(patientEditText.patient_name[l]).fill("Smith Eleanor Ann");
  const colleague = await colleagueOf(site);
  await deletePatient(colleague, pid, "test");
  await form.getByRole("button", { name: patientEditText.close[l] }).or(dialog(page)).first()
    .waitFor();
  await look(page, "edit of a study that somebody deletes");
  await restoreStudy(colleague, pid);
}

let uploads = 0;

/** The upload: selection, refusals before sending, progress, tray, and results. */
export async function uploadStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene, folder = mkdtempSync(join(tmpdir(), "sulcus-states-"));
  // other patients in each language, because a site skips stored studies
  for (const id of [`${30_771 + uploads++}`, `${30_771 + uploads++}`]) {
    mkdirSync(join(folder, id));
    for (const file of phantomSeries("short", id)) {
      writeFileSync(join(folder, id, file.fileName), file.bytes);
    }
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
  // the delayed upload may count as a lost connection, which this event retries
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

/** A failure in the tray, with a link to its row. */
export async function trayStates(page: Page, scene: Scene): Promise<void> {
  const { look } = scene, pid = pidOf(scene, ({ state }) => state === "failed");
  await openList(page);
  await leaveFailure(page, pid);
  await page.reload();
  await answersClicks(page);
  await page.locator(".tray-button").click();
  // studies uploaded before may have failed too, so the tray may list several
  const link = page.locator(".tray-panel li").filter({ hasText: "20502" }).getByRole("link");
  await link.waitFor();
  await look(page, "tray with a failure");
  await link.click();
  await page.waitForURL(/search=20502/);
  await rowOf(page, pid).waitFor();
  await answersClicks(page);
  await look(page, "row of a failure");
}
