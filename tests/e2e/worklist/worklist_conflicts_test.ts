// One list and two physicians: actions of one update the rows of the other, and move none.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Download, Page } from "@playwright/test";
import { getPatient, startReanalysis, uploadFiles } from "@/client/api/studies/patients.ts";
import { trayText } from "@/model/text/site/tray.ts";
import { worklistKeysText } from "@/model/text/worklist/worklist_keys.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { until } from "@/tests/sites/until.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { hasChromium } from "@/tests/e2e/site.ts";
import { editing, pidsOf, row, withTwo } from "@/tests/e2e/worklist/two_browsers.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";

// covers: D1-2.4, D1-2.7, D1-4.38, D1-4.42, D1-4.43, D1-7.17, D1-7.19, D1-8.9, D1-8.24, S-31, S-32, S-33
// covers: S-34, S-39, S-40
Deno.test({
  name: "what others do changes their rows only: no row moves, checks, focus and edit stay" + why,
  ignore: !hasChromium,
  fn: () =>
    withTwo(async ({ mine, theirs, robot }) => {
      // five rows per page; checks persist on another page (D1 §4)
      await row(mine, 7).getByRole("checkbox").check();
      assert.deepEqual(await pidsOf(mine), [8, 7, 6, 5, 4]);
      await mine.getByRole("button", { name: "Next page" }).click();
      await row(mine, 3).waitFor();
      await mine.getByRole("toolbar").getByText("1 selected").waitFor();
      await mine.getByRole("button", { name: "Previous page" }).click();
      await row(mine, 6).press("e");
      await editing(mine).getByLabel("Name").fill("Half");
      const shown = await pidsOf(mine);

      // another search or filter would end the edit (D1 §4), so it asks first; "Keep editing" keeps
      // the text
      const search = mine.getByRole("searchbox"), typedName = editing(mine).getByLabel("Name");
      const answer = (name: string) => mine.locator("dialog").getByRole("button", { name }).click();
      await search.pressSequentially("p");
      await answer("Keep editing");
      assert.deepEqual([await search.inputValue(), await typedName.inputValue()], ["", "Half"]);
      await mine.getByRole("button", { name: "Filter", exact: true }).click();
      const filters = mine.getByRole("dialog", { name: "Search filters" });
      await filters.getByLabel("Age from").fill("20");
      await filters.getByRole("button", { name: "Search", exact: true }).click();
      await mine.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
      assert.equal(await filters.getByLabel("Age from").inputValue(), "20");
      await mine.keyboard.press("Escape");
      await filters.waitFor({ state: "detached" });
      assert.equal(await typedName.inputValue(), "Half");
      assert.ok(await row(mine, 7).getByRole("checkbox").isChecked());
      assert.equal(new URL(mine.url()).search, "");
      await search.pressSequentially("p");
      await answer("Discard");
      await search.pressSequentially("-6");
      await row(mine, 7).waitFor({ state: "detached" });
      assert.equal(await search.inputValue(), "p-6");
      // going back in the history asks too
      await row(mine, 6).press("e");
      await typedName.fill("Half");
      await mine.evaluate("history.pushState(null, '', '?search=p-6&page=1')");
      await mine.evaluate("history.replaceState(null, '', '?search=p-7')");
      await mine.evaluate("dispatchEvent(new PopStateEvent('popstate'))");
      await answer("Keep editing");
      await mine.waitForURL((url) => url.search === "?search=p-6");
      assert.equal(await typedName.inputValue(), "Half");
      await mine.keyboard.press("Escape");
      await answer("Discard");
      // a search typed before the edit began, which starts only after text was typed in the form
      await mine.clock.install();
      // pauses in the future, because the clock cannot go back on a slow machine
      await mine.clock.pauseAt(Date.now() + 20_000);
      await search.fill("p-7");
      await row(mine, 6).press("e");
      await typedName.fill("Half");
      await mine.clock.runFor(1000);
      await answer("Keep editing");
      await until(async () => await search.inputValue() === "p-6");
      assert.deepEqual([new URL(mine.url()).search, await typedName.inputValue()], [
        "?search=p-6",
        "Half",
      ]);
      await mine.clock.resume();
      await mine.keyboard.press("Escape");
      await answer("Discard");
      await search.fill("");
      await row(mine, 7).getByRole("checkbox").check();
      await row(mine, 6).press("e");
      await typedName.fill("Half");

      // a new study with an analysis that fails quickly
      await uploadFiles(robot, phantomSeries("short", "SHORT-1"));
      await mine.getByText("1 new study").waitFor();
      await theirs.getByText("1 new study").waitFor();
      assert.deepEqual(await pidsOf(mine), shown);
      await theirs.getByRole("button", { name: "Show", exact: true }).click();
      await row(theirs, 9).getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });

      // the other user changes the labels of a checked row
      await row(theirs, 7).getByRole("checkbox").check();
      await theirs.getByRole("toolbar").getByRole("button", { name: "Labels" }).click();
      await theirs.locator("dialog input").first().fill("MCI");
      await theirs.keyboard.press("Enter");
      await theirs.locator("dialog").getByRole("button", { name: "Save" }).click();
      await row(mine, 7).getByText("MCI").waitFor();

      // an analysis starts and ends while the page is open
      await startReanalysis(robot, 8);
      await row(mine, 8).getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });

      assert.deepEqual(await pidsOf(mine), shown);
      assert.equal(await editing(mine).getByLabel("Name").inputValue(), "Half");
      assert.ok(await row(mine, 7).getByRole("checkbox").isChecked());
      assert.ok(
        await editing(mine).getByLabel("Name").evaluate((input) =>
          input === document.activeElement
        ),
      );
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Discard" }).click();
      await mine.getByRole("button", { name: "Show", exact: true }).click();
      await row(mine, 9).getByText("Failed", { exact: true }).waitFor();

      // both add labels: the second gets a conflict and saves again; equal names become one label
      const labels = (page: Page) =>
        page.getByRole("toolbar").getByRole("button", { name: "Labels" }).click();
      const add = async (page: Page, name: string) => {
        await page.locator("dialog input").first().fill(name);
        await page.keyboard.press("Enter");
      };
      await labels(mine);
      await add(mine, "Lost");
      await mine.route(/\/api\/v1\/labels$/, (route) => route.fulfill({ status: 418, json: {} }), {
        times: 1,
      });
      await mine.locator("dialog").getByRole("button", { name: "Save" }).click();
      await mine.getByText("Server error has occurred.").first().waitFor();
      await mine.locator("dialog").waitFor({ state: "detached" });
      await labels(mine);
      await add(mine, "Mine");
      await add(mine, "both");
      await labels(theirs);
      await add(theirs, "Theirs");
      await add(theirs, "Both");
      await theirs.locator("dialog").getByRole("button", { name: "Save" }).click();
      await theirs.locator("dialog").waitFor({ state: "detached" });
      await row(theirs, 7).getByText("+2").waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Save" }).click();
      await mine.locator("dialog").getByText(/^Another user has saved the labels/).waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Confirm" }).click();
      await mine.locator("dialog").getByRole("button", { name: "Save" }).click();
      await mine.locator("dialog").waitFor({ state: "detached" });
      const stored = await getPatient(robot, 7);
      assert.deepEqual(stored.label_list.map(({ label_name }) => label_name).sort(), [
        "Both",
        "MCI",
        "Mine",
        "Theirs",
      ]);

      // keyboard shortcuts
      await mine.keyboard.press("/");
      assert.ok(
        await mine.getByRole("searchbox").evaluate((input) => input === document.activeElement),
      );
      await row(mine, 9).focus();
      await mine.keyboard.press("ArrowDown");
      assert.ok(await row(mine, 8).evaluate((each) => each === document.activeElement));
      await mine.keyboard.press("?");
      await mine.locator("dialog").getByText(worklistKeysText.delete.en).waitFor();
      await assertAccessible(mine, "keys");
      await mine.keyboard.press("Escape");

      // exports the checked studies as CSV and the list as XLSX, of which one study is missing
      const exportAs = async (format: string): Promise<Download> => {
        const saved = mine.waitForEvent("download");
        await mine.locator("dialog").getByRole("radio", { name: new RegExp(`^${format}`) }).check();
        await mine.locator("dialog").getByRole("button", { name: "Export", exact: true }).click();
        return await saved;
      };
      await mine.getByRole("button", { name: "Clear selection" }).click();
      await mine.getByRole("searchbox").fill("=1+2");
      await row(mine, 7).waitFor({ state: "detached" });
      await row(mine, 4).getByRole("checkbox").check();
      await mine.getByRole("toolbar").getByRole("button", { name: "Export" }).click();
      await mine.locator("dialog").getByText("Selected studies: 1").waitFor();
      await assertAccessible(mine, "export");
      await mine.route(/\/patients\/excel$/, (route) => route.fulfill({ status: 418, json: {} }), {
        times: 1,
      });
      await mine.locator("dialog").getByRole("radio", { name: /^CSV/ }).check();
      await mine.locator("dialog").getByText(/^1 study, \d+ columns: about /).waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Export", exact: true }).click();
      await mine.getByText("CSV export failed.").first().waitFor();
      const csv = await exportAs("CSV");
      assert.match(csv.suggestedFilename(), /\.csv$/);
      const bytes = readFileSync(await csv.path()),
        lines = bytes.toString().trimEnd().split("\r\n");
      assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
      assert.equal(lines.length, 2);
      assert.ok(
        lines[1]!.startsWith("4,") && lines[1]!.includes(",'=1+2,"),
        lines[1]!.slice(0, 80),
      );

      await mine.locator("dialog").waitFor({ state: "detached" });
      await mine.route(/\/excel\/.*\/progress$/, async (route) => {
        const answer = await route.fetch(), progress = await answer.json();
        await route.fulfill({ response: answer, json: { ...progress, failed_pid_list: [3] } });
      });
      await mine.getByRole("button", { name: "Export All" }).click();
      const xlsx = await exportAs("XLSX");
      assert.match(xlsx.suggestedFilename(), /\.xlsx$/);
      assert.equal(readFileSync(await xlsx.path()).subarray(0, 2).toString(), "PK");
      // the tray names the missing study with a link to its row
      await mine.locator("dialog").waitFor({ state: "detached" });
      await mine.getByRole("button", { name: /^Activity: 1 failure/ }).click();
      await mine.getByText(trayText.missing_table.en).waitFor();
      await mine.getByRole("link", { name: trayText.goToRow.en }).waitFor();
      await assertAccessible(mine, "tray with a failure");
    }),
});
