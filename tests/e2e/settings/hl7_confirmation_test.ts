// covers: S-145, S-146
// A message about a doubtful person is applied only after both identities were compared.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import type { Language } from "@/model/text.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { openData } from "@/server/core/mod.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  hasChromium,
  launchBrowser,
  openPage,
  pageStarts,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const KIM = { patientId: "1001", patientName: "Kim Anna", birthDate: "1960-01-01" };
const LEE = { patientId: "2002", patientName: "Lee Bob", birthDate: "1955-02-02" };
const MERGE = { event: "A40", control: "1", id: "1001", prior: "2002" };
const text = connectionText;

/** Stores two patients, and a merge of them that waits since they seem to be two people. */
async function addDoubtfulMerge(dataDir: string): Promise<void> {
  const db = openData(dataDir);
  await insertPatient(db, { ...newStudy(1), ...KIM, sex: "female" });
  await insertPatient(db, { ...newStudy(2), ...LEE, sex: "male" });
  const message = adt({ ...MERGE, name: "Kim^Anna", birth: "19600101", sex: "F" });
  const id = (await storeMessage(db, message))!;
  await db.transaction().execute((tx) => applyMessage(tx, id));
  await db.destroy();
}

/** Patient IDs of the two studies; the database is closed again, as the site uses it. */
async function storedIds(dataDir: string): Promise<string[]> {
  const db = openData(dataDir);
  const studies = await readStudies(db);
  await db.destroy();
  return studies.map(({ id }) => id);
}

async function openMessages(page: Page, url: string, language: Language): Promise<void> {
  await page.context().addCookies([{ name: "language", value: language, url }]);
  // the URL of the open page would only scroll
  await page.goto("about:blank");
  await page.goto(`${url}/status#connections`);
  await pageStarts(page);
}

const openButton = (page: Page, language: Language) =>
  page.getByRole("button", { name: text.compareAndApply[language], exact: true });

/** Opens the comparison. @returns the cells of its table. */
async function compare(page: Page, language: Language): Promise<string[][]> {
  await openButton(page, language).click();
  const dialog = page.getByRole("dialog", { name: text.compareTitle[language] });
  await dialog.waitFor();
  const rows = await dialog.getByRole("row").all();
  return Promise.all(rows.map((row) => row.locator("th, td").allInnerTexts()));
}

/** The table that a user compares. */
const tableIn = (language: Language): string[][] =>
  [
    ["", text.asRecorded, text.asRecorded, text.inMessage],
    [text.patientId, "2002", "1001", "2002 → 1001"],
    [text.patientName, "Lee Bob", "Kim Anna", "Kim Anna"],
    [text.birthDate, "1955-02-02", "1960-01-01", "1960-01-01"],
    [text.patientSex, text.sex_male, text.sex_female, text.sex_female],
    [text.studyCount, "1", "1", ""],
    [text.orderCount, "0", "0", ""],
  ].map((row) => row.map((cell) => typeof cell === "string" ? cell : cell[language]));

Deno.test({
  name: "a doubtful merge shows both people; Escape and Cancel keep them apart",
  ignore: !hasChromium,
  fn: async () => {
    // a site that receives no messages does not apply any
    await using site = await startSite({
      command: "start",
      env: {
        SULCUS_DICOM_PORT: String(lastingPort()),
        SULCUS_DICOM_HOST: "127.0.0.1",
        SULCUS_HL7_PORT: String(lastingPort()),
      },
    });
    await addDoubtfulMerge(site.dataDir);
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      const dialog = page.getByRole("dialog");
      for (const language of ["ko", "en"] as const) {
        await openMessages(page, site.url, language);
        assert.deepEqual(await compare(page, language), tableIn(language));
        await assertAccessible(page, `comparison of the patients of a message, ${language}`);
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await compare(page, language);
        await dialog.getByRole("button", { name: text.cancel[language], exact: true }).click();
        await dialog.waitFor({ state: "detached" });
        assert.deepEqual(await storedIds(site.dataDir), ["1001", "2002"]);
      }
      await compare(page, "en");
      await dialog.getByRole("button", { name: text.confirmAndApply.en, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText(text.state_applied.en, { exact: true }).first().waitFor();
      assert.deepEqual(await storedIds(site.dataDir), ["1001", "1001"]);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  },
});
