// Context sharing in a browser: the page follows another application through the test hub, asks
// before unsaved work is lost, and never opens another patient's study.
// covers: S-221
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { contextText } from "@/model/text/site/context.ts";
import { modalText } from "@/model/text/modals.ts";
import { textIn } from "@/model/text.ts";
import { nameText } from "@/model/worklist/person_names.ts";
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
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { hubEvent, serveHub, TOKEN } from "@/tests/sites/connections/fhircast_hub.ts";
import { addAdministratorBefore } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";
import { fillWorklist, WORKED } from "@/tests/sites/worked_site.ts";

const TOPIC = `session-${EMAIL}`;
/** Two analysed studies of different patients. */
const FIRST = { at: 0, studyUid: "1.2.840.113619.2.1" };
const SECOND = { at: 1, studyUid: "1.2.840.113619.2.2" };
/** Folder for screenshots; none are taken without the variable. */
const PICTURES = Deno.env.get("CONTEXT_PICTURES");

const status = (page: Page, state: string) =>
  page.locator(`[data-context=${state}]`).waitFor({ state: "attached" });
const addMeasurement = (page: Page) =>
  page.evaluate(
    "sliceViewer.measurements.value = [{ kind: 'ruler', plane: 'axial', pointsMm: [0, 0, 15, 30, 40, 15] }]",
  );
const measurements = (page: Page) => page.evaluate("sliceViewer.measurements.value.length");
async function picture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  for (const [width, height] of [[1280, 910], [1024, 768]] as const) {
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: join(PICTURES, `${name}-${width}.png`) });
  }
  await page.setViewportSize({ width: 1280, height: 910 });
}

Deno.test({
  name: "pages follow another application, ask before work is lost, and open no other patient",
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sulcus-context-"));
    await addAdministratorBefore({ dataDir }, { email: EMAIL, password: PASSWORD });
    const pids = await fillWorklist(dataDir);
    const db = await openBeside(dataDir);
    for (const { at, studyUid } of [FIRST, SECOND]) {
      await db.updateTable("patients").set({ study_uid: studyUid }).where("pid", "=", pids[at]!)
        .execute();
    }
    await db.destroy();
    const studyOf = ({ at, studyUid }: typeof FIRST) => ({ patientId: WORKED[at]!.id, studyUid });
    const viewerOf = ({ at }: typeof FIRST) => `/viewer/${pids[at]}`;
    const token = `${dataDir}/token`;
    await Deno.writeTextFile(token, `${TOKEN}\n`);
    await using hub = serveHub();
    const site = await startSite({
      dataDir,
      workers: 1,
      env: {
        SULCUS_FHIRCAST_URL: hub.settings.url,
        SULCUS_FHIRCAST_TOPIC: hub.settings.topic,
        SULCUS_FHIRCAST_TOKEN_FILE: token,
      },
    });
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      await status(page, "following");
      const send = (name: string, asked: Parameters<typeof hubEvent>[2]) => {
        const event = hubEvent(TOPIC, name, asked);
        hub.broadcast(event);
        return event.id;
      };
      const refusalOf = (id: string) =>
        until(() =>
          hub.posted.find(({ event }) =>
            event["hub.event"] === "SyncError" && JSON.stringify(event.context).includes(id)
          )
        );
      const opensOf = (studyUid: string) =>
        hub.posted.filter(({ event }) =>
          event["hub.event"] === "ImagingStudy-open" &&
          JSON.stringify(event.context).includes(`urn:oid:${studyUid}"`)
        ).length;

      // the worklist opens the study, and does not report it back to the hub
      send("ImagingStudy-open", studyOf(FIRST));
      await page.waitForURL((url) => url.pathname === viewerOf(FIRST));
      await pageStarts(page);
      await status(page, "following");
      await picture(page, "following");

      // the viewer opens the next study, and a close event leads to the home page
      send("ImagingStudy-open", studyOf(SECOND));
      await page.waitForURL((url) => url.pathname === viewerOf(SECOND));
      await status(page, "following");
      send("ImagingStudy-close", studyOf(SECOND));
      await page.waitForURL((url) => url.pathname === "/");
      await status(page, "following");
      assert.equal(opensOf(FIRST.studyUid) + opensOf(SECOND.studyUid), 0);

      // a study opened or closed by the user is reported
      await page.goto(`${viewerOf(FIRST)}?testing`);
      await until(() => opensOf(FIRST.studyUid) === 1);

      // unsaved work is kept until the user confirms
      await page.waitForFunction(() =>
        (globalThis as { sliceViewer?: { tools: { value: unknown } } }).sliceViewer?.tools.value
      );
      await addMeasurement(page);
      const asked = send("ImagingStudy-open", studyOf(SECOND));
      const dialog = page.getByRole("dialog").or(page.getByRole("alertdialog"));
      await dialog.getByText(modalText["context.leave"].title.en).waitFor();
      const question = await dialog.innerText();
      assert.ok(
        question.includes(`${nameText(WORKED[1]!.name, "en")} · ${WORKED[1]!.id}`),
        question,
      );
      await assertAccessible(page, "question before leaving");
      await picture(page, "question");
      await dialog.getByRole("button", { name: modalText["context.leave"].cancel.en }).click();
      await page.getByText(contextText.stayed.en).waitFor();
      await refusalOf(asked);
      assert.equal(new URL(page.url()).pathname, viewerOf(FIRST));
      assert.equal(await measurements(page), 1);
      await assertAccessible(page, "stayed with the study");
      await picture(page, "stayed");
      await page.getByRole("button", { name: contextText.open.en }).click();
      await dialog.getByRole("button", { name: modalText["context.leave"].confirm!.en }).click();
      await page.waitForURL((url) => url.pathname === viewerOf(SECOND));
      await status(page, "following");

      // a contradicting study is not opened; the notice shows event and study
      const wrong = send("ImagingStudy-open", { ...studyOf(FIRST), patientId: WORKED[1]!.id });
      await page.getByText(contextText.refused.en).waitFor();
      await refusalOf(wrong);
      const table = await page.getByRole("alert").getByRole("table").innerText();
      assert.ok(table.includes(WORKED[0]!.id) && table.includes(WORKED[1]!.id), table);
      assert.equal(new URL(page.url()).pathname, viewerOf(SECOND));
      await assertAccessible(page, "refused event");
      await picture(page, "refused");
      await page.getByRole("button", { name: "한국어" }).click();
      await page.getByText(contextText.refused.ko).waitFor();
      await picture(page, "refused-ko");
      await page.getByRole("button", { name: contextText.dismiss.ko, exact: true }).click();
      await page.getByText(contextText.refused.ko).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "EN", exact: true }).click();

      // with several studies of the patient, the user chooses one
      send("Patient-open", { patientId: WORKED[0]!.id });
      await page.getByText(textIn(contextText.choose, "en", { id: WORKED[0]!.id, n: 2 })).waitFor();
      await picture(page, "choose");
      await page.getByRole("link", { name: contextText.show.en }).click();
      await page.waitForURL((url) => url.pathname === "/IHEInvokeImageDisplay");

      // without the hub, pages work as usual and show the state in the header
      hub.faults.answer = () => new Response("no", { status: 503 });
      hub.cut();
      await page.goto("/");
      await status(page, "unreachable");
      await picture(page, "unreachable");
      assert.equal(await page.getByRole("alert").count(), 0);
      delete hub.faults.answer;
      const log = await openBeside(dataDir);
      const rows = await log.selectFrom("audit").select(["details", "pid"])
        .where("event", "=", "study.context").execute();
      await log.destroy();
      const results = rows.map(({ details }) => JSON.parse(details!).result);
      for (const result of ["open", "refused", "choose"]) assert.ok(results.includes(result));
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      await site.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
});
