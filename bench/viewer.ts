// Time of a step in the real viewer page, from the event to the drawn frame, and what 500 steps leave in memory.
// deno task bench viewer [--json FILE]; needs Chromium and a built site.
import type { Page } from "@playwright/test";
import { finish, type Row } from "@/bench/record.ts";
import { launchBrowser } from "@/tests/e2e/site.ts";
import { enter, serveViewer } from "@/tests/viewer_site.ts";

/** One frame of a 60 Hz screen. */
const FRAME_MS = 1000 / 60;
const STEPS = 60, LEAK_STEPS = 500, LEAK_MB = 2;

/**
 * Runs in the page. A step's cost is what the page itself spends: the event's handlers and the frame that follows,
 * with the pixels on their canvases; waiting for the screen is not counted but given beside it.
 */
const MEASURE = `globalThis.measure = async (kind, steps) => {
  const viewer = globalThis.sliceViewer, pane = document.querySelector("[data-testid=axial-view]");
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const box = pane.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  const opacity = document.querySelector("input[type=range]");
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const fire = (type, values) =>
    pane.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, pointerId: 1, bubbles: true, ...values }));
  if (kind === "window") {
    pane.setPointerCapture = () => {};
    fire("pointerdown", { button: 2 });
  }
  const spent = [], waited = [], before = viewer.renderer.composedPanes;
  for (let n = 0; n < steps; n++) {
    const start = performance.now(), way = n % 40 < 20 ? 1 : -1;
    if (kind === "scroll") {
      pane.dispatchEvent(new WheelEvent("wheel", { deltaY: 100 * way, clientX: x, clientY: y, cancelable: true }));
    } else if (kind === "opacity") {
      setValue.call(opacity, String(50 + (n % 40)));
      opacity.dispatchEvent(new Event("input", { bubbles: true }));
    } else {
      fire("pointermove", { clientX: x + 3 * (n % 20) });
    }
    const handled = performance.now() - start;
    viewer.renderer.lastFrameMs = 0;
    await frame();
    await frame();
    waited.push(performance.now() - start);
    spent.push(handled + viewer.renderer.lastFrameMs);
  }
  if (kind === "window") fire("pointerup", { button: 2 });
  if (viewer.renderer.composedPanes - before < steps * 0.9) throw new Error(kind + " was not drawn");
  const at = (values, part) => values.sort((a, b) => a - b)[Math.floor(values.length * part)];
  return { p50: at(spent, 0.5), p95: at(spent, 0.95), shown: at(waited, 0.5) };
}`;

const round = (value: number) => Math.round(value * 100) / 100;
const bar = (name: string, value: number, unit: string, most: number | null): Row => ({
  suite: "viewer",
  name,
  value: round(value),
  unit,
  baseline: null,
  ratio: null,
  bar: most === null ? null : round(most),
  ok: most === null || value <= most,
});

/** Bytes in use after a collection, in MB: JavaScript's heap. */
async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize / 1e6;
}

const site = await serveViewer(), rows: Row[] = [];
try {
  for (const renderer of ["canvas", "regl"] as const) {
    const browser = await launchBrowser({ gl: renderer === "regl" });
    const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
    const page = await context.newPage();
    await enter(page, site.origin);
    const start = performance.now();
    await page.goto(`${site.origin}/viewer/1?testing&renderer=${renderer}`);
    await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
    rows.push(bar(`${renderer}: address to first picture`, performance.now() - start, "ms", null));
    await page.getByRole("button", { name: "Mask", exact: true }).click();
    await page.getByRole("button", { name: "All regions" }).click();
    await page.evaluate(MEASURE);
    for (const kind of ["scroll", "opacity", "window"]) {
      await page.evaluate(`measure("${kind}", 10)`);
      const { p50, p95, shown } = await page.evaluate(`measure("${kind}", ${STEPS})`) as Record<
        string,
        number
      >;
      // software WebGL is what nobody gets unless forced: its figures have no bar
      const most = renderer === "canvas" ? FRAME_MS : null;
      rows.push(bar(`${renderer}: ${kind}, a step, median`, p50!, "ms", most));
      rows.push(bar(`${renderer}: ${kind}, a step, 95th percentile`, p95!, "ms", null));
      rows.push(bar(`${renderer}: ${kind}, two frames of the screen later`, shown!, "ms", null));
    }
    const before = await heapMb(page), wasm = "sliceViewer.renderer.composer.labels.buffer.byteLength";
    const wasmBefore = await page.evaluate(wasm) as number;
    await page.evaluate(`measure("scroll", ${LEAK_STEPS})`);
    rows.push(
      bar(`${renderer}: heap after ${LEAK_STEPS} steps, more by`, await heapMb(page) - before, "MB", LEAK_MB),
    );
    const grown = (await page.evaluate(wasm) as number - wasmBefore) / 1e6;
    rows.push(bar(`${renderer}: kernel memory after ${LEAK_STEPS} steps, more by`, grown, "MB", 0));
    await browser.close();
  }
} finally {
  await site.close();
}
finish("deno task bench viewer", "100 × 120 × 112 voxels, three panes at 1280 × 910, overlay at 100 %", rows);
