// covers: S-122
// A study in Debian's Orthanc is found by the worklist's dialog, retrieved, and appears in the
// list.
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { getRouting, savePeer, saveRouting } from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { textIn } from "@/model/text.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  EMAIL,
  hasChromium,
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { noOrthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

Deno.test({
  name: `a study is searched for in the PACS, taken, and followed in the tray ${noOrthanc}`,
  ignore: !hasChromium || noOrthanc !== "",
  fn: async () => {
    const port = lastingPort();
    await using site = await startSite({
      command: "start",
      env: {
        SULCUS_DICOM_PORT: String(port),
        SULCUS_DICOM_REACH: "127.0.0.0/8",
        SULCUS_DICOM_HOST: "127.0.0.1",
      },
    });
    const orthanc = await startOrthanc(port), browser = await launchBrowser();
    try {
      const files = phantomSeries("short", "P-7", {
        patient: { ...KOREAN_PATIENT, patientId: "P-7" },
      });
      for (const { bytes } of files) await orthanc.post("/instances", bytes);
      const open: Api = { send: (request) => fetch(request), origin: site.url };
      const { access_token: token } = await login(open, { email: EMAIL, password: PASSWORD });
      const api = { ...open, token };
      await savePeer(api, null, {
        name: "PACS",
        kind: "dicomweb",
        config: { url: `${orthanc.url}/dicom-web`, search: true },
      });
      await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1 });
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      await page.getByRole("button", { name: "From PACS" }).click();
      const dialog = page.getByRole("dialog", { name: pacsText.title.en });
      await dialog.getByLabel("Patient ID").fill("P-7");
      await dialog.getByRole("button", { name: "Search" }).click();
      await dialog.getByRole("button", { name: textIn(pacsText.seriesOf, "en", { date: "" }) })
        .click();
      await dialog.getByRole("listitem").filter({ hasText: /MR .*, \d+ images$/ }).waitFor();
      await dialog.getByRole("checkbox").check();
      await assertAccessible(page, "worklist, studies of the PACS");
      await dialog.getByRole("button", { name: "Import 1 study" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("cell", { name: "P-7" }).first().waitFor();
      // the tray continues after a reload of the page
      await page.reload();
      await page.getByRole("cell", { name: "P-7" }).first().waitFor();
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      await orthanc.close();
    }
  },
});
