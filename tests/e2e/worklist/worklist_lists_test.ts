// covers: D1-8.24
// Clicks before hydration, prefetching, addresses and checks of the worklist, with five studies.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { until } from "@/tests/sites/until.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { bar, box, PATIENTS, rows, shown, withList } from "@/tests/e2e/worklist/list_site.ts";
import { answersClicks, hasChromium } from "@/tests/e2e/site.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
/** Patient ID of the row with the focus. */
const focused = (page: Page) =>
  page.evaluate(() =>
    document.activeElement?.querySelector("td.col-patientId")?.textContent.trim()
  );

Deno.test({
  name: `the worklist before and after its start, its address and its checks${why}`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withList({ studies: PATIENTS, finished: 1 }, async (page) => {
      const step = async (name: string, body: () => Promise<void>) => {
        // later steps depend on earlier ones
        if (!await t.step(name, body)) throw new Error(`${name}: failed`);
      };
      await page.goto("/?size=10");
      await answersClicks(page);
      await rows(page).nth(4).waitFor();

      // covers: S-23
      await step(
        "what is typed, chosen and ticked before the page has started counts when it has",
        async () => {
          /** Opens the list, and runs one function before its hydration and one after. */
          const early = async (
            before: (early: Page) => Promise<void>,
            after: (early: Page) => Promise<unknown>,
          ) => {
            const early = await page.context().newPage(), mayStart = Promise.withResolvers<void>();
            await early.route(/\/client-[^/]*\.js$/, async (route) => {
              await mayStart.promise;
              await route.continue();
            });
            await early.goto("/?size=10", { waitUntil: "commit" });
            await before(early);
            mayStart.resolve();
            await answersClicks(early);
            await after(early);
            await early.close();
          };
          const now = { noWaitAfter: true };
          await early(async (early) => {
            await box(early, "A-1").click(now);
            await box(early, "C-3").click(now);
          }, async (early) => {
            await until(async () =>
              await early.locator("tr[data-pid][aria-selected=true]").count() === 2
            );
            assert.equal(await box(early, "A-1").isChecked(), true);
            assert.equal(await box(early, "C-3").isChecked(), true);
            await early.keyboard.press("Delete");
            await early.getByRole("alertdialog").getByText("Delete 2 studies").waitFor();
          });
          await early(async (early) => {
            await early.locator("thead input[type=checkbox]").click(now);
          }, (early) =>
            until(async () =>
              await early.locator("tr[data-pid][aria-selected=false]").count() === 0
            ));
          await early(async (early) => {
            await early.getByRole("searchbox").fill("B-2");
            await early.getByLabel("Rows per page").selectOption("20", now);
          }, async (early) => {
            await early.waitForURL((url) =>
              url.search === "?search=B-2&size=20"
            );
            await until(async () => (await shown(early)).join() === "B-2");
          });
          // an early click on this button has no effect, so that no dialog opens unexpectedly
          const filter = (early: Page) => early.getByRole("button", { name: "Filter" });
          await early((early) => filter(early).click(now), async (early) => {
            assert.equal(await early.getByRole("dialog").count(), 0);
            await filter(early).click();
            await early.getByRole("dialog", { name: "Filter" }).waitFor();
          });
        },
      );

      // covers: D1-2.5, S-8
      await step(
        "what is typed or pointed at is asked for once, before it is gone to",
        async () => {
          const asked: string[] = [];
          const note = (request: { url(): string }) => {
            const { pathname, searchParams } = new URL(request.url());
            if (pathname === "/api/v1/patients") asked.push(searchParams.toString());
          };
          const search = page.getByRole("searchbox");
          // an unanswered search is aborted by the next one
          const hangs = (request: { url(): string }) =>
            request.url().includes("search_string=hang");
          await page.route("**/api/v1/patients?*search_string=hang*", () => {});
          const begun = page.waitForRequest(hangs),
            givenUp = page.waitForEvent("requestfailed", hangs);
          await search.fill("hang");
          await begun;
          page.on("request", note);
          // types letter by letter
          await search.evaluate((input: HTMLInputElement) => {
            const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!;
            for (const text of ["B", "B-"]) {
              set!.call(input, text);
              input.dispatchEvent(new Event("input", { bubbles: true }));
            }
          });
          await givenUp;
          await page.waitForFunction(() => document.querySelectorAll("tr[data-pid]").length < 3);
          assert.equal(asked.length, 1);
          assert.match(await page.locator(".worklist tbody").innerText(), /B-2/);
          await search.press("Escape");
          await rows(page).nth(4).waitFor();
          const count = asked.length,
            sort = page.getByRole("columnheader", { name: "Name" }).getByRole("button");
          // resting the pointer on the control prefetches its list
          const answered = page.waitForResponse((response) =>
            response.url().includes("sort_key=patient_name")
          );
          await sort.hover();
          await until(() => asked.length === count + 1);
          assert.equal(
            new URL(page.url()).searchParams.get("sort"),
            null,
            "nothing is gone to yet",
          );
          const next: string[] = (await (await answered).json()).patients.map((row: PatientRow) =>
            row.patient_id
          );
          await sort.click();
          await page.waitForURL(/sort=patient_name/);
          await until(async () => (await shown(page)).join() === next.join());
          assert.equal(asked.length, count + 1, "nothing was asked for again");
          const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
          assert.equal(new Set(ids).size, ids.length);
          page.off("request", note);
          await page.goto("/?size=10");
          await answersClicks(page);
        },
      );

      // covers: S-9
      await step(
        "the address of a page that is not there becomes that of the last one",
        async () => {
          await page.goto("/?size=10&page=999&sort=patient_id&dir=asc");
          await page.waitForURL((url) => url.search === "?sort=patient_id&dir=asc&size=10");
          await answersClicks(page);
          assert.deepEqual(await shown(page), [...PATIENTS]);
          await page.getByRole("columnheader", { name: "Patient ID" }).getByRole("button").click();
          await page.waitForURL(/dir=desc/);
          await page.goBack();
          await page.waitForURL((url) => url.search === "?sort=patient_id&dir=asc&size=10");
          await until(async () => (await shown(page))[0] === "A-1");
          // a search is one history entry, with any number of letters
          const search = page.getByRole("searchbox");
          await search.fill("D-");
          await page.waitForURL(/search=D-&/);
          await search.fill("D-4");
          await page.waitForURL(/search=D-4&/);
          await page.goBack();
          await page.waitForURL((url) => url.search === "?sort=patient_id&dir=asc&size=10");
          assert.equal(await search.inputValue(), "");
        },
      );

      await step("Delete is done when what does it has come, and not without a check", async () => {
        const mayCome = Promise.withResolvers<void>();
        await page.route(/\/SelectionBar-[^/]*\.js$/, async (route) => {
          await mayCome.promise;
          await route.continue();
        });
        await page.goto("/?size=10");
        await answersClicks(page);
        await page.keyboard.press("Delete");
        await box(page, "A-1").click();
        await page.keyboard.press("Delete");
        mayCome.resolve();
        const dialog = page.getByRole("alertdialog");
        await dialog.getByText("1 study will be moved to Deleted studies").waitFor();
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await page.keyboard.press("Delete");
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "Clear selection" }).click();
        await page.keyboard.press("Delete");
        await box(page, "A-1").click();
        await bar(page).getByText("1 selected").waitFor();
        assert.equal(await dialog.count(), 0);
        await page.getByRole("button", { name: "Clear selection" }).click();
      });

      // covers: D1-2.8, D1-9.8
      await step("Shift checks a range, the page's box all; the bar counts", async () => {
        const height = async (selector: string) =>
          (await page.locator(selector).first().boundingBox())!.height;
        assert.deepEqual(
          [await height("thead tr"), await height("tr[data-pid]"), await height("div:has(> nav)")],
          [58, 52, 48],
        );
        await box(page, "A-1").click();
        await box(page, "C-3").click({ modifiers: ["Shift"] });
        await bar(page).getByText("3 selected").waitFor();
        await page.getByLabel(worklistText.selectPage.en).click();
        await bar(page).getByText("5 selected").waitFor();
        await page.getByRole("button", { name: "Clear selection" }).click();
        await until(async () => await focused(page) === "C-3");
        assert.equal(await bar(page).count(), 0);
      });
    }),
});
