// The 3D pane in a browser with software WebGL: both presenters, mouse, keys, loading and failures.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { regionName } from "@/viewer/session/region_facts.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { viewerSurfaceText } from "@/model/text/viewer/viewer_surface.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { serveSurface, untilHolds as until } from "@/tests/viewer/surface_site.ts";
import { enter } from "@/tests/viewer/viewer_site.ts";

/** Mean colours [red, green, blue] in blocks of 24 × 24 pixels of the pane, row by row. */
const BLOCKS = `(() => {
  surfaceRenderer.drawNow();
  const canvas = surfaceRenderer.host.querySelector("canvas"), copy = document.createElement("canvas");
  const w = copy.width = Math.floor(canvas.width / 24), h = copy.height = Math.floor(canvas.height / 24);
  const full = document.createElement("canvas"), context = full.getContext("2d");
  [full.width, full.height] = [canvas.width, canvas.height];
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, w * 24, h * 24), out = [];
  for (let by = 0; by < h; by++) for (let bx = 0; bx < w; bx++) {
    const sum = [0, 0, 0];
    for (let y = 0; y < 24; y++) for (let x = 0; x < 24; x++) {
      const at = ((by * 24 + y) * w * 24 + bx * 24 + x) * 4;
      for (let k = 0; k < 3; k++) sum[k] += data[at + k] / 576;
    }
    out.push(sum);
  }
  return { w, h, out };
})()`;
type Blocks = { w: number; h: number; out: [number, number, number][] };
const blocks = (page: Page) => page.evaluate(BLOCKS) as Promise<Blocks>;

/** Fraction of the red blocks that are in the right half of the picture. */
function redOnTheRight({ w, out }: Blocks): number {
  const red = out.flatMap(([r, g], at) => r > 60 && g < r / 3 ? [at % w] : []);
  assert.ok(red.length > 4, "something red is to be seen");
  return red.filter((x) => x >= w / 2).length / red.length;
}

const kind = (page: Page) => page.evaluate("surfaceRenderer.kind") as Promise<string>;

browserTest("the 3D pane: sides, presenters, mouse, keys and failures", async (t) => {
  const site = await serveSurface(), browser = await launchBrowser({ gl: true });
  const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage(), said: string[] = [];
  page.on("pageerror", (error) => said.push(String(error)));
  const pane = page.getByTestId("surface-view");
  try {
    await enter(page, site.origin);
    // covers: D2-3.4
    await t.step("says what is wrong, and tries again", async () => {
      site.state.isDown = true;
      await page.goto(`${site.origin}/viewer/1?testing&renderer=canvas`);
      await page.getByText(viewerSurfaceText.failed.en).waitFor();
      await assertAccessible(page, "a surface that failed", "[data-panes]");
      site.state.isDown = false;
      await page.getByRole("button", { name: "Try again" }).click();
      await until(page, "globalThis.surfaceRenderer");
      await until(page, "sliceViewer.loading.value.kind === 'loaded'");
      assert.equal(await kind(page), "canvas");
    });

    // covers: D2-2.14
    await t.step(
      "images that fail stop it, and start it when they are tried again there",
      async () => {
        await page.route(/file=t1w_file/, (route) => route.abort());
        await page.reload();
        const retry = page.locator("[data-panes]").getByRole("button", { name: "Try again" });
        await retry.waitFor();
        assert.equal(await pane.getAttribute("data-state"), "loading");
        await assertAccessible(page, "images that failed", "[role=tabpanel] > :not(aside)");
        await page.unroute(/file=t1w_file/);
        await page.evaluate("globalThis.surfaceRenderer = null");
        await retry.press("Enter");
        await until(page, "globalThis.surfaceRenderer");
        await until(page, "sliceViewer.loading.value.kind === 'loaded'");
      },
    );

    const pictures = new Map<string, Blocks>();
    for (const presenter of ["canvas", "regl"]) {
      // covers: D2-4.6
      await t.step(`${presenter}: the patient's left is drawn on the left side`, async () => {
        await page.evaluate(`sliceViewer.setPresenter("${presenter}")`);
        await until(page, `surfaceRenderer.kind === "${presenter}"`);
        await pane.focus();
        pictures.set(presenter, await blocks(page));
        await page.evaluate(`{
            const { kernel, mesh } = surfaceRenderer, colours = kernel.colours();
            for (let v = 0; v < colours.length; v++) {
              colours[v] = mesh.positions[v * 3] < -20 ? 0xff0000ff : 0xff808080;
            }
            surfaceRenderer.coloursChanged();
          }`);
        await page.keyboard.press("1");
        assert.equal(
          redOnTheRight(await blocks(page)),
          1,
          "from the front, left is on the right",
        );
        await page.getByRole("button", { name: "Posterior view" }).click();
        assert.equal(redOnTheRight(await blocks(page)), 0, "from behind, left is on the left");
        await page.getByRole("button", { name: viewerSurfaceText.reset.en }).click();
        // moving a slider recolours the surface after the slider has stopped
        const colour = "surfaceRenderer.kernel.colours()[0]",
          before = await page.evaluate(colour);
        const slide =
          "for (const value of [99, 100]) sliceViewer.overlays.parcellation.opacityPercent.value = value";
        assert.equal(await page.evaluate(`${slide}; ${colour}`), before, "at once");
        await until(page, `${colour} !== ${before}`);
      });

      // covers: D2-2.10, D2-4.6
      await t.step(
        `${presenter}: the tooltip names the region under the pointer, while its mask shows`,
        async () => {
          const box = (await pane.boundingBox())!,
            x = box.x + box.width / 2,
            y = box.y + box.height / 2;
          const tooltip = pane.getByRole("tooltip", { includeHidden: true });
          await pane.focus();
          await page.keyboard.press("3");
          await page.mouse.move(x - 3, y);
          // waits by the page's clock, after which the tooltip would be due
          await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
          assert.ok(await tooltip.isHidden(), "the mask is hidden");
          await page.evaluate("sliceViewer.isThresholdOn.value = false");
          await page.keyboard.press("o");
          await page.mouse.move(x, y);
          await tooltip.waitFor({ state: "visible" });
          const [name, facts] = (await tooltip.textContent())!.split("\n");
          const label = await page.evaluate(`(() => {
            const [width, height] = surfaceRenderer.size, { vertex } = surfaceRenderer.hit(width / 2, height / 2);
            const at = surfaceRenderer.mesh.positions.subarray(vertex * 3, vertex * 3 + 3);
            sliceViewer.goToMm([at[0] + 1, at[1], at[2]]);
            return sliceViewer.labelAtCrosshair;
          })()`) as number;
          assert.equal(name, regionName(label, "en"), "1 mm inside the surface");
          assert.match(
            facts!,
            /^Left · \d+\.\d\d\u00a0mL · 12th percentile, 80\u00a0% interval 6 to 21 · below the 25th percentile$/,
          );
          await page.keyboard.press("ArrowLeft");
          assert.ok(await tooltip.isHidden(), "the picture moves");
          await page.evaluate("sliceViewer.type.value = 'corticalThickness'");
          await page.evaluate("sliceViewer.overlays.corticalThickness.isVisible.value = true");
          await page.keyboard.press("3");
          await page.mouse.move(x - 1, y);
          await tooltip.waitFor({ state: "visible" });
          assert.match((await tooltip.textContent())!, /\n[1-5]\.00\u00a0mm$/);
          await page.evaluate("sliceViewer.type.value = 'parcellation'");
          await page.evaluate("sliceViewer.overlays.corticalThickness.isVisible.value = false");
          await page.keyboard.press("o");
          await page.getByRole("button", { name: viewerSurfaceText.reset.en }).click();
        },
      );
    }

    // covers: S-41
    await t.step("both presenters show the same picture", () => {
      const [a, b] = [pictures.get("canvas")!, pictures.get("regl")!];
      assert.deepEqual([a.w, a.h], [b.w, b.h]);
      assert.ok(a.out.some(([red]) => red > 100) && a.out.some(([red]) => red === 0));
      const most = Math.max(
        ...a.out.flatMap((rgb, at) => rgb.map((v, k) => Math.abs(v - b.out[at]![k]!))),
      );
      assert.ok(most < 4, `blocks differ by ${most}`);
    });

    // covers: S-41
    await t.step("a lost GPU leaves the software picture", async () => {
      await page.evaluate(`surfaceRenderer.host.querySelector("canvas").getContext("webgl")
          .getExtension("WEBGL_lose_context").loseContext()`);
      await until(page, "surfaceRenderer.kind === 'canvas'");
      assert.ok((await blocks(page)).out.some(([red]) => red > 100));
    });

    // covers: D2-4.7
    await t.step(
      "a drag turns it, frame after frame; the wheel zooms; a double click resets",
      async () => {
        const box = (await pane.boundingBox())!,
          x = box.x + box.width / 2,
          y = box.y + box.height / 2;
        const view = () =>
          page.evaluate(
            "[surfaceRenderer.camera.azimuthRad, surfaceRenderer.camera.distance, surfaceRenderer.frames]",
          ) as Promise<[number, number, number]>;
        const before = await view(), picture = await blocks(page);
        await page.mouse.move(x, y);
        await page.mouse.down();
        for (let step = 1; step <= 8; step++) {
          const [, , frames] = await view();
          await page.mouse.move(x + 10 * step, y);
          await until(page, `surfaceRenderer.frames > ${frames}`);
        }
        await page.mouse.up();
        const after = await view();
        // a drag across the pane's smaller side rotates by π
        const turned = 80 * Math.PI / Math.min(box.width, box.height);
        assert.ok(
          Math.abs(after[0] - before[0] - turned) < 0.02,
          `${after[0] - before[0]} for ${turned}`,
        );
        assert.ok(after[2] - before[2] >= 8, `${after[2] - before[2]} frames`);
        assert.notDeepEqual((await blocks(page)).out, picture.out);
        await page.mouse.wheel(0, -100);
        await until(page, `surfaceRenderer.camera.distance < ${after[1]}`);
        await page.mouse.dblclick(x, y);
        assert.equal((await view())[1], before[1]);
      },
    );

    // covers: S-44
    await t.step(
      "a click takes the crosshair to the surface and chooses the region",
      async () => {
        await page.evaluate("sliceViewer.selected.value = 0");
        const moves = await page.evaluate("sliceViewer.moves.value");
        await pane.focus();
        await page.keyboard.press("3");
        const box = (await pane.boundingBox())!;
        await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        assert.notEqual(await page.evaluate("sliceViewer.moves.value"), moves);
        const [x, y, z] = await page.evaluate("[...sliceViewer.scene.crosshairMm]") as number[];
        assert.ok(x! < -38 && Math.abs(y!) < 4 && Math.abs(z! - 20) < 4, `${x}, ${y}, ${z}`);
        const selected = await page.evaluate("sliceViewer.selected.value") as number;
        assert.equal(regionOf(selected)?.hemisphere, "L", `region ${selected}`);
        assert.equal(
          await page.evaluate("sliceViewer.labelAtCrosshair"),
          selected,
          "the crosshair is in it",
        );
      },
    );

    // covers: D2-2.7, S-48
    await t.step(
      "its keys stand in the list of keys, and F fills the viewer with it",
      async () => {
        await pane.focus();
        await page.keyboard.press("?");
        await page.getByRole("row", { name: /^3D: arrows/ }).waitFor();
        await page.keyboard.press("Escape");
        await pane.focus();
        await page.keyboard.press("f");
        assert.equal(await page.evaluate("sliceViewer.fullPane.value"), "surface");
        await page.keyboard.press("f");
        assert.equal(await page.evaluate("sliceViewer.fullPane.value"), null);
      },
    );

    // covers: S-47
    await t.step("the camera is part of the address, and comes back with it", async () => {
      await page.keyboard.press("5");
      await page.keyboard.press("+");
      await page.waitForURL(/camera=180\.0_90\.0_1\.86_0\.0_0\.0_0\.0/);
      const view =
        "[surfaceRenderer.camera.elevationRad, surfaceRenderer.camera.distance].map((v) => v.toFixed(2)).join()";
      const before = await page.evaluate(view);
      await page.evaluate("globalThis.surfaceRenderer = null");
      await page.reload();
      await until(page, "globalThis.surfaceRenderer");
      assert.equal(await page.evaluate(view), before);
      await page.getByRole("button", { name: viewerSurfaceText.reset.en }).click();
      await page.waitForURL((url) => !url.search.includes("camera"));
    });

    await t.step(
      "nothing is wrong with its names, roles and contrast, and nothing was thrown",
      async () => {
        await assertAccessible(page, "the 3D pane", "[data-panes]");
        await page.evaluate("document.cookie = 'language=ko; path=/'");
        await page.reload();
        await page.getByRole("group", { name: viewerSurfaceText.sides.ko }).waitFor();
        await assertAccessible(page, "the 3D pane in Korean", "[data-panes]");
        assert.deepEqual(said, []);
      },
    );
  } finally {
    await browser.close();
    await site.close();
  }
});
