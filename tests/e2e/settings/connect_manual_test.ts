// The manual's task "To connect to your PACS and RIS", done as it says, in both languages.
// covers: S-121, S-147
import assert from "node:assert/strict";
import { readManual } from "@/model/site/manual.ts";
import { LANGUAGES } from "@/model/text.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import { walkManual } from "@/tests/e2e/manual/tasks.ts";
import {
  browserTest,
  EMAIL,
  launchBrowser,
  openPage,
  PASSWORD,
  ROOT,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

browserTest("PACS and RIS are connected as the manual says", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-connect-" });
  const db = await openBeside(dataDir);
  await addQuickUser(db, { email: EMAIL, password: PASSWORD, name: null, role: "administrator" });
  await using site = await startSite({ dataDir });
  const browser = await launchBrowser();
  try {
    for (const language of LANGUAGES) {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(120_000);
      await page.context().addCookies([{ name: "language", value: language, url: site.url }]);
      await signIn(page, EMAIL);
      const manual = readManual(await Deno.readTextFile(`${ROOT}docs/manual/${language}.md`));
      const walk = { pids: [], look: () => Promise.resolve() };
      await walkManual(page, manual, walk, (id) => id === "do-connect");
      const peers = (await knownPeers(db)).map(({ name, kind, config }) => ({
        name,
        kind,
        aeTitle: config.ae_title,
        host: config.host,
        maySend: config.may_send,
        addresses: config.addresses,
        sendsReport: config.results.includes("report"),
      }));
      assert.deepEqual(peers, [{
        name: "Archive",
        kind: "dicom",
        aeTitle: "ARCHIVE",
        host: "pacs.hospital.test",
        maySend: false,
        addresses: [],
        sendsReport: true,
      }, {
        name: "RIS",
        kind: "hl7",
        aeTitle: "",
        host: "",
        maySend: true,
        addresses: ["10.1.2.4"],
        sendsReport: false,
      }]);
      assert.deepEqual(errors, []);
      await page.context().close();
      await db.deleteFrom("peers").execute();
    }
  } finally {
    await browser.close();
    await db.destroy();
  }
});
