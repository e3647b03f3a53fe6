// covers: S-46
// Over 400 lines: its steps share one site and one open viewer, whose start costs more than most of them.
// The viewer's tools in Chromium: measuring, mosaic, cine, picture and the view in the address.
import assert from "node:assert/strict";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { viewerCompareText } from "@/model/text/viewer/viewer_compare.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";
import { toastText } from "@/model/text/toasts.ts";

/** Objects that the page exposes for tests. */
interface Viewed {
  sliceViewer?: {
    loading: { value: { kind: string } };
    renderer: { invalidateLines(): void; drawNow(): void };
  };
}

browserTest("the viewer's tools: length, angle, mosaic, cine, picture, address", async (t) => {
  const site = await serveViewer(), browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 910 } });
    page.setDefaultTimeout(60_000);
    await enter(page, site.origin);
    const open = async (query: string) => {
      await page.goto(`${site.origin}/viewer/1?testing&${query}`);
      await page.waitForFunction(() =>
        (globalThis as unknown as Viewed).sliceViewer?.loading.value.kind === "loaded"
      );
      await page.locator("[data-panes]").waitFor();
      await page.getByRole("group", { name: "Left mouse button" }).waitFor();
    };
    const place = () => page.evaluate("[...sliceViewer.scene.crosshairMm].map(Math.round)");
    await open("at=10.0_-20.0_15.0&overlay=1&threshold=all&opacity=40&convention=neurological");

    // covers: D2-2.4, S-47
    await t.step("an address gives the view back, and follows it", async () => {
      assert.deepEqual(await place(), [10, -20, 15]);
      assert.deepEqual(
        await page.evaluate(
          "[sliceViewer.scene.overlays.parcellation.isVisible, sliceViewer.scene.overlays.parcellation.opacityPercent, sliceViewer.scene.convention]",
        ),
        [true, 40, "neurological"],
      );
      await page.keyboard.press("o");
      await page.waitForFunction(() => !location.search.includes("overlay=1"));
      assert.match(page.url(), /at=10\.0_-20\.0_15\.0/);
    });

    // covers: S-47
    await t.step("zoom, window, measurements and mosaic come back with the address", async () => {
      await page.getByTestId("coronal-view").focus();
      await page.keyboard.press("+");
      await page.keyboard.press("x");
      await page.keyboard.press("g");
      await page.getByLabel("Window preset").selectOption("presetFluid");
      await page.evaluate(
        "sliceViewer.measurements.value = [{ kind: 'ruler', plane: 'axial', pointsMm: [0, 0, 15, 30, 40, 15] }]",
      );
      await page.waitForFunction(() => location.search.includes("measured="));
      const seen = () =>
        page.evaluate(
          "JSON.stringify([sliceViewer.scene.views.coronal, sliceViewer.scene.window, sliceViewer.measurements.value," +
            "sliceViewer.mosaic.value, sliceViewer.scene.isCrosshairVisible])",
        ) as Promise<string>;
      const before = await seen();
      assert.match(before, /"zoom":1\.2.*"width":90.*\[0,0,15,30,40,15\].*"coronal",false/);
      await page.reload();
      await page.getByTestId("mosaic").waitFor();
      await page.waitForFunction(() =>
        (globalThis as unknown as Viewed).sliceViewer?.loading.value.kind === "loaded"
      );
      assert.equal(await seen(), before);
      await page.keyboard.press("g");
      await page.keyboard.press("x");
      await page.evaluate("sliceViewer.measurements.value = []");
    });

    await t.step(
      "a dragged ruler is as long as the scene says, and does not move the crosshair",
      async () => {
        const box = (await page.getByTestId("axial-view").boundingBox())!;
        const x = box.x + box.width / 2, y = box.y + box.height / 2;
        await page.keyboard.press("m");
        await page.mouse.move(x - 60, y);
        await page.mouse.down();
        await page.mouse.move(x + 40, y + 30, { steps: 4 });
        await page.mouse.up();
        assert.deepEqual(await place(), [10, -20, 15]);
        const perPixel = await page.evaluate(
          "sliceViewer.renderer.mapping('axial').mmPerPixel * sliceViewer.renderer.ratio('axial')",
        ) as number;
        const shown = await page.evaluate(() => {
          const words: string[] = [], draw = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (
            text: string,
            ...rest: [number, number]
          ) {
            words.push(text);
            return draw.call(this, text, ...rest);
          };
          (globalThis as unknown as {
            sliceViewer: { renderer: { invalidateLines(): void; drawNow(): void } };
          })
            .sliceViewer.renderer.invalidateLines();
          (globalThis as unknown as { sliceViewer: { renderer: { drawNow(): void } } })
            .sliceViewer.renderer
            .drawNow();
          CanvasRenderingContext2D.prototype.fillText = draw;
          return words;
        });
        const length = Math.hypot(100, 30) * perPixel;
        const read = shown.map((text) => /^(\d+\.\d)\smm$/.exec(text)?.[1]).filter(Boolean).map(
          Number,
        );
        assert.equal(read.length, 1, shown.join("|"));
        assert.ok(Math.abs(read[0]! - length) < 0.2, `${read[0]} mm, ${length} mm`);
        await page.keyboard.press("Delete");
        assert.equal(
          await page.getByRole("button", { name: viewerToolsText.clear.en }).count(),
          0,
        );
        await page.keyboard.press("Escape");
      },
    );

    await t.step("the mosaic shows slices and goes to the one clicked", async () => {
      await page.keyboard.press("g");
      const tiles = page.getByTestId("mosaic").locator("canvas");
      await tiles.waitFor();
      const colours = () =>
        tiles.evaluate((canvas: HTMLCanvasElement) => {
          const { data } = canvas.getContext("2d")!.getImageData(
            0,
            0,
            canvas.width,
            canvas.height,
          );
          return new Set(new Uint32Array(data.buffer)).size;
        });
      await until(async () => await colours() > 20);
      const box = (await tiles.boundingBox())!;
      await tiles.click({ position: { x: box.width / 2, y: box.height / 2 } });
      assert.equal(await page.getByTestId("mosaic").count(), 0);
      assert.notDeepEqual(await place(), [10, -20, 15]);
    });

    await t.step("cine moves the slices until it is stopped", async () => {
      const before = await place();
      await page.keyboard.press("c");
      await until(async () => String(await place()) !== String(before));
      await page.keyboard.press("c");
      const after = await place();
      // waits by the page's clock, after which further slices would be due
      await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
      assert.deepEqual(await place(), after);
    });

    await t.step("two fingers zoom about their middle and pan", async () => {
      const before = await page.evaluate("sliceViewer.scene.views.axial.zoom") as number,
        crosshair = await place();
      await page.getByTestId("axial-view").evaluate((pane) => {
        pane.setPointerCapture = () => {};
        const box = pane.getBoundingClientRect();
        const finger = (type: string, pointerId: number, x: number) =>
          pane.dispatchEvent(
            new PointerEvent(type, {
              pointerId,
              pointerType: "touch",
              clientX: box.left + box.width / 2 + x,
              clientY: box.top + box.height / 2,
              bubbles: true,
              cancelable: true,
            }),
          );
        finger("pointerdown", 11, -50);
        finger("pointerdown", 12, 50);
        finger("pointermove", 11, -75);
        finger("pointermove", 12, 75);
        finger("pointerup", 11, -75);
        finger("pointermove", 12, 90);
        finger("pointerup", 12, 90);
      });
      // neither the first finger nor the remaining one moves the crosshair
      assert.deepEqual(await place(), crosshair);
      const { zoom, panXMm } = await page.evaluate("({ ...sliceViewer.scene.views.axial })") as {
        zoom: number;
        panXMm: number;
      };
      assert.ok(
        Math.abs(zoom / before - 1.5) < 0.01 && Math.abs(panXMm) < 3,
        `${before}, ${zoom}, ${panXMm}`,
      );
    });

    await t.step("three fingers window, and leave zoom and crosshair alone", async () => {
      const state = () =>
        page.evaluate(
          "[sliceViewer.windowWidth.value, sliceViewer.windowLevel.value, sliceViewer.scene.views.axial.zoom]",
        ) as Promise<number[]>;
      const [width, level, zoom] = await state() as [number, number, number],
        crosshair = await place();
      await page.getByTestId("axial-view").evaluate((pane) => {
        pane.setPointerCapture = () => {};
        const box = pane.getBoundingClientRect();
        const finger = (type: string, pointerId: number, x: number, y = 0) =>
          pane.dispatchEvent(
            new PointerEvent(type, {
              pointerId,
              pointerType: "touch",
              clientX: box.left + box.width / 2 + x,
              clientY: box.top + box.height / 2 + y,
              bubbles: true,
              cancelable: true,
            }),
          );
        const each = [[31, -50], [32, 0], [33, 50]] as const;
        for (const [id, x] of each) finger("pointerdown", id, x);
        for (const [id, x] of each) finger("pointermove", id, x + 30, 12);
        for (const [id, x] of each) finger("pointerup", id, x + 30, 12);
      });
      assert.deepEqual((await state()).map((value) => Math.round(value * 100) / 100), [
        width + 30,
        level - 12,
        Math.round(zoom * 100) / 100,
      ]);
      assert.deepEqual(await place(), crosshair);
      await page.evaluate(`sliceViewer.setWindow(${width}, ${level})`);
    });

    await t.step("one finger draws; a second one takes back what it began", async () => {
      const drawn = (isTwo: boolean) =>
        page.getByTestId("axial-view").evaluate((pane, isTwo) => {
          pane.setPointerCapture = () => {};
          const box = pane.getBoundingClientRect();
          const finger = (type: string, pointerId: number, x: number) =>
            pane.dispatchEvent(
              new PointerEvent(type, {
                pointerId,
                pointerType: "touch",
                clientX: box.left + box.width / 2 + x,
                clientY: box.top + box.height / 2 + x / 2,
                bubbles: true,
                cancelable: true,
              }),
            );
          finger("pointerdown", 21, -40);
          finger("pointermove", 21, 0);
          finger("pointermove", 21, 30);
          if (isTwo) {
            finger("pointerdown", 22, 60);
            finger("pointerup", 22, 60);
          }
          finger("pointerup", 21, 30);
        }, isTwo);
      const measured = () => page.evaluate("sliceViewer.measurements.value.length");
      await page.evaluate("sliceViewer.tools.value.tool.value = 'ruler'");
      const before = await measured() as number;
      await drawn(true);
      assert.equal(await measured(), before);
      await drawn(false);
      assert.equal(await measured(), before + 1);
      await page.evaluate("sliceViewer.tools.value.tool.value = 'crosshair'");
      await page.evaluate(
        "sliceViewer.measurements.value = sliceViewer.measurements.value.slice(0, -1)",
      );
    });

    await t.step("Shift + F fills the screen, and gives it back", async () => {
      for (const isFull of [true, false]) {
        await page.keyboard.press("Shift+F");
        await page.waitForFunction(
          (wanted) => (document.fullscreenElement !== null) === wanted,
          isFull,
        );
      }
    });

    await t.step("a saved picture is a PNG whose name says nothing of the patient", async () => {
      await page.getByRole("button", { name: "Images and files" }).click();
      await page.getByLabel(viewerToolsText.anonymous.en).check();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save as PNG" }).click(),
      ]);
      assert.equal(download.suggestedFilename(), "sulcus_anonymous_parcellation.png");
      const bytes = await Deno.readFile(await download.path());
      assert.deepEqual([...bytes.subarray(1, 4)], [..."PNG"].map((c) => c.charCodeAt(0)));
      assert.ok(bytes.length > 20_000, `${bytes.length} bytes`);
    });

    await t.step(
      "the clipboard gets the link and the picture, and a refusal is said",
      async () => {
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        const choose = async (item: string) => {
          await page.getByRole("button", { name: "Images and files" }).click();
          await page.getByRole("button", { name: item }).click();
        };
        const toast = async (words: RegExp) => {
          const shown = page.locator(".toast").filter({ hasText: words });
          await shown.waitFor();
          // on a slow machine the toast may close by itself before the click
          const gone = shown.waitFor({ state: "detached" });
          await Promise.race([shown.getByRole("button").click().catch(() => gone), gone]);
          await gone;
        };
        await choose(viewerToolsText.pictureLink.en);
        await toast(new RegExp(toastText["clipboard.copied"].text.en));
        // the link contains the current view, although the address is updated with a delay
        const [link, address] = await page.evaluate<[string, string]>(
          "navigator.clipboard.readText().then((link) => [link, location.href])",
        );
        assert.equal(link, address);
        assert.match(link, /&axial=1\.50_/);
        await choose("Copy to clipboard");
        await toast(new RegExp(toastText["clipboard.copied"].text.en));
        assert.equal(
          await page.evaluate("navigator.clipboard.read().then(([item]) => item.types[0])"),
          "image/png",
        );
        await page.evaluate(
          "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))",
        );
        await choose(viewerToolsText.pictureLink.en);
        await toast(/Failed to copy to the clipboard\./);
      },
    );

    await t.step("a region has its area, masks are drawn as outlines", async () => {
      await page.keyboard.press("w");
      await page.getByRole("button", { name: "Ellipse" }).click();
      const box = (await page.getByTestId("axial-view").boundingBox())!;
      const x = box.x + box.width / 2, y = box.y + box.height / 2;
      await page.mouse.move(x - 60, y - 40);
      await page.mouse.down();
      await page.mouse.move(x, y, { steps: 3 });
      await page.mouse.move(x + 40, y + 40, { steps: 3 });
      await page.mouse.up();
      const perPixel = await page.evaluate(
        "sliceViewer.renderer.mapping('axial').mmPerPixel * sliceViewer.renderer.ratio('axial')",
      ) as number;
      const text = await page.getByTestId("measurement").getByRole("button").first().innerText();
      const area = Number(/^(\d+)\smm²$/.exec(text)?.[1]),
        wanted = Math.PI / 4 * 100 * 80 * perPixel ** 2;
      assert.ok(Math.abs(area / wanted - 1) < 0.02, `${text}, ${wanted}`);
      await page.keyboard.press("e");
      assert.equal(await page.evaluate("sliceViewer.scene.isOutlined"), true);
      await page.keyboard.press("e");
      await page.keyboard.press("w");
      await page.getByTestId("measurement").waitFor({ state: "detached" });
      // closing the panel also deselects its tool
      assert.equal(await page.evaluate("sliceViewer.tools.value.tool.value"), "crosshair");
    });

    await t.step("other images stand beside the study's, on the same slice", async () => {
      await page.keyboard.press("v");
      const choice = page.getByTestId("compare").getByRole("combobox", { name: "Compare with" });
      await choice.waitFor();
      const other = page.getByTestId("other-axial-view").locator("canvas").first();
      await other.waitFor();
      const brightness = () =>
        other.evaluate((canvas: HTMLCanvasElement) => {
          const { data } = canvas.getContext("2d")!.getImageData(
            0,
            0,
            canvas.width,
            canvas.height,
          );
          let sum = 0;
          for (let n = 0; n < data.length; n += 4) sum += data[n]!;
          return sum / data.length;
        });
      await until(async () => await brightness() > 1);
      assert.deepEqual(
        await page.getByTestId("other-axial-view").boundingBox().then((box) => box!.height),
        await page.getByTestId("axial-view").boundingBox().then((box) => box!.height),
      );
      // a click in the compared images moves the common crosshair
      const before = await place(), preset = page.getByLabel("Window preset");
      await preset.selectOption("presetBrain");
      await page.getByTestId("other-axial-view").click({ position: { x: 150, y: 150 } });
      assert.notDeepEqual(await place(), before);
      // compared images of another kind have a separate window: controls set the half used last,
      // Reset both
      const window = () =>
        page.evaluate("[sliceViewer.windowWidth.value, sliceViewer.windowLevel.value]");
      const opened = await brightness();
      assert.equal(await preset.inputValue(), "presetFull");
      await preset.selectOption("presetFluid");
      await until(async () => await brightness() > 1.1 * opened);
      const there = (await page.getByTestId("other-axial-view").boundingBox())!;
      await page.mouse.move(there.x + 150, there.y + 150);
      await page.mouse.down({ button: "right" });
      await page.mouse.move(there.x + 190, there.y + 140);
      await page.mouse.up({ button: "right" });
      assert.equal(await preset.inputValue(), "presetCustom");
      assert.deepEqual(await window(), [180, 110]);
      await page.getByTestId("axial-view").focus();
      assert.equal(await preset.inputValue(), "presetBrain");
      await page.getByTestId("compare").getByRole("button", { name: "Compared images" }).click();
      assert.equal(await preset.inputValue(), "presetCustom");
      await page.keyboard.press("r");
      await until(async () => await preset.inputValue() === "presetFull");
      assert.deepEqual(await window(), [256, 128]);
      // the saved picture contains both halves
      await page.getByRole("button", { name: "Images and files" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save as PNG" }).click(),
      ]);
      const header = await Deno.readFile(await download.path()).then((png) =>
        new DataView(png.buffer)
      );
      const room = (await page.locator("[data-panes-room]").boundingBox())!;
      assert.equal(header.getUint32(16), Math.round(room.width));
      // alternating in one place: a screen position stays the same position in the head, from any
      // layout
      const layout = (name: string) =>
        page.getByTestId("compare").getByRole("button", { name }).click();
      for (const from of ["1×2", "2×3"]) {
        await layout(from);
        await page.keyboard.press("b");
        await page.getByTestId("other-sagittal-view").click({ position: { x: 120, y: 90 } });
        const seen = await place(),
          isOwn = () => page.evaluate("sliceViewer.windowed.value === sliceViewer");
        assert.equal(await isOwn(), false);
        await page.keyboard.press("b");
        await until(isOwn as () => Promise<boolean>);
        await page.getByTestId("sagittal-view").click({ position: { x: 120, y: 90 } });
        assert.deepEqual(await place(), seen, from);
      }
      await layout("1×2");
      // overlays exist only in the study's own panes, and a text says so
      const own = page.getByText(
        viewerCompareText.ownOnly.en,
      );
      assert.equal(await own.count(), 0);
      await page.keyboard.press("m");
      await own.waitFor();
      await page.keyboard.press("Escape");
      await own.waitFor({ state: "detached" });
      // the study's own images along the commissures or hippocampi contain the common crosshair
      for (const along of ["ccommissures", "chippocampi"] as const) {
        await choice.selectOption(along);
        await page.locator(`[data-compared=${along}]`).waitFor();
        const name = { ccommissures: "AC–PC", chippocampi: "the hippocampal long axis" }[along];
        await page.getByRole("application", {
          name: `Axial, comparison images: This study, reformatted along ${name}`,
        })
          .waitFor();
        await until(async () => await brightness() > 1);
        await page.getByTestId("other-axial-view").hover();
        const slice = await place();
        await page.mouse.wheel(0, 100);
        await until(async () => String(await place()) !== String(slice));
      }
      // an unanalysed series: its bright half is the patient's left, which is on the left of the
      // screen here
      await choice.selectOption(
        "Series: t2_swi (28 files, not analyzed): The DICOM tags show neither a T1w nor a FLAIR series",
      );
      await page.locator("[data-compared=v1]").waitFor();
      await page.getByText("Aligned by scanner coordinates, not registered").waitFor();
      await page.getByRole("application", {
        name: "Axial, comparison images: Series: t2_swi (28 files, not analyzed)",
      })
        .waitFor();
      assert.equal(
        await choice.locator("option:disabled").innerText(),
        "Series: t2_tse (28 files): The DICOM tags show neither a T1w nor a FLAIR series",
      );
      const half = (part: 0 | 1) =>
        other.evaluate((canvas: HTMLCanvasElement, part) => {
          const width = Math.floor(canvas.width / 2);
          const { data } = canvas.getContext("2d")!.getImageData(
            part * width,
            0,
            width,
            canvas.height,
          );
          return data.reduce((sum, value, n) => n % 4 === 0 ? sum + value : sum, 0) /
            (data.length / 4);
        }, part);
      assert.equal(await page.evaluate("sliceViewer.scene.convention"), "neurological");
      await until(async () => await half(0) > 3 * await half(1) && await half(0) > 50);
      // while two studies are shown, captions name the study of each pane
      const caption = () => page.evaluate("sliceViewer.renderer.caption");
      assert.match(String(await caption()), /^This study · [\d–-]+ · T1w$/);
      await page.keyboard.press("v");
      await page.getByTestId("compare").waitFor({ state: "detached" });
      await until(async () => await caption() === "");
    });

    await t.step(
      "the images without the face are shown as long as one looks, and no longer",
      async () => {
        const asked = (part: string) =>
          page.waitForResponse((answer) => answer.url().includes(part));
        await page.getByRole("button", { name: "Measurements and corrections" }).click();
        await page.getByRole("button", { name: "Face", exact: true }).click();
        const box = page.getByRole("checkbox", { name: viewerReadingText.faceRemoved.en });
        await Promise.all([asked("/api/v1/patients/1/defaced"), box.check()]);
        await page.waitForFunction(() => !document.querySelector("input[type=checkbox]:disabled"));
        assert.equal(await page.evaluate("sliceViewer.loading.value.kind"), "loaded");
        await Promise.all([
          asked("file=t1w_file"),
          page.getByRole("button", { name: "Measure", exact: true }).click(),
        ]);
      },
    );
  } finally {
    await browser.close();
    await site.close();
  }
});
