// A page of the list with longer IDs and names than the page before.
import assert from "node:assert/strict";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";
import {
  answersClicks,
  hasChromium,
  launchBrowser,
  openPage,
  pageStarts,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
const LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff Hubert Blaine Christian Maximilian";

/** Columns covered by the buttons at the edge, the stated number of them, and rows out of view. */
const measure = () => {
  const list = document.querySelector(".worklist-scroll")!;
  const edge = list.querySelector("th.col-actions")!.getBoundingClientRect().left;
  const heads = [...list.querySelectorAll("th[class*=col-]:not(.col-actions)")];
  const bottom = list.getBoundingClientRect().bottom;
  return {
    covered: heads.filter((head) => head.getBoundingClientRect().right > edge + 1).length,
    // a partly covered date or number could be read as another value
    halfSeen: [...list.querySelectorAll("[class*=col-]:not(.col-actions, .col-name)")]
      .filter((cell) => {
        const { left, right } = cell.getBoundingClientRect();
        return left < edge - 1 && right > edge + 1 && getComputedStyle(cell).opacity !== "0";
      }).length,
    brokenStatus: [...list.querySelectorAll(".col-status span.flex-1")]
      .filter((words) => words.getBoundingClientRect().height > 30).length,
    said: Number(list.querySelector<HTMLElement>(".more-columns")?.dataset.count ?? 0),
    rows: list.querySelectorAll("tr[data-pid]").length,
    below:
      [...list.querySelectorAll("tr[data-pid]")].filter((row) =>
        row.getBoundingClientRect().bottom > bottom + 1
      ).length,
  };
};

// covers: S-188
Deno.test({
  name: "each page of the list says how many columns are covered, and shows its long names" + why,
  ignore: !hasChromium,
  async fn() {
    await using site = await startSite();
    await addStudies(site.dataDir, 10, (n) =>
      n > 5 ? {} : {
        patientId: `KR-2026-${String(n).padStart(16, "0")}`,
        patientName: n === 3 ? LONG_NAME : `Name ${n}`,
      });
    const browser = await launchBrowser();
    try {
      const { page } = await openPage(browser, site.url);
      await page.setViewportSize({ width: 1280, height: 910 });
      await signIn(page);
      await pageStarts(page);
      await answersClicks(page);
      const row = (pid: number) => page.locator(`tr[data-pid="${pid}"]`);
      await row(10).waitFor();
      await until(async () => {
        const { covered, said } = await page.evaluate(measure);
        return covered === said;
      });
      const before = await page.evaluate(measure);
      assert.deepEqual([before.rows, before.below], [5, 0]);
      assert.deepEqual([before.halfSeen, before.brokenStatus], [0, 0]);
      await page.getByRole("button", { name: worklistText.nextPage.en }).click();
      await row(3).waitFor();
      await until(async () => {
        const { covered, said } = await page.evaluate(measure);
        return covered === said;
      });
      const after = await page.evaluate(measure);
      assert.ok(after.covered > before.covered, `${after.covered} after ${before.covered}`);
      // a long name wraps if the window has height to spare
      assert.deepEqual([after.rows, after.below], [5, 0]);
      assert.deepEqual([after.halfSeen, after.brokenStatus], [0, 0]);
    } finally {
      await browser.close();
    }
  },
});
