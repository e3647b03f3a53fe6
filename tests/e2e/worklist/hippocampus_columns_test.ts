// The optional columns of the hippocampi, chosen in the dialog of the list's columns.
import assert from "node:assert/strict";
import { listViewText } from "@/model/text/worklist/list_view.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { setFinding } from "@/server/core/studies/storage/findings.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";
import { answersClicks, browserTest, pageStarts } from "@/tests/e2e/site.ts";
import { PATIENTS, rows, withList } from "@/tests/e2e/worklist/list_site.ts";

const COLUMNS = ["hippocampusLeft", "hippocampusRight", "hippocampusAsymmetry"] as const;
const rank = { percentile: 3.2, low: 1, high: 9, has_bands: true };
const HIPPOCAMPUS = {
  left: 2.5,
  right: 3.63,
  rank_left: rank,
  rank_right: { ...rank, percentile: 40, low: 12, high: 71 },
  asymmetry_percent: -36.9,
  rank_asymmetry: rank,
};

// covers: S-130, S-188
browserTest("a user adds the columns of the hippocampi to the list, and none is cut", async () => {
  await withList({ studies: PATIENTS, finished: 3 }, async (page, { dataDir }) => {
    const db = await openBeside(dataDir);
    const finding = { deviation: null, wmh: null, change: null, hippocampus: HIPPOCAMPUS };
    await setFinding(db, 3, finding, { deviation: null, lesions: null });
    await db.destroy();
    await page.setViewportSize({ width: 1600, height: 910 });
    await page.reload();
    await pageStarts(page);
    await answersClicks(page);
    for (const key of COLUMNS) assert.equal(await page.locator(`.col-${key}`).count(), 0);
    await page.getByRole("button", { name: listViewText.open.en }).click();
    // space for the added columns
    for (const key of ["labels", "birth", "series", "sex", "age"] as const) {
      await page.getByLabel(worklistText[key].en, { exact: true }).uncheck();
    }
    for (const key of COLUMNS) {
      await page.getByLabel(worklistText[key].en, { exact: true }).check();
    }
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    const row = rows(page).filter({ hasText: "C-3" });
    const texts = await Promise.all(
      COLUMNS.map(async (key) =>
        (await row.locator(`.col-${key}`).innerText()).replaceAll(/\s+/g, " ").trim()
      ),
    );
    assert.deepEqual(texts, ["2.50 3rd, 1–9", "3.63 40th, 12–71", "−36.9 % 3rd"]);
    await until(() =>
      page.evaluate(() =>
        [...document.querySelectorAll("[class*=col-hippocampus]")].every((cell) =>
          cell.scrollWidth <= cell.clientWidth && getComputedStyle(cell).opacity === "1"
        )
      )
    );
  });
});
