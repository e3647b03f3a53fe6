// Steps of tasks about acceptance tests, control charts, withheld percentiles and reading studies.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { answer, button, chooseInMenu, dialog, downloadBy } from "@/tests/e2e/manual/steps.ts";
import { isIdle, openAs, openFromMenu, openNorms, type Tasks } from "@/tests/e2e/manual/steps.ts";
import { pageStarts } from "@/tests/e2e/site.ts";

const ACCEPTANCE = "/acceptance", READING_STUDIES = "/reading-studies";

/** Opens a page whose address ends in a mark that selects its content. */
async function openAt(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await pageStarts(page);
}

/** Mark in the address that identifies the shown test or study. */
const markOf = (page: Page): string => new URL(page.url()).hash;

export const EVIDENCE_TASKS: Tasks = {
  "do-accept": [
    async (page, [menu = "", item = "", scanner = "", start = ""], walk) => {
      await chooseInMenu(page, [menu, item], walk);
      await pageStarts(page);
      await page.getByRole("combobox", { name: scanner, exact: true }).selectOption({ index: 0 });
      await button(page, start).click();
      await page.waitForURL(/#test-\d+$/);
    },
    async (page, [right = "", wrong = "", unclear = ""], { reader }) => {
      const other = await openAs(page, reader!);
      await openAt(other, `${ACCEPTANCE}${markOf(page)}`);
      const groups = other.locator("fieldset:enabled").filter({ has: button(other, unclear) });
      await groups.first().waitFor();
      for (let n = 0; n < 10; n++) {
        const name = n === 0 ? wrong : right;
        await button(groups.nth(n), name).click();
        await groups.nth(n).getByRole("button", { name, exact: true, pressed: true }).waitFor();
      }
      await other.context().close();
    },
    async (page, [sign = ""]) => {
      await page.reload();
      await pageStarts(page);
      await page.getByRole("radio").first().check();
      await page.locator("textarea").fill("motion in one study");
      await button(page, sign).click();
      await button(page, sign).waitFor({ state: "detached" });
    },
    async (page, [countersign = "", print = ""], { colleague }) => {
      const other = await openAs(page, colleague!);
      await openAt(other, `${ACCEPTANCE}${markOf(page)}`);
      await button(other, countersign).click();
      await button(other, countersign).waitFor({ state: "detached" });
      await other.evaluate(() => {
        globalThis.print = () => document.body.dataset.printed = "";
      });
      await button(other, print).click();
      await other.locator("body[data-printed]").waitFor();
      await other.context().close();
    },
  ],
  "do-drift": [
    async (page, [menu = "", item = "", norms = ""], walk) => {
      await openFromMenu(page, [menu, item], walk);
      await dialog(page).getByRole("tab").filter({ hasText: norms }).click();
      await dialog(page).getByRole("searchbox").waitFor();
    },
    async (page, [update = "", group = ""]) => {
      await button(dialog(page), update).click();
      const groups = dialog(page).getByRole("combobox", { name: group, exact: true });
      await groups.selectOption({ index: 0 });
      await isIdle(page);
    },
    async (page, [propose = ""]) => {
      const reason = dialog(page).getByPlaceholder(/Reason|사유/);
      await reason.fill("Coil replaced");
      await button(dialog(page), propose).click();
      await button(dialog(page), propose).waitFor({ state: "detached" });
    },
    async (page, [agree = ""], { colleague }) => {
      const other = await openAs(page, colleague!);
      await openNorms(other);
      await button(dialog(other), agree).click();
      await button(dialog(other), agree).waitFor({ state: "detached" });
      await other.context().close();
    },
  ],
  "do-stop": [
    async (page, controls, walk) => {
      await chooseInMenu(page, controls, walk);
      await pageStarts(page);
    },
    async (page, [release = "", keep = ""]) => {
      const stop = page.getByRole("listitem").filter({ has: button(page, release) });
      await button(stop, keep).waitFor();
      await stop.getByRole("textbox").fill("Coil replaced");
      await button(stop, release).click();
      await button(page, release).waitFor({ state: "detached" });
    },
    async (page, [agree = ""], { colleague }) => {
      const other = await openAs(page, colleague!);
      await openAt(other, ACCEPTANCE);
      await button(other, agree).click();
      await button(other, agree).waitFor({ state: "detached" });
      await other.context().close();
      await page.reload();
      await pageStarts(page);
    },
    async (page, [undo = "", confirmed = ""]) => {
      await button(page, undo).click();
      await answer(page, confirmed);
      await button(page, undo).waitFor({ state: "detached" });
    },
  ],
  "do-study": [
    async (page, controls, walk) => {
      await chooseInMenu(page, controls, walk);
      await pageStarts(page);
    },
    async (
      page,
      [title = "", question = "", positive = "", negative = "", begin = ""],
      { reader, pids: [ill, healthy] },
    ) => {
      for (
        const [name, text] of [
          [title, "Hippocampus"],
          [question, "Is the hippocampus atrophic?"],
          [positive, String(ill)],
          [negative, String(healthy)],
        ] as const
      ) await page.getByLabel(name, { exact: true }).fill(text);
      await page.getByLabel(reader!.email).check();
      await button(page, begin).click();
      await page.waitForURL(/#study-\d+$/);
    },
    async (page, [read = "", submit = "", confirmed = ""], { reader }) => {
      const other = await openAs(page, reader!);
      await openAt(other, READING_STUDIES);
      await other.getByRole("link", { name: read, exact: true }).first().click();
      const form = other.getByRole("form");
      await form.locator("[name=rating]").first().check();
      await form.locator("[name=decision]").first().check();
      await button(form, submit).click();
      await Promise.all([
        other.waitForResponse((response) => response.url().endsWith("/answer") && response.ok()),
        button(other.getByRole("alertdialog"), confirmed).click(),
      ]);
      await other.context().close();
    },
    async (page, [results = "", csv = ""]) => {
      await openAt(page, READING_STUDIES);
      await page.getByRole("link", { name: results, exact: true }).first().click();
      const link = page.getByRole("link", { name: csv, exact: true });
      const file = await downloadBy(page, () => link.click());
      assert.match(file.suggestedFilename(), /\.csv$/);
    },
  ],
};
