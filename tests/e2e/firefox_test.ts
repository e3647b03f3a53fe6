// Firefox ESR does what people do most: signs in, uploads, looks at a study by WebGL and by Canvas2D, opens its report.
import assert from "node:assert/strict";
import { FirefoxPage, missingFirefox } from "@/tests/e2e/firefox.ts";
import { Screen } from "@/tests/e2e/screen.ts";
import { EMAIL, PASSWORD } from "@/tests/e2e/site.ts";
import { startWorkedSite } from "@/tests/e2e/worked_scene.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";
import { WORKED } from "@/tests/sites/worked_site.ts";

/** The pixels of the axial pane without its lines, and who drew them. */
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

/** Opens a study in the viewer. @returns the pixels of its axial pane. */
async function drawnBy(page: FirefoxPage, url: string, kind: "regl" | "canvas"): Promise<string> {
  await page.goto(`${url}?testing&renderer=${kind}`);
  await until(() => page.evaluate("globalThis.sliceViewer?.loading.value.kind === 'loaded'"));
  const [by, pixels] = String(await page.evaluate(DRAWN)).split(" ");
  assert.equal(by, kind);
  return atob(pixels!);
}

Deno.test({
  name: `Firefox signs in, uploads, shows a study by WebGL and by Canvas2D, and its report${
    missingFirefox && ` (skipped: ${missingFirefox})`
  }`,
  ignore: missingFirefox !== "",
  fn: async () => {
    const { site, pids, dataDir } = await startWorkedSite(), folder = await Deno.makeTempDir();
    try {
      await using screen = await Screen.open();
      await using page = await FirefoxPage.open(screen);
      const shows = (expression: string) => until(() => page.evaluate(expression));
      const isThere = (selector: string) =>
        shows(`document.querySelector(${JSON.stringify(selector)}) !== null`);
      await page.goto(`${site.url}/login`);
      await isThere("[data-island=LoginForm][data-hydrated]");
      for (const [name, text] of [["email", EMAIL], ["password", PASSWORD]] as const) {
        await page.evaluate(`document.querySelector('input[name="${name}"]').focus()`);
        await page.type(text);
      }
      await page.type("\uE007");
      await shows(`location.pathname === "/"`);
      await isThere("[data-island=Worklist][data-hydrated]");

      const files: string[] = [];
      for (const { fileName, bytes } of phantomSeries("short", "FIREFOX-1")) {
        files.push(`${folder}/${fileName}`);
        await Deno.writeFile(files.at(-1)!, bytes);
      }
      await page.press(".list-tools > div > button:last-of-type");
      await isThere("dialog[open] input[data-pick=files]");
      await page.choose("dialog[open] input[data-pick=files]", files);
      await isThere("dialog[open] table");
      await page.press("dialog[open] .dialog-foot button:last-of-type");
      await isThere("dialog[open] [data-stage=stored]");
      await page.goto(`${site.url}/?search=FIREFOX-1`);
      await shows(`document.querySelector("tr[data-pid]")?.innerText.includes("FIREFOX-1")`);

      const pid = pids[WORKED.findIndex(({ id, lesionsMl }) => id === "20481" && lesionsMl)]!;
      const [regl, canvas] = [
        await drawnBy(page, `${site.url}/viewer/${pid}`, "regl"),
        await drawnBy(page, `${site.url}/viewer/${pid}`, "canvas"),
      ];
      assert.equal(regl.length, canvas.length);
      let bright = 0, most = 0;
      for (let i = 0; i < regl.length; i++) {
        most = Math.max(most, Math.abs(regl.charCodeAt(i) - canvas.charCodeAt(i)));
        if (i % 4 !== 3 && canvas.charCodeAt(i) > 60) bright++;
      }
      assert.ok(most <= 1, `they differ by ${most} of 255`);
      assert.ok(bright > canvas.length / 100, "the pane is dark");

      await page.goto(`${site.url}/report/${pid}`);
      await isThere("[data-island=ReportViewer][data-hydrated]");
      await shows(`document.querySelectorAll(".report-sheet").length > 5`);
      assert.deepEqual(page.errors, []);
    } finally {
      await site.stop();
      for (const each of [dataDir, folder]) await Deno.remove(each, { recursive: true });
    }
  },
});
