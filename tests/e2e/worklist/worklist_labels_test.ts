// Labels, filters, history, cards, dialogs by keyboard and deletion of the worklist, on a site with five stored studies.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { until } from "@/tests/sites/until.ts";
import { assertAccessible, walkDialog } from "@/tests/e2e/accessibility.ts";
import { bar, box, PATIENTS, rows, shown, withList } from "@/tests/e2e/worklist/list_site.ts";
import { answersClicks, hasChromium, sizeOf } from "@/tests/e2e/site.ts";
import { labelsText } from "@/model/text/worklist/labels.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { toastText } from "@/model/text/toasts.ts";
import { filterProblemText } from "@/model/text/worklist/filter_problems.ts";
import { dicomText } from "@/model/text/dicom.ts";
import { textIn } from "@/model/text.ts";
import { modalText } from "@/model/text/modals.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
/** Patient ID of the row with the focus. */
const focused = (page: Page) =>
  page.evaluate(() =>
    document.activeElement?.querySelector("td.col-patientId")?.textContent.trim()
  );

Deno.test({
  name: `labels, filters, history, cards and deletion of the worklist${why}`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withList({ studies: PATIENTS, finished: 1 }, async (page, _site, errors) => {
      const step = async (name: string, body: () => Promise<void>) => {
        // later steps depend on earlier ones
        if (!await t.step(name, body)) throw new Error(`${name}: failed`);
      };
      await page.goto("/?size=10");
      await answersClicks(page);
      await rows(page).nth(4).waitFor();

      // covers: D1-2.15, D1-4.41, D1-5.14, D1-8.16
      await step(
        "labels are made, given and seen; a repeated or long name is refused",
        async () => {
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
          // two studies are checked, so the dialog asks which ones get the label
          const asked = page.getByRole("alertdialog");
          await asked.getByText(
            textIn(modalText["label.attach"].text, "en", { n: 2, label: "Memory clinic" }),
          )
            .waitFor();
          await page.keyboard.press("Escape");
          assert.equal(
            await dialog.getByRole("button", { name: "Rename Memory clinic" }).count(),
            0,
          );
          await input.press("Enter");
          await asked.getByRole("button", { name: "Label list only" }).click();
          await dialog.getByRole("button", { name: "Add Memory clinic to all 2 studies" }).click();
          await input.fill(" memory CLINIC");
          // the error is below the field while typing, and in a toast after confirmation
          const refused = async (words: string, confirm: () => Promise<void>) => {
            await dialog.getByRole("alert").getByText(words).waitFor();
            await confirm();
            await page.locator(".toast").getByText(words).waitFor();
          };
          await refused(labelsText.duplicate.en, () => input.press("Enter"));
          await input.fill("x".repeat(21));
          await refused(refusalText.labelTooLong.en, () => add.click());
          await input.fill("  ");
          assert.ok(await add.isDisabled());
          await dialog.getByRole("button", { name: "Rename Memory clinic" }).click();
          const edited = dialog.getByLabel(
            textIn(labelsText.editing, "en", { label: "Memory clinic" }),
          );
          await edited.fill("");
          await refused("Please input character.", () => edited.press("Enter"));
          await edited.fill("Memory");
          await page.keyboard.press("Enter");
          await assertAccessible(page, "labels");
          await dialog.getByRole("button", { name: "Save", exact: true }).click();
          await page.getByText(toastText["label.saved"].text.en, { exact: true }).waitFor();
          await dialog.waitFor({ state: "detached" });
          await rows(page).filter({ hasText: "A-1" }).getByText("Memory").waitFor();
          assert.equal(await rows(page).getByText("Memory").count(), 2);
          assert.equal(await bar(page).count(), 1, "the checks stay");
        },
      );

      // covers: D1-2.6, D1-2.16, D1-3.6, D1-4.38, D1-5.15
      await step(
        "a filter by label shows as a tag, lives in the address, and goes back",
        async () => {
          await page.getByRole("button", { name: "Filter", exact: true }).click();
          const dialog = page.getByRole("dialog", { name: "Search filters" });
          assert.equal((await sizeOf(dialog))[0], 1054);
          assert.equal((await sizeOf(dialog.locator("ul").first()))[0], 214);
          await dialog.getByLabel("Age from").fill("0");
          await dialog.getByText(filterProblemText.age_range.en).waitFor();
          await dialog.getByLabel("Age from").fill("90");
          await dialog.getByLabel("Age to").fill("20");
          await dialog.getByText(filterProblemText.age_order.en).waitFor();
          await dialog.getByLabel("Age from").fill("");
          await dialog.getByLabel("Age to").fill("");
          // dates in the list's format in any browser language, typed or selected in a calendar
          const from = dialog.getByLabel("Study date from", { exact: true });
          assert.equal(await from.getAttribute("placeholder"), "YYYY-MM-DD");
          await from.pressSequentially("202402");
          await from.blur();
          await dialog.getByText(filterProblemText.date_wrong.en).waitFor();
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
          await page.getByText(toastText["filter.added"].text.en, { exact: true }).waitFor();
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
        },
      );

      // covers: D1-2.16, D1-5.15
      await step(
        "a saved filter is renamed, chosen and deleted, and its name cannot be used twice",
        async () => {
          await page.getByRole("button", { name: "Filter", exact: true }).click();
          const dialog = page.getByRole("dialog", { name: "Search filters" });
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
          await dialog.getByRole("button", { name: "Delete filter Renamed" }).click();
          await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
          await page.locator(".toast").getByText(toastText["filter.deleted"].text.en).waitFor();
          await dialog.getByText("No saved filters").waitFor();
          await page.keyboard.press("Escape");
          await dialog.waitFor({ state: "detached" });
        },
      );

      // covers: D1-2.12, D1-3.4
      await step(
        "the history panel shows the patient's two studies, sorted either way",
        async () => {
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
          await panel.getByRole("button", { name: /Study date/ }).click();
          assert.deepEqual(await dates(), newest.toReversed());
          await panel.getByRole("button", { name: /Patient History/ }).click();
          assert.equal((await panel.boundingBox())!.height, 48);
        },
      );

      // covers: D1-2.4, D1-2.9, D1-9.8
      await step("cards have their size and the same checks", async () => {
        await page.getByRole("button", { name: "Cards" }).click();
        const cards = page.locator("li[data-pid]");
        await cards.nth(4).waitFor();
        const [first, second] = [
          (await cards.nth(0).boundingBox())!,
          (await cards.nth(1).boundingBox())!,
        ];
        assert.equal(Math.round(second.y - first.y - first.height), 10);
        assert.equal(Math.round(first.height), 140);
        await assertAccessible(page, "cards");
        const studies = cards.locator("[role=group]"),
          firstCheck = cards.nth(0).getByRole("checkbox");
        const wasChecked = await firstCheck.isChecked();
        await studies.nth(1).focus();
        await page.keyboard.press("ArrowUp");
        await page.keyboard.press("Space");
        assert.equal(await firstCheck.isChecked(), !wasChecked);
        await page.keyboard.press("Space");
        await page.keyboard.press("ArrowDown");
        assert.equal(
          await studies.nth(1).evaluate((card) => card === document.activeElement),
          true,
        );
        await page.getByRole("button", { name: "Table" }).click();
      });

      // covers: D1-8.19, D1-8.26
      await step("a row whose number is invalid opens nothing, which is only logged", async () => {
        const logged = page.waitForEvent(
          "console",
          (line) => line.text().includes("no such number"),
        );
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

      // covers: D1-8.17
      await step("a study that is not analysed says so instead of opening", async () => {
        await rows(page).filter({ hasText: "B-2" }).locator("td").nth(5).dblclick();
        await page.locator(".toast").getByText("Failed to enter viewer. Please analyze first.")
          .waitFor();
        assert.equal(new URL(page.url()).pathname, "/");
      });

      // covers: S-7
      await step(
        "every dialog of the list by keyboard alone: the focus stays in it, and comes back",
        async () => {
          await box(page, "A-1").click();
          const of = (name: string) => bar(page).getByRole("button", { name, exact: true });
          await page.route("**/dicom/deidentified?*", (route) => route.fulfill());
          for (const name of ["Labels", "Export", "De-identify", "Delete"]) {
            await walkDialog(page, of(name), name);
          }
          await page.unroute("**/dicom/deidentified?*");
          // these studies have no images
          await of("De-identify").click();
          await page.getByRole("dialog").getByText(dicomText.noImages.en).waitFor();
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

      // covers: D1-2.7, D1-8.9, D1-8.22
      await step(
        "deletion says how long the studies stay, takes the rows away and can be undone",
        async () => {
          await box(page, "A-1").click();
          await box(page, "B-2").click();
          await bar(page).getByRole("button", { name: "Delete" }).click();
          const dialog = page.getByRole("alertdialog");
          await dialog.getByText("2 studies will be moved to Deleted studies").waitFor();
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
          await page.getByRole("button", { name: "Undo" }).click();
          await page.getByText("2 studies restored.").first().waitFor();
          await page.waitForFunction(() => document.querySelectorAll("tr[data-pid]").length === 5);
        },
      );
    }),
});
