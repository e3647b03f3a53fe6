// The only file of the benchmark that knows the viewer page: its addresses, its session and its panes.
import type { Page } from "@playwright/test";
import { PLANES } from "@/viewer/scene.ts";
import { enter } from "@/tests/viewer_site.ts";

/** What can be done to a viewer, one step at a time; the peer's page has the same. */
export const ACTIONS = ["scroll", "opacity", "label", "percentile", "window"] as const;
export type Action = (typeof ACTIONS)[number];

/** One pane as it is on the screen. */
export interface Picture {
  plane: string;
  width: number;
  height: number;
  mapping: { origin: number[]; du: number[]; dv: number[]; across: number; down: number; through: number };
  window: { width: number; level: number };
  /** RGBA, one character a byte. */
  pixels: string;
}

/** Before the page's own scripts: the mask in every region as soon as there is a session, and a record of frames. */
const RECORD = `{
  let session;
  const record = globalThis.benchRecord = { frames: [], loaded: [], tasks: [] };
  Object.defineProperty(globalThis, "sliceViewer", { configurable: true, get: () => session, set(value) {
    session = value;
    session.overlays.parcellation.isVisible.value = true;
    session.isThresholdOn.value = false;
  } });
  addEventListener("viewer-loaded", () => record.loaded.push(performance.now()), true);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) record.tasks.push([Math.round(entry.startTime), entry.duration]);
  }).observe({ type: "longtask", buffered: true });
  const scratch = document.createElement("canvas"), context = scratch.getContext("2d", { willReadFrequently: true });
  let composed = 0;
  const look = () => {
    const now = performance.now(), renderer = session?.renderer;
    if (globalThis.benchFrames && renderer && renderer.composedPanes !== composed) {
      composed = renderer.composedPanes;
      let hash = 0;
      for (const pane of document.querySelectorAll("[data-plane]")) {
        const image = pane.querySelector("canvas");
        if (!image || image.width === 0 || pane.clientWidth === 0) continue;
        [scratch.width, scratch.height] = [image.width, image.height];
        context.drawImage(image, 0, 0);
        const words = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
        for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ words[at], 0x9e3779b1) + at | 0;
      }
      record.frames.push([now, hash]);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

/** In the page: one step of each action, and the time that the page spends on it. */
const STEPS = `{
  const viewer = () => globalThis.sliceViewer, frame = () => new Promise((done) => requestAnimationFrame(done));
  const pane = () => document.querySelector("[data-testid=axial-view]");
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const pointer = (type, x, button) => {
    const box = pane().getBoundingClientRect();
    pane().dispatchEvent(new PointerEvent(type, { clientX: box.left + box.width / 2 + x,
      clientY: box.top + box.height / 2, pointerId: 1, button, bubbles: true }));
  };
  let drags = false;
  const actions = {
    scroll(n) {
      const way = n % 40 < 20 ? 1 : -1;
      viewer().goToMm(viewer().scene.crosshairMm.map((mm) => mm + way));
    },
    opacity(n) {
      const slider = document.querySelector("[data-testid=overlay-controls] input[type=range]");
      setValue.call(slider, String(50 + n % 40));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    },
    label: (n) => viewer().setHidden([1, 19], n % 2 === 0),
    percentile: (n) => viewer().setThreshold(n % 2 === 0 ? 2 : 20),
    window: (n) => pointer("pointermove", 3 * (n % 20)),
  };
  globalThis.benchSteps = async (kind, count) => {
    viewer().isThresholdOn.value = kind === "percentile";
    viewer().setHidden([1, 19], false);
    if (kind === "window") {
      pane().setPointerCapture = () => {};
      pointer("pointerdown", 0, 2);
    }
    await frame(), await frame();
    const spent = [], { renderer } = viewer(), before = renderer.composedPanes;
    for (let n = 1; n <= count; n++) {
      renderer.lastFrameMs = 0;
      const start = performance.now();
      actions[kind](n);
      const handled = performance.now() - start;
      await frame(), await frame();
      spent.push(handled + renderer.lastFrameMs);
    }
    if (kind === "window") pointer("pointerup", 0, 2);
    if (renderer.composedPanes - before < 2.7 * count) throw new Error(kind + " was not drawn in three panes");
    viewer().isThresholdOn.value = false;
    viewer().setOpacity(100);
    viewer().reset();
    await frame(), await frame();
    return spent;
  };
  globalThis.benchPicture = (plane) => {
    const { renderer, scene } = viewer();
    renderer.drawNow();
    const image = document.querySelector("[data-testid=" + plane + "-view] canvas"), m = renderer.mapping(plane);
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [image.width, image.height];
    const context = copy.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let pixels = "";
    for (let at = 0; at < data.length; at += 8192) pixels += String.fromCharCode(...data.subarray(at, at + 8192));
    return { plane, width: copy.width, height: copy.height, window: { ...scene.window }, pixels,
      mapping: { origin: [...m.origin], du: [...m.du], dv: [...m.dv], across: m.across, down: m.down, through: m.through } };
  };
}`;

/** Makes a page ready for {@link openViewer}: signed in, recording. `hasFrames`: pictures are compared as they come. */
export async function prepare(page: Page, origin: string, hasFrames = false): Promise<void> {
  await page.addInitScript(RECORD);
  if (hasFrames) await page.addInitScript("globalThis.benchFrames = true");
  await enter(page, origin);
}

/** Opens a patient and waits until everything is drawn. */
export async function openViewer(page: Page, origin: string, pid: number, search = ""): Promise<void> {
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
export interface Opening {
  /** The three panes show what they show in the end. */
  finalPictureMs: number;
  /** A pane shows something for the first time. */
  firstPaneMs: number;
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
      longestTaskMs: Math.max(0, ...tasks.map(([, duration]) => duration)),
      presenter: choice.kind + ", " + choice.reason,
    };
  })()`) as Promise<Opening>;

/** ms of each of `count` steps: the handlers, and the frame that follows with the pixels on their canvases. */
export const steps = (page: Page, action: Action, count: number): Promise<number[]> =>
  page.evaluate(`benchSteps("${action}", ${count})`) as Promise<number[]>;

export async function pictures(page: Page): Promise<Picture[]> {
  const shown: Picture[] = [];
  for (const plane of PLANES) shown.push(await page.evaluate(`benchPicture("${plane}")`) as Picture);
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
export interface Hovered {
  drawn: number[];
  said: string[];
  /** ms from the pointer's event to the tooltip in its place, without the wait of D2 §4. */
  spentMs: number[];
}

const HOVER = `async (points, seed) => {
  const viewer = globalThis.sliceViewer, { renderer, scene } = viewer, wait = globalThis.setTimeout;
  const random = () => (seed = Math.imul(seed, 1664525) + 1013904223 >>> 0) / 4294967296;
  const table = viewer.composer.table("parcellation");
  for (let value = 0; value < 256; value++) table[value] = (0xff000000 | 200 << 16 | 100 << 8 | value) >>> 0;
  const out = { drawn: [], said: [], spentMs: [] }, planes = ["axial", "coronal", "sagittal"];
  const perView = 100, views = points / perView;
  for (let round = 0; round < views; round++) {
    const plane = planes[round % 3], pane = document.querySelector("[data-testid=" + plane + "-view]");
    const tooltip = pane.querySelector("[role=tooltip]");
    for (let r = 0; r < 3; r++) scene.crosshairMm[r] = (random() - 0.5) * 80;
    Object.assign(scene.views[plane], { zoom: 0.6 + random() * 8, panXMm: random() * 30 - 15, panYMm: random() * 30 - 15 });
    renderer.invalidate();
    const picture = benchPicture(plane), box = pane.getBoundingClientRect(), ratio = picture.width / pane.clientWidth;
    for (let n = 0; n < perView; n++) {
      const x = Math.floor(random() * pane.clientWidth), y = Math.floor(random() * pane.clientHeight);
      const event = { clientX: box.left + x, clientY: box.top + y, pointerId: 1, pointerType: "mouse", bubbles: true };
      globalThis.setTimeout = (call) => { call(); return 0; };
      const start = performance.now();
      pane.dispatchEvent(new PointerEvent("pointermove", event));
      out.spentMs.push(performance.now() - start);
      globalThis.setTimeout = wait;
      const px = Math.floor((event.clientX - box.left) * ratio), py = Math.floor((event.clientY - box.top) * ratio);
      const at = 4 * (py * picture.width + px), rgb = [0, 1, 2].map((c) => picture.pixels.charCodeAt(at + c));
      out.drawn.push(rgb[2] === 200 && rgb[1] === 100 ? rgb[0] : 0);
      out.said.push(tooltip.hidden ? "" : tooltip.textContent.split("\\n")[0]);
    }
    await new Promise((done) => requestAnimationFrame(done));
  }
  return out;
}`;

/** Moves the pointer over random points of all panes at random zooms; after it the page's colours are the test's. */
export const hover = (page: Page, points: number): Promise<Hovered> =>
  page.evaluate(`(${HOVER})(${points}, 5)`) as Promise<Hovered>;
