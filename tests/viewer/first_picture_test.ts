// covers: S-137, S-138
// Server-rendered pictures of the viewer's page, without scripts, and until the canvas replaces
// them.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { PNG } from "pngjs";
import { textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { MAX_PICTURE_BYTES } from "@/server/edge/first_picture/draw_panes.ts";
import { PLANES } from "@/viewer/scene.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import { viewerIsLoaded } from "@/tests/viewer/viewer_picture.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

/** Maximum size of the phantom's grey pictures, bytes. */
const MAX_BYTES = 90_000;

/** Script that hides everything over the panes that is not part of a picture. */
const HIDE = `document.querySelectorAll("[data-panes] button, [role=status], [role=tooltip]")
  .forEach((element) => element.style.visibility = "hidden")`;

const shot = async (page: Page, plane: string) =>
  PNG.sync.read(Buffer.from(await page.getByTestId(`${plane}-view`).screenshot()));

/** A decoded screenshot. */
type Pixels = Awaited<ReturnType<typeof shot>>;

/** Number of pixels that differ in red, green or blue. */
function differing(a: Pixels, b: Pixels): number {
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const isSame = [0, 1, 2].every((channel) => a.data[at + channel] === b.data[at + channel]);
    if (!isSame) count++;
  }
  return count;
}

const cookiesOf = async (context: BrowserContext) =>
  (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");

/** HTML of the page with its pictures; on a busy machine, the first response may lack them. */
async function pageWithPictures(context: BrowserContext, url: string): Promise<string> {
  let html = "";
  await until(async () => {
    const answer = await fetch(url, { headers: { cookie: await cookiesOf(context) } });
    html = await answer.text();
    return html.includes("data-first-picture");
  });
  return html;
}

/** Total size of the images in a page, bytes. */
const imageBytes = (html: string): number =>
  [...html.matchAll(/data-first-picture="[a-z]+"[^>]*><img[^>]*base64,([\w+/=]+)"/g)]
    .reduce((sum, [, base64]) => sum + Buffer.from(base64!, "base64").length, 0);

interface Window {
  width: number;
  height: number;
}

/** Screenshots of the panes in a browser without scripts. */
async function withoutScripts(
  browser: Browser,
  signedIn: BrowserContext,
  url: string,
  viewport: Window,
): Promise<Map<string, Pixels>> {
  const context = await browser.newContext({ viewport, javaScriptEnabled: false });
  try {
    await context.addCookies(await signedIn.cookies());
    const page = await context.newPage(), panes = new Map<string, Pixels>();
    await until(async () => {
      await page.goto(url);
      return await page.locator("[data-first-picture]").count() > 0;
    });
    await page.evaluate(HIDE);
    for (const plane of PLANES) panes.set(plane, await shot(page, plane));
    return panes;
  } finally {
    await context.close();
  }
}

/** Screenshots of each pane with the first picture, and after the canvas has replaced it. */
async function takeOver(browser: Browser, origin: string, path: string, viewport: Window) {
  const context = await browser.newContext({ viewport });
  context.setDefaultTimeout(60_000);
  try {
    const page = await context.newPage(), url = origin + path;
    await enter(page, origin);
    // the first visit sends the size of the panes to the server
    await page.goto(url);
    await viewerIsLoaded(page);
    const html = await pageWithPictures(context, url);
    const held = Promise.withResolvers<void>();
    await page.route(/image\/viewer/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as Shift).value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(url);
    // the canvases are already below the pictures
    await page.getByTestId("sagittal-view").locator("canvas").first().waitFor({
      state: "attached",
    });
    await page.evaluate(HIDE);
    const before = new Map<string, Pixels>();
    for (const plane of PLANES) before.set(plane, await shot(page, plane));
    const covered = await page.locator("[data-first-picture]").count();
    held.resolve();
    await viewerIsLoaded(page);
    await page.locator("[data-first-picture]").first().waitFor({ state: "detached" });
    await until(async () => await page.locator("[data-first-picture]").count() === 0);
    await page.evaluate(HIDE);
    const differences = [];
    for (const plane of PLANES) {
      differences.push(differing(before.get(plane)!, await shot(page, plane)));
    }
    const shifted = await page.evaluate("shifts.reduce((sum, each) => sum + each, 0)") as number;
    const still = await withoutScripts(browser, context, url, viewport);
    const unscripted = PLANES.map((plane) => differing(before.get(plane)!, still.get(plane)!));
    return { covered, differences, unscripted, shifted, bytes: imageBytes(html) };
  } finally {
    await context.close();
  }
}

interface Shift {
  value: number;
}

browserTest("the canvas takes the place of its picture and changes no pixel", async (t) => {
  const site = await serveViewer(undefined, 10_000), browser = await launchBrowser({ gl: true });
  const usual = { width: 1280, height: 910 }, small = { width: 1024, height: 768 };
  const cases: [name: string, path: string, viewport: Window][] = [
    ["a T1w with everything", "/viewer/1?testing", usual],
    ["in a small window", "/viewer/1?testing", small],
    ["neurological", "/viewer/4?testing&convention=neurological", usual],
    [
      "with its regions, another window and zoom",
      "/viewer/1?testing&overlay=1&threshold=all&opacity=60&basis=region&window=120_90&axial=2.00_10.0_-5.0",
      usual,
    ],
    ["a FLAIR alone", "/viewer/5?testing", usual],
    ["a FLAIR alone with its lesions, in a small window", "/viewer/5?testing&lesions=dp", small],
  ];
  try {
    for (const [name, path, viewport] of cases) {
      await t.step(name, async () => {
        const taken = await takeOver(browser, site.origin, path, viewport);
        assert.equal(taken.covered, PLANES.length);
        assert.deepEqual(taken.differences, [0, 0, 0]);
        assert.deepEqual(taken.unscripted, [0, 0, 0]);
        // values in the page's address are inserted into the bars by scripts, with hardly any
        // layout shift
        assert.ok(taken.shifted < 0.0001, `layout shift ${taken.shifted}`);
        const most = path.includes("overlay=1") ? MAX_PICTURE_BYTES : MAX_BYTES;
        assert.ok(taken.bytes > 0 && taken.bytes <= most, `${taken.bytes} bytes`);
      });
    }
    await t.step("a damaged study says so, as without pictures", async () => {
      const page = await browser.newPage();
      await enter(page, site.origin);
      await page.goto(`${site.origin}/viewer/3`);
      const alert = page.getByRole("alert").filter({
        hasText: textIn(viewerText.loadFailedDamaged, "en"),
      });
      await alert.waitFor();
      assert.equal(await page.locator("[data-first-picture]").count(), 0);
    });
    await t.step("input shows the pane itself at once", async () => {
      const page = await browser.newPage({ viewport: usual });
      await enter(page, site.origin);
      await page.route(/image\/viewer/, () => {});
      await until(async () => {
        await page.goto(`${site.origin}/viewer/1?testing`);
        return await page.locator("[data-first-picture]").count() > 0;
      });
      await page.getByTestId("axial-view").locator("canvas").first().waitFor({
        state: "attached",
      });
      await page.getByTestId("axial-view").hover();
      await page.mouse.wheel(0, 120);
      await until(async () => await page.locator("[data-first-picture]").count() === 0);
    });
    await t.step("a page without a session has no picture", async () => {
      const answer = await fetch(`${site.origin}/viewer/1`);
      assert.ok(!(await answer.text()).includes("data-first-picture"));
      assert.ok(answer.url.includes("/login"));
    });
  } finally {
    await browser.close();
    await site.close();
  }
});
