import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { EMAIL, hasChromium, launchBrowser, openPage, startSite } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import { helpText } from "@/model/text/help.ts";
import { errorText } from "@/model/text/errors.ts";
import { statusText } from "@/model/text/site/status.ts";

const OWN = "my-own-1-password";

Deno.test({
  name:
    "a password that the site has made is changed first; administrators see who must wait, and lift it" +
    (hasChromium ? "" : " (skipped: no Chromium)"),
  ignore: !hasChromium,
  async fn() {
    await using site = await startSite({ env: { SULCUS_ADMIN_PASSWORD: "" } });
    // the password is printed last, after the address that startSite() waits for
    const made = await until(() => /Password +(\S+) /.exec(site.output())?.[1]);
    const browser = await launchBrowser();
    try {
      const { page } = await openPage(browser, site.url);
      await page.goto("/login");
      await page.locator("[data-island=LoginForm][data-hydrated]").waitFor({ state: "attached" });
      await page.getByLabel("Email").fill(EMAIL);
      await page.getByLabel("Password", { exact: true }).fill(made);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/password?next=%2F");
      await page.locator("[data-island=FirstPassword][data-hydrated]").waitFor({
        state: "attached",
      });
      await assertAccessible(page, "first password");
      await page.getByRole("button", { name: "Help" }).click();
      await page.getByText(helpText.password2.en).waitFor();
      await page.keyboard.press("Escape");
      // all other pages lead to the change of the password
      await page.goto("/status");
      await page.waitForURL("**/password?next=%2Fstatus");
      await page.locator("[data-island=FirstPassword][data-hydrated]").waitFor({
        state: "attached",
      });
      await page.getByLabel("Current password").fill(made);
      await page.getByLabel("New password", { exact: true }).fill(OWN);
      await page.getByLabel("Confirm new password").fill("another");
      await page.getByRole("button", { name: "Choose a password" }).click();
      await page.getByText(errorText["password.mismatch"].en).waitFor();
      await page.getByLabel("Confirm new password").fill(OWN);
      await page.getByRole("button", { name: "Choose a password" }).click();
      await page.waitForURL("**/status");

      for (let n = 0; n < 9; n++) {
        await fetch(`${site.url}/api/v1/auth/login`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ email: "nobody@hospital.test", password: "wrong-1-word" }),
        }).then((answer) => answer.body?.cancel());
      }
      await page.locator("[data-island=ServerStatus][data-hydrated]").waitFor({
        state: "attached",
      });
      await page.getByRole("tab", { name: "Blocked sign-ins" }).click();
      const row = page.getByRole("row").filter({
        hasText: statusText.delayPlace.en,
      });
      await row.waitFor();
      await assertAccessible(page, "sign-ins");
      await row.getByRole("button", { name: "Unblock" }).click();
      await page.getByText(statusText.noDelays.en).waitFor();
    } finally {
      await browser.close();
    }
  },
});
