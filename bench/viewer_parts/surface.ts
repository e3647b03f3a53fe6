// The 3D pane without a GPU: how long a frame of a drag takes, and whether the slices stay as quick beside it.
import { newPage, softwareGl, workClock } from "@/bench/viewer_parts/browser.ts";
import { dragSurface, openViewer, prepare, steps } from "@/bench/viewer_parts/ours.ts";
import { against, figure, quantile } from "@/bench/viewer_parts/rows.ts";
import { type BenchSite, PATIENT_256, PATIENT_SURFACE } from "@/bench/viewer_parts/site.ts";
import type { Row } from "@/bench/record.ts";

const STEPS = 60, ROUNDS = 2, DRAG_MS = 2000;

export async function surfaceRows(site: BenchSite): Promise<Row[]> {
  const browser = await softwareGl();
  try {
    const page = await newPage(browser), without: number[] = [], beside: number[] = [];
    const slider = { without: [] as number[], beside: [] as number[] };
    const workMs = new Map([[without, Infinity], [beside, Infinity]]);
    const worked = await workClock(page);
    await prepare(page, site.origin);
    let frameMs = Infinity;
    // in turns, so that what else the machine does falls on both
    for (let round = 0; round < ROUNDS; round++) {
      for (const [pid, into] of [[PATIENT_256, without], [PATIENT_SURFACE, beside]] as const) {
        await openViewer(page, site.origin, pid);
        if (pid === PATIENT_SURFACE) frameMs = Math.min(frameMs, await dragSurface(page, DRAG_MS));
        await steps(page, "scroll", 10);
        const start = await worked();
        into.push(...await steps(page, "scroll", STEPS));
        workMs.set(into, Math.min(workMs.get(into)!, (await worked() - start) / STEPS));
        (into === without ? slider.without : slider.beside).push(...await steps(page, "opacity", STEPS));
      }
    }
    const median = (values: number[]) => quantile(values, 0.5);
    return [
      figure(`3D drag, ${site.triangles} triangles, a frame`, frameMs, "ms", 50),
      against("scroll of three panes beside the 3D pane", median(beside), median(without), "ms", 1.1),
      against(
        "opacity of three panes beside the 3D pane",
        median(slider.beside),
        median(slider.without),
        "ms",
        1.1,
      ),
      {
        ...against(
          "the same, all work of the main thread a step",
          workMs.get(beside)!,
          workMs.get(without)!,
          "ms",
          1.1,
        ),
        bar: null,
        ok: true,
      },
    ];
  } finally {
    await browser.close();
  }
}
