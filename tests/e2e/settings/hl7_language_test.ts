// covers: S-145, S-146
// An open page of messages, and a launched page, follow a change of the language: rows with their
// reasons, buttons and confirmations.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { type Language, textIn } from "@/model/text.ts";
import { launchText } from "@/model/text/launch.ts";
import { modalText } from "@/model/text/modals.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { openData } from "@/server/core/mod.ts";
import { insertMessages, writeState } from "@/server/core/connections/storage/hl7_messages.ts";
import { insertMerge } from "@/server/core/connections/storage/patient_merges.ts";
import type { Database } from "@/server/core/database/database.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  hasChromium,
  launchBrowser,
  openPage,
  pageStarts,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";

const text = connectionText;
const REASONS = [
  "future_time",
  "other_person",
  "several_people",
  "older_merge",
  "not_applied",
] as const;
const BUTTON: Record<Language, string> = { en: "EN", ko: "한국어" };

/** A failed message for each of the reasons, and a merge. */
async function addRows(db: Database): Promise<void> {
  const at = new Date(Date.now() - 86_400_000).toISOString();
  for (const [n, reason] of REASONS.entries()) {
    await insertMessages(db, [{
      system: "HIS",
      sender: "HIS",
      controlId: `M${n}`,
      digest: `${n}`,
      event: "ADT^A08",
      patientId: `P-${n}`,
      priorId: "",
      eventMs: n,
      receivedAt: at,
      message: new Uint8Array(),
    }]);
    await writeState(db, n + 1, { state: "failed", reason, endedAt: at });
  }
  await insertMerge(db, {
    priorId: "OLD-1",
    patientId: "NEW-1",
    eventMs: 1,
    mergedAt: at,
    system: "HIS",
    controlId: "M9",
    moved: [],
    movedOrders: [],
  });
}

/** Opens a confirmation, reads it in one language alone, and closes it. */
async function readModal(page: Page, code: "message.drop" | "merge.undo", language: Language) {
  const { title, confirm, cancel } = modalText[code], dialog = page.getByRole("alertdialog");
  await dialog.getByText(textIn(title, language), { exact: true }).first().waitFor();
  await dialog.getByRole("button", { name: confirm![language], exact: true }).waitFor();
  const words = await dialog.innerText();
  if (language === "ko") assert.doesNotMatch(words, /Discard|Undo|Cancel/);
  else assert.doesNotMatch(words, /\p{Script=Hangul}/u);
  await dialog.getByRole("button", { name: cancel![language], exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

async function readPage(page: Page, language: Language): Promise<void> {
  const messages = page.getByRole("region", { name: text.messages[language] });
  for (const [n, reason] of REASONS.entries()) {
    const row = messages.getByRole("row").filter({ hasText: `P-${n}` });
    await row.getByText(text[`message_${reason}`][language], { exact: true }).waitFor();
    await row.getByText(text.state_failed[language], { exact: true }).waitFor();
    const isRetry = ["several_people", "not_applied"].includes(reason);
    const apply = text[isRetry ? "applyAgain" : "compareAndApply"][language];
    await row.getByRole("button", { name: apply, exact: true }).waitFor();
    await row.getByRole("button", { name: text.drop[language], exact: true }).waitFor();
  }
  const other = language === "en" ? "ko" : "en";
  assert.equal(await page.getByText(text.message_future_time[other], { exact: true }).count(), 0);
  await messages.getByRole("button", { name: text.drop[language] }).first().click();
  await readModal(page, "message.drop", language);
  const merges = page.getByRole("region", { name: text.merges[language] });
  await merges.getByText("OLD-1 → NEW-1").waitFor();
  await merges.getByRole("button", { name: text.undo[language], exact: true }).click();
  await readModal(page, "merge.undo", language);
  await assertAccessible(page, `messages after a change of the language to ${language}`);
}

Deno.test({
  name: "messages, merges and launched pages follow a change of the language, with confirmations",
  ignore: !hasChromium,
  fn: async () => {
    await using site = await startSite();
    const db = openData(site.dataDir);
    await addRows(db);
    await db.destroy();
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      await page.goto(`${site.url}/status#connections`);
      await pageStarts(page);
      for (const language of ["en", "ko", "en"] as const) {
        const button = page.getByRole("button", { name: BUTTON[language], exact: true }).first();
        if (await button.getAttribute("aria-pressed") !== "true") await button.click();
        await readPage(page, language);
      }
      // a study that another system names, and that is not here
      await page.goto(`${site.url}/IHEInvokeImageDisplay?requestType=STUDY&accessionNumber=A-9`);
      await pageStarts(page);
      for (const language of ["en", "ko"] as const) {
        const button = page.getByRole("button", { name: BUTTON[language], exact: true }).first();
        if (await button.getAttribute("aria-pressed") !== "true") await button.click();
        await page.getByRole("heading", { name: launchText.none[language] }).waitFor();
        await page.getByRole("link", { name: launchText.goWorklist[language] }).waitFor();
      }
      assert.deepEqual(errors.filter((error) => !error.includes("404")), []);
    } finally {
      await browser.close();
    }
  },
});
