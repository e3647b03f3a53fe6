// NiiVue on the same voxels: what ours is compared with.
import { memoryMb, newPage, softwareGl } from "@/bench/viewer_parts/browser.ts";
import type { Action } from "@/bench/viewer_parts/ours.ts";
import { quantile } from "@/bench/viewer_parts/rows.ts";
import type { BenchSite } from "@/bench/viewer_parts/site.ts";

export interface PeerFigures {
  firstFrameMs: number;
  memoryMb: number;
  /** Median ms of a step. */
  steps: Record<Action, number>;
}

/** Most steps of each action. Those of an overlay take the peer seconds: one is enough when time is short. */
const COUNTS: Record<Action, number> = { scroll: 12, opacity: 3, label: 2, percentile: 2, window: 3 };
const STEPS_END_MS = 100_000;

/** Measures the peer in a browser of its own, on software WebGL. */
export async function measurePeer(site: BenchSite): Promise<PeerFigures> {
  const browser = await softwareGl(), start = performance.now();
  try {
    const page = await newPage(browser);
    const blankMb = await memoryMb(browser, page);
    await page.goto(`${site.peer}/`);
    await page.waitForFunction("globalThis.loaded");
    const firstFrameMs = await page.evaluate("loaded") as number;
    const usedMb = await memoryMb(browser, page) - blankMb;
    const spent: Record<Action, number[]> = {
      scroll: [],
      opacity: [],
      label: [],
      percentile: [],
      window: [],
    };
    for (let round = 0; round === 0 || performance.now() - start < STEPS_END_MS; round++) {
      const left = (Object.keys(COUNTS) as Action[]).filter((action) =>
        spent[action].length < COUNTS[action]
      );
      if (left.length === 0) break;
      for (const action of left) {
        spent[action].push(
          ...await page.evaluate(
            `steps("${action}", ${action === "scroll" ? COUNTS.scroll : 1}, ${round})`,
          ) as number[],
        );
      }
    }
    const steps = Object.fromEntries(
      Object.entries(spent).map(([action, values]) => [action, quantile(values, 0.5)]),
    ) as Record<Action, number>;
    return { firstFrameMs, memoryMb: usedMb, steps };
  } finally {
    await browser.close();
  }
}
