// How long a page takes to show the head: without a GPU, and against the peer on software WebGL.
import type { Browser, Page } from "@playwright/test";
import { hasXvfb, newPage, thinClient } from "@/bench/viewer_parts/browser.ts";
import { collectScripts, openingOf, openViewer, pictures, prepare } from "@/bench/viewer_parts/ours.ts";
import { figure, quantile } from "@/bench/viewer_parts/rows.ts";
import { type BenchSite, PATIENT_256 } from "@/bench/viewer_parts/site.ts";
import { labelledPixels, wrongPixels } from "@/bench/viewer_parts/truth.ts";
import type { Row } from "@/bench/record.ts";

/** A labelled part of a slice that cannot be missing. */
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

/** A thin client: headed, no graphics flag, a screen without GPU. */
export async function thinClientRows(site: BenchSite): Promise<Row[]> {
  if (!hasXvfb) return [figure("no GPU: skipped, Xvfb is not installed", 0, "")];
  const { browser, close } = await thinClient();
  try {
    // a page that has the program already, as on every day but the first, is only given for information
    const rows: Row[] = [];
    for (const [visit, most] of [["first visit", 2000], ["next visit", null]] as const) {
      const page = await newPage(browser);
      await prepare(page, site.origin, true);
      if (visit === "next visit") await openViewer(page, site.origin, PATIENT_256);
      await openViewer(page, site.origin, PATIENT_256);
      const opening = await openingOf(page);
      const name = `no GPU (${opening.presenter}), ${visit}`;
      rows.push(
        figure(`${name}: navigation to correct slices and labels`, opening.finalPictureMs, "ms", most),
      );
      rows.push(figure(`${name}: first viewer-loaded event`, opening.firstPaneMs, "ms"));
      if (most !== null) rows.push(...await pictureRows(page, site, "no GPU"));
      await page.context().close();
    }
    return rows;
  } finally {
    await close();
  }
}

/** Openings, each of a browser that has never been here; other programs only ever slow one down. */
const OPENINGS = 3;

/** On software WebGL: the opening of our page, whose presenter is chosen by itself, and what it loads. */
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
  const sizes = await Promise.all(
    [...scripts].map(async (path) =>
      (await Deno.stat(new URL(`../..${path}.gz`, import.meta.url))).size / 1000
    ),
  );
  const regl = [...scripts].filter((path) => /present_regl/.test(path)).length;
  const longest = "longest task of the main thread while loading, best of 3 openings (0: none above 50)";
  const rows = [
    figure(longest, Math.min(...longestMs), "ms", 100),
    figure(
      "JavaScript and WASM of the viewer page",
      sizes.reduce((sum, size) => sum + size, 0),
      "kB gz",
      170,
    ),
    figure(`regl loaded without a GPU (${presenter})`, regl, "files", 0),
    ...await pictureRows(page, site, "software WebGL"),
  ];
  return { page, frameMs: quantile(frameMs, 0.5), rows };
}
