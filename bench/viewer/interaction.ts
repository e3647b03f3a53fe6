// Duration of one step of every control, compared with NiiVue and with eight times as many voxels.
import type { Page } from "@/tests/browser.ts";
import { type Action, ACTIONS, openViewer, prepare, steps } from "@/bench/viewer/ours.ts";
import type { PeerFigures } from "@/bench/viewer/peer.ts";
import { against, figure, quantile } from "@/bench/viewer/rows.ts";
import { type BenchSite, PATIENT_512 } from "@/bench/viewer/site.ts";
import type { Row } from "@/bench/record.ts";

const WARM_UP = 10, COUNT = 60;
const BARS: Record<Action, { ratio: number; p95Ms: number }> = {
  scroll: { ratio: 0.15, p95Ms: 16.7 },
  opacity: { ratio: 0.005, p95Ms: 16 },
  label: { ratio: 0.005, p95Ms: 16 },
  percentile: { ratio: 0.005, p95Ms: 16 },
  window: { ratio: 0.005, p95Ms: 16 },
};
const NAMES: Record<Action, string> = {
  scroll: "scroll of three panes",
  opacity: "opacity",
  label: "label toggle",
  percentile: "percentile",
  window: "window/level",
};
const MOST_512 = 4.5;

async function measured(page: Page): Promise<Record<Action, number[]>> {
  const spent = {} as Record<Action, number[]>;
  for (const action of ACTIONS) {
    await steps(page, action, WARM_UP);
    spent[action] = await steps(page, action, COUNT);
  }
  return spent;
}

/** Rows of every action; `page` shows the volume of 256³ first, then that of 512³. */
export async function interactionRows(
  page: Page,
  site: BenchSite,
  peer: PeerFigures | null,
): Promise<Row[]> {
  const rows: Row[] = [], small = await measured(page);
  for (const action of ACTIONS) {
    const { ratio, p95Ms } = BARS[action], median = quantile(small[action], 0.5);
    if (peer) {
      rows.push(
        against(`${NAMES[action]}, median of a step`, median, peer.steps[action], "ms", ratio),
      );
    }
    rows.push(
      figure(`${NAMES[action]}, 95th percentile`, quantile(small[action], 0.95), "ms", p95Ms),
    );
  }
  await prepare(page, site.origin);
  await openViewer(page, site.origin, PATIENT_512);
  const large = await measured(page);
  for (const action of ACTIONS) {
    const [value, baseline] = [quantile(large[action], 0.5), quantile(small[action], 0.5)];
    rows.push(against(`${NAMES[action]}, 512³ against 256³`, value, baseline, "ms", MOST_512));
  }
  return rows;
}
