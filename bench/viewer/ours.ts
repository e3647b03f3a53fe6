// The viewer page as the benchmark uses it; with ours_page.ts the only file that knows its session and its panes.
import type { Page } from "@/tests/browser.ts";
import { DRAG, HOVER, RECORD, STEPS } from "@/bench/viewer/ours_page.ts";
import type { SurfacePicture } from "@/bench/viewer/surface_truth.ts";
import { PLANES } from "@/viewer/scene.ts";
import { enter } from "@/tests/viewer/viewer_site.ts";

/** What can be done to a viewer, one step at a time; the peer's page has the same. */
export const ACTIONS = ["scroll", "opacity", "label", "percentile", "window"] as const;
export type Action = (typeof ACTIONS)[number];

/** One pane as it is on the screen. */
export interface Picture {
  plane: string;
  width: number;
  height: number;
  mapping: {
    origin: number[];
    du: number[];
    dv: number[];
    across: number;
    down: number;
    through: number;
  };
  window: { width: number; level: number };
  /** RGBA, one character a byte. */
  pixels: string;
}

/** Makes a page ready for {@link openViewer}: signed in, recording. `hasFrames`: pictures are compared as they come. */
export async function prepare(page: Page, origin: string, hasFrames = false): Promise<void> {
  await page.addInitScript(RECORD);
  if (hasFrames) await page.addInitScript("globalThis.benchFrames = true");
  await enter(page, origin);
}

/** Opens a patient and waits until everything is drawn. */
export async function openViewer(
  page: Page,
  origin: string,
  pid: number,
  search = "",
): Promise<void> {
  await page.goto(`${origin}/viewer/${pid}?testing${search}`);
  // the page's policy forbids the evaluation that waitForFunction() would use
  await page.evaluate(`new Promise((done, fail) => {
    const look = () => {
      const state = globalThis.sliceViewer?.loading.value;
      if (state?.kind === "loaded") done();
      else if (state?.kind === "failed") fail(new Error("the viewer failed: " + state.code));
      else setTimeout(look, 25);
    };
    look();
  })`);
  await page.waitForTimeout(300);
  await page.evaluate(STEPS);
}

/** Leaves the viewer by a full load of a page without images. */
export const leaveViewer = (page: Page, origin: string) => page.goto(`${origin}/viewer`);

/** ms since the navigation began. */
interface Opening {
  /** The three panes show what they show in the end. */
  finalPictureMs: number;
  /** A pane shows something for the first time. */
  firstPaneMs: number;
  /** The surface is shown in its colours; NaN without one. */
  surfaceMs: number;
  longestTaskMs: number;
  presenter: string;
}

/** How the page opened; after {@link openViewer}, without any action since. */
export const openingOf = (page: Page): Promise<Opening> =>
  page.evaluate(`(() => {
    const { frames, loaded, tasks } = benchRecord, last = frames.at(-1)?.[1];
    const choice = sliceViewer.presenter.value;
    return {
      finalPictureMs: last === undefined ? Math.max(...loaded) : frames.find(([, hash]) => hash === last)[0],
      firstPaneMs: Math.min(...loaded),
      surfaceMs: benchRecord.surfaceMs ?? NaN,
      longestTaskMs: Math.max(0, ...tasks.map(([, duration]) => duration)),
      presenter: choice.kind + ", " + choice.reason,
    };
  })()`) as Promise<Opening>;

/** ms of each of `count` steps: the handlers, and the frame that follows with the pixels on their canvases. */
export const steps = (page: Page, action: Action, count: number): Promise<number[]> =>
  page.evaluate(`benchSteps("${action}", ${count})`) as Promise<number[]>;

/** The 3D pane; waits for its surface. */
export const surfacePicture = (page: Page): Promise<SurfacePicture> =>
  page.evaluate(`new Promise((done) => {
    const look = () => benchRecord.surfaceMs ? done(benchSurface()) : setTimeout(look, 25);
    look();
  })`) as Promise<SurfacePicture>;

export async function pictures(page: Page): Promise<Picture[]> {
  const shown: Picture[] = [];
  for (const plane of PLANES) {
    shown.push(await page.evaluate(`benchPicture("${plane}")`) as Picture);
  }
  return shown;
}

/** Collects the addresses of scripts and WASM that a page and its workers ask for from now on. */
export function collectScripts(page: Page): Set<string> {
  const paths = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|wasm)$/.test(pathname)) paths.add(pathname);
  });
  return paths;
}

/** What the tooltip said at points of the panes, and the label whose colour is drawn there; 0: no label. */
interface Hovered {
  drawn: number[];
  said: string[];
  /** ms from the pointer's event to the tooltip in its place, without the wait of D2 §4. */
  spentMs: number[];
}

/** Moves the pointer over random points of all panes at random zooms; after it the page's colours are the test's. */
export const hover = (page: Page, points: number): Promise<Hovered> =>
  page.evaluate(`(${HOVER})(${points}, 5)`) as Promise<Hovered>;

/** ms from one frame to the next while the surface is turned with the mouse. */
export const dragSurface = (page: Page, lastMs: number): Promise<number> =>
  page.evaluate(`(${DRAG})(${lastMs})`) as Promise<number>;
