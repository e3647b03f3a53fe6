// covers: S-111
// Tasks of an administrator besides studies: restoring, accounts, one-time codes. One site and
// session.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import {
  answersClicks,
  EMAIL,
  hasChromium,
  openPage,
  PASSWORD,
  signInStarts,
  waitForSignIn,
} from "@/tests/e2e/site.ts";
import { bar, box, shown, withList } from "@/tests/e2e/worklist/list_site.ts";
import { until } from "@/tests/sites/until.ts";
import { binText } from "@/model/text/account/accounts.ts";
import { secondFactorText } from "@/model/text/account/second_factor.ts";
import { textIn } from "@/model/text.ts";

const NEW = "nurse@hospital.test", REASON = "wrong patient";

/** Opens a tab of the page Server. */
async function openTab(page: Page, name: string): Promise<void> {
  await page.goto("/status");
  await page.locator("[data-island=ServerStatus][data-hydrated]").waitFor({ state: "attached" });
  await page.getByRole("tab", { name }).click();
}

async function openList(page: Page): Promise<void> {
  await page.goto("/");
  await answersClicks(page);
}

async function remove(page: Page, id: string, reason: string): Promise<void> {
  await box(page, id).check();
  await bar(page).getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("textbox").fill(reason);
  await question.getByRole("button", { name: "Delete" }).click();
  await until(async () => !(await shown(page)).includes(id));
}

async function fillIn(page: Page, password: string): Promise<void> {
  await signInStarts(page);
  await page.locator('input[name="email"]').fill(EMAIL);
  await page.locator('input[name="password"]').fill(password);
  await page.locator('button[type="submit"]').click();
}

Deno.test({
  name:
    "an administrator brings a study back, gives roles and first passwords, and signs in with a one-time code" +
    (hasChromium ? "" : " (skipped: no Chromium)"),
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withList({ studies: ["A-1", "B-2", "C-3"], finished: 1 }, async (page, site, errors) => {
      await remove(page, "B-2", REASON);
      await openTab(page, "Deleted studies");
      const deleted = page.getByRole("table", { name: "Deleted studies" }).getByRole("row").filter({
        hasText: "B-2",
      });
      await deleted.filter({ hasText: REASON }).getByRole("button", { name: "Restore" }).click();
      await page.getByText(binText.empty.en).waitFor();
      await openList(page);
      await until(async () => (await shown(page)).includes("B-2"));
      await remove(page, "B-2", "");
      await openTab(page, "Deleted studies");
      await deleted.getByRole("button", { name: "Delete permanently" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText(binText.empty.en).waitFor();

      await page.getByRole("tab", { name: "Accounts" }).click();
      await page.getByRole("textbox", { name: "Email" }).fill(NEW);
      await page.getByRole("button", { name: "Add user" }).click();
      const said = page.getByRole("status").filter({ hasText: NEW });
      await said.waitFor();
      const password = async () => /: (\S+)$/.exec((await said.innerText()).trim())![1]!;
      const made = await password();
      const role = page.getByRole("combobox", { name: `Role for ${NEW}` });
      assert.equal(await role.inputValue(), "physician");
      await role.selectOption("reader");
      // the value after saving comes from the server
      await until(async () => await role.inputValue() === "reader" && await role.isEnabled());
      // a new password is set after confirmation
      const question = page.getByRole("alertdialog");
      const reset = page.getByRole("row").filter({ hasText: NEW }).getByRole("button", {
        name: "Reset password",
      });
      await reset.click();
      await question.waitFor();
      await page.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      assert.equal(await password(), made);
      await reset.click();
      await question.getByRole("button", { name: "Reset" }).click();
      const first = await until(async () => await password() === made ? null : await password());
      const { page: other } = await openPage(page.context().browser()!, site.url);
      await other.goto("/login");
      await signInStarts(other);
      await other.locator('input[name="email"]').fill(NEW);
      await other.locator('input[name="password"]').fill(first);
      await other.locator('button[type="submit"]').click();
      await other.waitForURL("**/password?next=%2F");
      await other.context().close();

      await page.goto("/second-factor");
      await page.locator("[data-island=SecondFactor][data-hydrated]").waitFor({
        state: "attached",
      });
      await page.getByRole("button", { name: "Help" }).click();
      await page.getByText(
        "Keep the recovery codes: each lets you sign in once without the phone.",
      )
        .waitFor();
      await page.keyboard.press("Escape");
      await page.getByLabel("Your password").fill(PASSWORD);
      await page.getByRole("button", { name: "Set up" }).click();
      await page.getByRole("img", { name: secondFactorText.picture.en }).waitFor();
      const secret = (await page.locator("form code").innerText()).trim();
      await page.getByLabel("One-time code").fill(
        new TOTP({ secret: Secret.fromBase32(secret) }).generate(),
      );
      await page.getByRole("button", { name: "Confirm" }).click();
      await page.locator("[data-recovery-codes]").waitFor();
      const codes = await page.locator("[data-recovery-codes] code").allInnerTexts();
      assert.equal(codes.length, 10);
      await page.getByRole("button", { name: "Continue" }).click();
      await answersClicks(page);
      await page.locator("header button[aria-haspopup=menu]").click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Sign Out" }).click();
      await waitForSignIn(page);
      await fillIn(page, PASSWORD);
      await page.locator("input[name=code]").fill(codes[0]!);
      await page.locator('button[type="submit"]').click();
      await page.waitForURL((url) => url.pathname === "/");
      // expected: the console logs that the password alone was refused
      assert.deepEqual(errors.splice(0).filter((error) => !error.includes("401")), []);
      await page.goto("/second-factor");
      await page.getByText(textIn(secondFactorText.isOn, "en", { n: 9 })).waitFor();
    }),
});
