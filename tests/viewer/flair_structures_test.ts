// Deep structures of a FLAIR without a T1w series, in a browser: table beside lesions, and
// outlines.
import assert from "node:assert/strict";
import { viewerStructuresText } from "@/model/text/viewer/viewer_structures.ts";
import type { Page } from "@playwright/test";
import { regionOf } from "@/model/regions/regions.ts";
import type { Language } from "@/model/text.ts";
import { flairStructuresText as texts } from "@/model/text/report/report_structures.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { openViewer } from "@/tests/viewer/viewer_picture.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

const FLAIR_ALONE = 5, WITH_T1W = 1, LEFT_PUTAMEN = 11;

interface Viewed {
  sliceViewer: { renderer: { drawNow(): void }; structureOutline: { value: string } };
}

/** Number of pixels with a colour in the axial pane, including its overlays. */
const pixelsOf = (page: Page, rgb: readonly number[]) =>
  page.evaluate((rgb) => {
    (globalThis as unknown as Viewed).sliceViewer.renderer.drawNow();
    const layers = [
      ...document.querySelectorAll<HTMLCanvasElement>("[data-testid=axial-view] canvas"),
    ];
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [layers[0]!.width, layers[0]!.height];
    const context = copy.getContext("2d")!;
    for (const layer of layers) context.drawImage(layer, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (rgb.every((value, k) => Math.abs(data[at + k]! - value) < 40)) count++;
    }
    return count;
  }, [...rgb]);

const stateBecomes = (page: Page, state: string) =>
  page.waitForFunction(
    (state) => (globalThis as unknown as Viewed).sliceViewer.structureOutline.value === state,
    state,
  );

browserTest("deep structures on a FLAIR alone: table and outlines", async (t) => {
  const site = await serveViewer(), { origin } = site, browser = await launchBrowser();
  const open = async (language: Language, pid: number) => {
    const context = await browser.newContext({ viewport: { width: 1024, height: 768 } });
    context.setDefaultTimeout(60_000);
    await context.addCookies([{ name: "language", value: language, url: origin }]);
    const page = await context.newPage(), errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await enter(page, origin);
    await openViewer(page, origin, pid);
    return { page, errors };
  };
  try {
    for (const language of ["en", "ko"] as const) {
      await t.step(
        `the table stands above the lesions, which stay in sight at 1024 × 768 (${language})`,
        async () => {
          const { page, errors } = await open(language, FLAIR_ALONE);
          const section = page.getByTestId("structures"), list = page.getByRole("listbox");
          await section.getByRole("table", { name: texts.title[language] }).waitFor();
          await list.getByRole("option").nth(2).waitFor();
          const { y, height } = (await list.boundingBox())!;
          assert.ok(height > 56 && y + 56 < 768, `${y}, ${height}`);
          assert.match(await section.innerText(), language === "en" ? /Hippocampus/ : /해마/);
          await assertAccessible(page, language);
          const summary = section.locator("summary");
          for (const isOpen of [false, true]) {
            await summary.press("Enter");
            assert.equal(await section.getByRole("table").isVisible(), isOpen);
          }
          assert.deepEqual(errors, []);
          await page.context().close();
        },
      );
    }

    await t.step("a study with a T1w series has neither", async () => {
      const { page } = await open("en", WITH_T1W);
      await page.getByRole("tab", { name: "WMH" }).click();
      await page.getByRole("listbox").waitFor();
      assert.equal(await page.getByTestId("structures").count(), 0);
      await page.context().close();
    });

    await t.step(
      "the outlines come with their file, go and come back; a failure is said and tried again",
      async () => {
        const { page, errors } = await open("en", FLAIR_ALONE), { rgb } = regionOf(LEFT_PUTAMEN)!;
        const section = page.getByTestId("structures");
        const outlines = section.getByRole("button", { name: "Outlines" });
        const status = section.getByRole("status");
        const asked: string[] = [];
        let answer = Promise.withResolvers<"fails" | "works">();
        await page.route(/file=t2w_region_mask_file/, async (route) => {
          asked.push(route.request().url());
          if (await answer.promise === "works") return await route.continue();
          const json = { code: "study.not_analyzed", message: "", details: {} };
          await route.fulfill({ status: 404, contentType: "application/problem+json", json });
        });
        assert.deepEqual([await pixelsOf(page, rgb), asked], [0, []]);
        await outlines.click();
        await status.filter({ hasText: "Loading…" }).waitFor();
        answer.resolve("fails");
        await status.filter({ hasText: viewerStructuresText.outlinesFailed.en }).waitFor();
        assert.equal(await pixelsOf(page, rgb), 0);

        answer = Promise.withResolvers();
        answer.resolve("works");
        await outlines.click();
        await stateBecomes(page, "hidden");
        await outlines.click();
        await stateBecomes(page, "shown");
        assert.equal(await status.innerText(), "");
        const drawn = await pixelsOf(page, rgb);
        assert.ok(drawn > 100, `${drawn} pixels`);

        await outlines.click();
        await stateBecomes(page, "hidden");
        assert.equal(await pixelsOf(page, rgb), 0);
        await outlines.click();
        await stateBecomes(page, "shown");
        assert.equal(await pixelsOf(page, rgb), drawn);
        assert.equal(asked.length, 2, "what is there is not asked for again");
        assert.deepEqual(errors, []);
      },
    );
  } finally {
    await browser.close();
    await site.close();
  }
});
