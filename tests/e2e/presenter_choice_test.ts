// covers: S-41
// The viewer page without a GPU, with WebGL, and after losing the GPU: always equal pixels.
import assert from "node:assert/strict";
import { type Browser, chromium, type Page } from "@playwright/test";
import { hasScreen, Screen, XVFB } from "@/tests/e2e/screen.ts";
import {
  CHROMIUM,
  LAUNCH_MS,
  launchBrowser,
  missingForBrowser,
  pageStarts,
} from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import { viewerIsLoaded } from "@/tests/viewer/viewer_picture.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

const missingScreen = missingForBrowser || (hasScreen ? "" : `no ${XVFB}`);
const skipped = (reason: string) => reason && ` (skipped: ${reason})`;
const PLANES = ["axial", "coronal", "sagittal"];

interface Shown {
  kind: string;
  reason: string;
  /** pixels of each pane, RGBA, base64 */
  panes: string[];
  /** number of pixels in the crosshair's colour in each pane, if its lines are drawn */
  linePixels: number[];
}

/** Opens the viewer with the overlay, and reads its canvases. */
async function open(browser: Browser, origin: string, search = ""): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1024, height: 910 } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await enter(page, origin);
  await page.goto(`${origin}/viewer/1?testing${search}`);
  await pageStarts(page);
  await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Mask", exact: true }).click();
  await page.getByRole("button", { name: "All regions" }).click();
  // without the outline of the intracranial volume, which is loaded later
  await page.getByLabel("Mask type").selectOption("region");
  await viewerIsLoaded(page);
  return page;
}

const shownBy = (page: Page): Promise<Shown> =>
  page.evaluate(async (planes) => {
    const viewer = (globalThis as unknown as {
      sliceViewer: {
        renderer: { annotate(): void; invalidate(): void; drawNow(): void };
        presenter: { value: { kind: string; reason: string } };
      };
    }).sliceViewer;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const read = (canvas: HTMLCanvasElement) => {
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(canvas, 0, 0);
      return context.getImageData(0, 0, copy.width, copy.height).data;
    };
    const layersOf = (plane: string) => [
      ...document.querySelectorAll<HTMLCanvasElement>(`[data-testid=${plane}-view] canvas`),
    ];
    const { renderer } = viewer, { annotate } = renderer;
    const drawWith = (lines: () => void) => {
      renderer.annotate = lines;
      renderer.invalidate();
      renderer.drawNow();
    };
    drawWith(annotate);
    const linePixels = planes.map((plane) => {
      let count = 0;
      new Uint32Array(read(layersOf(plane).at(-1)!).buffer).forEach((word) => {
        if (word === 0xffeed322) count++;
      });
      return count;
    });
    drawWith(() => {});
    const panes = planes.map((plane) => {
      const data = read(layersOf(plane)[0]!);
      let text = "";
      for (let i = 0; i < data.length; i += 32768) {
        text += String.fromCharCode(...data.subarray(i, i + 32768));
      }
      return btoa(text);
    });
    drawWith(annotate);
    const { kind, reason } = viewer.presenter.value;
    return { kind, reason, panes, linePixels };
  }, PLANES);

/** Largest difference of two pictures, 0..255; asserts that they are not empty. */
function difference(a: Shown, b: Shown): number {
  let most = 0;
  for (const count of [...a.linePixels, ...b.linePixels]) {
    assert.ok(count > 200, "no crosshair over the pixels");
  }
  for (const [at, pane] of a.panes.entries()) {
    const left = atob(pane), right = atob(b.panes[at]!);
    assert.equal(left.length, right.length, PLANES[at]);
    let bright = 0;
    for (let i = 0; i < left.length; i++) {
      most = Math.max(most, Math.abs(left.charCodeAt(i) - right.charCodeAt(i)));
      if (i % 4 !== 3 && left.charCodeAt(i) > 60) bright++;
    }
    assert.ok(bright > left.length / 100, `${PLANES[at]} is dark`);
  }
  return most;
}

Deno.test({
  name: "regl and Canvas2D show the same viewer, and a lost WebGL context is replaced" +
    skipped(missingForBrowser),
  ignore: missingForBrowser !== "",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const site = await serveViewer(), browser = await launchBrowser({ gl: true });
    try {
      const free = await shownBy(await open(browser, site.origin));
      assert.deepEqual([free.kind, free.reason], ["canvas", "software WebGL"]);
      const canvas = await shownBy(await open(browser, site.origin, "&renderer=canvas"));
      assert.deepEqual([canvas.kind, canvas.reason], ["canvas", "forced"]);
      const page = await open(browser, site.origin, "&renderer=regl"), regl = await shownBy(page);
      assert.deepEqual([regl.kind, regl.reason], ["regl", "forced"]);
      assert.ok(difference(canvas, free) <= 1 && difference(canvas, regl) <= 1);

      await page.evaluate(() => {
        for (const canvas of document.querySelectorAll("[data-plane] > canvas:first-of-type")) {
          canvas.setAttribute("data-lost", "");
          (canvas as HTMLCanvasElement).getContext("webgl")!.getExtension("WEBGL_lose_context")!
            .loseContext();
        }
      });
      await page.locator("canvas[data-lost]").first().waitFor({ state: "detached" });
      const after = await shownBy(page);
      assert.equal(await page.locator("canvas[data-lost]").count(), 0);
      assert.ok(difference(canvas, after) <= 1, "the picture is back");
      assert.deepEqual([after.kind, after.reason], ["canvas", "context lost"]);
      await page.evaluate("sliceViewer.setPresenter('regl')");
      const again = await shownBy(page);
      assert.equal(again.kind, "regl", "WebGL can be had back");
      assert.ok(difference(canvas, again) <= 1);
      await page.getByTestId("axial-view").focus();
      await page.keyboard.press("PageUp");
      assert.ok(difference(canvas, await shownBy(page)) > 1, "and goes on");

      for (const [search, kind] of [["", "regl"], ["&renderer=canvas", "canvas"]]) {
        await page.goto(`${site.origin}/viewer/1?testing${search}`);
        const drawnBy = () => page.evaluate("globalThis.sliceViewer?.presenter.value?.kind");
        await until(async () => await drawnBy() !== undefined);
        assert.equal(await drawnBy(), kind, "this computer is set to regl; the address goes first");
      }
    } finally {
      await browser.close();
      await site.close();
    }
  },
});

Deno.test({
  name: "without any WebGL the viewer draws with Canvas2D, the same pixels" +
    skipped(missingScreen),
  ignore: missingScreen !== "",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using screen = await Screen.open();
    const site = await serveViewer();
    let headed: Browser | null = null, headless: Browser | null = null;
    try {
      headed = await chromium.launch({
        executablePath: CHROMIUM,
        headless: false,
        timeout: LAUNCH_MS,
        // without this, Playwright would enable software WebGL
        ignoreDefaultArgs: ["--enable-unsafe-swiftshader"],
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-background-networking",
        ],
        env: { ...Deno.env.toObject(), DISPLAY: screen.display },
      });
      const without = await shownBy(await open(headed, site.origin));
      assert.deepEqual([without.kind, without.reason], ["canvas", "no WebGL"]);
      headless = await launchBrowser();
      const usual = await shownBy(await open(headless, site.origin, "&renderer=canvas"));
      assert.ok(difference(usual, without) <= 1);
    } finally {
      await headed?.close();
      await headless?.close();
      await site.close();
    }
  },
});
