// The fields of window and level show the widest values of an image completely.
import assert from "node:assert/strict";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

/** Values of 16-bit images, unsigned and signed, and a typed value with decimals. */
const WIDEST = ["65535", "-32768", "1234.56", "-1234.5"];
/** A value that no image has, which must be found to be cut. */
const TOO_WIDE = "-123456789012";

/**
 * Space of a field beside its text, px; negative for a text that is cut. Chromium's number fields
 * keep space for the arrows, whether these are visible or not.
 */
function spaceBeside(field: Element): number {
  const input = field as HTMLInputElement, style = getComputedStyle(input), arrows = 15;
  const drawing = document.createElement("canvas").getContext("2d")!;
  drawing.font = style.font;
  return input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) -
    arrows - drawing.measureText(input.value).width;
}

// covers: D2-2.4
browserTest("the fields of window and level cut no value at 1024 and 1280 px", async () => {
  const site = await serveViewer(), browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1024, height: 910 } });
    page.setDefaultTimeout(60_000);
    await enter(page, site.origin);
    await page.goto(`${site.origin}/viewer/1?testing`);
    const fields = [viewerText.windowWidth.en, viewerText.windowLevel.en].map((name) =>
      page.getByLabel(name, { exact: true })
    );
    for (const width of [1024, 1280]) {
      await page.setViewportSize({ width, height: 910 });
      for (const field of fields) {
        const spaceOf = async (value: string) => {
          await field.fill(value);
          return await field.evaluate(spaceBeside);
        };
        for (const value of WIDEST) {
          const space = await spaceOf(value);
          assert.ok(space >= 0, `${value} at ${width} px: ${space.toFixed(1)} px`);
        }
        assert.ok(await spaceOf(TOO_WIDE) < 0);
        const box = (await field.boundingBox())!;
        assert.ok(box.x >= 0 && box.x + box.width <= width, `${width} px: ${box.x}`);
      }
    }
  } finally {
    await browser.close();
    await site.close();
  }
});
