// The 3D pane without a GPU: how long a frame of a drag takes, and whether the slices stay as quick beside it.
import { newPage, softwareGl } from "@/bench/viewer_parts/browser.ts";
import { dragSurface, openViewer, prepare, steps } from "@/bench/viewer_parts/ours.ts";
import { against, figure, quantile } from "@/bench/viewer_parts/rows.ts";
import { type BenchSite, PATIENT_256, PATIENT_SURFACE } from "@/bench/viewer_parts/site.ts";
import type { Row } from "@/bench/record.ts";

const STEPS = 60, ROUNDS = 2, DRAG_MS = 2000;

export async function surfaceRows(site: BenchSite): Promise<Row[]> {
  const browser = await softwareGl();
  try {
    const page = await newPage(browser), without: number[] = [], beside: number[] = [];
    await prepare(page, site.origin);
    let frameMs = Infinity;
    // in turns, so that what else the machine does falls on both
    for (let round = 0; round < ROUNDS; round++) {
      for (const [pid, into] of [[PATIENT_256, without], [PATIENT_SURFACE, beside]] as const) {
        await openViewer(page, site.origin, pid);
        if (pid === PATIENT_SURFACE) frameMs = Math.min(frameMs, await dragSurface(page, DRAG_MS));
        await steps(page, "scroll", 10);
        into.push(...await steps(page, "scroll", STEPS));
      }
    }
    const median = (values: number[]) => quantile(values, 0.5);
    return [
      figure(`3D drag, ${site.triangles} triangles, a frame`, frameMs, "ms", 50),
      against("scroll of three panes beside the 3D pane", median(beside), median(without), "ms", 1.1),
    ];
  } finally {
    await browser.close();
  }
}
