// covers: D2-5.5, D2-8.1, S-123
// Choices about reports and images in a browser: pages, printing several studies, opening a study.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { errorText } from "@/model/text/errors.ts";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { reportPageText } from "@/model/text/report/report_page_names.ts";
import { reportPrintText } from "@/model/text/report/report_print.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { viewerCompareText } from "@/model/text/viewer/viewer_compare.ts";
import { toastText } from "@/model/text/toasts.ts";
import { listVisits, saveLongitudinal } from "@/server/core/analyses/storage/longitudinal.ts";
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
import { bar, rows } from "@/tests/e2e/worklist/list_site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addAdministratorBefore } from "@/tests/sites/sign_in/quick_user.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { newStudy, setCompleted } from "@/tests/sites/stored_studies.ts";

const DATES = ["2023-01-05", "2026-01-05"] as const;

/** Volume of both hippocampi at a visit as printed on the comparison's page, mL. */
const hippocampiMl = (visit: number) => 6.4 - visit * 0.9;

/**
 * Adds studies 1 and 2 of one patient, compared; 3 of another; 4 with lost files.
 */
async function addCompared(dataDir: string): Promise<void> {
  await addReported(dataDir, 3);
  const db = await openBeside(dataDir);
  for (const pid of [1, 2]) {
    await db.updateTable("patients").set({ patient_id: "TWICE", study_date: DATES[pid - 1]! })
      .where("pid", "=", pid).execute();
  }
  await insertPatient(db, newStudy(4));
  const visits = await listVisits(db, "TWICE");
  const volumesOf = (visit: number) =>
    Array.from(
      { length: 105 },
      (_, label) =>
        label === 0 ? 0 : label === 19 || label === 20 ? 500 * hippocampiMl(visit) : 6000,
    );
  await saveLongitudinal(db, "TWICE", {
    visits: visits.map(({ pid, analysisId, studyDate }) => ({ pid, analysisId, studyDate })),
    engineVersion: "sulcus-engine 0.1.0",
    results: {
      icvMm3: 1_400_000,
      visits: visits.map(({ pid, studyDate }, visit) => ({
        pid,
        studyDate,
        volumesMm3: volumesOf(visit),
        thicknessMm: new Array<number>(105).fill(2.4),
        sideMm: [2.4, 2.4],
        differences: [],
      })),
    },
    errorCode: null,
    finishedAt: "2026-01-07T00:00:00Z",
  });
  await db.destroy();
  await setCompleted(dataDir, 4, "2026-01-06T01:00:00Z");
}

const openReport = async (page: Page, pid: number) => {
  await page.goto(`/report/${pid}?language=en`);
  await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({ state: "attached" });
  await page.locator(".report-sheet").first().waitFor();
};
const toast = (page: Page, text: string) => page.locator(".toast").getByText(text, { exact: true });
const pageBox = (page: Page, code: keyof typeof reportPageText) =>
  page.locator(".report-menu").getByRole("checkbox", {
    name: reportPageText[code].en,
    exact: true,
  });

Deno.test({
  name: `choices about reports and images in a browser${
    hasChromium ? "" : " (skipped: needs Chromium)"
  }`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-choices-" });
    await addAdministratorBefore({ dataDir }, { email: EMAIL, password: PASSWORD });
    await addCompared(dataDir);
    await using site = await startSite({ dataDir });
    const browser = await launchBrowser(), { page, errors } = await openPage(browser, site.url);
    page.setDefaultTimeout(120_000);
    try {
      await signIn(page);

      await t.step("a report keeps at least one page, and says so", async () => {
        await openReport(page, 3);
        const checked = page.locator(".report-menu").getByRole("checkbox", {
          checked: true,
          disabled: false,
        });
        for (let left = await checked.count(); left > 1; left--) {
          await checked.first().uncheck();
          await page.waitForFunction(() =>
            !document.querySelector(".report-desk")!.matches("[aria-busy=true]")
          );
        }
        const sheets = await page.locator(".report-sheet").count();
        await checked.first().click();
        await toast(page, toastText["report.no_page"].text.en).waitFor();
        assert.equal(await checked.count(), 1, "the last page stays");
        assert.equal(await page.locator(".report-sheet").count(), sheets);
      });

      await t.step("the longitudinal page of one study is refused with its reason", async () => {
        await openReport(page, 3);
        await pageBox(page, 64).click();
        await toast(page, errorText["report.too_few_longitudinal"].en).waitFor();
        assert.equal(await pageBox(page, 64).isChecked(), false);
      });

      await t.step("the longitudinal page of T1w studies has both, and their change", async () => {
        for (const language of LANGUAGES) {
          await openReport(page, 2);
          const name = { en: "EN", ko: "한국어" }[language];
          await page.getByRole("button", { name, exact: true }).click();
          await page.locator(`.report-sheet[lang=${language}]`).first().waitFor();
          if (!await pageBox(page, 64).isChecked()) await pageBox(page, 64).check();
          const change = textIn(longitudinalPageText.change, language, { years: "3.0" });
          const sheet = page.locator(".report-sheet").filter({ hasText: change });
          await sheet.waitFor();
          const rows = await sheet.locator("tr").allTextContents();
          for (const [visit, date] of DATES.entries()) {
            const figure = hippocampiMl(visit).toFixed(2);
            assert.ok(
              rows.some((row) => row.includes(date) && row.includes(figure)),
              `${date} ${figure} in ${rows.join("; ")}`,
            );
          }
          const words = await sheet.textContent() ?? "";
          // 0.9 mL of 6.4 mL in three years
          assert.match(words, /−(?:4\.[5-9]|5\.[0-3])\d?/);
        }
      });

      await t.step(
        "prints of several studies say that some failed, or that all did; nothing is lost",
        async () => {
          const printed = async (pids: readonly number[]) => {
            await page.goto("/");
            await rows(page).first().waitFor();
            await pageStarts(page);
            for (const pid of pids) {
              await page.locator(`tr[data-pid="${pid}"]`).getByRole("checkbox").check();
            }
            await bar(page).getByRole("button", { name: reportPrintText.action.en }).click();
          };
          const [download] = await Promise.all([page.waitForEvent("download"), printed([3, 4])]);
          const bytes = await Deno.readFile(await download.path());
          assert.equal(new TextDecoder().decode(bytes.subarray(0, 5)), "%PDF-");
          await toast(page, toastText["analysis.some_failed"].text.en).waitFor();
          await printed([4]);
          await toast(page, toastText["print.failed"].text.en).waitFor();
        },
      );

      await t.step("a viewer opens as its reader's hanging rule says", async () => {
        const openViewer = async (pid: number) => {
          await page.goto(`/viewer/${pid}`);
          await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
        };
        const compare = page.getByTestId("compare");
        await openViewer(2);
        assert.equal(await compare.count(), 0, "nothing beside it at first");
        await page.getByRole("button", { name: viewerToolsText.compare.en }).click();
        await compare.getByLabel(viewerCompareText.opens.en).waitFor();
        const saved = page.waitForResponse((answer) =>
          answer.url().endsWith("/viewer/hanging") && answer.request().method() === "PUT"
        );
        await compare.getByLabel(viewerCompareText.opens.en).selectOption("prior");
        assert.equal((await saved).status(), 200);
        await openViewer(2);
        await page.locator("[data-compared=s1t1]").waitFor();
        // the first study has no prior study
        await openViewer(1);
        await compare.waitFor({ state: "detached" });
        assert.equal(await page.locator("[data-compared]").count(), 0);
      });
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      await site.stop();
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});
