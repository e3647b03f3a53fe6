// A link to a study that is not stored: it is found in Orthanc by its UID, retrieved, and then
// opens.
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { getRouting, savePeer, saveRouting } from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { textIn } from "@/model/text.ts";
import { launchText } from "@/model/text/launch.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import {
  EMAIL,
  hasChromium,
  launchBrowser,
  openPage,
  pageStarts,
  PASSWORD,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { noOrthanc, startOrthanc } from "@/tests/sites/connections/orthanc.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

Deno.test({
  name: `the study of a link is taken from the PACS when it is not here ${noOrthanc}`,
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
      // two studies of one person; the link names the second one
      for (const studyDate of ["20240105", "20250105"]) {
        const patient = { ...KOREAN_PATIENT, patientId: "P-7", studyDate };
        for (const { bytes } of phantomSeries("short", "P-7", { patient })) {
          await orthanc.post("/instances", bytes);
        }
      }
      const found: { MainDicomTags: { StudyDate: string; StudyInstanceUID: string } }[] =
        await (await fetch(`${orthanc.url}/studies?expand`)).json();
      const uid = found.map((study) => study.MainDicomTags)
        .find(({ StudyDate }) => StudyDate === "20250105")!.StudyInstanceUID;
      const open: Api = { send: (request) => fetch(request), origin: site.url };
      const { access_token: token } = await login(open, { email: EMAIL, password: PASSWORD });
      const api = { ...open, token };
      await savePeer(api, null, {
        name: "PACS",
        kind: "dicomweb",
        config: { url: `${orthanc.url}/dicom-web`, search: true },
      });
      await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1 });
      const { page } = await openPage(browser, site.url);
      await signIn(page);
      const link = `/IHEInvokeImageDisplay?requestType=STUDY&studyUID=${uid}&patientID=P-7`;
      await page.goto(link);
      await page.getByRole("heading", { name: launchText.none.en }).waitFor();
      await pageStarts(page);
      await page.getByRole("button", { name: "Search the PACS" }).click();
      const dialog = page.getByRole("dialog", { name: pacsText.title.en });
      await dialog.getByText(`Study UID ${uid}`).waitFor();
      await dialog.getByRole("checkbox", {
        name: textIn(pacsText.choose, "en", { date: "2025-01-05" }),
      }).check();
      assert.equal(await dialog.getByRole("checkbox").count(), 1);
      await dialog.getByRole("button", { name: "Import 1 study" }).click();
      await dialog.waitFor({ state: "detached" });
      // signing in on the page has ended the program's session
      const again = await login(open, { email: EMAIL, password: PASSWORD });
      const later = { ...open, token: again.access_token };
      await until(async () => (await listPatients(later, {})).total === 1);
      const [row] = (await listPatients(later, {})).patients;
      await signIn(page);
      await page.goto(link);
      await page.waitForURL(`${site.url}/viewer/${row!.pid}`);
    } finally {
      await browser.close();
      await orthanc.close();
    }
  },
});
