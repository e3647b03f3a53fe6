// Operations on the viewer page for the benchmark; only these and ours_page.ts use its internals.
import type { Page } from "@/tests/browser.ts";
import { DRAG, HOVER, RECORD, STEPS } from "@/bench/viewer/ours_page.ts";
import type { SurfacePicture } from "@/bench/viewer/surface_truth.ts";
import { PLANES } from "@/viewer/scene.ts";
import { enter } from "@/tests/viewer/viewer_site.ts";

/** Actions measured in the viewer, one step at a time; NiiVue's page has the same. */
export const ACTIONS = ["scroll", "opacity", "label", "percentile", "window"] as const;
export type Action = (typeof ACTIONS)[number];

/** A pane as displayed. */
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
  /** RGBA, one character per byte */
  pixels: string;
}

/** Signs in and adds the recording script. `hasFrames`: also hashes each displayed frame. */
export async function prepare(page: Page, origin: string, hasFrames = false): Promise<void> {
  await page.addInitScript(RECORD);
  if (hasFrames) await page.addInitScript("globalThis.benchFrames = true");
  await enter(page, origin);
}

/** Opens a patient's study and waits until everything is drawn. */
export async function openViewer(
  page: Page,
  origin: string,
  pid: number,
  search = "",
): Promise<void> {
  await page.goto(`${origin}/viewer/${pid}?testing${search}`);
  // not waitForFunction(), because the page's policy forbids its evaluation of code
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

/** Leaves the viewer by loading a page without images. */
export const leaveViewer = (page: Page, origin: string) => page.goto(`${origin}/viewer`);

/** Times since the start of the navigation, ms. */
interface Opening {
  /** time at which the three panes reached their final content */
  finalPictureMs: number;
  /** time at which the first pane showed an image */
  firstPaneMs: number;
  /** time at which the coloured surface was shown; NaN without a surface */
  surfaceMs: number;
  longestTaskMs: number;
  presenter: string;
}

/** Times of opening the page; to be called after {@link openViewer} and before any action. */
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

/** Duration of each of `count` steps, ms: handlers, and the next frame with its drawing. */
export const steps = (page: Page, action: Action, count: number): Promise<number[]> =>
  page.evaluate(`benchSteps("${action}", ${count})`) as Promise<number[]>;

/** The 3D pane's picture, after its surface is shown. */
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

/** Collects the paths of scripts and WASM that a page and its workers request from now on. */
export function collectScripts(page: Page): Set<string> {
  const paths = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|wasm)$/.test(pathname)) paths.add(pathname);
  });
  return paths;
}

/** Tooltip texts at points of the panes, and the label drawn at each point; 0: no label. */
interface Hovered {
  drawn: number[];
  said: string[];
  /** ms from the pointer event to the positioned tooltip, without the delay of D2 §4 */
  spentMs: number[];
}

/** Moves the pointer over random points of all panes at random zooms; changes the colour table. */
export const hover = (page: Page, points: number): Promise<Hovered> =>
  page.evaluate(`(${HOVER})(${points}, 5)`) as Promise<Hovered>;

/** ms between two frames while the surface is rotated with the mouse. */
export const dragSurface = (page: Page, lastMs: number): Promise<number> =>
  page.evaluate(`(${DRAG})(${lastMs})`) as Promise<number>;
