// Colours, tooltips and presenters (canvas or WebGL): checked in every pixel.
import { newPage, softwareGl } from "@/bench/viewer/browser.ts";
import { hover, openViewer, prepare } from "@/bench/viewer/ours.ts";
import { figure, quantile } from "@/bench/viewer/rows.ts";
import { type BenchSite, PATIENT_256 } from "@/bench/viewer/site.ts";
import type { Row } from "@/bench/record.ts";
import { regionName } from "@/viewer/session/region_facts.ts";
import { coloursNotInTable } from "@/tests/viewer/label_colours.ts";

const POINTS = 10_000, SCENES = 200;
const WASM = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);

export async function correctnessRows(site: BenchSite): Promise<Row[]> {
  const module = await WebAssembly.compile(await Deno.readFile(WASM));
  const rows = [1, 105, 255, 256].map((values) =>
    figure(
      `label colours at opacity 1, table of ${values}: pixels not in it`,
      coloursNotInTable(module, values),
      "pixels",
      0,
    )
  );
  const browser = await softwareGl();
  try {
    const page = await newPage(browser);
    await page.goto(`${site.peer}/presenters`);
    await page.waitForFunction("globalThis.differenceOfScenes");
    const difference = await page.evaluate(`differenceOfScenes(${SCENES})`) as number;
    rows.push(
      figure(
        `regl against Canvas2D, every pixel of ${SCENES} random scenes`,
        difference,
        "of 255",
        1,
      ),
    );
    await prepare(page, site.origin);
    await openViewer(page, site.origin, PATIENT_256);
    const { drawn, said, spentMs } = await hover(page, POINTS);
    const wrong = drawn.filter((label, at) => regionName(label, "en") !== said[at]).length;
    const labelled = drawn.filter((label) => label !== 0).length;
    rows.push(
      figure(
        `hover, ${POINTS} points × panes × zooms: labels that differ from the drawn pixel`,
        wrong,
        "labels",
        0,
      ),
      figure("hover, 95th percentile", quantile(spentMs, 0.95), "ms", 4),
      {
        ...figure("hover, points over a label", labelled, "points"),
        bar: "≥ 1000",
        ok: labelled >= 1000,
      },
    );
    return rows;
  } finally {
    await browser.close();
  }
}
