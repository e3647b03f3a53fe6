// Over 400 lines: its steps share one site and two browsers, whose start costs more than they do.
// Two physicians on one list and one record, each in a browser of their own.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import type { Browser, Download, Page } from "@playwright/test";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/auth.ts";
import { deletePatient, getPatient, startReanalysis, uploadFiles } from "@/client/api/patients.ts";
import { openData } from "@/core/mod.ts";
import { addUser } from "@/core/services/accounts/users.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { until } from "@/tests/sites/until.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import {
  answersClicks,
  CHROMIUM,
  hasChromium,
  launchBrowser,
  openPage,
  ROOT,
  signIn,
  type Site,
  startSite,
} from "@/tests/e2e/site.ts";

const isBuilt = existsSync(`${ROOT}static/build/manifest.json`);
const missing = !hasChromium ? `no ${CHROMIUM}` : !isBuilt ? "static/build is not built" : "";
const why = missing && ` (skipped: ${missing})`;

const OTHER = { email: "other@hospital.test", password: "correct-horse-8", name: "Dr. Other" };
const ROBOT = { email: "robot@hospital.test", password: "correct-horse-9", name: "Robot" };

const row = (page: Page, pid: number) => page.locator(`tr[data-pid="${pid}"]`);
const editing = (page: Page) => page.locator("tr[data-editing]");
const pidsOf = (page: Page) =>
  page.locator("tr[data-pid]").evaluateAll((rows) =>
    rows.map((each) => Number(each.getAttribute("data-pid")))
  );

interface Scene {
  site: Site;
  mine: Page;
  theirs: Page;
  /** a third user's API */
  robot: Api;
}

/** A site with eight studies, number 8 analysed, and two browsers on its worklist. */
async function withTwo(body: (scene: Scene) => Promise<void>): Promise<void> {
  await using site = await startSite();
  const db = openData(site.dataDir);
  for (const user of [OTHER, ROBOT]) await addUser(db, user);
  await db.destroy();
  await addStudies(site.dataDir, 8, (n) => n === 4 ? { patientName: "=1+2" } : {});
  await setCompleted(site.dataDir, 8, "2026-01-06T10:00:00Z");
  const open: Api = { origin: site.url, send: (request) => fetch(request) };
  const { access_token } = await login(open, ROBOT);
  const browser: Browser = await launchBrowser();
  try {
    const [first, second] = [await openPage(browser, site.url), await openPage(browser, site.url)];
    await signIn(first.page);
    await signIn(second.page, OTHER.email, OTHER.password);
    for (const { page } of [first, second]) {
      await answersClicks(page);
      await page.evaluate("globalThis.notReloaded = true");
    }
    await body({ site, mine: first.page, theirs: second.page, robot: { ...open, token: access_token } });
    const scriptErrors = [...first.errors, ...second.errors].filter((line) => !/status of 4\d\d/.test(line));
    assert.deepEqual(scriptErrors, []);
  } finally {
    await browser.close();
  }
}

Deno.test({
  name: "a record is edited by one at a time, and nothing typed is lost to the other" + why,
  ignore: missing !== "",
  fn: () =>
    withTwo(async ({ site, mine, theirs, robot }) => {
      // the form: opened by the key, its rules, Escape asks when something was typed
      await row(mine, 7).focus();
      await mine.keyboard.press("e");
      await editing(mine).waitFor();
      assert.equal(await editing(mine).getByRole("button", { name: /^Report/ }).count(), 0);
      const name = editing(mine).getByLabel("Name");
      assert.ok(
        await editing(mine).getByLabel("Patient ID").evaluate((input) => input === document.activeElement),
      );
      await assertAccessible(mine, "edit form");
      await name.fill("Kim\tMinsu");
      await mine.keyboard.press("Enter");
      await mine.getByText("Name: Tabs, line breaks and other control characters are not allowed.").waitFor();
      await name.fill("x".repeat(101));
      await editing(mine).getByLabel("Birth date", { exact: true }).fill("2026-02-01");
      await mine.keyboard.press("Enter");
      await mine.getByText("Name: Cannot exceed 100 characters.").waitFor();
      await mine.getByText("Please check age.").first().waitFor();
      await assertAccessible(mine, "edit form with problems");
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Go on editing" }).click();
      assert.equal((await name.inputValue()).length, 101);

      // the other sees who edits, and cannot
      await row(theirs, 7).getByText("Administrator is currently editing.").waitFor();
      await row(theirs, 7).getByRole("button", { name: "Edit Name 7" }).click();
      await theirs.locator("dialog").getByText("Administrator is currently editing.").waitFor();
      await theirs.locator("dialog").getByRole("button", { name: "Confirm" }).click();

      // saved: a toast, the row of both, and the claim is gone
      await name.fill("Hong");
      await editing(mine).getByLabel("Birth date", { exact: true }).fill("1970-01-06");
      await mine.keyboard.press("Enter");
      await mine.getByText("The patient information was saved.").first().waitFor();
      await editing(mine).waitFor({ state: "detached" });
      assert.ok(
        await row(mine, 7).evaluate((each) => each === document.activeElement),
        "the focus is on the row",
      );
      await row(theirs, 7).getByText("Hong").waitFor();
      await row(theirs, 7).getByText("currently editing").waitFor({ state: "detached" });
      assert.equal((await getPatient(robot, 7)).patient_age, 55);

      // another study of that patient and day
      await row(mine, 7).press("e");
      await editing(mine).getByLabel("Patient ID").fill("P-6");
      await mine.keyboard.press("Enter");
      await mine.getByText("Duplicate data exist.").first().waitFor();
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Discard" }).click();
      await row(mine, 7).getByText("P-7").waitFor();

      // lost to a change: the claim ran out, the other saved
      await row(mine, 6).press("e");
      await name.fill("Mine");
      const db = openData(site.dataDir);
      await db.deleteFrom("edit_claims").execute();
      await db.destroy();
      await row(theirs, 6).press("e");
      await editing(theirs).getByLabel("Name").fill("Theirs");
      await theirs.keyboard.press("Enter");
      await mine.getByText("Another user has changed this record in the meantime: Name Theirs").waitFor();
      assert.equal(await name.inputValue(), "Mine");
      await assertAccessible(mine, "edit with another's change");
      await mine.getByRole("button", { name: "Keep mine" }).click();
      await mine.keyboard.press("Enter");
      await editing(mine).waitFor({ state: "detached" });
      await row(theirs, 6).getByText("Mine").waitFor();

      // lost to a deletion, which takes the study out of the checked ones too
      for (const pid of [4, 5]) await row(mine, pid).getByRole("checkbox").check();
      await row(mine, 5).press("e");
      await name.fill("Typed");
      await row(theirs, 5).getByRole("checkbox").check();
      await theirs.getByRole("toolbar").waitFor();
      await theirs.keyboard.press("Delete");
      await theirs.locator("dialog").getByText("Deleted images cannot be recovered.").waitFor();
      await theirs.locator("dialog").getByRole("button", { name: "Delete" }).click();
      await theirs.getByText("1 deleted.").first().waitFor();
      await mine.getByText(/^The study was deleted by another user\. What you typed cannot be saved/)
        .waitFor();
      assert.equal(await name.inputValue(), "Typed");
      // the row and the question say the same, and neither loses the text by itself
      await name.press("Escape");
      const question = mine.getByRole("alertdialog", { name: "Study deleted" });
      await question.getByText(/what you have typed for .* cannot be saved/).waitFor();
      await mine.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      assert.equal(await name.inputValue(), "Typed");
      await editing(mine).getByRole("button", { name: "Close" }).click();
      await question.getByRole("button", { name: "Close", exact: true }).last().click();
      await row(mine, 5).waitFor({ state: "detached" });
      const bar = mine.getByRole("toolbar");
      await bar.getByText("1 selected").waitFor();

      // deleted by somebody else while this page asks whether to
      await bar.getByRole("button", { name: "Delete" }).click();
      await deletePatient(robot, 4);
      await row(mine, 4).waitFor({ state: "detached" });
      await mine.locator("dialog").getByRole("button", { name: "Delete" }).click();
      await mine.getByText("1 deleted.").first().waitFor();

      // an analysis that began before the page has heard of it: no edit, no second analysis, no deletion
      const setStatus = async (status: "waiting" | "completed") => {
        const db = openData(site.dataDir);
        await db.updateTable("analyses").set({ status }).where("pid", "=", 8).execute();
        await db.destroy();
      };
      await row(mine, 8).press("e");
      await name.fill("Kept");
      await setStatus("waiting");
      await mine.keyboard.press("Enter");
      await mine.getByText(/^The study is being analyzed\. What you typed is kept/).waitFor();
      assert.equal(await name.inputValue(), "Kept");
      await setStatus("completed");
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Discard" }).click();
      const refused = async (action: string, words: RegExp) => {
        await row(mine, 8).getByRole("checkbox").check();
        await setStatus("waiting");
        await bar.getByRole("button", { name: action }).click();
        await mine.locator("dialog").getByRole("button", { name: action }).click();
        await mine.locator(".toast").getByText(words).waitFor();
        await setStatus("completed");
      };
      await refused("Analyze", /^8 is being analyzed\.$/);
      await mine.getByRole("searchbox").fill("p-8");
      await row(mine, 7).waitFor({ state: "detached" });
      await refused("Delete", /^1 of 1 could not be deleted: .*being analyzed\.$/);

      // an analysed study: asked whether to analyse again; the way ends at home
      await mine.getByRole("searchbox").fill("P-8");
      await mine.waitForURL((url) => url.search === "?search=P-8");
      await row(mine, 8).press("e");
      await editing(mine).getByLabel("Sex").selectOption("female");
      await mine.keyboard.press("Enter");
      await mine.locator("dialog").getByText("Edit analyzed info").waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Keep the results" }).click();
      await mine.locator("dialog").getByText("Patient information updated").waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Confirm" }).click();
      await mine.waitForURL((url) => url.search === "");

      // the other answer: it is analysed again, and the other sees it
      await answersClicks(mine);
      await row(mine, 8).press("e");
      await editing(mine).getByLabel("Sex").selectOption("male");
      await mine.keyboard.press("Enter");
      await mine.locator("dialog").getByRole("button", { name: "Re-analyze" }).click();
      await mine.locator("dialog").getByText(/the study is analyzed again/).waitFor();
      const loaded = mine.waitForEvent("load");
      await mine.locator("dialog").getByRole("button", { name: "Confirm" }).click();
      await loaded;
      await row(theirs, 8).getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });
      assert.equal(await theirs.evaluate("globalThis.notReloaded"), true);
    }),
});

Deno.test({
  name: "what others do changes their rows only: no row moves, checks, focus and edit stay" + why,
  ignore: missing !== "",
  fn: () =>
    withTwo(async ({ mine, theirs, robot }) => {
      // five a page; another page keeps what is checked (D1 §4)
      await row(mine, 7).getByRole("checkbox").check();
      assert.deepEqual(await pidsOf(mine), [8, 7, 6, 5, 4]);
      await mine.getByRole("button", { name: "Next page" }).click();
      await row(mine, 3).waitFor();
      await mine.getByRole("toolbar").getByText("1 selected").waitFor();
      await mine.getByRole("button", { name: "Previous page" }).click();
      await row(mine, 6).press("e");
      await editing(mine).getByLabel("Name").fill("Half");
      const shown = await pidsOf(mine);

      // another search or filter would take the edit away (D1 §4): it asks once, and what was typed stays if it stays
      const search = mine.getByRole("searchbox"), typedName = editing(mine).getByLabel("Name");
      const answer = (name: string) => mine.locator("dialog").getByRole("button", { name }).click();
      await search.pressSequentially("p");
      await answer("Go on editing");
      assert.deepEqual([await search.inputValue(), await typedName.inputValue()], ["", "Half"]);
      await mine.getByRole("button", { name: "Filter", exact: true }).click();
      const filters = mine.getByRole("dialog", { name: "Search Filters" });
      await filters.getByLabel("Age from").fill("20");
      await filters.getByRole("button", { name: "Search", exact: true }).click();
      await mine.getByRole("alertdialog").getByRole("button", { name: "Go on editing" }).click();
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
      // gone back from: asked as well
      await row(mine, 6).press("e");
      await typedName.fill("Half");
      await mine.evaluate("history.pushState(null, '', '?search=p-6&page=1')");
      await mine.evaluate("history.replaceState(null, '', '?search=p-7')");
      await mine.evaluate("dispatchEvent(new PopStateEvent('popstate'))");
      await answer("Go on editing");
      await mine.waitForURL((url) => url.search === "?search=p-6");
      assert.equal(await typedName.inputValue(), "Half");
      await mine.keyboard.press("Escape");
      await answer("Discard");
      // typed before the edit began, and due when something was typed in it
      await mine.clock.install();
      // far enough ahead for a slow machine: a clock cannot go back
      await mine.clock.pauseAt(Date.now() + 20_000);
      await search.fill("p-7");
      await row(mine, 6).press("e");
      await typedName.fill("Half");
      await mine.clock.runFor(1000);
      await answer("Go on editing");
      await until(async () => await search.inputValue() === "p-6");
      assert.deepEqual([new URL(mine.url()).search, await typedName.inputValue()], ["?search=p-6", "Half"]);
      await mine.clock.resume();
      await mine.keyboard.press("Escape");
      await answer("Discard");
      await search.fill("");
      await row(mine, 7).getByRole("checkbox").check();
      await row(mine, 6).press("e");
      await typedName.fill("Half");

      // a new study, whose analysis fails fast
      await uploadFiles(robot, phantomSeries("short", "SHORT-1"));
      await mine.getByText("1 new study").waitFor();
      await theirs.getByText("1 new study").waitFor();
      assert.deepEqual(await pidsOf(mine), shown);
      await theirs.getByRole("button", { name: "Show", exact: true }).click();
      await row(theirs, 9).getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });

      // labels of a checked row, saved by the other
      await row(theirs, 7).getByRole("checkbox").check();
      await theirs.getByRole("toolbar").getByRole("button", { name: "Labels" }).click();
      await theirs.locator("dialog input").first().fill("MCI");
      await theirs.keyboard.press("Enter");
      await theirs.locator("dialog").getByRole("button", { name: "Save" }).click();
      await row(mine, 7).getByText("MCI").waitFor();

      // an analysis begins and ends on the same page
      await startReanalysis(robot, 8);
      await row(mine, 8).getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });

      assert.deepEqual(await pidsOf(mine), shown);
      assert.equal(await editing(mine).getByLabel("Name").inputValue(), "Half");
      assert.ok(await row(mine, 7).getByRole("checkbox").isChecked());
      assert.ok(await editing(mine).getByLabel("Name").evaluate((input) => input === document.activeElement));
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Discard" }).click();
      await mine.getByRole("button", { name: "Show", exact: true }).click();
      await row(mine, 9).getByText("Failed", { exact: true }).waitFor();

      // labels, by both at once: the second is told, and saves on top; the name that both gave is one label
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

      // keys
      await mine.keyboard.press("/");
      assert.ok(await mine.getByRole("searchbox").evaluate((input) => input === document.activeElement));
      await row(mine, 9).focus();
      await mine.keyboard.press("ArrowDown");
      assert.ok(await row(mine, 8).evaluate((each) => each === document.activeElement));
      await mine.keyboard.press("?");
      await mine.locator("dialog").getByText("Delete the checked studies").waitFor();
      await assertAccessible(mine, "keys");
      await mine.keyboard.press("Escape");

      // the checked ones as CSV, the list as XLSX, and one that is not in the file
      const exportAs = async (format: string): Promise<Download> => {
        const saved = mine.waitForEvent("download");
        if (format === "XLSX") await mine.locator("dialog").getByRole("radio", { name: /^XLSX/ }).check();
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
      await mine.locator("dialog").getByRole("button", { name: "Export", exact: true }).click();
      await mine.getByText("CSV export failed.").first().waitFor();
      const csv = await exportAs("CSV");
      assert.match(csv.suggestedFilename(), /\.csv$/);
      const bytes = readFileSync(await csv.path()), lines = bytes.toString().trimEnd().split("\r\n");
      assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
      assert.equal(lines.length, 2);
      assert.ok(lines[1]!.startsWith("4,") && lines[1]!.includes(",'=1+2,"), lines[1]!.slice(0, 80));

      await mine.locator("dialog").waitFor({ state: "detached" });
      await mine.route(
        /\/excel\/.*\/progress$/,
        (route) => route.fulfill({ json: { percent: 100, status: "done", failed_pid_list: [3] } }),
      );
      await mine.getByRole("button", { name: "Export All" }).click();
      const xlsx = await exportAs("XLSX");
      assert.match(xlsx.suggestedFilename(), /\.xlsx$/);
      assert.equal(readFileSync(await xlsx.path()).subarray(0, 2).toString(), "PK");
      await mine.locator("dialog").getByText("No. 3", { exact: true }).waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Close" }).first().click();
    }),
});
