// covers: S-226
// Interrupted download in the viewer: missing slices are never displayed as image data.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { createSite } from "@/server/edge/site.ts";
import { browserTest, launchBrowser, pageStarts } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import { viewerIsLoaded } from "@/tests/viewer/viewer_picture.ts";
import { enter, otherCore } from "@/tests/viewer/viewer_site.ts";

/** Small pieces, of which several arrive during one frame. */
const PIECE_BYTES = 1 << 20;

/**
 * Starts a site that sends the first part of the T1w volume after `begin`, in pieces, and the
 * remainder after `release`.
 */
async function serveHeld(part: number) {
  const core = otherCore(),
    begun = Promise.withResolvers<void>(),
    held = Promise.withResolvers<void>();
  const site = await createSite({
    core: {
      ...core.link,
      fetch: async (request: Request) => {
        const answer = await core.link.fetch(request);
        if (!request.url.includes("file=t1w_file")) return answer;
        const bytes = new Uint8Array(await answer.arrayBuffer());
        const cut = Math.floor(bytes.length * part);
        let at = 0;
        return new Response(
          new ReadableStream<Uint8Array<ArrayBuffer>>({
            async pull(controller) {
              await (at < cut ? begun : held).promise;
              const end = at < cut ? Math.min(at + PIECE_BYTES, cut) : bytes.length;
              controller.enqueue(bytes.subarray(at, end));
              if ((at = end) === bytes.length) controller.close();
            },
          }),
        );
      },
    },
    settings: { dataDir: null },
  });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    begin: begun.resolve,
    release: held.resolve,
    async close() {
      begun.resolve();
      held.resolve();
      await server.shutdown();
      site.close();
    },
  };
}

/** Number of rows of a pane's canvas that are marked as missing, and of rows that are not black. */
const rowsOf = (page: Page, plane: string) =>
  page.evaluate((name) => {
    const { renderer } =
      (globalThis as unknown as { sliceViewer: { renderer: { drawNow(): void } } })
        .sliceViewer;
    renderer.drawNow();
    const canvas = document.querySelector<HTMLCanvasElement>(`[data-testid=${name}-view] canvas`)!;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const rows = { covered: 0, bright: 0, both: 0, of: copy.height };
    for (let y = 0; y < copy.height; y++) {
      let cover = 0, grey = 0;
      for (let x = 0; x < copy.width; x++) {
        const [r, g, b] = data.subarray(4 * (y * copy.width + x));
        if (r === 11 && g === 27 && b === 43) cover++;
        if (r === g && g === b && r! > 90 && r! < 225) grey++;
      }
      const isCovered = cover > copy.width / 4, isBright = grey > copy.width / 20;
      if (isCovered) rows.covered++;
      if (isBright) rows.bright++;
      if (isCovered && isBright) rows.both++;
    }
    return rows;
  }, plane);

/** Moves the crosshair to an axial slice, given by its voxel index. */
const goToSlice = (page: Page, k: number) =>
  page.evaluate((index) => {
    const { grid, goToMm } = bound();
    function bound() {
      const session = (globalThis as unknown as {
        sliceViewer: { grid: { rasFromIjk: number[] }; goToMm(mm: number[]): boolean };
      }).sliceViewer;
      return { grid: session.grid, goToMm: session.goToMm.bind(session) };
    }
    const ijk = [50, 60, index], m = grid.rasFromIjk;
    goToMm([0, 1, 2].map((r) => ijk.reduce((sum, n, a) => sum + m[4 * a + r]! * n, m[12 + r]!)));
  }, k);

const isThere = (page: Page, k: number) =>
  page.evaluate(
    (index) =>
      (globalThis as unknown as {
        sliceViewer?: { isReady: { value: boolean }; isThere(ijk: number[]): boolean };
      })
        .sliceViewer?.isThere([50, 60, index]) ?? false,
    k,
  );

browserTest("a slice that has not arrived says so and shows no image", async () => {
  const site = await serveHeld(0.55), browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
    const page = await context.newPage();
    context.setDefaultTimeout(180_000);

    page.on("pageerror", (error) => console.log(String(error)));
    await enter(page, site.origin);
    await page.goto(`${site.origin}/viewer/1?testing`);
    await pageStarts(page);
    await until(() =>
      page.evaluate(() =>
        (globalThis as unknown as { sliceViewer?: { isReady: { value: boolean } } })
          .sliceViewer?.isReady.value
      )
    );
    // any input removes the server-rendered picture
    await page.keyboard.press("Shift");
    // coronal and sagittal slices do not change from here on, so only arriving data redraw them
    await goToSlice(page, 37);
    site.begin();
    await until(() => isThere(page, 38));
    assert.equal(await isThere(page, 100), false);
    const footer = page.getByText(textIn(viewerText.sliceMissing, "en"));
    await goToSlice(page, 100);
    await footer.waitFor();
    const away = await rowsOf(page, "axial");
    assert.equal(away.bright, 0, "an image where none has arrived");
    assert.ok(away.covered > away.of * 0.8, `${away.covered} of ${away.of} rows are covered`);
    await goToSlice(page, 38);
    await until(async () => await footer.count() === 0);
    const here = await rowsOf(page, "axial");
    assert.equal(here.covered, 0);
    assert.ok(here.bright > 20, `${here.bright} rows of the head`);
    for (const plane of ["coronal", "sagittal"]) {
      await until(async () => (await rowsOf(page, plane)).bright > 20);
      const half = await rowsOf(page, plane);
      assert.ok(half.covered > 50 && half.bright > 20, `${plane}: ${JSON.stringify(half)}`);
      assert.ok(half.both <= 1, `${plane}: ${half.both} rows are both`);
    }
    site.release();
    await viewerIsLoaded(page);
    for (const plane of ["axial", "coronal", "sagittal"]) {
      assert.equal((await rowsOf(page, plane)).covered, 0, plane);
    }
  } finally {
    await browser.close();
    await site.close();
  }
});
