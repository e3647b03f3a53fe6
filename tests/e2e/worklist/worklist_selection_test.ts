// Checks in the list: no row moves, and finished studies are analysed again only after
// confirmation.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { until } from "@/tests/sites/until.ts";
import { bar, withList } from "@/tests/e2e/worklist/list_site.ts";
import { answersClicks, hasChromium, type Site } from "@/tests/e2e/site.ts";
import { textIn } from "@/model/text.ts";
import { modalText } from "@/model/text/modals.ts";
import { toastText } from "@/model/text/toasts.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

const ignore = !hasChromium;
const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
const STUDIES = 7;

const row = (page: Page, pid: number) => page.locator(`tr[data-pid="${pid}"]`);
const question = (page: Page) => page.getByRole("alertdialog");

/** Runs a test with seven studies, the newest analysed, and five rows per page. */
const withSeven = (body: (page: Page, site: Site) => Promise<void>): Promise<void> =>
  withList({ studies: STUDIES, finished: STUDIES }, body);

Deno.test({
  name: `a finished study checked on another page is analysed again only after a question${why}`,
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withSeven(async (page) => {
      const posted: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST") {
          posted.push(`${new URL(request.url()).pathname} ${request.postData() ?? ""}`);
        }
      });
      const analyze = () => bar(page).getByRole("button", { name: "Analyze" }).click();
      await row(page, STUDIES).getByRole("checkbox").click();
      await bar(page).getByText("1 selected").waitFor();
      await page.getByRole("button", { name: "Next page" }).click();
      await row(page, 1).getByRole("checkbox").click();
      const ways = {
        Escape: () => page.keyboard.press("Escape"),
        Close: () => question(page).getByRole("button", { name: "Close" }).click(),
        Cancel: () => question(page).getByRole("button", { name: "Cancel" }).click(),
      };
      for (const [way, leave] of Object.entries(ways)) {
        await analyze();
        await question(page).getByText(
          textIn(modalText["analysis.again_some"].text, "en", { n: 1 }),
        ).waitFor();
        await leave();
        await question(page).waitFor({ state: "detached" });
        await bar(page).getByText("2 selected").waitFor();
        assert.deepEqual(posted, [], way);
      }
      await analyze();
      await question(page).getByRole("button", {
        name: modalText["analysis.again_some"].alternative!.en,
      }).click();
      await page.locator(".toast").getByText(toastText["analysis.analyzed_excluded"].text.en)
        .waitFor();
      assert.deepEqual(posted.splice(0), ['/api/v1/analyses {"pid_list":[1]}']);
      await bar(page).waitFor({ state: "detached" });

      await page.getByRole("button", { name: "Previous page" }).click();
      await row(page, STUDIES).getByRole("checkbox").click();
      await analyze();
      await question(page).getByText("All selected studies have already been analyzed.").waitFor();
      await question(page).getByRole("button", { name: "Analyze again" }).click();
      await until(() => posted.length > 0);
      assert.deepEqual(posted, [`/api/v1/patients/${STUDIES}/reanalyses `]);
    }),
});

Deno.test({
  name: `nothing in the list moves while rows are checked, looked at and asked about${why}`,
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withList({ studies: 10, finished: 10 }, async (page, site) => {
      // also counts shifts within half a second after input, which browsers leave out
      await page.addInitScript(() => {
        const moved: string[] = [];
        Object.assign(globalThis, { moved });
        type Shift = PerformanceEntry & { sources: { node?: Node }[] };
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as Shift[]) {
            for (const { node } of entry.sources) {
              const element = node instanceof Element ? node : node?.parentElement;
              if (element?.closest("main")) moved.push(element.outerHTML.slice(0, 120));
            }
          }
        }).observe({ type: "layout-shift", buffered: true });
      });
      await page.goto("/");
      await answersClicks(page);
      const boxes = page.locator("tr[data-pid] input");
      for (let round = 0; round < 2; round++) {
        for (let n = 0; n < 5; n++) await boxes.nth(n).click();
        await page.getByLabel(worklistText.selectPage.en).click();
        await page.getByLabel(worklistText.selectPage.en).click();
        await bar(page).getByText("5 selected").waitFor();
        await page.keyboard.press("Delete");
        await question(page).getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "Clear selection" }).click();
        await bar(page).waitFor({ state: "detached" });
        for (const key of ["Space", "ArrowDown", "Space", "ArrowUp", "ArrowUp", "Space", "Space"]) {
          await page.keyboard.press(key);
        }
        for (let n = 0; n < 5; n++) {
          await page.locator("tr[data-pid]").nth(n).locator("td").nth(5).click();
          await page.locator("tr[data-pid]").nth(n).hover();
        }
        await boxes.first().check();
        await page.getByRole("button", { name: "Clear selection" }).click();
        await new Promise((resolve) => setTimeout(resolve, 300));
        assert.deepEqual(await page.evaluate("moved"), [], `round ${round}`);
        await page.goto(site.url);
        await answersClicks(page);
      }
    }),
});
