// A de-identified registry file in the browser: none yet, options, generated, downloaded, removed.
// covers: S-213
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  browserTest,
  EMAIL,
  launchBrowser,
  openPage,
  pageStarts,
  PASSWORD,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { registryText } from "@/model/text/settings/registry.ts";
import { textIn } from "@/model/text.ts";

const STUDIES = 13;
const pictures = Deno.env.get("PICTURE_FOLDER");

async function photograph(page: Page, name: string): Promise<void> {
  for (const language of pictures ? ["ko", "en"] as const : []) {
    await page.context().addCookies([{ name: "language", value: language, url: page.url() }]);
    await page.reload();
    await pageStarts(page);
    await page.getByText(registryText.intro[language]).waitFor();
    for (const [width, height] of [[1024, 768], [1280, 910]] as const) {
      await page.setViewportSize({ width, height });
      const path = `${pictures}/${name}-${language}-${width}.png`;
      await page.screenshot({ path, fullPage: true });
    }
  }
}

browserTest("an administrator makes a file for a registry", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-registry-" });
  const db = await openBeside(dataDir);
  await addQuickUser(db, { email: EMAIL, password: PASSWORD, name: null, role: "administrator" });
  await db.destroy();
  await using site = await startSite({ dataDir });
  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser, site.url);
    page.setDefaultTimeout(30_000);
    await signIn(page);
    const open = async () => {
      await page.goto("/status#registry");
      await page.reload();
      await pageStarts(page);
      await page.getByText(registryText.intro.en).waitFor();
    };
    await open();
    await page.getByText(registryText.empty.en).waitFor();
    const start = page.getByRole("button", { name: registryText.start.en });
    assert.equal(await start.count(), 0);
    await photograph(page, "empty");

    await addReported(dataDir, STUDIES, 12);
    await open();
    await page.getByText(
      textIn(registryText.amount, "en", { studies: STUDIES, persons: STUDIES }),
    ).waitFor();
    await assertAccessible(page, "choices of a file for a registry");
    // chosen by keyboard
    await page.getByRole("radio", { name: "CSV" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.getByRole("radio", { name: "JSON" }).isChecked());
    await page.getByRole("radio", { name: registryText.percentiles.en }).check();
    await start.click();
    const download = page.getByRole("button", { name: registryText.download.en });
    await download.waitFor();
    await assertAccessible(page, "a file for a registry");
    const [saved] = await Promise.all([page.waitForEvent("download"), download.click()]);
    assert.equal(saved.suggestedFilename(), "registry.json");
    const { figures, studies } = JSON.parse(await Deno.readTextFile(await saved.path()));
    assert.deepEqual([figures, studies.length], ["percentiles", STUDIES]);
    // the file is still listed after the page was left
    await photograph(page, "ready");
    await open();
    await page.getByRole("button", { name: registryText.remove.en }).click();
    await download.waitFor({ state: "detached" });
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    await Deno.remove(dataDir, { recursive: true });
  }
});
