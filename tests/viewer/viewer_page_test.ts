// The viewer page in a browser, with a core of another vendor: a small site with one analysed
// patient that supports only documented calls.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { regionOf } from "@/model/regions/regions.ts";
import { benchText } from "@/model/text/viewer/bench.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";
import { browserTest, launchBrowser, pageStarts } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import { fixedParts } from "@/tools/texts/catalogue.ts";
import { centreColour, openViewer, tooltipAtCrosshair } from "@/tests/viewer/viewer_picture.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

const LEFT_HIPPOCAMPUS = 19;
browserTest("the viewer page: keys, mouse, overlay, tooltip, words and refusals", async (t) => {
  const site = await serveViewer(), { origin } = site;
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage(), said: string[] = [];
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") said.push(message.text());
  });
  const mm = () => page.evaluate("[...sliceViewer.scene.crosshairMm]") as Promise<number[]>;
  try {
    await enter(page, origin);
    await page.goto(`${origin}/viewer/1`);
    await page.getByTestId("axial-view").locator("canvas").first().waitFor();
    assert.equal(
      await page.evaluate("typeof sliceViewer"),
      "undefined",
      "no state for everybody",
    );
    await openViewer(page, origin, 1);

    // covers: D2-3.2
    await t.step(
      "starts as the document says: overlay hidden, opacity 100, radiological",
      async () => {
        const state = await page.evaluate(
          "[sliceViewer.scene.overlays.parcellation.isVisible, sliceViewer.scene.overlays.parcellation.opacityPercent, sliceViewer.scene.convention]",
        );
        assert.deepEqual(state, [false, 100, "radiological"]);
        assert.match(
          await page.locator("header").innerText(),
          /Phantom One[\s\S]*P-1[\s\S]*F · 70 y/,
        );
      },
    );

    // covers: D2-2.11, S-44
    await t.step(
      "a region of the list is drawn in its colour, left on the image's right",
      async () => {
        await page.getByRole("button", { name: "Mask", exact: true }).click();
        await page.getByRole("button", { name: "All regions" }).click();
        await page.getByLabel("Search regions").fill("hippocampus");
        await page.getByRole("treeitem", { name: /^Hippocampus/ }).click();
        const place = (await mm())[0]!;
        assert.ok(place < -5, `the left hippocampus at R ${place}`);
        for (const plane of ["axial", "coronal", "sagittal"]) {
          const { colour, x } = await centreColour(page, plane);
          assert.deepEqual(colour, [...regionOf(LEFT_HIPPOCAMPUS)!.rgb]);
          if (plane !== "sagittal") assert.ok(x > 0.5, `${plane}: at ${x} of the width`);
        }
        await page.waitForFunction(() =>
          /Left hippocampus.*Left.*12th percentile.*mm/.test(
            document.querySelector("[aria-live]")!.textContent!,
          )
        );
      },
    );

    // covers: D2-2.10
    await t.step("the tooltip names what lies under the cursor", async () => {
      assert.match(
        await tooltipAtCrosshair(page, "axial"),
        /^Left hippocampus\nLeft · \d+\.\d\d\u00a0mL · 12th percentile, 80\u00a0% interval 6 to 21 · below the 25th percentile$/,
      );
    });

    // covers: D2-2.7, S-48
    await t.step("wheel, drag and keys", async () => {
      const before = await mm();
      await page.mouse.wheel(0, -120);
      // mouse.wheel() returns before the page has received the event
      await until(async () => (await mm())[2] !== before[2]);
      assert.equal((await mm())[2], before[2]! + 2);
      await page.getByTestId("coronal-view").focus();
      await page.keyboard.press("ArrowRight");
      assert.equal((await mm())[0], before[0]! - 1, "right on the screen is the patient's left");
      await page.keyboard.press("PageDown");
      assert.equal((await mm())[1], before[1]! - 2);
      await page.keyboard.press(",");
      await page.keyboard.press("o");
      assert.deepEqual(
        await page.evaluate(
          "[sliceViewer.scene.overlays.parcellation.opacityPercent, sliceViewer.scene.overlays.parcellation.isVisible]",
        ),
        [95, false],
      );
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor({ state: "visible" });
      await page.keyboard.press("Escape");
      await page.getByTestId("axial-view").dblclick();
      await page.getByTestId("coronal-view").waitFor({ state: "hidden" });
      await page.keyboard.press("Escape");
      await page.getByTestId("coronal-view").waitFor({ state: "visible" });
    });

    // covers: D2-4.6
    await t.step(
      "a slider's walk asks the network nothing and draws every pane once",
      async () => {
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        const frames =
          "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
        // waits until panes that became visible are drawn
        await page.evaluate(frames);
        await page.evaluate("sliceViewer.renderer.drawNow()");
        const before = await page.evaluate("sliceViewer.renderer.composedPanes") as number;
        await page.getByLabel("Opacity").fill("40");
        await page.evaluate(frames);
        assert.equal(await page.evaluate("sliceViewer.renderer.composedPanes"), before + 3);
        assert.deepEqual(asked, []);
      },
    );

    await t.step("nothing said by the browser", () => assert.deepEqual(said, []));

    // covers: D2-2.1, D2-4.1, D2-5.1
    await t.step("refusals in the document's words", async () => {
      for (
        const [path, words] of [
          ["/viewer", "No patient information found."],
          ["/viewer/0", "Invalid pid information."],
          ["/viewer/6", "Failed to enter viewer. Please analyze first."],
          [
            "/viewer/2",
            viewerPageText.beingAnalyzed.en,
          ],
        ] as const
      ) {
        await page.goto(origin + path);
        assert.equal(await page.locator("h1").innerText(), words);
      }
      await page.goto(`${origin}/viewer/3`);
      assert.match(await page.getByRole("alert").first().innerText(), /An image file is damaged/);
    });

    await t.step("/bench measures the kernels in this browser, every answer right", async () => {
      await page.goto(`${origin}/bench`);
      await pageStarts(page);
      await page.getByRole("button", { name: "Measure" }).click();
      await page.getByText("Done: 6 of 6 results correct.").waitFor();
      assert.equal(await page.getByRole("cell", { name: "Correct" }).count(), 6);
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download JSON" }).click();
      const path = await (await download).path();
      const { rows, kernels, seed, program, sizes } = JSON.parse(await Deno.readTextFile(path));
      assert.ok(
        rows.length === 6 &&
          rows.every((row: { ok: boolean; pairs: unknown[] }) => row.ok && row.pairs.length >= 25),
      );
      // the kernels' file name contains the hash of its content
      assert.match(kernels, /[0-9A-Za-z]{8,}.*\.wasm$/);
      assert.ok(Number.isInteger(seed));
      // the simulated core does not report a version
      assert.equal(program, undefined);
      assert.deepEqual([sizes.pane, sizes.own], [512, false]);

      // a single kernel, compared with the earlier run
      await page.goto(`${origin}/bench?kernel=slice`);
      await pageStarts(page);
      await page.getByRole("button", { name: "Measure" }).click();
      await page.getByText("Done: 1 of 1 results correct.").waitFor();
      await page.locator("input[type=file][accept*=json]").setInputFiles({
        name: "before.json",
        mimeType: "application/json",
        buffer: Buffer.from(await Deno.readTextFile(path)),
      });
      // text for a kernel that is slower than on the first computer, or equally fast
      const [slower, equal] = [benchText.slowerThan, benchText.asFastAs].map(({ en }) =>
        page.getByText(fixedParts(en)[0]!)
      );
      await slower!.or(equal!).first().waitFor();

      // the user's own image; its name is not saved, and its results are not compared with the
      // earlier run
      const own = page.locator("input[type=file][accept*=npy]"), shape = [40, 48, 44] as const;
      const voxels = new Uint8Array(40 * 48 * 44).map((_, v) => v * 31 % 251);
      await own.setInputFiles({
        name: "Phantom^One.txt.npy",
        mimeType: "application/octet-stream",
        buffer: Buffer.from("no volume"),
      });
      await page.getByRole("alert").filter({ hasText: "Phantom^One.txt.npy" }).waitFor();
      await own.setInputFiles({
        name: "Phantom^One.npy",
        mimeType: "application/octet-stream",
        buffer: Buffer.from(encodeNpy(voxels, [...shape])),
      });
      await page.getByRole("rowheader", { name: "40 × 48 × 44" }).waitFor();
      assert.equal(await page.getByRole("alert").filter({ hasText: "Phantom" }).count(), 0);
      await page.getByRole("button", { name: "Measure" }).click();
      await page.getByText("Done: 1 of 1 results correct.").waitFor();
      await page.getByText(benchText.otherInputs.en).first().waitFor();
      const second = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download JSON" }).click();
      const saved = await Deno.readTextFile((await (await second).path())!);
      assert.deepEqual(JSON.parse(saved).sizes.shape, shape);
      assert.ok(!saved.includes("Phantom"));
    });
  } finally {
    await browser.close();
    await site.close();
  }
});
