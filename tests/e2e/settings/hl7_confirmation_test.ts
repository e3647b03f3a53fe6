// covers: S-145, S-146
// A message about a doubtful person is applied only after both identities were compared.
import assert from "node:assert/strict";
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
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { untilEqual } from "@/tests/sites/until.ts";

const KIM = { patientId: "1001", patientName: "Kim Anna", birthDate: "1960-01-01" };
const LEE = { patientId: "2002", patientName: "Lee Bob", birthDate: "1955-02-02" };
const MERGE = { event: "A40", control: "1", id: "1001", prior: "2002" };

Deno.test({
  name: "a doubtful merge shows both people; Escape and Cancel keep them apart",
  ignore: !hasChromium,
  fn: async () => {
    await using site = await startSite();
    const db = openData(site.dataDir);
    await insertPatient(db, { ...newStudy(1), ...KIM, sex: "female" });
    await insertPatient(db, { ...newStudy(2), ...LEE, sex: "male" });
    const message = adt({ ...MERGE, name: "Kim^Anna", birth: "19600101", sex: "F" });
    const id = (await storeMessage(db, message))!;
    await db.transaction().execute((tx) => applyMessage(tx, id));
    const browser = await launchBrowser(), text = connectionText;
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      await page.goto(`${site.url}/status#connections`);
      await pageStarts(page);
      const open = page.getByRole("button", { name: text.compareAndApply.en });
      const dialog = page.getByRole("dialog");
      await open.click();
      await dialog.getByText(text.compareTitle.en).first().waitFor();
      const rows = await dialog.getByRole("row").allInnerTexts();
      assert.deepEqual(rows.map((row) => row.split(/[\t\n]+/).filter(Boolean).join("|")), [
        "Recorded in Sulcus|Recorded in Sulcus|In the message",
        "Patient ID|2002|1001|2002 → 1001",
        "Name|Lee Bob|Kim Anna|Kim Anna",
        "Birth date|1955-02-02|1960-01-01|1960-01-01",
        "Sex|Male|Female|Female",
        "Studies|1|1",
        "Orders|0|0",
      ]);
      await assertAccessible(page, "comparison of the patients of a message");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await open.click();
      await dialog.getByRole("button", { name: text.cancel.en }).click();
      await dialog.waitFor({ state: "detached" });
      const ids = async () => (await readStudies(db)).map((one) => one.id);
      assert.deepEqual(await ids(), ["1001", "2002"]);
      await open.click();
      await dialog.getByRole("button", { name: text.confirmAndApply.en }).click();
      await untilEqual(ids, ["1001", "1001"]);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      await db.destroy();
    }
  },
});
