// The mark of percentiles from an unaccepted scanner, in the list at usual widths.
import assert from "node:assert/strict";
import { findingText } from "@/model/text/worklist/finding.ts";
import type { StudyFinding } from "@/model/schema/studies/patients.ts";
import { setFinding } from "@/server/core/studies/storage/findings.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
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
const WIDTHS = [1024, 1280];
/** Line height of a finding, px: a long name may need one more line. */
const LINE_PX = 14;
const AT = "2026-01-06T01:00:00Z";

/** Findings with a short and a long part name; further values are on separate lines. */
const FINDINGS: readonly StudyFinding[] = [
  {
    deviation: { brain_regions: "Hippocampus", side: "L", percentile: 2, is_usual: false },
    wmh: 12.3,
    fazekas_equivalent: null,
    change: { key: "brain", percent: -1.2, since: "2024-11-12" },
  },
  {
    deviation: {
      brain_regions: "Caudal anterior cingulate",
      side: "R",
      percentile: 99.9,
      is_usual: false,
    },
    wmh: null,
    fazekas_equivalent: null,
    change: null,
  },
];

/** Row height of each study, and whether its finding is cut off. */
const measure = () =>
  [...document.querySelectorAll<HTMLElement>("tr[data-pid]")].map((row) => {
    const text = row.querySelector<HTMLElement>(".finding-text")!;
    return {
      pid: Number(row.dataset.pid),
      height: Math.round(row.getBoundingClientRect().height),
      isCut: text.scrollHeight > text.clientHeight + 1,
      words: text.innerText,
    };
  });

// covers: S-156
Deno.test({
  name:
    "the mark of a scanner that is not accepted is in the row at 1024 and 1280 px, and cuts off no finding" +
    why,
  ignore: !hasChromium,
  async fn() {
    await using site = await startSite();
    // even study numbers are marked; the odd number before has the same finding
    await addStudies(site.dataDir, 2 * FINDINGS.length);
    const db = await openBeside(site.dataDir);
    for (let pid = 1; pid <= 2 * FINDINGS.length; pid++) {
      await setCompleted(site.dataDir, pid, AT);
      const isMarked = pid % 2 === 0 && { is_provisional: true };
      const finding = { ...FINDINGS[(pid - 1) >> 1]!, ...isMarked };
      await setFinding(db, pid, finding, { deviation: 1, lesions: null });
    }
    await db.destroy();
    const browser = await launchBrowser();
    try {
      const { page } = await openPage(browser, site.url);
      await page.setViewportSize({ width: WIDTHS[0]!, height: 768 });
      await signIn(page);
      await pageStarts(page);
      await answersClicks(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 768 });
        await page.locator('tr[data-pid="1"] .finding-text').waitFor();
        // part names are loaded after the page
        await page.waitForFunction(() => !document.querySelector("table")!.innerText.includes("…"));
        const pictures = Deno.env.get("TEST_PICTURES");
        if (pictures) await page.screenshot({ path: `${pictures}/provisional_${width}.png` });
        const rows = new Map((await page.evaluate(measure)).map((row) => [row.pid, row]));
        for (let pid = 2; pid <= 2 * FINDINGS.length; pid += 2) {
          const marked = rows.get(pid)!, plain = rows.get(pid - 1)!;
          const mark = findingText.provisionalMark.en;
          assert.equal(marked.words, `${mark} ${plain.words}`);
          assert.equal(marked.isCut, false, `${width}: ${marked.words}`);
          assert.ok(marked.height <= plain.height + LINE_PX, `${width}: ${marked.words}`);
        }
      }
    } finally {
      await browser.close();
    }
  },
});
