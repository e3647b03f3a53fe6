// Time until a page shows the head: without a GPU, and compared with NiiVue on software WebGL.
import type { Browser, Page } from "@/tests/browser.ts";
import { hasXvfb, newPage, thinClient } from "@/bench/viewer/browser.ts";
import {
  collectScripts,
  openingOf,
  openViewer,
  pictures,
  prepare,
  surfacePicture,
} from "@/bench/viewer/ours.ts";
import { figure, quantile } from "@/bench/viewer/rows.ts";
import { surfaceFaults } from "@/bench/viewer/surface_truth.ts";
import { BALL, type BenchSite, PATIENT_256, PATIENT_SURFACE } from "@/bench/viewer/site.ts";
import { labelledPixels, wrongPixels } from "@/bench/viewer/truth.ts";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import type { Row } from "@/bench/record.ts";

/** Maximum size of scripts and WASM on a page without a GPU, kB compressed. */
const MAX_KB = 240;

const reglFiles = (scripts: Iterable<string>): number =>
  [...scripts].filter((path) => /(present|surface)_regl/.test(path)).length;

/** Size of all requested scripts and kernels, each counted once. */
async function weightRow(name: string, scripts: Iterable<string>): Promise<Row> {
  const sizes = await Promise.all(
    [...scripts].map(async (path) =>
      (await Deno.stat(new URL(`../..${path}.gz`, import.meta.url))).size / 1000
    ),
  );
  return figure(name, sizes.reduce((sum, size) => sum + size, 0), "kB gz", MAX_KB);
}

/** Minimum number of labelled pixels in a pane; less means that the labels are missing. */
const LABELLED = 1000;

async function pictureRows(page: Page, site: BenchSite, name: string): Promise<Row[]> {
  const shown = await pictures(page);
  const empty = shown.filter((picture) => labelledPixels(picture) < LABELLED).length;
  const wrong = shown.reduce((sum, picture) => sum + wrongPixels(site.volumes, picture), 0);
  return [
    figure(`${name}: pixels of three panes that are not the truth`, wrong, "pixels", 0),
    figure(`${name}: panes without labels`, empty, "panes", 0),
  ];
}

/** Limit for a thin client: ms from navigation to the picture. */
const MAX_MS = 2000;
/** Number of first visits, each in a new browser context; the best counts. */
const FIRST_VISITS = 2;

/** Rows of a thin client: Chromium with a window, without a GPU. Also NiiVue in that browser. */
export async function thinClientRows(site: BenchSite): Promise<Row[]> {
  if (!hasXvfb) return [figure("no GPU: skipped, Xvfb is not installed", 0, "")];
  const { browser, close } = await thinClient();
  try {
    const rows = [...await slicesRows(browser, site), ...await surfaceRows(browser, site)];
    return [...rows, await peerRow(browser, site)];
  } finally {
    await close();
  }
}

async function slicesRows(browser: Browser, site: BenchSite): Promise<Row[]> {
  const rows: Row[] = [];
  // a later visit with a cached program is measured without a limit
  for (const [visit, most] of [["first visit", MAX_MS], ["next visit", null]] as const) {
    const page = await newPage(browser);
    await prepare(page, site.origin, true);
    if (visit === "next visit") await openViewer(page, site.origin, PATIENT_256);
    await openViewer(page, site.origin, PATIENT_256);
    const opening = await openingOf(page), name = `no GPU (${opening.presenter}), ${visit}`;
    rows.push(
      figure(
        `${name}: navigation to correct slices and labels`,
        opening.finalPictureMs,
        "ms",
        most,
      ),
      figure(`${name}: first viewer-loaded event`, opening.firstPaneMs, "ms"),
    );
    if (most !== null) rows.push(...await pictureRows(page, site, "no GPU"));
    await page.context().close();
  }
  return rows;
}

/** Rows of a study with a surface: slices, labels and the 3D pane. */
async function surfaceRows(browser: Browser, site: BenchSite): Promise<Row[]> {
  let best = { finalPictureMs: Infinity, surfaceMs: Infinity }, page: Page, scripts: Set<string>;
  for (let visit = 1;; visit++) {
    page = await newPage(browser);
    await prepare(page, site.origin, true);
    scripts = collectScripts(page);
    await openViewer(page, site.origin, PATIENT_SURFACE);
    await surfacePicture(page);
    const times = await openingOf(page);
    if (times.surfaceMs < best.surfaceMs) best = times;
    if (visit === FIRST_VISITS) break;
    await page.context().close();
  }
  const { missing, stray, labelled } = surfaceFaults(foldedBall(BALL), await surfacePicture(page));
  const name = `no GPU, with a surface, best of ${FIRST_VISITS} first visits: navigation to`;
  const rows = [
    figure(`${name} correct slices and labels`, best.finalPictureMs, "ms", MAX_MS),
    figure(`${name} the surface of ${site.triangles} triangles`, best.surfaceMs, "ms", MAX_MS),
    ...await pictureRows(page, site, "no GPU, with a surface"),
    figure("no GPU, 3D: vertices before the eye that are not drawn", missing, "vertices", 0),
    figure("no GPU, 3D: pixels drawn beside the surface", stray, "pixels", 0),
    figure("no GPU, 3D: surfaces without labels", labelled < LABELLED ? 1 : 0, "surfaces", 0),
    figure("no GPU: regl loaded", reglFiles(scripts), "files", 0),
    await weightRow("no GPU, with a surface: JavaScript and WASM of the viewer page", scripts),
  ];
  await page.context().close();
  return rows;
}

/** Whether NiiVue shows anything without WebGL, and its error message. */
async function peerRow(browser: Browser, site: BenchSite): Promise<Row> {
  const page = await newPage(browser);
  await page.goto(`${site.peer}/`);
  const said = await page.evaluate("loaded.then(() => '', (error) => error.message)") as string;
  const name = said === "" ? "no GPU: NiiVue opens" : `no GPU: NiiVue shows nothing: "${said}"`;
  return figure(name, said === "" ? 1 : 0, "pictures");
}

/** Number of openings, each in a new browser context; the median counts. */
const OPENINGS = 3;

/** Opens our page on software WebGL: time, chosen presenter, and loaded files. */
export async function openingRows(browser: Browser, site: BenchSite) {
  const frameMs: number[] = [], longestMs: number[] = [];
  let page: Page, scripts: Set<string>, presenter: string;
  do {
    page = await newPage(browser);
    await prepare(page, site.origin);
    scripts = collectScripts(page);
    await openViewer(page, site.origin, PATIENT_256);
    const opening = await openingOf(page);
    presenter = opening.presenter;
    frameMs.push(opening.finalPictureMs);
    longestMs.push(opening.longestTaskMs);
    if (frameMs.length < OPENINGS) await page.context().close();
  } while (frameMs.length < OPENINGS);
  const longest =
    "longest task of the main thread while loading, best of 3 openings (0: none above 50)";
  const rows = [
    figure(longest, Math.min(...longestMs), "ms", 100),
    await weightRow("JavaScript and WASM of the viewer page", scripts),
    figure(`regl loaded without a GPU (${presenter})`, reglFiles(scripts), "files", 0),
    ...await pictureRows(page, site, "software WebGL"),
  ];
  return { page, frameMs: quantile(frameMs, 0.5), rows };
}
