// The 3D pane without a GPU: duration of a frame in a drag, and its effect on the slices' speed.
import { newPage, scriptClock, softwareGl } from "@/bench/viewer/browser.ts";
import { dragSurface, openViewer, prepare, steps } from "@/bench/viewer/ours.ts";
import { against, figure, quantile } from "@/bench/viewer/rows.ts";
import { type BenchSite, PATIENT_256, PATIENT_SURFACE } from "@/bench/viewer/site.ts";
import type { Row } from "@/bench/record.ts";

const STEPS = 60, ROUNDS = 2, DRAG_MS = 2000;

/** Durations of steps in one study, ms. */
interface Spent {
  scroll: number[];
  opacity: number[];
  /** script time of the page per scroll step, including later work on the surface; best round */
  scripts: number;
}

const nothing = (): Spent => ({ scroll: [], opacity: [], scripts: Infinity });

/** A row without a limit. */
const told = (row: Row): Row => ({ ...row, bar: null, ok: Number.isFinite(row.value) });

export async function surfaceRows(site: BenchSite): Promise<Row[]> {
  const browser = await softwareGl();
  try {
    const page = await newPage(browser), without = nothing(), beside = nothing();
    const ranMs = await scriptClock(page);
    await prepare(page, site.origin);
    let frameMs = Infinity;
    // alternating, so that other load affects both
    for (let round = 0; round < ROUNDS; round++) {
      for (const [pid, spent] of [[PATIENT_256, without], [PATIENT_SURFACE, beside]] as const) {
        await openViewer(page, site.origin, pid);
        if (pid === PATIENT_SURFACE) frameMs = Math.min(frameMs, await dragSurface(page, DRAG_MS));
        await steps(page, "scroll", 10);
        const start = await ranMs();
        spent.scroll.push(...await steps(page, "scroll", STEPS));
        spent.scripts = Math.min(spent.scripts, (await ranMs() - start) / STEPS);
        spent.opacity.push(...await steps(page, "opacity", STEPS));
      }
    }
    const median = (values: number[]) => quantile(values, 0.5);
    const compared = (name: string, of: (spent: Spent) => number) =>
      against(`${name} beside the 3D pane`, of(beside), of(without), "ms", 1.1);
    return [
      figure(`3D drag, ${site.triangles} triangles, a frame`, frameMs, "ms", 50),
      compared("scroll of three panes", ({ scroll }) => median(scroll)),
      told(compared("all scripts of the page in a step of a scroll", ({ scripts }) => scripts)),
      told(compared("opacity of three panes", ({ opacity }) => median(opacity))),
    ];
  } finally {
    await browser.close();
  }
}
