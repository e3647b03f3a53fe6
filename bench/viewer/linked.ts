// Two studies side by side without a GPU: duration of a step in both, and memory of the second one.
import type { Page } from "@/tests/browser.ts";
import { hasXvfb, memoryMb, newPage, thinClient } from "@/bench/viewer/browser.ts";
import { openViewer, prepare } from "@/bench/viewer/ours.ts";
import { against, figure, quantile } from "@/bench/viewer/rows.ts";
import { type BenchSite, PATIENT_256, PATIENT_PRIOR } from "@/bench/viewer/site.ts";
import type { Row } from "@/bench/record.ts";

const WARM_UP = 20, COUNT = 200, P95_MS = 8, MOST_MEMORY = 1.6;

/**
 * Script that measures `count` steps through the slices of both studies in all panes: ms in
 * handlers and in the drawing frame. Of the callbacks of a frame, the one requested first runs
 * first.
 */
const LINKED_STEPS = `async (count) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => done(performance.now())));
  const spent = [];
  await frame(), await frame();
  for (let n = 0; n < count; n++) {
    const way = n % 40 < 20 ? 1 : -1, first = frame(), start = performance.now();
    sliceViewer.goToMm(sliceViewer.scene.crosshairMm.map((mm) => mm + way));
    const handled = performance.now() - start, last = frame();
    spent.push(handled + await last - await first);
    await frame();
  }
  return spent;
}`;

const stepsOf = (page: Page, count: number): Promise<number[]> =>
  page.evaluate(`(${LINKED_STEPS})(${count})`) as Promise<number[]>;

/** Waits until the compared study is drawn. */
async function openPrior(page: Page): Promise<void> {
  await page.locator("[data-compared]").waitFor();
  await page.getByTestId("other-axial-view").locator("canvas").first().waitFor();
}

export async function linkedRows(site: BenchSite): Promise<Row[]> {
  if (!hasXvfb) return [figure("linked studies: skipped, Xvfb is not installed", 0, "")];
  const { browser, close } = await thinClient();
  try {
    const page = await newPage(browser);
    await prepare(page, site.origin);
    const blank = await memoryMb(browser, page);
    await openViewer(page, site.origin, PATIENT_256);
    const alone = await memoryMb(browser, page) - blank, single = await stepsOf(page, COUNT);
    await openViewer(page, site.origin, PATIENT_256, `&compare=${PATIENT_PRIOR}`);
    await openPrior(page);
    const both = await memoryMb(browser, page) - blank;
    const rows = [
      against(
        "linked studies: memory over a blank page, against one study",
        both,
        alone,
        "MB",
        MOST_MEMORY,
      ),
      figure("one study without a GPU: step, p95", quantile(single, 0.95), "ms"),
    ];
    for (const layout of ["1×2", "2×2", "2×3"]) {
      await page.getByTestId("compare").getByRole("button", { name: layout }).click();
      await stepsOf(page, WARM_UP);
      const spent = await stepsOf(page, COUNT);
      const name = `linked studies without a GPU, ${layout}: step of both`;
      rows.push(figure(`${name}, p95`, quantile(spent, 0.95), "ms", P95_MS));
      rows.push(figure(`${name}, p50`, quantile(spent, 0.5), "ms"));
    }
    return rows;
  } finally {
    await close();
  }
}
