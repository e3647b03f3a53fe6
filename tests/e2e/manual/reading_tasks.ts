// Steps of tasks about viewer and report.
import assert from "node:assert/strict";
import {
  button,
  downloadBy,
  openList,
  pidOf,
  rowOf,
  type Tasks,
  viewerIsOpen,
} from "@/tests/e2e/manual/steps.ts";

export const READING_TASKS: Tasks = {
  "do-view": [
    async (page, [viewer = ""], walk) => {
      await openList(page);
      await rowOf(page, walk).getByTitle(viewer, { exact: true }).click();
      await page.waitForURL(/\/viewer\//);
      await viewerIsOpen(page);
    },
    async (page, [mask = ""]) => {
      await button(page, mask).click();
    },
    async (page, _controls, { look }) => {
      await page.getByRole("treeitem").nth(1).click();
      await look(page, "viewer");
    },
    async (page, [thickness = "", lesions = ""]) => {
      for (const name of [thickness, lesions]) {
        const tab = page.getByRole("tab", { name, exact: true });
        if (await tab.isEnabled()) await tab.click();
      }
    },
  ],
  "do-measure": [
    async (page, [panel = ""], walk) => {
      await page.goto(`/viewer/${pidOf(walk)}`);
      await viewerIsOpen(page);
      await page.getByRole("button", { name: panel, exact: true }).click();
    },
    async (page, [ruler = ""], { look }) => {
      await button(page, ruler).first().click();
      const box = (await page.getByTestId("axial-view").boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
      await page.mouse.up();
      await page.getByText(/\d\smm/).first().waitFor();
      await look(page, "measure");
    },
    async (page, [save = ""]) => {
      const saved = page.waitForResponse((answer) =>
        answer.request().method() !== "GET" && answer.ok()
      );
      await button(page, save).click();
      await saved;
    },
  ],
  "do-compare": [
    async (page, [compare = ""], walk) => {
      await page.goto(`/viewer/${pidOf(walk)}`);
      await viewerIsOpen(page);
      await button(page, compare).click();
      await page.locator("[data-compared]").waitFor();
    },
    async (page, [choice = ""], { look }) => {
      await page.getByRole("combobox", { name: choice, exact: true }).selectOption(
        "2024-11-12 · T1w",
      );
      await page.getByTestId("other-axial-view").click({ position: { x: 80, y: 80 } });
      await look(page, "compare");
    },
    async (page, [flip = "", difference = ""]) => {
      const bar = page.getByTestId("compare"),
        [sideBySide, turns] = [button(bar, "1×2"), button(bar, flip)];
      await turns.click();
      await page.keyboard.press("b");
      await button(bar, difference).click();
      await bar.getByRole("button", { name: difference, exact: true, pressed: true }).waitFor();
      // restores the layout, which is stored for the user
      await sideBySide.click();
    },
  ],
  "do-report": [
    async (page, [report = ""], walk) => {
      await openList(page);
      await rowOf(page, walk).getByTitle(report, { exact: true }).click();
      await page.waitForURL(/\/report\//);
      await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({
        state: "attached",
      });
      await page.locator(".report-sheet").first().waitFor();
    },
    async (page, [anonymize = ""], { look }) => {
      await page.getByRole("switch", { name: anonymize, exact: true }).check();
      await page.waitForURL(/anonymize=true/);
      await page.getByText("20481").first().waitFor({ state: "detached" });
      await look(page, "report");
    },
    async (page, [download = "", print = ""]) => {
      await button(page, print).waitFor();
      const file = await downloadBy(page, () => button(page, download).click());
      assert.match(file.suggestedFilename(), /\.pdf$/);
    },
  ],
};
