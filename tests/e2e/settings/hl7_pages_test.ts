// covers: S-145, S-146
// An administrator pages to the oldest messages and merges, by keyboard, in both languages.
import assert from "node:assert/strict";
import type { Locator, Page } from "@playwright/test";
import { textIn } from "@/model/text.ts";
import { modalText } from "@/model/text/modals.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { openData } from "@/server/core/mod.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  hasChromium,
  launchBrowser,
  openPage,
  pageStarts,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { addManyMessages } from "@/tests/sites/connections/many_messages.ts";

const text = connectionText;

/** Presses a button by the keyboard alone, which keeps the focus on it. */
async function press(button: Locator): Promise<void> {
  await button.focus();
  await button.press("Enter");
}

async function readPages(page: Page, language: "en" | "ko"): Promise<void> {
  const messages = page.getByRole("region", { name: text.messages[language] });
  const next = (list: Locator) => list.getByRole("button", { name: text.nextPage[language] });
  const before = (list: Locator) => list.getByRole("button", { name: text.previousPage[language] });
  const isPage = (list: Locator, name: { en: string; ko: string }, n: number) =>
    list.getByRole("status").filter({
      hasText: textIn(text.pageOf, language, { list: name[language], n }),
    }).waitFor();
  await messages.getByText("P-1", { exact: true }).waitFor();
  assert.equal(await messages.getByRole("row").count(), 51);
  assert.equal(await before(messages).getAttribute("aria-disabled"), "true");
  await press(next(messages));
  await isPage(messages, text.messages, 2);
  await messages.getByText("P-60", { exact: true }).waitFor();
  const apply = messages.getByRole("button", { name: text.applyAgain[language] });
  assert.equal(await apply.count(), 10, "all 60 that failed are on the two pages");
  await press(next(messages));
  await isPage(messages, text.messages, 3);
  await messages.getByText("P-61", { exact: true }).waitFor();
  assert.equal(await next(messages).getAttribute("aria-disabled"), "true");
  // at the end of the list, the button keeps the focus and has no effect
  await press(next(messages));
  assert.ok(await next(messages).evaluate((button) => button === document.activeElement));
  await press(before(messages));
  await isPage(messages, text.messages, 2);
  const merges = page.getByRole("region", { name: text.merges[language] });
  await press(next(merges));
  await isPage(merges, text.merges, 2);
  await press(next(merges));
  await isPage(merges, text.merges, 3);
  await merges.getByText("OLD-1 → NEW-1", { exact: true }).waitFor();
}

Deno.test({
  name: "the oldest of many merges is undone, and every failed message seen, on later pages",
  ignore: !hasChromium,
  fn: async () => {
    await using site = await startSite();
    const db = openData(site.dataDir);
    await addManyMessages(db);
    await db.destroy();
    const browser = await launchBrowser();
    try {
      for (const language of ["ko", "en"] as const) {
        const { page, errors } = await openPage(browser, site.url);
        await signIn(page);
        await page.context().addCookies([{
          name: "language",
          value: language,
          url: site.url,
        }]);
        await page.goto(`${site.url}/status#connections`);
        await pageStarts(page);
        await readPages(page, language);
        await assertAccessible(page, `pages of messages and merges, ${language}`);
        if (language === "en") {
          const merges = page.getByRole("region", { name: text.merges.en });
          const oldest = merges.getByRole("row", { name: /OLD-1 →/ });
          await oldest.getByRole("button", { name: text.undo.en }).click();
          await page.getByRole("alertdialog").getByRole("button", {
            name: modalText["merge.undo"].confirm!.en,
          }).click();
          await oldest.getByText(text.state_undone.en, { exact: true }).waitFor();
        }
        assert.deepEqual(errors, []);
        await page.context().close();
      }
    } finally {
      await browser.close();
    }
  },
});
