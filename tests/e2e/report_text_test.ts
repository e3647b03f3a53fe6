// covers: S-130
// The physician's text in a browser: suggested, kept after a colleague saved first, signed,
// withdrawn.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { getReportText, saveReportText } from "@/client/api/report/report_text.ts";
import { errorText } from "@/model/text/errors.ts";
import { modalText } from "@/model/text/modals.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { reportTextText } from "@/model/text/report/report_text_dialog.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  hasChromium,
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

/** Error for a signature after the results have changed since they were read. */
const refused = errorText["text.results_changed"].en;

const button = (page: Page, key: keyof typeof reportTextText) =>
  page.getByRole("button", { name: reportTextText[key].en, exact: true });

Deno.test({
  name: `the physician's text in the browser${hasChromium ? "" : " (skipped: needs Chromium)"}`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using site = await startSite();
    // a small left hippocampus gives the suggestion a finding
    await addReported(site.dataDir, 1, 20, (label) => label === 19 ? -5 : 0);
    const db = await openBeside(site.dataDir);
    await addQuickUser(db, { email: "other@x.org", password: PASSWORD, name: "Dr Other" });
    await addQuickUser(db, {
      email: "r@x.org",
      password: PASSWORD,
      name: "Reader",
      role: "reader",
    });
    await db.destroy();
    const open: Api = { origin: site.url, send: (request) => fetch(request) };
    const { access_token } = await login(open, { email: "other@x.org", password: PASSWORD });
    const other = { ...open, token: access_token };
    const browser = await launchBrowser(), { page, errors } = await openPage(browser, site.url);
    page.setDefaultTimeout(20_000);
    const dialog = page.getByRole("dialog", { name: reportTextText.title.en });
    const area = dialog.getByLabel(reportTextText.text.en, { exact: true });
    const start = async () => {
      await page.goto("/report/1?language=en");
      await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({
        state: "attached",
      });
    };
    try {
      await signIn(page);
      await start();

      await t.step(
        "begins with the suggestion, which the report prints under its label",
        async () => {
          await page.locator(".report-sheet").getByText(conclusionText.automatic.en).first()
            .waitFor();
          await button(page, "open").press("Enter");
          await area.waitFor();
          const { suggestion } = await getReportText(other, 1, "en");
          assert.equal(await area.inputValue(), suggestion);
          assert.ok(await area.evaluate((element) => element === document.activeElement));
          await assertAccessible(page, "the conclusion's dialog");
        },
      );

      await t.step("text that is not saved is asked for before it is left", async () => {
        await area.fill("Mine");
        await page.keyboard.press("Escape");
        await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
        assert.equal(await area.inputValue(), "Mine");
      });

      await t.step(
        "what a colleague saves meanwhile is shown, and neither text is lost",
        async () => {
          await saveReportText(other, 1, { based_on: 0, language: "en", text: "Theirs" });
          const conflict = dialog.getByRole("alert").filter({ hasText: "Dr Other" });
          await conflict.getByText("Theirs", { exact: true }).waitFor();
          // the conflict must be visible without scrolling, even with many findings below the text
          assert.ok(
            await conflict.evaluate((element) => {
              const { left, top, bottom } = element.getBoundingClientRect();
              return [top + 4, bottom - 4].every((y) =>
                element.contains(document.elementFromPoint(left + 8, y))
              );
            }),
            "the question about a colleague's text is not in sight",
          );
          assert.equal(await area.inputValue(), "Mine");
          assert.ok(await button(page, "save").isDisabled());
          assert.ok(await button(page, "sign").isDisabled());
          await assertAccessible(page, "the question about a colleague's text");
          await button(page, "keepMine").click();
          await area.press("Control+s");
          await dialog.getByText(reportTextText.done.en, { exact: true }).waitFor();
          const { versions } = await getReportText(other, 1);
          assert.deepEqual(versions.map(({ text }) => text), ["Mine", "Theirs"]);
        },
      );

      await t.step(
        "results that have changed meanwhile are announced before anything is signed",
        async () => {
          await area.fill("About the earlier results");
          // changes results without an event; a colleague's draft makes the dialog reload
          const beside = await openBeside(site.dataDir);
          await beside.updateTable("patients").set({ patient_birthdate: "1949-02-03" }).where(
            "pid",
            "=",
            1,
          )
            .execute();
          await beside.destroy();
          await saveReportText(other, 1, { based_on: 2, language: "en", text: "Theirs again" });
          await button(page, "keepMine").click();
          await area.press("Control+s");
          await dialog.getByText(reportTextText.done.en, { exact: true }).waitFor();
          await button(page, "sign").click();
          await page.getByText(refused).first().waitFor();
          assert.equal((await getReportText(other, 1)).signed, null);
          assert.equal(await area.inputValue(), "About the earlier results");
        },
      );

      await t.step(
        "a signed text is on the sheet as it was written, without the software's",
        async () => {
          await area.fill("Left hippocampus small.\n\n  1. Follow-up");
          // findings that the text does not repeat are listed before signing
          const beside = dialog.getByText(reportTextText.beside.en, { exact: true });
          await beside.waitFor();
          await button(page, "sign").press("Enter");
          const question = page.getByRole("alertdialog");
          await question.getByText(modalText["text.beside"].title.en).waitFor();
          await assertAccessible(page, "the question about findings beside a text");
          await question.getByRole("button", { name: modalText["text.beside"].confirm!.en })
            .click();
          await dialog.getByText(reportTextText.doneSigned.en, { exact: true }).waitFor();
          await page.keyboard.press("Escape");
          const written = page.locator(".report-sheet .report-written").first();
          await written.waitFor();
          assert.equal(await written.innerText(), "Left hippocampus small.\n\n  1. Follow-up");
          assert.equal(
            await page.locator(".report-sheet").getByText(conclusionText.automatic.en).count(),
            0,
          );
          await page.locator(".report-menu").getByText(/^Signed by /).waitFor();
          await page.locator(".report-sheet").getByText(conclusionText.beside.en).first().waitFor();
          await assertAccessible(page, "the report with a signed text");
        },
      );

      await t.step("withdrawn, the suggestion is back and every version is there", async () => {
        await button(page, "openAgain").click();
        await button(page, "withdraw").click();
        await dialog.getByText(/^Signature withdrawn by/).waitFor();
        await dialog.locator("summary").click();
        assert.equal(await dialog.locator("li").count(), 6);
        await page.keyboard.press("Escape");
        await page.locator(".report-sheet").getByText(conclusionText.automatic.en).first()
          .waitFor();
      });

      await t.step("who may only read has no button for it", async () => {
        const reading = await openPage(browser, site.url);
        await signIn(reading.page, "r@x.org", PASSWORD);
        await reading.page.goto("/report/1");
        await reading.page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({
          state: "attached",
        });
        await reading.page.locator(".report-menu").getByText(reportTextText.unsigned.en).waitFor();
        assert.equal(await button(reading.page, "open").count(), 0);
        assert.deepEqual(reading.errors, []);
      });
      const [conflict, ...others] = errors;
      assert.match(
        conflict!,
        /409 \(Conflict\)/,
        "the browser's own line about the refused signature",
      );
      assert.deepEqual(others, []);
    } finally {
      await browser.close();
    }
  },
});
