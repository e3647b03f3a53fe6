// covers: S-144, S-145, S-146
// An administrator connects the hospital's system, sees its messages and undoes a merge.
import assert from "node:assert/strict";
import { textIn } from "@/model/text.ts";
import { modalText } from "@/model/text/modals.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { openData } from "@/server/core/mod.ts";
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
import { Hl7Sender } from "@/tests/sites/connections/hl7_sender.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

/** Connects after the gate has loaded the sender's address. */
const connected = (port: number): Promise<Hl7Sender> =>
  until(async () => {
    const sender = await Hl7Sender.connect(port).catch(() => null);
    const message = adt({ event: "A03", id: "", control: "0" });
    if (await sender?.send(message).catch(() => null) === "AA") return sender;
    sender?.close();
    return null;
  });

Deno.test({
  name: "an administrator connects the HIS, sees its messages, and undoes a merge",
  ignore: !hasChromium,
  fn: async () => {
    const [dicom, hl7] = [lastingPort(), lastingPort()];
    await using site = await startSite({
      command: "start",
      env: {
        SULCUS_DICOM_PORT: String(dicom),
        SULCUS_DICOM_HOST: "127.0.0.1",
        SULCUS_HL7_PORT: String(hl7),
      },
    });
    const db = openData(site.dataDir);
    for (const n of [1, 2]) await insertPatient(db, newStudy(n));
    await db.destroy();
    const browser = await launchBrowser(), en = connectionText;
    const { page, errors } = await openPage(browser, site.url);
    try {
      await signIn(page);
      await page.goto(`${site.url}/status#connections`);
      await pageStarts(page);
      await page.getByText(textIn(en.hl7Up, "en", { port: hl7 })).waitFor();
      await page.getByRole("button", { name: en.add.en }).click();
      await page.getByLabel(en.name.en, { exact: true }).fill("HIS");
      await page.locator("form select").first().selectOption("hl7");
      await page.getByLabel(en.maySend.en).check();
      await page.getByLabel(en.addresses.en).pressSequentially("127.0.0.1, 10.9.8.7/32");
      await page.getByLabel(en.idAuthority.en).waitFor();
      await page.getByRole("button", { name: en.save.en, exact: true }).first().click();
      await page.getByRole("cell", { name: "HIS", exact: true }).waitFor();
      const stored = openData(site.dataDir);
      const { config } = await stored.selectFrom("peers").select("config")
        .executeTakeFirstOrThrow();
      await stored.destroy();
      assert.deepEqual(JSON.parse(config).addresses, ["127.0.0.1", "10.9.8.7/32"]);
      const sender = await connected(hl7);
      const send = async (fields: Parameters<typeof adt>[0]) =>
        assert.equal(await sender.send(adt(fields)), "AA");
      await send({ event: "A40", id: "P-2", prior: "P-1", control: "1", name: "Kim^Minsu" });
      await send({ event: "A08", id: "P-2~7^^^LAB", control: "2" });
      sender.close();
      const messages = page.getByRole("region", { name: en.messages.en });
      const merges = page.getByRole("region", { name: en.merges.en });
      const refresh = page.getByRole("button", { name: en.refresh.en });
      await until(async () => {
        await refresh.click();
        return await messages.getByText(en.message_id_uncertain.en).isVisible();
      });
      await messages.getByText("P-1 → P-2").waitFor();
      // the IDs as received, and the message's control ID
      const row = messages.getByRole("row").filter({ hasText: en.message_id_uncertain.en });
      await row.getByText("P-2, 7 (LAB)").waitFor();
      await row.getByText("MSH-10: 2").waitFor();
      await assertAccessible(page, "connections with messages");
      await messages.getByRole("button", { name: en.drop.en }).click();
      await page.getByRole("alertdialog").getByRole("button", {
        name: modalText["message.drop"].confirm!.en,
      }).click();
      await messages.getByText(en.state_dropped.en).waitFor();
      await page.goto(`${site.url}/`);
      await page.getByText(worklistText.byHospital.en).first().waitFor();
      assert.equal(await page.getByText(worklistText.byHospital.en).count(), 2);
      await page.goto(`${site.url}/status#connections`);
      await pageStarts(page);
      await merges.getByRole("button", { name: en.undo.en }).click();
      await page.getByRole("alertdialog").getByRole("button", {
        name: modalText["merge.undo"].confirm!.en,
      }).click();
      await merges.getByText(en.state_undone.en).waitFor();
      await page.goto(`${site.url}/`);
      await page.getByRole("cell", { name: "P-1" }).first().waitFor();
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  },
});
