// Measures NiiVue on the same voxels, for comparison with our viewer.
import { memoryMb, newPage, softwareGl } from "@/bench/viewer/browser.ts";
import type { Action } from "@/bench/viewer/ours.ts";
import { quantile } from "@/bench/viewer/rows.ts";
import type { BenchSite } from "@/bench/viewer/site.ts";

/** Measurements of NiiVue within the time limit; NaN: not measured. */
export interface PeerFigures {
  firstFrameMs: number;
  memoryMb: number;
  /** median duration of a step, ms */
  steps: Record<Action, number>;
}

/** Maximum number of steps by action; overlay steps take seconds in NiiVue, so one may suffice. */
const COUNTS: Record<Action, number> = {
  scroll: 12,
  opacity: 3,
  label: 2,
  percentile: 2,
  window: 3,
};
const ACTIONS = Object.keys(COUNTS) as Action[];
/** Time after which no action is repeated, ms. */
const REPEAT_MS = 100_000;

export const nothingMeasured = (): PeerFigures => ({
  firstFrameMs: NaN,
  memoryMb: NaN,
  steps: { scroll: NaN, opacity: NaN, label: NaN, percentile: NaN, window: NaN },
});

/** Measures NiiVue in a separate browser on software WebGL; stores each result immediately. */
export async function measurePeer(site: BenchSite, figures: PeerFigures): Promise<void> {
  const browser = await softwareGl(), start = performance.now();
  try {
    const page = await newPage(browser);
    const blankMb = await memoryMb(browser, page);
    await page.goto(`${site.peer}/`);
    await page.waitForFunction("globalThis.loaded");
    figures.firstFrameMs = await page.evaluate("loaded") as number;
    figures.memoryMb = await memoryMb(browser, page) - blankMb;
    const spent: Record<Action, number[]> = {
      scroll: [],
      opacity: [],
      label: [],
      percentile: [],
      window: [],
    };
    for (let round = 0; round === 0 || performance.now() - start < REPEAT_MS; round++) {
      const left = ACTIONS.filter((action) => spent[action].length < COUNTS[action]);
      if (left.length === 0) break;
      for (const action of left) {
        const count = action === "scroll" ? COUNTS.scroll : 1;
        spent[action].push(
          ...await page.evaluate(`steps("${action}", ${count}, ${round})`) as number[],
        );
        figures.steps[action] = quantile(spent[action], 0.5);
      }
    }
  } finally {
    await browser.close();
  }
}
