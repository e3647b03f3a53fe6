// Nothing on the worklist's page moves that nobody moved: every layout shift of 200 actions is counted.
import assert from "node:assert/strict";
import { filtersText } from "@/model/text/worklist/filters.ts";
import { bar, rows, withList } from "@/tests/e2e/worklist/list_site.ts";
import { answersClicks, hasChromium } from "@/tests/e2e/site.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
/** Twelve studies, the last two of one patient. */
const PATIENTS = [...Array.from({ length: 11 }, (_, n) => `P-${n + 1}`), "P-11"];

/**
 * Counts what moves in the whole page, whoever caused it: also what the browser leaves out because a press came before.
 * While another list is asked for its rows are others, and only what stands around them counts.
 */
function countShifts(): void {
  const moved: string[] = [], page = globalThis as { isAnotherList?: boolean };
  type Shift = PerformanceEntry & { value: number; sources: { node?: Node }[] };
  const note = (entries: PerformanceEntryList) => {
    for (const { sources } of entries as Shift[]) {
      for (const { node } of sources) {
        const element = node instanceof Element ? node : node?.parentElement;
        if (!element) continue;
        if (page.isAnotherList && element.closest("tbody")) continue;
        moved.push(element.outerHTML.slice(0, 160));
      }
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  Object.assign(globalThis, {
    isAnotherList: false,
    /** Everything that has moved so far, once what is drawn has been drawn. */
    takeMoved: async () => {
      for (let n = 0; n < 3; n++) await new Promise((resolve) => requestAnimationFrame(resolve));
      note(observer.takeRecords());
      return moved.splice(0);
    },
  });
}

Deno.test({
  name:
    `nothing on the page moves in 200 actions on rows, pages, filters, dialogs, columns and the tray${why}`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withList({ studies: PATIENTS, finished: 12 }, async (page) => {
      await page.addInitScript(countShifts);
      await page.goto("/");
      await answersClicks(page);
      // what the header asks for once the page stands
      await page.waitForLoadState("networkidle");
      const taken = () => page.evaluate<string[]>("takeMoved()");
      assert.deepEqual(await taken(), [], "while the page starts");
      let actions = 0;
      /** An action, and what moved with it. */
      const act = async (what: string, step: () => Promise<unknown>) => {
        await step();
        actions++;
        assert.deepEqual(await taken(), [], `action ${actions}: ${what}`);
      };
      /** One that asks for another list: its rows are others. */
      const ask = (what: string, step: () => Promise<unknown>) =>
        act(what, async () => {
          await page.evaluate("isAnotherList = true");
          const answer = page.waitForResponse((response) => /\/api\/v1\/patients\?/.test(response.url()))
            .catch(() => {});
          await step();
          await Promise.race([answer, page.waitForTimeout(1000)]);
          await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
          const shown = await taken();
          await page.evaluate("isAnotherList = false");
          assert.deepEqual(shown, [], what);
        });
      const named = (name: string) => page.getByRole("button", { name, exact: true });
      const dialog = page.locator("dialog[open]"), boxes = rows(page).locator("input");
      const throughDialog = async (name: string) => {
        await act(name, async () => {
          await named(name).first().click();
          await dialog.waitFor();
          await dialog.locator("[aria-busy=true]").waitFor({ state: "detached" });
        });
        await act(`${name}, Escape`, async () => {
          await page.keyboard.press("Escape");
          await dialog.waitFor({ state: "detached" });
        });
      };
      for (let round = 0; actions < 200; round++) {
        for (let n = 0; n < 4; n++) await act("check", () => boxes.nth((round + n) % 5).click());
        await act("export", async () => {
          await bar(page).getByRole("button", { name: "Export" }).click();
          await dialog.getByText(/about/).waitFor();
        });
        const saved = page.waitForEvent("download");
        // what fails before it is said, not that it did not come
        saved.catch(() => {});
        await act("export begins", async () => {
          await dialog.getByRole("button", { name: "Export", exact: true }).click();
          await dialog.waitFor({ state: "detached" });
        });
        await act("export is saved", () => saved);
        await act("tray", () => page.locator(".tray-button").click());
        await act("tray, removed", () =>
          page.getByRole("button", { name: "Remove from the list" }).first().click());
        await act("clear", () =>
          named("Clear selection").click());
        await act("history", () => rows(page).first().locator("td.col-study").click());
        await act("hover", () => rows(page).nth(round % 5).hover());
        await ask("next page", () => named("Next page").click());
        await ask("last page", () => named("Page 3").click());
        await ask("previous page", () => named("Previous page").click());
        await ask("first page", () => named("Page 1").click());
        await ask("failed", () => page.getByRole("button", { name: /^Failed/ }).click());
        await ask("all", () => page.getByRole("button", { name: /^Failed/ }).click());
        await ask("search", () => page.getByRole("searchbox").fill("P-11"));
        await ask("search ends", () => page.getByRole("searchbox").fill(""));
        await act("filters", async () => {
          await named("Filter").click();
          await dialog.waitFor();
          await dialog.locator("[aria-busy=true]").waitFor({ state: "detached" });
        });
        await act("age", () => page.getByLabel(filtersText.ageFrom.en).fill(round % 2 ? "20" : "150"));
        await ask("filtered", () => named("Search").click());
        await act("tags", () => page.locator(".filter-tags li").first().waitFor());
        await ask("filters end", () =>
          page.locator(".filter-tags").getByRole("button", { name: "Clear All" }).click());
        for (const name of ["Columns and density", "Export All", "Help", "Upload"]) {
          await throughDialog(name);
        }
        await act("menu", async () => {
          await page.locator("header button[aria-haspopup=menu]").click();
          await page.getByRole("menu").waitFor();
        });
        await act("menu, Escape", async () => {
          await page.keyboard.press("Escape");
          await page.getByRole("menu").waitFor({ state: "detached" });
        });
      }
      assert.ok(actions >= 200);
    }),
});
