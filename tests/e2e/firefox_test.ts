// Firefox ESR performs the most frequent tasks: sign-in, upload, a study by WebGL and Canvas2D, and
// its report. WebKit does the same without the upload, on the same site.
import assert from "node:assert/strict";
import { FirefoxPage, missingFirefox } from "@/tests/e2e/firefox.ts";
import { Screen } from "@/tests/e2e/screen.ts";
import { EMAIL, PASSWORD } from "@/tests/e2e/site.ts";
import { startWorkedSite } from "@/tests/e2e/worked_scene.ts";
import { missingWebKit, WebKitPage } from "@/tests/e2e/webkit.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";
import { WORKED } from "@/tests/sites/worked_site.ts";

/** Script that returns the axial pane's pixels without crosshair, and the presenter's name. */
const DRAWN = `(async () => {
  const { renderer, presenter } = globalThis.sliceViewer;
  renderer.annotate = () => {};
  renderer.invalidate();
  renderer.drawNow();
  const canvas = document.querySelector("[data-testid=axial-view] canvas"), copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  let text = "";
  for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
  return presenter.value.kind + " " + btoa(text);
})()`;

interface Driven {
  goto(url: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
}

/** Waits until an expression is true; evaluation fails, and is retried, during navigation. */
const shows = (page: Driven, expression: string) =>
  until(() => page.evaluate(expression).catch(() => false));
const isThere = (page: Driven, selector: string) =>
  shows(page, `document.querySelector(${JSON.stringify(selector)}) !== null`);

/** Opens a study in the viewer. @returns the pixels of its axial pane. */
async function drawnBy(page: Driven, url: string, kind: "regl" | "canvas"): Promise<string> {
  await page.goto(`${url}?testing&renderer=${kind}`);
  await shows(page, "globalThis.sliceViewer?.loading.value.kind === 'loaded'");
  const [by, pixels] = String(await page.evaluate(DRAWN)).split(" ");
  assert.equal(by, kind);
  return atob(pixels!);
}

/** Opens a study by WebGL and Canvas2D, which must draw equal pixels, and its report. */
async function looksAtStudy(page: Driven, url: string, pid: number): Promise<void> {
  const regl = await drawnBy(page, `${url}/viewer/${pid}`, "regl");
  const canvas = await drawnBy(page, `${url}/viewer/${pid}`, "canvas");
  assert.equal(regl.length, canvas.length);
  let bright = 0, most = 0;
  for (let i = 0; i < regl.length; i++) {
    most = Math.max(most, Math.abs(regl.charCodeAt(i) - canvas.charCodeAt(i)));
    if (i % 4 !== 3 && canvas.charCodeAt(i) > 60) bright++;
  }
  assert.ok(most <= 1, `they differ by ${most} of 255`);
  assert.ok(bright > canvas.length / 100, "the pane is dark");
  await page.goto(`${url}/report/${pid}`);
  await isThere(page, "[data-island=ReportViewer][data-hydrated]");
  await shows(page, `document.querySelectorAll(".report-sheet").length > 5`);
}

async function inWebKit(screen: Screen, url: string, pid: number): Promise<void> {
  await using page = await WebKitPage.open(screen);
  await page.goto(`${url}/login`);
  await isThere(page, "[data-island=LoginForm][data-hydrated]");
  await page.type('input[name="email"]', EMAIL);
  await page.type('input[name="password"]', `${PASSWORD}\uE007`);
  await isThere(page, "[data-island=Worklist][data-hydrated]");
  await looksAtStudy(page, url, pid);
  // Firefox restores pages from memory despite `no-store`, so the page must reload after Back
  const back = () => page.evaluate("(history.back(), 0)");
  await page.goto(`${url}/`);
  await isThere(page, "[data-island=Worklist][data-hydrated]");
  await page.evaluate("globalThis.isKept = true");
  await page.goto(`${url}/help`);
  await back();
  await shows(page, `location.pathname === "/" && globalThis.isKept === undefined`);
  await isThere(page, "[data-island=Worklist][data-hydrated]");
  await page.evaluate(
    `fetch("/api/v1/auth/logout", { method: "POST" }).then(({ status }) => status)`,
  );
  await page.goto(`${url}/login`);
  await back();
  await shows(
    page,
    `location.pathname === "/login" && document.querySelector("[data-island=LoginForm]") !== null`,
  );
}

Deno.test({
  name:
    `Firefox signs in, uploads, shows a study by WebGL and by Canvas2D, and its report; WebKit, but for the upload${
      missingWebKit && ` (skipped: ${missingWebKit})`
    }${missingFirefox && ` (skipped: ${missingFirefox})`}`,
  ignore: missingFirefox !== "",
  fn: async () => {
    const { site, pids, dataDir } = await startWorkedSite(), folder = await Deno.makeTempDir();
    try {
      await using screen = await Screen.open();
      await using page = await FirefoxPage.open(screen);
      await page.goto(`${site.url}/login`);
      await isThere(page, "[data-island=LoginForm][data-hydrated]");
      for (const [name, text] of [["email", EMAIL], ["password", PASSWORD]] as const) {
        await page.evaluate(`document.querySelector('input[name="${name}"]').focus()`);
        await page.type(text);
      }
      await page.type("\uE007");
      await shows(page, `location.pathname === "/"`);
      await isThere(page, "[data-island=Worklist][data-hydrated]");

      const files: string[] = [];
      for (const { fileName, bytes } of phantomSeries("short", "FIREFOX-1")) {
        files.push(`${folder}/${fileName}`);
        await Deno.writeFile(files.at(-1)!, bytes);
      }
      await page.press(".list-tools > div > button:last-of-type");
      await isThere(page, "dialog[open] input[data-pick=files]");
      await page.choose("dialog[open] input[data-pick=files]", files);
      await isThere(page, "dialog[open] table");
      await page.press("dialog[open] .dialog-foot button:last-of-type");
      await isThere(page, "dialog[open] [data-stage=stored]");
      await page.goto(`${site.url}/?search=FIREFOX-1`);
      await shows(page, `document.querySelector("tr[data-pid]")?.innerText.includes("FIREFOX-1")`);

      const pid = pids[WORKED.findIndex(({ id, lesionsMl }) => id === "20481" && lesionsMl)]!;
      await looksAtStudy(page, site.url, pid);
      assert.deepEqual(page.errors, []);
      if (missingWebKit === "") await inWebKit(screen, site.url, pid);
    } finally {
      await site.stop();
      for (const each of [dataDir, folder]) await Deno.remove(each, { recursive: true });
    }
  },
});
