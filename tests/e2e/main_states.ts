// The main pages with their dialogs: as few states as needed to show every kind of control.
import type { Page } from "@playwright/test";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import {
  button,
  dialog,
  leaveFailure,
  openList,
  rowOf,
  type Scene,
} from "@/tests/e2e/worked_scene.ts";

/**
 * Calls `look` on worklist, tray, menu, filters, settings, settings with a message, report and
 * viewer; and `walk`, which moves the focus, in states that this does not close.
 */
export async function mainStates(
  page: Page,
  { pids, language: l, look }: Scene,
  walk: Scene["look"],
): Promise<void> {
  const pid = pids[9]!;
  await leaveFailure(page, pid);
  await openList(page, "?size=5");
  await page.locator(".tray-button").waitFor();
  await rowOf(page, pid).getByRole("checkbox").check();
  await page.getByRole("toolbar").getByRole("button").nth(3).waitFor();
  await look(page, "worklist");
  await walk(page, "worklist");
  await page.locator(".tray-button").click();
  await page.locator(".tray-panel").waitFor();
  await look(page, "tray");
  await page.keyboard.press("Escape");
  await button(page, worklistText.filter[l]).click();
  await dialog(page).waitFor();
  await look(page, "filters");
  await walk(page, "filters");
  await page.keyboard.press("Escape");
  await page.locator("header button[aria-haspopup=menu]").click();
  await page.getByRole("menu").waitFor();
  await look(page, "menu");
  await page.getByRole("menuitem").first().click();
  await dialog(page).waitFor();
  await dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });
  // its options are radio buttons that look like buttons
  await look(page, "settings");
  await dialog(page).getByRole("tab").nth(3).click();
  await page.locator(".toast").first().waitFor();
  await look(page, "settings with a message");
  await walk(page, "settings with a message");
  await page.goto(`/report/${pid}`);
  await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({ state: "attached" });
  await look(page, "report");
  await walk(page, "report");
  await page.goto(`/viewer/${pid}`);
  await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
  await page.getByRole("toolbar").first().waitFor();
  await page.getByRole("treeitem").first().waitFor();
  await look(page, "viewer");
  await walk(page, "viewer");
}
