// covers: S-7
// The dialogs of the header's menu, on one site and in one browser.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { assertAccessible, assertTrapped } from "@/tests/e2e/accessibility.ts";
import { until } from "@/tests/sites/until.ts";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { getSettings, saveSettings } from "@/client/api/site/settings.ts";
import { aboutText } from "@/model/text/account/about.ts";
import { errorText } from "@/model/text/errors.ts";
import { settingsText } from "@/model/text/settings/settings.ts";
import { toastText } from "@/model/text/toasts.ts";
import { TIMING } from "@/server/commands/demo/phantom/acquisitions.ts";
import { bytesOf, namedSeries } from "@/server/commands/demo/phantom/dicom/named_series.ts";
import { encodePng } from "@/report/pdf/png.ts";
import {
  answersClicks,
  browserTest,
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  sizeOf,
  startSite,
} from "@/tests/e2e/site.ts";

/** Patient names as stored and as displayed; without a character set, the setting applies. */
const NAMES = [
  { charset: null, encodingId: 2, bytes: bytesOf("\xc8\xab^\xb1\xe6\xb5\xbf"), shown: "홍 길동" },
  {
    charset: "\\ISO 2022 IR 87",
    encodingId: 2,
    bytes: bytesOf("\x1b$B;3ED\x1b(B^\x1b$BB@O:\x1b(B"),
    shown: "山田 太郎",
  },
] as const;

const menuButton = (page: Page) => page.locator("header button[aria-haspopup=menu]");
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

/** Opens a dialog of the menu by keyboard. */
async function openDialog(page: Page, name: string) {
  // moves the pointer away, because a toast under the pointer stays
  await page.mouse.move(0, 0);
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

const toast = (page: Page, text: string) =>
  page.locator(".toast").filter({ hasText: text }).waitFor();

browserTest(
  "settings by keyboard: every rule speaks, what is saved stays, the focus comes back",
  async (t) => {
    const step = async (name: string, body: () => Promise<void>) => {
      if (!await t.step(name, body)) throw new Error(`${name}: failed`);
    };
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(60_000);
      await signIn(page);

      // covers: D1-8.13, D1-8.14, D1-9.5, D1-9.6
      await step(
        "General: panes, parts by keyboard and by search; cancel gives the focus back",
        async () => {
          const dialog = await openDialog(page, "Settings");
          assert.equal((await sizeOf(dialog))[0], 760);
          const tree = dialog.getByRole("tree");
          await tree.waitFor();
          assert.equal(await focused(page), "Individual: General");
          assert.ok(await dialog.getByRole("button", { name: "Save" }).isDisabled());
          await assertAccessible(page, "settings, general");
          await assertTrapped(page, "settings");
          await dialog.getByRole("switch", { name: "Upload & Analyze" }).press(" ");
          await dialog.getByText("3 panes", { exact: true }).click();
          await tree.getByRole("treeitem", { name: "All", exact: true }).focus();
          await page.keyboard.press("ArrowDown");
          await page.keyboard.press("ArrowRight");
          await page.keyboard.press("ArrowRight");
          await page.keyboard.press(" ");
          assert.equal(
            await tree.getByRole("treeitem", { name: "Frontal lobe" }).getAttribute("aria-checked"),
            "mixed",
          );
          const typedAt = performance.now();
          await dialog.getByRole("searchbox").fill("hippoc");
          await tree.getByRole("treeitem", { name: "Frontal lobe" }).waitFor({ state: "detached" });
          assert.ok(performance.now() - typedAt >= 500, "the search waits until nothing is typed");
          await tree.getByRole("treeitem", { name: "Hippocampus", exact: true }).click();
          await dialog.getByText("2 regions selected").waitFor();
          await page.keyboard.press("Escape");
          await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
          await dialog.getByRole("button", { name: "Save" }).click();
          await toast(page, "Information has been updated.");
          await toast(page, toastText["settings.auto_off"].text.en);
          await dialog.waitFor({ state: "detached" });
          await page.waitForFunction(() =>
            document.activeElement?.matches("header button[aria-haspopup=menu]")
          );
        },
      );

      // covers: D1-7.11
      await step("what was saved is there again, the branches as they were left", async () => {
        const dialog = await openDialog(page, "Settings");
        await dialog.getByText("2 regions selected").waitFor();
        assert.ok(await dialog.getByLabel("3 panes").isChecked());
        const branch = dialog.getByRole("treeitem", { name: "Frontal lobe" });
        assert.equal(await branch.getAttribute("aria-expanded"), "true");
      });

      // covers: D1-4.24, D1-4.25, D1-4.27, D1-5.2, D1-5.3, D1-5.5, D1-5.6, D1-5.8
      await step(
        "Report: thresholds fill, clear and are flagged; the last page is kept",
        async () => {
          const dialog = page.getByRole("dialog", { name: "Settings" });
          await dialog.getByRole("tab", { name: "Individual: General" }).focus();
          await page.keyboard.press("ArrowDown");
          const values = () =>
            Promise.all(
              [1, 2, 3].map((n) =>
                dialog.getByLabel(`Threshold ${n}`, { exact: true }).inputValue()
              ),
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
          await dialog.getByText(settingsText.thresholdOrder.en).waitFor();
          assert.equal(await third.getAttribute("aria-invalid"), "true");
          await assertAccessible(page, "settings, report");
          await dialog.getByRole("group", { name: "Number of thresholds" }).getByLabel("1").check({
            force: true,
          });
          assert.deepEqual(await values(), ["5", "", ""]);
          assert.ok(await third.isDisabled());

          await dialog.getByLabel("Hospital-MTA").check();
          assert.ok(!await dialog.getByLabel("Check-up").isChecked());
          await dialog.getByRole("group", { name: "Report type" }).getByLabel("T2w", {
            exact: true,
          })
            .check({ force: true });
          assert.ok(await dialog.getByLabel("Check-up").isDisabled());
          for (const name of ["Longitudinal", "WMH", "Reading Materials"]) {
            await dialog.getByLabel(name).uncheck();
          }
          await dialog.getByLabel("Cover").click();
          await toast(page, "Please select at least one page.");
          assert.ok(await dialog.getByLabel("Cover").isChecked());
          await dialog.getByRole("combobox", { name: "Report language" }).selectOption("ko");
        },
      );

      // covers: D1-4.28, D1-4.29, D1-4.30, D1-4.31, D1-5.7
      await step("Report Result: default, restore and store; 350 letters", async () => {
        const dialog = page.getByRole("dialog", { name: "Settings" });
        await dialog.getByRole("tab", { name: "Individual: Report Result" }).click();
        const edit = dialog.getByLabel("Edit message"),
          store = dialog.getByRole("button", { name: "Apply edit" });
        const initial = await edit.inputValue();
        assert.match(initial, /[가-힣]/);
        // changing the language selects the first opinion, also when changing back
        const opinion = dialog.getByRole("combobox").first();
        await opinion.selectOption({ index: 2 });
        await until(async () => await edit.inputValue() !== initial);
        for (const language of ["en", "ko"]) {
          await dialog.getByRole("tab", { name: "Individual: Report", exact: true }).click();
          await dialog.getByRole("combobox", { name: "Report language" }).selectOption(language);
          await dialog.getByRole("tab", { name: "Individual: Report Result" }).click();
        }
        assert.equal(await edit.inputValue(), initial);
        await edit.fill("x".repeat(351));
        await dialog.getByText("Cannot exceed 350 characters.").waitFor();
        assert.equal(await store.getAttribute("aria-disabled"), "true");
        await dialog.getByRole("button", { name: settingsText.restore.en }).click();
        assert.equal(await edit.inputValue(), initial);
        await edit.fill("확인함");
        await dialog.getByText("This message has not been applied yet.", { exact: false })
          .waitFor();
        // unapplied text: choosing another opinion asks first, and Escape keeps the text
        const [first, third] = [
          await opinion.inputValue(),
          await opinion.locator("option").nth(2).innerText(),
        ];
        const asked = page.getByRole("alertdialog", { name: "Comment not applied" });
        await opinion.selectOption({ label: third });
        await asked.waitFor();
        await page.keyboard.press("Escape");
        await asked.waitFor({ state: "detached" });
        assert.deepEqual([await opinion.inputValue(), await edit.inputValue()], [first, "확인함"]);
        await store.click();
        await dialog.getByText(settingsText.stored.en).waitFor();
        await assertAccessible(page, "settings, report result");
        await dialog.getByRole("button", { name: settingsText.loadDefault.en }).click();
        assert.equal(await edit.inputValue(), initial);
        await edit.fill("확인함");
      });

      // covers: D1-4.16, D1-5.8, D1-8.13
      await step(
        "Group: says whom it concerns, refuses a tag that names nothing, tells the others",
        async () => {
          const dialog = page.getByRole("dialog", { name: "Settings" });
          await dialog.getByRole("tab", { name: "Group: General" }).click();
          await toast(page, toastText["settings.group"].text.en);
          // the toast is reachable although a dialog is open
          const notice = dialog.locator(".toast").filter({ hasText: "Group settings" });
          await notice.getByRole("button", { name: "Close" }).press("Enter");
          await notice.waitFor({ state: "detached" });
          const tag = dialog.getByLabel("T1w Tag");
          await tag.fill("PatientName");
          await tag.blur();
          await dialog.getByText("Please enter a known DICOM attribute", { exact: false })
            .waitFor();
          await assertAccessible(page, "settings, group");
          await dialog.getByRole("button", { name: "Save" }).click();
          await tag.fill("(0018,1030)");
          await dialog.getByRole("combobox", { name: "DICOM Language" }).selectOption("2");
          const other = await page.context().newPage();
          await other.goto("/");
          const heard: string[] = [];
          await other.exposeFunction("hear", (event: string) => heard.push(event));
          await other.evaluate(() =>
            new Promise((resolve) => {
              const socket = new WebSocket(`${location.origin.replace("http", "ws")}/api/v1/ws`);
              socket.onopen = resolve;
              socket.onmessage = ({ data }) =>
                (globalThis as unknown as { hear(event: string): void }).hear(data);
            })
          );
          await dialog.getByRole("button", { name: "Save" }).click();
          await toast(page, "It applies to all users of the organization.");
          await until(() => heard.length > 0);
          assert.match(heard[0]!, /"setting_update".*"group"/);
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
        await dialog.getByText("4 panes", { exact: true }).click();
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
        await until(async () => await bias.getAttribute("aria-checked") === "false");
        // a toast under the pointer stays, but closes after its dialog has closed
        await page.locator(".toast").hover();
        await dialog.getByRole("button", { name: "Save" }).press("Enter");
        await dialog.waitFor({ state: "detached" });
      });
      // covers: D1-7.12, D1-8.13
      await step("a save that fails says so and closes the dialog", async () => {
        const dialog = await openDialog(page, "Settings");
        await dialog.getByText("3 panes", { exact: true }).click();
        await page.route("**/api/v1/settings", (route) => route.fulfill({ status: 500, json: {} }));
        await dialog.getByRole("button", { name: "Save" }).click();
        await toast(page, "Failed to update your information. Please try again.");
        await dialog.waitFor({ state: "detached" });
        await page.unroute("**/api/v1/settings");
      });

      // covers: D1-3.1
      await step(
        "names in Korean and in Japanese, declared and as the DICOM Language says",
        async () => {
          const cookie = (await page.context().cookies()).map(({ name, value }) =>
            `${name}=${value}`
          ).join(
            "; ",
          );
          const api = {
            origin: site.url,
            send: (request: Request) =>
              fetch(
                new Request(request, {
                  headers: [...request.headers, ["cookie", cookie], ["origin", site.url]],
                }),
              ),
          };
          for (const [n, { encodingId, charset, bytes }] of NAMES.entries()) {
            const stored = await getSettings(api);
            stored.group.general.dicom_encoding_id = encodingId;
            await saveSettings(api, stored, stored.version);
            const series = { name: "T2 FLAIR", ...TIMING.flair, slices: 20, stepMm: 6 };
            const { success, failed } = await uploadFiles(
              api,
              namedSeries(series, n + 1, { charset, bytes }),
            );
            assert.equal(success, 1, JSON.stringify(failed[0]));
          }
          await page.reload();
          await answersClicks(page);
          for (const { shown } of NAMES) {
            await page.locator("tr[data-pid]").getByText(shown).waitFor();
          }
        },
      );

      // covers: D1-5.10, D1-5.11, D1-5.13, D1-8.15
      await step("My Page: names, a logo by its content, and the password's rules", async () => {
        const dialog = await openDialog(page, "My Page");
        const name = dialog.getByLabel("Name", { exact: true });
        await page.waitForFunction(() =>
          (document.activeElement as HTMLInputElement)?.value === "Administrator"
        );
        await assertAccessible(page, "My Page");
        await assertTrapped(page, "My Page");
        await name.fill("Dr. Kim");
        await dialog.getByLabel("Hospital name").fill("Seoul Hospital");
        const picker = dialog.locator("input[type=file]");
        const file = (buffer: Uint8Array) => ({
          name: "logo.png",
          mimeType: "image/png",
          buffer: Buffer.from(buffer),
        });
        await picker.setInputFiles(file(Buffer.from("GIF89a")));
        await dialog.getByText(errorText["logo.format"].en).waitFor();
        await picker.setInputFiles(file(encodePng(new Uint8Array(3 * 90 * 30).fill(90), 90, 30)));
        await dialog.getByRole("img", { name: "Logo" }).waitFor();
        await dialog.getByLabel("Current password").fill("wrong-password-1");
        await dialog.getByLabel("New password", { exact: true }).fill("short");
        await dialog.getByLabel("Confirm new password").fill("other");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByRole("alert").getByText("Please use at least 8 characters").waitFor();
        await dialog.getByText(errorText["password.mismatch"].en).first().waitFor();
        await toast(page, "Please use at least 8 characters");
        const chosen = async (password: string) => {
          for (const field of ["New password", "Confirm new password"]) {
            await dialog.getByLabel(field, { exact: true }).fill(password);
          }
        };
        await chosen("correct-horse-9");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByRole("alert").getByText(errorText["password.incorrect"].en).waitFor();
        await toast(page, errorText["password.incorrect"].en);
        await assertAccessible(page, "My Page, refused");
        await dialog.getByLabel("Current password").fill(PASSWORD);
        await chosen("Password1!");
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByRole("alert").getByText(errorText["password.common"].en).waitFor();
        await chosen("correct-horse-9");
        await page.keyboard.press("Enter");
        await toast(page, toastText["password.changed"].text.en);
        await dialog.waitFor({ state: "detached" });
        const stored = await page.evaluate(async () =>
          (await fetch("/api/v1/settings/mypage")).json()
        );
        assert.deepEqual([stored.name, stored.hospital_name], ["Dr. Kim", "Seoul Hospital"]);
        assert.match(stored.logo_url, /logo\?v=/);
      });

      // covers: D1-7.13, D1-7.14
      await step("About: label, manual, terms and packages", async () => {
        const dialog = await openDialog(page, "About");
        await dialog.getByText("VN-M-06").waitFor();
        await dialog.getByText(aboutText.demo.en).waitFor();
        await assertAccessible(page, "About");
        await assertTrapped(page, "About");
        await dialog.getByRole("tab", { name: "Label" }).focus();
        await page.keyboard.press("ArrowRight");
        const saved = page.waitForEvent("download");
        await dialog.getByRole("button", { name: "Download" }).click();
        assert.match(
          (await saved).suggestedFilename(),
          /^Sulcus [\d.]+ User Manual \(DEMO\)\.pdf$/,
        );
        // D1 §7: the terms are not cached
        let asked = 0;
        page.on("request", (request) => asked += Number(request.url().includes("/about/terms")));
        for (const tab of ["Terms and Conditions", "User Manual", "Terms and Conditions"]) {
          await dialog.getByRole("tab", { name: tab }).click();
          if (tab !== "User Manual") {
            await dialog.getByText("1. Purpose.", { exact: false }).waitFor();
          }
        }
        assert.equal(asked, 2);
        await dialog.getByRole("tab", { name: "Open Source License" }).click();
        await dialog.getByRole("heading", { name: /^Front end/ }).waitFor();
        await assertAccessible(page, "About, packages");
        await page.keyboard.press("Escape");
        await page.waitForFunction(() =>
          document.activeElement?.matches("header button[aria-haspopup=menu]")
        );
      });
      // expected: refused saves and a wrong password
      assert.deepEqual(errors.filter((error) => !/status of (409|403|422|500)/.test(error)), []);
    } finally {
      await browser.close();
    }
  },
);
