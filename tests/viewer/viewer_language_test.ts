// covers: D2-2.10
// Changing the language in the viewer changes the texts, while images and position stay.
import assert from "node:assert/strict";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { openViewer } from "@/tests/viewer/viewer_picture.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

interface Viewed {
  isFirstLoad?: boolean;
  sliceViewer: { scene: { crosshairMm: number[] }; goToMm(mm: number[]): void };
}

browserTest("another language in the viewer loads no image again", async () => {
  const site = await serveViewer(), { origin } = site, browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage(), asked: string[] = [], errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await enter(page, origin);
    await openViewer(page, origin, 1);
    await page.getByRole("treeitem").first().waitFor();
    await page.evaluate(() => {
      const viewed = globalThis as unknown as Viewed;
      viewed.isFirstLoad = true;
      viewed.sliceViewer.goToMm([12, -20, 8]);
    });
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));

    await page.getByRole("button", { name: "한국어", exact: true }).click();
    await page.getByRole("tab", { name: viewerText.parcellation.ko }).waitFor();
    await page.getByRole("treeitem").filter({ hasText: "해마" }).first().waitFor();
    const now = await page.evaluate(() => {
      const { isFirstLoad, sliceViewer } = globalThis as unknown as Viewed;
      const { lang } = document.documentElement;
      return { isFirstLoad, lang, title: document.title, mm: [...sliceViewer.scene.crosshairMm] };
    });
    assert.deepEqual([now.isFirstLoad, now.lang, now.title], [
      true,
      "ko",
      `${viewerText.title.ko} · Sulcus`,
    ]);
    assert.ok(
      now.mm.every((mm, axis) => Math.abs(mm - [12, -20, 8][axis]!) <= 1),
      String(now.mm),
    );
    assert.deepEqual(asked.filter((path) => /image|volume|secure|viewer/.test(path)), []);

    // the window's fields have space for the longest values
    const field = page.getByLabel(viewerText.windowWidth.ko, { exact: true });
    for (const value of ["65535", "-32768"]) {
      const room = await field.evaluate((input: HTMLInputElement, value) => {
        input.value = value;
        return { needed: input.scrollWidth, given: input.clientWidth };
      }, value);
      assert.ok(room.needed <= room.given, `${value}: ${room.needed} of ${room.given} px`);
    }

    await page.reload();
    await page.getByRole("tab", { name: viewerText.parcellation.ko }).waitFor();
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    await site.close();
  }
});
