// A window of 320 px, like 1280 px at 400 % zoom (WCAG 1.4.10): every control is reachable by
// vertical scrolling. Data tables, report sheets and viewer images may scroll by themselves.
import { pageStarts } from "@/tests/e2e/site.ts";
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { helpOpenText } from "@/model/text/help_open.ts";
import { dicomButtonText } from "@/model/text/dicom.ts";
import { reportPageText } from "@/model/text/report/report_page_names.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { assertReachable } from "@/tests/e2e/accessibility.ts";
import { headerStates } from "@/tests/e2e/states_around.ts";
import { button, dialog, leaveFailure, openList, type Scene } from "@/tests/e2e/worked_scene.ts";

export const NARROWEST = { width: 320, height: 256 };

/** Pages with a selector that shows that they are loaded, and the dialogs that they open. */
const PAGES: readonly {
  path: (pid: number) => string;
  stands: string;
  opens?: readonly string[];
}[] = [
  { path: () => "/password", stands: "[data-island=FirstPassword][data-hydrated]" },
  { path: () => "/help", stands: "[data-island=HeaderBar][data-hydrated]" },
  { path: () => "/help/site/pacs", stands: "[data-island=HeaderBar][data-hydrated]" },
  { path: () => "/403", stands: "main" },
  {
    path: () => "/?size=20",
    stands: "[data-island=Worklist][data-hydrated]",
    opens: [worklistText.filter.en, worklistText.exportAll.en, helpOpenText.open.en],
  },
  {
    path: (pid) => `/report/${pid}`,
    stands: "[data-island=ReportViewer][data-hydrated]",
    opens: [helpOpenText.open.en, dicomButtonText.menu.en],
  },
  {
    path: (pid) => `/viewer/${pid}`,
    stands: "[data-island=SliceViewer][data-hydrated]",
    opens: [helpOpenText.open.en],
  },
];

/** Opens all pages and their dialogs in a narrow window. */
export async function narrowestPages(page: Page, scene: Scene): Promise<void> {
  const pid = scene.pids[9]!;
  await openList(page);
  // a failure makes the tray visible in the header
  await leaveFailure(page, pid);
  for (const { path, stands, opens = [] } of PAGES) {
    await page.goto(path(pid));
    await page.locator(stands).first().waitFor({ state: "attached" });
    if (opens.length > 0) await pageStarts(page);
    if (opens.length > 0) await page.locator(".tray-button").waitFor();
    await assertReachable(page, path(pid));
    for (const name of opens) {
      await button(page, name).first().click();
      await dialog(page).waitFor();
      await dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });
      await assertReachable(page, `${path(pid)}, ${name}`);
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "detached" });
    }
  }
  await reportMessage(page, pid);
  await headerStates(page, { ...scene, look: assertReachable });
}

/** Checks that a message uses the window's width, not only the space beside the sheets. */
async function reportMessage(page: Page, pid: number): Promise<void> {
  await page.goto(`/report/${pid}`);
  await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({ state: "attached" });
  // comparing needs a second study, so a message appears
  await page.locator(".report-menu").getByText(reportPageText[64].en, { exact: true }).click();
  const words = page.locator(".toast-text").first();
  await words.waitFor();
  const { x, width } = (await words.boundingBox())!;
  assert.ok(width > 150 && x + width < NARROWEST.width, `the message has ${width} px`);
}
