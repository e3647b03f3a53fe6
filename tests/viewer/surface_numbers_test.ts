// covers: D2-4.6, D2-4.7
// Numbers that D2 §4 and §9 prescribe for the 3D pane, with a clock controlled by the test.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { viewerSurfaceText } from "@/model/text/viewer/viewer_surface.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { serveSurface, untilHolds } from "@/tests/viewer/surface_site.ts";
import { enter } from "@/tests/viewer/viewer_site.ts";

const frames = (page: Page) => page.evaluate("surfaceRenderer.frames") as Promise<number>;
const distance = (page: Page) =>
  page.evaluate("surfaceRenderer.camera.distance") as Promise<number>;

/**
 * Vertex found at a point of the pane, and its distance from the ray of a camera with a field of
 * view of 60° along the smaller side; scene units.
 */
const OFF_LINE = `((x, y) => {
  const { camera, mesh, size: [width, height] } = surfaceRenderer, hit = surfaceRenderer.hit(x, y);
  if (!hit) return null;
  const { targetMm, centreMm, radiusMm, back, right, up, distance } = camera;
  const perPixel = Math.tan(Math.PI / 6) / (Math.min(width, height) / 2);
  const dx = (x - width / 2) * perPixel, dy = (height / 2 - y) * perPixel;
  const line = [0, 1, 2].map((r) => dx * right[r] + dy * up[r] - back[r]);
  const length = Math.hypot(...line);
  const at = [0, 1, 2].map((r) =>
    (mesh.positions[hit.vertex * 3 + r] - targetMm[r]) / radiusMm - distance * back[r]);
  const along = at.reduce((sum, v, r) => sum + v * line[r] / length, 0);
  return Math.sqrt(Math.max(0, at.reduce((sum, v) => sum + v * v, 0) - along * along));
})`;

/** Depth at the middle of the picture, scene units; 0 where nothing is drawn. */
const MIDDLE_DEPTH = `(() => {
  surfaceRenderer.invalidate();
  surfaceRenderer.drawNow();
  surfaceRenderer.hit(...surfaceRenderer.size.map((px) => px / 2));
  return surfaceRenderer.kernel.depthAt(0.5, 0.5);
})()`;

/** Number of pixels that are neither black nor transparent. */
const DRAWN_PIXELS = `(() => {
  surfaceRenderer.invalidate();
  surfaceRenderer.drawNow();
  const shown = surfaceRenderer.host.querySelector("canvas"), copy = document.createElement("canvas");
  [copy.width, copy.height] = [shown.width, shown.height];
  const context = copy.getContext("2d");
  context.drawImage(shown, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  let drawn = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] > 0 && data[at] + data[at + 1] + data[at + 2] > 90) drawn++;
  }
  return drawn;
})()`;

browserTest("the 3D pane by the document's numbers", async (t) => {
  const site = await serveSurface(), browser = await launchBrowser({ gl: true });
  const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const pane = page.getByTestId("surface-view");
  try {
    await enter(page, site.origin);
    await page.clock.install();
    await page.goto(`${site.origin}/viewer/1?testing&renderer=canvas`);
    await untilHolds(page, "globalThis.surfaceRenderer");
    await untilHolds(page, "sliceViewer.loading.value.kind === 'loaded'");
    await untilHolds(page, "surfaceRenderer.frames > 0");
    // from here on, the page's time advances only by commands of the test
    await page.clock.pauseAt(await page.evaluate("Date.now() + 5000") as number);
    const box = (await pane.boundingBox())!;
    const x = Math.round(box.x + box.width / 2), y = Math.round(box.y + box.height / 2);

    await t.step("one notch of the wheel zooms by two steps of 5 %", async () => {
      const before = await distance(page);
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, -100);
      await untilHolds(page, `surfaceRenderer.camera.distance < ${before}`);
      assert.ok(Math.abs(await distance(page) / before - 0.95 ** 2) < 1e-9);
      await page.mouse.wheel(0, 100);
      await untilHolds(page, `surfaceRenderer.camera.distance > ${before} - 1e-9`);
      await page.clock.runFor(1000);
    });

    await t.step(
      "while the button is pressed it is drawn each 20 ms, if it was turned, and not before",
      async () => {
        await page.mouse.down();
        const before = await frames(page);
        let turned = 0;
        const turn = async () => {
          const azimuth = await page.evaluate("surfaceRenderer.camera.azimuthRad");
          await page.mouse.move(x + ++turned * 5, y);
          await untilHolds(page, `surfaceRenderer.camera.azimuthRad !== ${azimuth}`);
        };
        for (let frame = 1; frame <= 4; frame++) {
          await turn();
          await turn();
          await page.clock.runFor(19);
          assert.equal(await frames(page), before + frame - 1, "after 19 ms");
          await page.clock.runFor(1);
          assert.equal(await frames(page), before + frame, "after 20 ms");
        }
        await page.clock.runFor(200);
        assert.equal(await frames(page), before + 4, "nothing moved");
      },
    );

    await t.step("after the release it is drawn each 20,000 ms", async () => {
      await page.mouse.up();
      await page.clock.runFor(1000);
      const before = await frames(page);
      await page.clock.runFor(18_999);
      assert.equal(await frames(page), before, "after 19,999 ms");
      await page.clock.runFor(1);
      assert.equal(await frames(page), before + 1, "after 20,000 ms");
      await page.clock.runFor(20_000);
      assert.equal(await frames(page), before + 2, "after 40,000 ms");
    });

    await t.step("a mask's slider paints the surface 200 ms after its last step", async () => {
      const colour = () => page.evaluate("surfaceRenderer.kernel.colours()[0]");
      await page.evaluate("sliceViewer.overlays.parcellation.isVisible.value = true");
      await page.evaluate("sliceViewer.isThresholdOn.value = false");
      await page.clock.runFor(1000);
      const before = await colour(), opacity = page.getByLabel("Opacity");
      await opacity.fill("60");
      await page.clock.runFor(150);
      await opacity.fill("40");
      await page.clock.runFor(199);
      assert.equal(await colour(), before, "199 ms after the second step");
      await page.clock.runFor(1);
      assert.notEqual(await colour(), before, "200 ms after it");
    });

    await t.step("the tooltip comes 200 ms after the pointer has stopped", async () => {
      const tooltip = pane.getByRole("tooltip", { includeHidden: true });
      await pane.focus();
      await page.keyboard.press("3");
      await page.clock.runFor(1000);
      await page.mouse.move(x - 4, y);
      await page.mouse.move(x - 2, y);
      await page.clock.runFor(199);
      assert.ok(await tooltip.isHidden());
      await page.clock.runFor(1);
      await tooltip.waitFor({ state: "visible" });
    });

    await t.step("the picture is that of an eye with a field of view of 60°", async () => {
      await page.getByRole("button", { name: viewerSurfaceText.reset.en }).click();
      await page.clock.runFor(1000);
      const offs: number[] = [], { width, height } = box, side = Math.min(width, height);
      for (const across of [-0.3, -0.15, 0, 0.15, 0.3]) {
        for (const down of [-0.3, -0.15, 0, 0.15, 0.3]) {
          const off = await page.evaluate(
            `${OFF_LINE}(${width / 2 + across * side}, ${height / 2 + down * side})`,
          ) as number | null;
          if (off !== null) offs.push(off);
        }
      }
      assert.ok(offs.length >= 15, `${offs.length} points of the surface`);
      // vertices are up to half a face from the ray; with 57° the outer points would be 0.042 away
      assert.ok(Math.max(...offs) < 0.03, `${Math.max(...offs)}`);
    });

    await t.step("it is nearer than 0.2 never, and cut nearer than 0.1 to the eye", async () => {
      await page.mouse.move(x, y);
      for (let notch = 0; notch < 60; notch++) await page.mouse.wheel(0, -100);
      await untilHolds(page, "surfaceRenderer.camera.distance === 0.2");
      await page.evaluate("surfaceRenderer.camera.distance = 3");
      const depth = await page.evaluate(MIDDLE_DEPTH) as number, surface = 3 - depth;
      assert.ok(depth > 1.9 && surface > 0.5, `${depth}`);
      for (const [near, isCut] of [[0.12, false], [0.08, true]] as const) {
        await page.evaluate(`surfaceRenderer.camera.distance = ${surface + near}`);
        const read = await page.evaluate(MIDDLE_DEPTH) as number;
        // where the near part is cut away, the far side of the head is visible
        if (isCut) assert.ok(read === 0 || read > 0.5, `${near}: ${read}`);
        else assert.ok(Math.abs(read - near) < 0.01, `${near}: ${read}`);
      }
    });

    await t.step(
      "both presenters draw to 100 away from the eye, and nothing beyond",
      async () => {
        for (const presenter of ["canvas", "regl"]) {
          await page.evaluate(`sliceViewer.setPresenter("${presenter}")`);
          await untilHolds(page, `surfaceRenderer.kind === "${presenter}"`);
          await page.evaluate("surfaceRenderer.camera.distance = 3");
          const surface = 3 - (await page.evaluate(MIDDLE_DEPTH) as number);
          // nearest point of the surface; the farthest is at most 2 behind it
          for (const [depth, isDrawn] of [[50, true], [97.5, true], [100.5, false]] as const) {
            await page.evaluate(`surfaceRenderer.camera.distance = ${surface + depth}`);
            const drawn = await page.evaluate(DRAWN_PIXELS) as number;
            assert.equal(drawn > 0, isDrawn, `${presenter}, ${depth}: ${drawn} pixels`);
          }
        }
      },
    );
  } finally {
    await browser.close();
    await site.close();
  }
});
