// Texts of the list: marks, history of earlier studies, findings, correct sentences, and times in
// the hospital's time zone, which differs from the browser's. One site, one session.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { errorText } from "@/model/text/errors.ts";
import { excelText } from "@/model/text/worklist/excel.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { textIn } from "@/model/text.ts";
import { dayIn, secondIn } from "@/model/time/site_time.ts";
import { setFinding } from "@/server/core/studies/storage/findings.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";
import {
  answersClicks,
  browserTest,
  launchBrowser,
  openPage,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { bar, box, rows, shown } from "@/tests/e2e/worklist/list_site.ts";

const ZONE = "Asia/Seoul", STUDIES = 24;
const LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff Hubert Blaine Christian Maximilian";
/** Study numbers: two of patient D-4, one with a finding, one under analysis. */
const EARLIER = 23, LATER = 24, FOUND = 22, RUNNING = 21;

const row = (page: Page, pid: number) => page.locator(`tr[data-pid="${pid}"]`);

/** Adds 24 studies, two of one patient; the row with the finding has three lines. */
async function fill(dataDir: string): Promise<void> {
  await addStudies(dataDir, STUDIES, (pid) => ({
    patientId: pid === EARLIER || pid === LATER ? "D-4" : `P-${pid}`,
    ...(pid === FOUND ? { patientName: LONG_NAME } : {}),
    studyDate: `2024-01-${String(pid).padStart(2, "0")}`,
  }));
  for (const pid of [FOUND, RUNNING]) await setCompleted(dataDir, pid, "2026-02-03T10:00:00Z");
  const db = await openBeside(dataDir);
  const deviation = {
    brain_regions: "Hippocampus",
    side: "L",
    percentile: 2,
    is_usual: false,
  } as const;
  const finding = { deviation, wmh: 12.3, fazekas_equivalent: 2, change: null };
  await setFinding(db, FOUND, finding, { deviation: 2, lesions: null });
  await db.destroy();
}

async function setWaiting(dataDir: string, pid: number): Promise<void> {
  const db = await openBeside(dataDir);
  await db.updateTable("analyses").set({ status: "waiting" }).where("pid", "=", pid).execute();
  await db.destroy();
}

/** Vertical distance between the centre of a cell's texts and that of the row, px. */
const offCentre = (element: Element): number => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const texts = range.getBoundingClientRect(), own = element.closest("tr")!.getBoundingClientRect();
  return Math.abs(texts.top + texts.bottom - own.top - own.bottom) / 2;
};

async function checkEarlierStudies(page: Page): Promise<void> {
  for (const [pid, n] of [[EARLIER, 2], [LATER, 2], [FOUND, 1]] as const) {
    const mark = row(page, pid).locator(".prior-mark");
    assert.equal(await mark.count(), n > 1 ? 1 : 0, `study ${pid}`);
    if (n > 1) assert.equal(await mark.innerText(), textIn(worklistText.priors, "en", { n }));
  }
  const [mark, cell] = [row(page, LATER).locator(".prior-mark"), row(page, LATER)];
  const [inner, outer] = [(await mark.boundingBox())!, (await cell.boundingBox())!];
  assert.ok(inner.x >= 0 && inner.x + inner.width <= 1280, "the mark is in sight");
  assert.ok(inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height);
}

/** Checks the history in the smallest window of D1, and in one of a common screen height. */
async function checkHistoryInSight(page: Page): Promise<void> {
  for (const height of [910, 768]) {
    await page.setViewportSize({ width: 1024, height });
    await row(page, LATER).locator("td.col-patientId").click();
    const panel = page.getByRole("region", { name: "Patient History" });
    await panel.locator("tbody tr").nth(1).waitFor();
    for (const place of ["top", "bottom"]) {
      await page.evaluate(
        (to) => scrollTo(0, to === "top" ? 0 : document.body.scrollHeight),
        place,
      );
      const { y, height: high } = (await panel.boundingBox())!;
      assert.ok(y >= 0 && y + high <= height, `${place} of ${height}: ${y} to ${y + high}`);
      assert.equal(high, 290);
    }
    await page.evaluate(() => scrollTo(0, 0));
    // some rows remain visible above the history
    const { y } = (await panel.boundingBox())!,
      { bottom } = await row(page, LATER).evaluate((tr) => {
        const { bottom } = tr.getBoundingClientRect();
        return { bottom };
      });
    assert.ok(bottom <= y, `the row ends at ${bottom}, below the panel's top at ${y}`);
    await panel.getByRole("button", { name: /Patient History/ }).click();
    assert.equal((await panel.boundingBox())!.height, 48);
    await panel.getByRole("button", { name: /Patient History/ }).click();
  }
  await page.setViewportSize({ width: 1280, height: 910 });
}

async function checkScopeOfExport(page: Page): Promise<void> {
  const dialog = page.locator("dialog[open]"),
    exportAll = page.getByRole("button", { name: "Export All" });
  await exportAll.click();
  await dialog.getByText(textIn(excelText.unfiltered, "en", { n: STUDIES }), { exact: true })
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("D-4");
  await until(async () => (await shown(page)).length === 2);
  await exportAll.click();
  await dialog.getByText(textIn(excelText.filtered, "en", { n: 2 }), { exact: true }).waitFor();
  await dialog.getByText(textIn(excelText.searched, "en", { words: "“D-4”" }), { exact: true })
    .waitFor();
  await page.keyboard.press("Escape");
  await box(page, "D-4").first().check();
  await bar(page).getByRole("button", { name: "Export" }).click();
  await dialog.getByText(textIn(excelText.checked, "en", { n: 1 }), { exact: true }).waitFor();
  await page.keyboard.press("Escape");
}

async function checkTimesOfBin(page: Page): Promise<void> {
  await bar(page).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await until(async () => (await shown(page)).length === 1);
  await page.goto("/status");
  await page.locator("[data-island=ServerStatus][data-hydrated]").waitFor({ state: "attached" });
  await page.getByRole("tab", { name: "Deleted studies" }).click();
  const deleted = page.getByRole("table", { name: "Deleted studies" }).getByRole("row").nth(1);
  await deleted.getByText("D-4").waitFor();
  const cells = await deleted.getByRole("cell").allInnerTexts();
  const { studies: [study] } = await page.evaluate(async () => (await fetch("/api/v1/bin")).json());
  const [deletedAt, goneAt] = [study.deleted_at, study.gone_at].map((at: string) => Date.parse(at));
  assert.equal(await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone"), "UTC");
  assert.ok(cells.includes(secondIn(ZONE, deletedAt!)), cells.join(" | "));
  assert.ok(cells.includes(dayIn(ZONE, goneAt!)), cells.join(" | "));
}

// covers: D1-2.12, S-188
browserTest("the list's marks, history, sentences and times", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-words-" });
  await using site = await startSite({ dataDir, env: { TZ: ZONE } });
  await fill(dataDir);
  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser, site.url);
    await signIn(page);
    await page.goto("/?size=20");
    await answersClicks(page);
    await row(page, LATER).waitFor();
    await checkEarlierStudies(page);
    for (const cell of ["col-finding > div", "col-status > *", "col-patientId"]) {
      const off = await row(page, FOUND).locator(`td.${cell}`).first().evaluate(offCentre);
      assert.ok(off <= 2, `${cell} is ${off} px off the middle of the row`);
    }
    await checkHistoryInSight(page);

    await setWaiting(dataDir, RUNNING);
    await page.reload();
    await answersClicks(page);
    await row(page, RUNNING).locator("td.col-name").dblclick();
    const pid = `${RUNNING} (Name ${RUNNING})`;
    await page.locator(".toast").getByText(textIn(errorText["study.being_analyzed"], "en", { pid }))
      .waitFor();
    assert.equal(await page.getByText(refusalText.notAnalyzed.en).count(), 0);
    assert.equal(new URL(page.url()).pathname, "/");

    await checkScopeOfExport(page);
    await checkTimesOfBin(page);
    assert.equal(await rows(page).count(), 0);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    await Deno.remove(dataDir, { recursive: true });
  }
});
