// Every state of the pages around the worklist: header, status page, manual, viewer, report, and
// the end of a session.
import type { Page } from "@playwright/test";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { helpText } from "@/model/text/help.ts";
import { helpOpenText } from "@/model/text/help_open.ts";
import { trayText } from "@/model/text/site/tray.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { EMAIL, PASSWORD } from "@/tests/e2e/site.ts";
import {
  button,
  dialog,
  leaveFailure,
  openList,
  pidOf,
  type Scene,
  throughDialog,
} from "@/tests/e2e/worked_scene.ts";

/** The header's menu, its dialogs with all tabs, and the pages that it links to. */
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

/** The help of a page, and the tray with failures of the page before. */
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

/** The manual, and the viewer with measurements and corrections. */
export async function readingStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene;
  await page.goto("/help");
  await page.locator("[data-island=HeaderBar][data-hydrated]").waitFor({ state: "attached" });
  await look(page, "manual");
  await page.goto(`/help?q=${encodeURIComponent(l === "en" ? "percentile" : "백분위")}`);
  await page.locator("mark").first().waitFor();
  await look(page, "manual, searched");
  await page.goto("/help/site/pacs");
  await page.locator("[data-island=HeaderBar][data-hydrated]").waitFor({ state: "attached" });
  await look(page, "a document for administrators");
  await leaveFailure(page, pidOf(scene, ({ state }) => state === "failed"));
  await ((page.viewportSize()?.width ?? 0) >= 1024 ? viewerStates : narrowViewer)(page, scene);
  await page.goto(`/report/${scene.pids[9]}`);
  await page.locator(".report-sheet").first().waitFor();
  await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({ state: "attached" });
  await look(page, "report");
  await headerTools(page, scene, "report");
}

/** Opens the viewer and waits for its images. */
async function openViewer(page: Page, { pids }: Scene): Promise<void> {
  await page.goto(`/viewer/${pids[9]}`);
  await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
  await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
}

/** The viewer in a smaller window than in the documents: the list is below the images. */
async function narrowViewer(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene;
  await openViewer(page, scene);
  // the tools are loaded after the images
  const reading = button(page, viewerToolsText.reading[l]);
  await reading.waitFor();
  await look(page, "narrow viewer");
  await reading.click();
  await page.getByRole("region", { name: viewerReadingText.reading[l] }).waitFor();
  await look(page, "narrow viewer, measure");
}

async function viewerStates(page: Page, scene: Scene): Promise<void> {
  const { language: l, look } = scene;
  await openViewer(page, scene);
  await look(page, "viewer");
  await headerTools(page, scene, "viewer");
  await button(page, viewerToolsText.reading[l]).click();
  const panel = page.getByRole("region", { name: viewerReadingText.reading[l] });
  await panel.waitFor();
  for (const section of ["measure", "correct", "images"] as const) {
    await panel.getByText(viewerReadingText[section][l], { exact: true }).first().click();
    await look(page, `viewer, ${section}`);
  }
}

/** Ends the session elsewhere, after which the user is signed out. */
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
