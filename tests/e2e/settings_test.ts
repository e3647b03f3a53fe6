// The dialogs of the header's menu, on one site and in one browser.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { Page } from "@playwright/test";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { encodePng } from "@/core/report/png.ts";
import {
  CHROMIUM,
  hasChromium,
  launchBrowser,
  openPage,
  PASSWORD,
  ROOT,
  signIn,
  sizeOf,
  startSite,
} from "@/tests/e2e/site.ts";

const isBuilt = existsSync(`${ROOT}static/build/manifest.json`);
const missing = !hasChromium ? `no ${CHROMIUM}` : !isBuilt ? "static/build is not built" : "";
const why = missing && ` (skipped: ${missing})`;

const menuButton = (page: Page) => page.locator("header button[aria-haspopup]");
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

/** Opens a dialog of the menu by keyboard. */
async function openDialog(page: Page, name: string) {
  await menuButton(page).focus();
  await page.keyboard.press("Enter");
  const item = page.getByRole("menuitem", { name });
  await item.waitFor();
  while (!await item.evaluate((element) => element === document.activeElement)) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name });
  await dialog.waitFor();
  return dialog;
}

const toast = (page: Page, text: string) => page.locator(".toast").filter({ hasText: text }).waitFor();

/** Tab, over and over, stays inside the dialog. */
async function assertTrapped(page: Page): Promise<void> {
  for (let n = 0; n < 30; n++) {
    await page.keyboard.press("Tab");
    const isOutside = await page.evaluate(() => {
      const { activeElement } = document;
      // the browser's own bar stands between the last and the first element
      return activeElement !== document.body && !activeElement?.closest("dialog[open]");
    });
    assert.ok(!isOutside, `Tab ${n + 1} leads out of the dialog`);
  }
}

Deno.test({
  name: `settings by keyboard: every rule speaks, what is saved stays, the focus comes back${why}`,
  ignore: missing !== "",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const step = async (name: string, body: () => Promise<void>) => {
      if (!await t.step(name, body)) throw new Error(`${name}: failed`);
    };
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(10_000);
      await signIn(page);

      await step("General: panes, parts by keyboard and by search; cancel gives the focus back", async () => {
        const dialog = await openDialog(page, "Settings");
        assert.equal((await sizeOf(dialog))[0], 760);
        const tree = dialog.getByRole("tree");
        await tree.waitFor();
        assert.equal(await focused(page), "Individual: General");
        assert.ok(await dialog.getByRole("button", { name: "Save" }).isDisabled());
        await assertAccessible(page, "settings, general");
        await assertTrapped(page);
        await dialog.getByLabel("3 panes").check({ force: true });
        await tree.getByRole("treeitem", { name: "All", exact: true }).focus();
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press(" ");
        assert.equal(
          await tree.getByRole("treeitem", { name: "Frontal lobe" }).getAttribute("aria-checked"),
          "mixed",
        );
        await dialog.getByRole("searchbox").fill("hippoc");
        await tree.getByRole("treeitem", { name: "Hippocampus", exact: true }).click();
        await dialog.getByText("2 chosen").waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
        await dialog.getByRole("button", { name: "Save" }).click();
        await toast(page, "Information has been updated.");
        await dialog.waitFor({ state: "detached" });
        await page.waitForFunction(() => document.activeElement?.matches("header button[aria-haspopup]"));
      });

      await step("what was saved is there again, the branches as they were left", async () => {
        const dialog = await openDialog(page, "Settings");
        await dialog.getByText("2 chosen").waitFor();
        assert.ok(await dialog.getByLabel("3 panes").isChecked());
        const branch = dialog.getByRole("treeitem", { name: "Frontal lobe" });
        assert.equal(await branch.getAttribute("aria-expanded"), "true");
      });

      await step("Report: thresholds fill, clear and are flagged; the last page is kept", async () => {
        const dialog = page.getByRole("dialog", { name: "Settings" });
        await dialog.getByRole("tab", { name: "Individual: General" }).focus();
        await page.keyboard.press("ArrowDown");
        const values = () =>
          Promise.all(
            [1, 2, 3].map((n) => dialog.getByLabel(`Threshold ${n}`, { exact: true }).inputValue()),
          );
        assert.deepEqual(await values(), ["5", "25", ""]);
        await dialog.getByRole("group", { name: "Number of thresholds" }).getByLabel("3").check({
          force: true,
        });
        assert.deepEqual(await values(), ["5", "25", "25"]);
        const third = dialog.getByLabel("Threshold 3", { exact: true });
        await third.fill("1x0");
        assert.deepEqual(await values(), ["5", "25", "10"]);
        await third.blur();
        await dialog.getByText("Threshold values must be set in ascending order.").waitFor();
        assert.equal(await third.getAttribute("aria-invalid"), "true");
        await assertAccessible(page, "settings, report");
        await dialog.getByRole("group", { name: "Number of thresholds" }).getByLabel("1").check({
          force: true,
        });
        assert.deepEqual(await values(), ["5", "", ""]);
        assert.ok(await third.isDisabled());

        await dialog.getByLabel("Hospital-MTA").check();
        assert.ok(!await dialog.getByLabel("Check-up").isChecked());
        await dialog.getByRole("group", { name: "Report type" }).getByLabel("T2w", { exact: true })
          .check({ force: true });
        assert.ok(await dialog.getByLabel("Check-up").isDisabled());
        for (const name of ["Longitudinal", "WMH", "Reading Materials"]) {
          await dialog.getByLabel(name).uncheck();
        }
        await dialog.getByLabel("Cover").click();
        await toast(page, "Please select at least one page.");
        assert.ok(await dialog.getByLabel("Cover").isChecked());
        await dialog.getByRole("combobox", { name: "Report language" }).selectOption("ko");
      });

      await step("Report Result: default, restore and store; 350 letters", async () => {
        const dialog = page.getByRole("dialog", { name: "Settings" });
        await dialog.getByRole("tab", { name: "Individual: Report Result" }).click();
        const edit = dialog.getByLabel("Edit message"),
          store = dialog.getByRole("button", { name: "Store the edit" });
        const initial = await edit.inputValue();
        assert.match(initial, /[가-힣]/);
        await edit.fill("x".repeat(351));
        await dialog.getByText("Cannot exceed 350 characters.").waitFor();
        assert.equal(await store.getAttribute("aria-disabled"), "true");
        await dialog.getByRole("button", { name: "Restore the saved message" }).click();
        assert.equal(await edit.inputValue(), initial);
        await edit.fill("확인함");
        await dialog.getByText("This text is not stored yet.", { exact: false }).waitFor();
        await store.click();
        await dialog.getByText("Stored.", { exact: false }).waitFor();
        await assertAccessible(page, "settings, report result");
        await dialog.getByRole("button", { name: "Load the default text" }).click();
        assert.equal(await edit.inputValue(), initial);
        await edit.fill("확인함");
      });

      await step(
        "Group: says whom it concerns, refuses a tag that names nothing, tells the others",
        async () => {
          const dialog = page.getByRole("dialog", { name: "Settings" });
          await dialog.getByRole("tab", { name: "Group: General" }).click();
          await toast(page, "Group settings apply to all users of the organization.");
          const tag = dialog.getByLabel("T1w Tag");
          await tag.fill("PatientName");
          await tag.blur();
          await dialog.getByText("Please name a known attribute", { exact: false }).waitFor();
          await assertAccessible(page, "settings, group");
          await dialog.getByRole("button", { name: "Save" }).click();
          await tag.fill("(0018,1030)");
          await dialog.getByRole("combobox", { name: "DICOM Language" }).selectOption("2");
          const other = await page.context().newPage();
          await other.goto("/");
          const told = other.evaluate(() =>
            new Promise<string>((resolve) => {
              const socket = new WebSocket(`${location.origin.replace("http", "ws")}/api/v1/ws`);
              socket.onmessage = ({ data }) => resolve(data);
            })
          );
          await other.waitForTimeout(300);
          await dialog.getByRole("button", { name: "Save" }).click();
          await toast(page, "It applies to all users of the organization.");
          assert.match(await told, /"setting_update".*"group"/);
          await other.close();
          const stored = await page.evaluate(async () => (await fetch("/api/v1/settings")).json());
          assert.deepEqual(stored.individual.report.threshold_list, [5]);
          assert.deepEqual(stored.individual.report.page_list.t2, [1]);
          assert.ok(stored.individual.report.page_list.t1.includes(16));
          assert.equal(stored.individual.report_result[0].message, "확인함");
          assert.deepEqual([stored.group.general.dicom_encoding_id, stored.group.general.t1w_tag], [
            2,
            "(0018,1030)",
          ]);
        },
      );

      await step("a change made meanwhile is shown with one's own on top", async () => {
        const dialog = await openDialog(page, "Settings");
        await dialog.getByLabel("4 panes").check({ force: true });
        await page.evaluate(async () => {
          const stored = await (await fetch("/api/v1/settings")).json();
          stored.group.general.bias_correction = false;
          const headers = { "content-type": "application/json" };
          await fetch("/api/v1/settings", { method: "PUT", headers, body: JSON.stringify(stored) });
        });
        await dialog.getByRole("button", { name: "Save" }).click();
        await toast(page, "Another user has changed the settings in the meantime.");
        assert.ok(await dialog.getByLabel("4 panes").isChecked());
        await dialog.getByRole("tab", { name: "Group: General" }).click();
        const bias = dialog.getByRole("switch", { name: "Bias Correction" });
        assert.equal(await bias.getAttribute("aria-checked"), "false");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.waitFor({ state: "detached" });
      });
      await step("My Page: names, a logo by its content, and the password's rules", async () => {
        const dialog = await openDialog(page, "My Page");
        const name = dialog.getByLabel("Name", { exact: true });
        await page.waitForFunction(() =>
          (document.activeElement as HTMLInputElement)?.value === "Administrator"
        );
        await assertAccessible(page, "My Page");
        await name.fill("Dr. Kim");
        await dialog.getByLabel("Hospital name").fill("Seoul Hospital");
        const picker = dialog.locator("input[type=file]");
        const file = (buffer: Uint8Array) => ({
          name: "logo.png",
          mimeType: "image/png",
          buffer: Buffer.from(buffer),
        });
        await picker.setInputFiles(file(Buffer.from("GIF89a")));
        await dialog.getByText("The file is not a png or jpg file.").waitFor();
        await picker.setInputFiles(file(encodePng(new Uint8Array(3 * 90 * 30).fill(90), 90, 30)));
        await dialog.getByRole("img", { name: "Logo" }).waitFor();
        await dialog.getByLabel("Current password").fill("wrong-password-1");
        await dialog.getByLabel("New password", { exact: true }).fill("short");
        await dialog.getByLabel("Confirm new password").fill("other");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByText("Please use at least 8 characters", { exact: false }).waitFor();
        await dialog.getByText("The passwords do not match.").waitFor();
        for (const field of ["New password", "Confirm new password"]) {
          await dialog.getByLabel(field, { exact: true }).fill("correct-horse-9");
        }
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByText("The current password don't match.").waitFor();
        await assertAccessible(page, "My Page, refused");
        await dialog.getByLabel("Current password").fill(PASSWORD);
        await page.keyboard.press("Enter");
        await toast(page, "Your password has been changed.");
        await dialog.waitFor({ state: "detached" });
        const stored = await page.evaluate(async () => (await fetch("/api/v1/settings/mypage")).json());
        assert.deepEqual([stored.name, stored.hospital_name], ["Dr. Kim", "Seoul Hospital"]);
        assert.match(stored.logo_url, /logo\?v=/);
      });

      await step("About: label, manual, terms and packages", async () => {
        const dialog = await openDialog(page, "About");
        await dialog.getByText("VN-M-06").waitFor();
        await dialog.getByText("For demonstration only. Not for diagnosis.").waitFor();
        await assertAccessible(page, "About");
        await page.keyboard.press("ArrowRight");
        const saved = page.waitForEvent("download");
        await dialog.getByRole("button", { name: "Download" }).click();
        assert.match((await saved).suggestedFilename(), /^Sulcus [\d.]+ User Manual \(DEMO\)\.pdf$/);
        await dialog.getByRole("tab", { name: "Terms and Conditions" }).click();
        await dialog.getByText("1. Purpose.", { exact: false }).waitFor();
        await dialog.getByRole("tab", { name: "Open Source License" }).click();
        await dialog.getByRole("heading", { name: /^Front end/ }).waitFor();
        await assertAccessible(page, "About, packages");
        await page.keyboard.press("Escape");
        await page.waitForFunction(() => document.activeElement?.matches("header button[aria-haspopup]"));
      });
      // the refused save and password
      assert.deepEqual(errors.filter((error) => !/status of (409|403)/.test(error)), []);
    } finally {
      await browser.close();
    }
  },
});
