// Over 400 lines: its steps share one site and one browser, whose start costs more than they do.
// Checking, deleting, labels, filters, history and cards of the worklist, on a site with five stored studies.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { createCore } from "@/core/mod.ts";
import { assertAccessible, walkDialog } from "@/tests/e2e/accessibility.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import type { PatientRow } from "@/model/schema/patients.ts";
import { until } from "@/tests/sites/until.ts";
import {
  answersClicks,
  EMAIL,
  hasChromium,
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  sizeOf,
  startSite,
} from "@/tests/e2e/site.ts";

const ignore = !hasChromium;
const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
/** The last two are studies of one patient. */
const PATIENTS = ["A-1", "B-2", "C-3", "D-4", "D-4"] as const;

const rows = (page: Page) => page.locator("tr[data-pid]");
const box = (page: Page, id: string) => rows(page).filter({ hasText: id }).locator("input");
const shown = async (page: Page) =>
  (await rows(page).locator("td:nth-child(4)").allInnerTexts()).map((text) => text.trim());
/** Patient ID of the row with the focus. */
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.querySelector("td:nth-child(4)")?.textContent.trim());
const bar = (page: Page) => page.getByRole("toolbar", { name: "Selected studies" });

Deno.test({
  name: `checks, labels, filters, history, cards and deletion of the worklist${why}`,
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const step = async (name: string, body: () => Promise<void>) => {
      // what follows stands on what was before
      if (!await t.step(name, body)) throw new Error(`${name}: failed`);
    };
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-lists-" });
    // the administrator, without the start of a whole site
    await createCore({ dataDir, workers: 0, adminEmail: EMAIL, adminPassword: PASSWORD })
      .then((core) => core.close());
    await addStudies(dataDir, PATIENTS.length, (n) => ({
      patientId: PATIENTS[n - 1]!,
      studyDate: `2024-01-0${n}`,
    }));
    await setCompleted(dataDir, 1, "2026-02-03T10:00:00Z");
    await using site = await startSite({ dataDir });
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(60_000);
      await signIn(page);
      await page.goto("/?size=10");
      await answersClicks(page);
      await rows(page).nth(4).waitFor();

      await step("what is pressed and typed before the page has started happens when it has", async () => {
        /** Opens the list, does something before it starts and something after. */
        const early = async (
          before: (early: Page) => Promise<void>,
          after: (early: Page) => Promise<void>,
        ) => {
          const early = await page.context().newPage(), mayStart = Promise.withResolvers<void>();
          await early.route(/\/client-[^/]*\.js$/, async (route) => {
            await mayStart.promise;
            await route.continue();
          });
          await early.goto("/?size=10", { waitUntil: "commit" });
          await early.waitForFunction(() => "replayEarlyPresses" in globalThis);
          await before(early);
          mayStart.resolve();
          await after(early);
          await early.close();
        };
        const now = { noWaitAfter: true };
        await early(async (early) => {
          const filter = early.getByRole("button", { name: "Filter" });
          await filter.click(now);
          // a second click is impatience
          await filter.click(now);
          await early.getByRole("button", { name: "Upload" }).click(now);
        }, async (early) => {
          await early.getByRole("dialog", { name: "Filter" }).waitFor();
          assert.equal(await early.getByRole("dialog").count(), 1);
        });
        await early(async (early) => {
          await box(early, "A-1").click(now);
          assert.equal(await box(early, "A-1").isChecked(), false, "nobody has noticed");
          await box(early, "C-3").click({ ...now, modifiers: ["Shift"] });
          await early.keyboard.press("Delete");
        }, async (early) => {
          await early.getByRole("alertdialog").getByText("Delete 3 studies").waitFor();
          assert.equal(await box(early, "A-1").isChecked(), true);
        });
        await early(async (early) => {
          await rows(early).nth(0).focus();
          await early.keyboard.press("ArrowDown");
          await early.keyboard.press("Space");
        }, (early) => until(() => rows(early).nth(1).locator("input").isChecked()));
        await early(async (early) => {
          await early.keyboard.press("/");
          await early.keyboard.type("B-2");
          await early.getByLabel("Rows per page").selectOption("20", now);
        }, async (early) => {
          await early.waitForURL((url) => url.search === "?search=B-2&size=20");
          await until(async () => (await shown(early)).join() === "B-2");
        });
        await early(
          (early) => rows(early).filter({ hasText: "A-1" }).locator("td").nth(5).dblclick(now),
          (early) => early.waitForURL(/\/viewer\/1$/),
        );
      });

      await step("what is typed or pointed at is asked for once, before it is gone to", async () => {
        const asked: string[] = [];
        const note = (request: { url(): string }) => {
          const { pathname, searchParams } = new URL(request.url());
          if (pathname === "/api/v1/patients") asked.push(searchParams.toString());
        };
        const search = page.getByRole("searchbox");
        // a search without an answer is given up for the next one
        const hangs = (request: { url(): string }) => request.url().includes("search_string=hang");
        await page.route("**/api/v1/patients?*search_string=hang*", () => {});
        const begun = page.waitForRequest(hangs), givenUp = page.waitForEvent("requestfailed", hangs);
        await search.fill("hang");
        await begun;
        page.on("request", note);
        // letter by letter
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
        // the pointer rests on it
        const answered = page.waitForResponse((response) => response.url().includes("sort_key=patient_name"));
        await sort.hover();
        await until(() => asked.length === count + 1);
        assert.equal(new URL(page.url()).searchParams.get("sort"), null, "nothing is gone to yet");
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
      });

      await step("the address of a page that is not there becomes that of the last one", async () => {
        await page.goto("/?size=10&page=999&sort=patient_id&dir=asc");
        await page.waitForURL((url) => url.search === "?sort=patient_id&dir=asc&size=10");
        await answersClicks(page);
        assert.deepEqual(await shown(page), [...PATIENTS]);
        await page.getByRole("columnheader", { name: "Patient ID" }).getByRole("button").click();
        await page.waitForURL(/dir=desc/);
        await page.goBack();
        await page.waitForURL((url) => url.search === "?sort=patient_id&dir=asc&size=10");
        await until(async () => (await shown(page))[0] === "A-1");
        // a search is one step, however many letters it has
        const search = page.getByRole("searchbox");
        await search.fill("D-");
        await page.waitForURL(/search=D-&/);
        await search.fill("D-4");
        await page.waitForURL(/search=D-4&/);
        await page.goBack();
        await page.waitForURL((url) => url.search === "?sort=patient_id&dir=asc&size=10");
        assert.equal(await search.inputValue(), "");
      });

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
        await dialog.getByText("Deleted images cannot be recovered.").waitFor();
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
        await page.getByLabel("Select all on this page").click();
        await bar(page).getByText("5 selected").waitFor();
        await page.getByRole("button", { name: "Clear selection" }).click();
        await until(async () => await focused(page) === "C-3");
        assert.equal(await bar(page).count(), 0);
      });

      await step("labels are made, given and seen; a repeated or long name is refused", async () => {
        await box(page, "A-1").click();
        await box(page, "B-2").click();
        await bar(page).getByRole("button", { name: "Labels" }).click();
        const dialog = page.getByRole("dialog", { name: "Label Setting" });
        assert.equal((await sizeOf(dialog))[0], 760);
        for (const list of await dialog.locator("section > ul").all()) {
          assert.deepEqual(await sizeOf(list), [322, 264]);
        }
        const input = dialog.getByLabel("New label"),
          add = dialog.getByRole("button", { name: "Add", exact: true });
        assert.ok(await add.isDisabled());
        await input.fill("Memory clinic");
        await input.press("Enter");
        // two studies are checked: who gets it is asked
        const asked = page.getByRole("alertdialog");
        await asked.getByText("2 studies are selected. Who gets the new label “Memory clinic”?").waitFor();
        await page.keyboard.press("Escape");
        assert.equal(await dialog.getByRole("button", { name: "Rename Memory clinic" }).count(), 0);
        await input.press("Enter");
        await asked.getByRole("button", { name: "Only the list" }).click();
        await dialog.getByRole("button", { name: "Give Memory clinic to all 2 studies" }).click();
        await input.fill(" memory CLINIC");
        // under the box while it is typed, and in a toast when it is confirmed
        const refused = async (words: string, confirm: () => Promise<void>) => {
          await dialog.getByRole("alert").getByText(words).waitFor();
          await confirm();
          await page.locator(".toast").getByText(words).waitFor();
        };
        await refused("Labels must not be duplicated!", () => input.press("Enter"));
        await input.fill("x".repeat(21));
        await refused("Character must not exceed 20.", () => add.click());
        await input.fill("  ");
        assert.ok(await add.isDisabled());
        await dialog.getByRole("button", { name: "Rename Memory clinic" }).click();
        const edited = dialog.getByLabel("Name of the label Memory clinic");
        await edited.fill("");
        await refused("Please input character.", () => edited.press("Enter"));
        await edited.fill("Memory");
        await page.keyboard.press("Enter");
        await assertAccessible(page, "labels");
        await dialog.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByText("The labels were saved.", { exact: true }).waitFor();
        await dialog.waitFor({ state: "detached" });
        await rows(page).filter({ hasText: "A-1" }).getByText("Memory").waitFor();
        assert.equal(await rows(page).getByText("Memory").count(), 2);
        assert.equal(await bar(page).count(), 1, "the checks stay");
      });

      await step("a filter by label shows as a tag, lives in the address, and goes back", async () => {
        await page.getByRole("button", { name: "Filter", exact: true }).click();
        const dialog = page.getByRole("dialog", { name: "Search Filters" });
        assert.equal((await sizeOf(dialog))[0], 1054);
        assert.equal((await sizeOf(dialog.locator("ul").first()))[0], 214);
        await dialog.getByLabel("Age from").fill("0");
        await dialog.getByText("Please put number between 1 to 199").waitFor();
        await dialog.getByLabel("Age from").fill("90");
        await dialog.getByLabel("Age to").fill("20");
        await dialog.getByText("Please enter a larger number than the left field").waitFor();
        await dialog.getByLabel("Age from").fill("");
        await dialog.getByLabel("Age to").fill("");
        // dates as the list writes them, whatever the browser's language; typed, or chosen in a calendar
        const from = dialog.getByLabel("Study date from", { exact: true });
        assert.equal(await from.getAttribute("placeholder"), "YYYY-MM-DD");
        await from.pressSequentially("202402");
        await from.blur();
        await dialog.getByText("Please enter a date as YYYY-MM-DD.").waitFor();
        await from.fill("2024. 2. 29.");
        assert.equal(await from.inputValue(), "2024-02-29");
        await from.press("Alt+ArrowDown");
        const calendar = page.getByRole("dialog", { name: "Calendar" });
        await calendar.getByText("February 2024").waitFor();
        await assertAccessible(page, "calendar");
        await page.keyboard.press("PageUp");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
        assert.equal(await from.inputValue(), "2024-01-30");
        assert.ok(await from.evaluate((input) => input === document.activeElement));
        await dialog.getByRole("button", { name: "Calendar: Study date to" }).click();
        await page.keyboard.press("Escape");
        await calendar.waitFor({ state: "detached" });
        await from.fill("");
        await dialog.getByRole("button", { name: "Memory" }).click();
        await dialog.getByRole("textbox", { name: "Filter name" }).fill("Clinic");
        await assertAccessible(page, "filters");
        await dialog.getByRole("button", { name: "Save filter" }).click();
        await page.getByText("The filter was added.", { exact: true }).waitFor();
        await dialog.getByRole("button", { name: "Search", exact: true }).click();
        await page.getByText("Label: Memory").waitFor();
        await page.waitForFunction(() => document.querySelectorAll("tr[data-pid]").length === 2);
        assert.deepEqual((await shown(page)).sort(), ["A-1", "B-2"]);
        assert.match(page.url(), /labels=\d+/);
        assert.equal(await bar(page).count(), 0, "another filter takes the checks away");
        await page.reload();
        await answersClicks(page);
        await rows(page).nth(1).waitFor();
        assert.equal(await rows(page).count(), 2);
        await page.getByRole("button", { name: "Clear All" }).click();
        await rows(page).nth(4).waitFor();
        await box(page, "C-3").click();
        await bar(page).getByText("1 selected").waitFor();
        await page.goBack();
        await page.waitForFunction(() => document.querySelectorAll("tr[data-pid]").length === 2);
        assert.equal(await bar(page).count(), 0, "and so does the filter that is gone back to");
        await page.getByRole("button", { name: "Remove Label: Memory" }).click();
        await rows(page).nth(4).waitFor();
      });

      await step(
        "a saved filter is renamed, chosen and deleted, and its name cannot be used twice",
        async () => {
          await page.getByRole("button", { name: "Filter", exact: true }).click();
          const dialog = page.getByRole("dialog", { name: "Search Filters" });
          await dialog.getByRole("textbox", { name: "Filter name" }).fill("clinic ");
          await dialog.getByRole("button", { name: "Save filter" }).click();
          await dialog.getByRole("alert").getByText("Filter name is duplicated.").waitFor();
          await page.locator(".toast").getByText("Filter name is duplicated.").waitFor();
          await dialog.getByRole("button", { name: "Clinic", exact: true }).click();
          await dialog.getByRole("textbox", { name: "Filter name" }).fill("Renamed");
          await dialog.getByRole("button", { name: "Save filter" }).click();
          const renamed = dialog.getByRole("button", { name: "Renamed", exact: true });
          await renamed.waitFor();
          await dialog.getByRole("button", { name: "Search", exact: true }).click();
          await page.waitForFunction(() => document.querySelectorAll("tr[data-pid]").length === 2);
          await page.getByRole("button", { name: "Clear All" }).click();
          await rows(page).nth(4).waitFor();
          await page.getByRole("button", { name: "Filter", exact: true }).click();
          await dialog.getByRole("button", { name: "Delete Renamed" }).click();
          await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
          await page.locator(".toast").getByText("The filter was deleted.").waitFor();
          await dialog.getByText("No saved filters").waitFor();
          await page.keyboard.press("Escape");
          await dialog.waitFor({ state: "detached" });
        },
      );

      await step("the history panel shows the patient's two studies, sorted either way", async () => {
        await rows(page).filter({ hasText: "A-1" }).locator("td").nth(5).click();
        assert.equal(await page.getByRole("region", { name: "Patient History" }).count(), 0);
        await rows(page).filter({ hasText: "D-4" }).first().locator("td").nth(5).click();
        const panel = page.getByRole("region", { name: "Patient History" });
        await panel.locator("tbody tr").nth(1).waitFor();
        assert.equal((await panel.boundingBox())!.height, 290);
        const seen = await panel.locator("table").evaluate((table: HTMLTableElement) => [
          table.rows[0]!.cells[0]!.offsetWidth,
          table.parentElement!.clientHeight - table.tHead!.offsetHeight,
        ]);
        assert.deepEqual(seen, [64, 97], "the first column, and what is seen of the studies");
        const dates = () => panel.locator("tbody td:nth-child(2)").allInnerTexts();
        const newest = await dates();
        await panel.getByRole("button", { name: /Study Date/ }).click();
        assert.deepEqual(await dates(), newest.toReversed());
        await panel.getByRole("button", { name: /Patient History/ }).click();
        assert.equal((await panel.boundingBox())!.height, 48);
      });

      await step("cards have their size and the same checks", async () => {
        await page.getByRole("button", { name: "Cards" }).click();
        const cards = page.locator("li[data-pid]");
        await cards.nth(4).waitFor();
        const [first, second] = [(await cards.nth(0).boundingBox())!, (await cards.nth(1).boundingBox())!];
        assert.equal(Math.round(second.y - first.y - first.height), 10);
        assert.equal(Math.round(first.height), 140);
        await assertAccessible(page, "cards");
        const studies = cards.locator("[role=group]"), firstCheck = cards.nth(0).getByRole("checkbox");
        const wasChecked = await firstCheck.isChecked();
        await studies.nth(1).focus();
        await page.keyboard.press("ArrowUp");
        await page.keyboard.press("Space");
        assert.equal(await firstCheck.isChecked(), !wasChecked);
        await page.keyboard.press("Space");
        await page.keyboard.press("ArrowDown");
        assert.equal(await studies.nth(1).evaluate((card) => card === document.activeElement), true);
        await page.getByRole("button", { name: "Table" }).click();
      });

      await step("a row whose number is invalid opens nothing, which is only logged", async () => {
        const logged = page.waitForEvent("console", (line) => line.text().includes("no such number"));
        const list = "**/api/v1/patients?*";
        await page.route(list, async (route) => {
          const answer = await route.fetch(), body = await answer.json();
          for (const row of body.patients) row.pid = 0;
          await route.fulfill({ response: answer, json: body });
        });
        const toasts = () => page.locator(".toast").allInnerTexts(), before = await toasts();
        const search = page.getByRole("searchbox");
        await search.fill("C-3");
        await page.locator('tr[data-pid="0"]').locator("td").nth(5).dblclick();
        await logged;
        assert.equal(new URL(page.url()).pathname, "/");
        assert.deepEqual((await toasts()).filter((words) => !before.includes(words)), []);
        await page.unroute(list);
        await search.fill("");
        await rows(page).nth(4).waitFor();
      });

      await step("a study that is not analysed says so instead of opening", async () => {
        await rows(page).filter({ hasText: "B-2" }).locator("td").nth(5).dblclick();
        await page.locator(".toast").getByText("Failed to enter viewer. Please analyze first.").waitFor();
        assert.equal(new URL(page.url()).pathname, "/");
      });

      await step(
        "every dialog of the list by keyboard alone: the focus stays in it, and comes back",
        async () => {
          await box(page, "A-1").click();
          const of = (name: string) => bar(page).getByRole("button", { name, exact: true });
          // the answer does not come: the dialog stands as it does while the PDF is made
          await page.route("**/api/v1/patients/reports/pdf", () => {});
          await page.route("**/dicom/deidentified?*", (route) => route.fulfill());
          for (const name of ["Labels", "Export", "Reports", "De-identify", "Delete"]) {
            await walkDialog(page, of(name), name);
          }
          await page.unroute("**/api/v1/patients/reports/pdf");
          await page.unroute("**/dicom/deidentified?*");
          assert.deepEqual(errors, []);
          // these studies are figures alone
          await of("De-identify").click();
          await page.getByRole("dialog").getByText("This study has no stored images.").waitFor();
          assert.equal(await page.getByRole("dialog").getByRole("checkbox").count(), 0);
          await page.keyboard.press("Escape");
          assert.match(
            errors.splice(0).join(),
            /^[^,]*404[^,]*$/,
            "the browser's own line about the refusal",
          );
          for (const name of ["Export All", "Filter", "Upload"]) {
            await walkDialog(page, page.getByRole("button", { name, exact: true }).first(), name);
          }
          await box(page, "A-1").click();
        },
      );

      await step("deletion asks in the document's words and takes the rows away", async () => {
        await box(page, "A-1").click();
        await box(page, "B-2").click();
        await bar(page).getByRole("button", { name: "Delete" }).click();
        const dialog = page.getByRole("alertdialog");
        await dialog.getByText("Deleted images cannot be recovered.").waitFor();
        assert.deepEqual(await dialog.getByRole("listitem").allInnerTexts(), [
          "A-1 · Name 1 · 2024-01-01",
          "B-2 · Name 2 · 2024-01-02",
        ]);
        await dialog.getByRole("button", { name: "Cancel" }).click();
        assert.equal(await rows(page).count(), 5);
        await bar(page).getByRole("button", { name: "Delete" }).click();
        await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
        await page.waitForFunction(() => document.querySelectorAll("tr[data-pid]").length === 3);
        assert.deepEqual((await shown(page)).sort(), ["C-3", "D-4", "D-4"]);
        await until(async () => await focused(page) === "C-3");
        assert.equal(await bar(page).count(), 0);
      });
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      await site.stop();
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
