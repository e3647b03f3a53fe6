// covers: D1-4.10, D1-4.14, D1-4.15, D1-4.17, D1-4.19, D1-4.20, D1-4.23, D1-8.5, D1-8.8
// Licence and credits for users: modals, and the header while an operator changes the licence.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { openData } from "@/server/core/mod.ts";
import {
  grantCredits,
  type LicenseChange,
  setLicense,
} from "@/server/core/site/service/license_grant.ts";
import { launchBrowser, missingForBrowser, openPage, signIn, startSite } from "@/tests/e2e/site.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { beforeMidnight, dayFromNow } from "@/tests/sites/site_day.ts";
import { licenseText } from "@/model/text/account/license.ts";

const why = missingForBrowser && ` (skipped: ${missingForBrowser})`;

/** Title and text of the modal, which is then closed. */
async function answerModal(page: Page): Promise<[string, string]> {
  const modal = page.getByRole("alertdialog");
  await modal.waitFor();
  const said: [string, string] = [
    await modal.getByRole("heading").innerText(),
    (await modal.locator("p").first().innerText()).trim(),
  ];
  await modal.getByRole("button").last().click();
  await modal.waitFor({ state: "detached" });
  return said;
}

Deno.test({
  name: "the licence's modals and the header follow what the operator does" + why,
  ignore: missingForBrowser !== "",
  async fn() {
    await beforeMidnight();
    await using site = await startSite();
    const operate = async (change: LicenseChange, credits = 0) => {
      const db = openData(site.dataDir);
      await setLicense(db, change);
      if (credits !== 0) await grantCredits(db, credits);
      await db.destroy();
    };
    await operate({ isCounted: true, certType: "CE" });
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      // the page reloads the list once its socket is open
      const hears = page.waitForRequest((request) => /\/api\/v1\/patients\?/.test(request.url()));
      await signIn(page);
      assert.deepEqual(await answerModal(page), [
        "No Remaining Credits",
        licenseText.noCredit.en,
      ]);
      await page.getByText("0 credits left").waitFor();
      // an upload by another tab fails for lack of credits, which this page shows too
      await hears;
      const file = { name: "1.dcm", mimeType: "application/dicom", buffer: Buffer.from("DICM") };
      const refused = await page.context().request.post(`${site.url}/api/v1/patients`, {
        headers: { origin: site.url },
        multipart: { dicom_files: file },
      });
      assert.equal(refused.status(), 402);
      assert.equal((await answerModal(page))[0], "No Remaining Credits");
      await operate({ expireDate: dayFromNow(3) }, 25);
      // updates without a reload
      await page.getByText("25 credits left").waitFor();
      await page.getByText(`License valid until ${dayFromNow(3)}`).waitFor();
      await assertAccessible(page, "worklist with credits");
      await operate({ expireDate: dayFromNow(-1) });
      assert.deepEqual(await answerModal(page), [
        "License Expired",
        licenseText.expired.en,
      ]);
      await operate({ certType: "DEMO" });
      await page.reload();
      assert.deepEqual(await answerModal(page), ["License Expired", "Your license is expired."]);
      await operate({ startDate: dayFromNow(2), expireDate: null });
      await page.reload();
      assert.deepEqual(await answerModal(page), ["Warning", `Can be used after ${dayFromNow(2)}.`]);
      await operate({ startDate: null, isCounted: false });
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
      assert.equal(await page.getByRole("alertdialog").count(), 0);
      assert.deepEqual(errors, []);

      // the session ends elsewhere: patient data disappear, and the sign-in page gives the reason
      await page.context().request.fetch(`${site.url}/api/v1/auth/logout`, {
        method: "HEAD",
        headers: { origin: site.url },
      });
      await page.waitForURL((url) => url.pathname === "/login");
      assert.deepEqual(await answerModal(page), [
        "Session Timeout",
        "Your session has expired. Please login again.",
      ]);
      await page.reload();
      await page.locator('input[name="password"]').waitFor();
      assert.equal(await page.getByRole("alertdialog").count(), 0);
    } finally {
      await browser.close();
    }
  },
});
