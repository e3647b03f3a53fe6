// Reads the viewer page's state and pictures, for browser tests.
import type { Page } from "@playwright/test";

/** Objects that the page exposes for tests and benchmarks. */
interface Viewed {
  sliceViewer?: { loading: { value: { kind: string } }; renderer: { drawNow(): void } };
  crosshairPixel(plane: string): string;
}

/** Position of the crosshair in a pane, device pixels, from the drawn state. */
const CROSSHAIR_PIXEL = `globalThis.crosshairPixel = (plane) => {
  const { renderer, scene, grid } = globalThis.sliceViewer, m = renderer.mapping(plane), f = grid.ijkFromRas;
  const at = (axis) => [0, 4, 8].reduce((s, c, r) => s + f[c + axis] * scene.crosshairMm[r], f[12 + axis]);
  const x = (at(m.across) - m.origin[m.across]) / m.du[m.across] + 0.5;
  const y = (at(m.down) - m.origin[m.down]) / m.dv[m.down] + 0.5;
  return JSON.stringify({ mm: [Math.floor(x), Math.floor(y)], view: m.width });
}`;

/** Opens a patient of viewer_site.ts with `globalThis.sliceViewer`; waits for first pictures. */
export async function openViewer(
  page: Page,
  origin: string,
  pid: number,
  search = "",
): Promise<void> {
  await page.goto(`${origin}/viewer/${pid}?testing${search}`);
  await viewerIsLoaded(page);
  await page.evaluate(CROSSHAIR_PIXEL);
}

/** Waits until the tab's volumes are loaded and drawn. */
export const viewerIsLoaded = (page: Page) =>
  page.waitForFunction(() =>
    (globalThis as unknown as Viewed).sliceViewer?.loading.value.kind === "loaded"
  );

/** Colour at a pane's crosshair, and its horizontal position as a fraction of the width. */
export const centreColour = (page: Page, plane: string) =>
  page.evaluate((name) => {
    (globalThis as unknown as Viewed).sliceViewer!.renderer.drawNow();
    const pane = document.querySelector(`[data-testid=${name}-view]`)!;
    const canvas = pane.querySelector("canvas")!, copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d")!;
    context.drawImage(canvas, 0, 0);
    const { mm, view } = JSON.parse(
      (globalThis as unknown as { crosshairPixel(p: string): string }).crosshairPixel(name),
    );
    return {
      colour: [...context.getImageData(mm[0], mm[1], 1, 1).data.slice(0, 3)],
      x: mm[0] / view,
    };
  }, plane);

/** Rests the mouse on a pane's crosshair. @returns the tooltip's text. */
export async function tooltipAtCrosshair(page: Page, plane: string): Promise<string> {
  const pane = page.getByTestId(`${plane}-view`), box = (await pane.boundingBox())!;
  const { mm: [x, y] } = JSON.parse(await page.evaluate(`crosshairPixel('${plane}')`) as string);
  await page.mouse.move(box.x + x + 0.5, box.y + y + 0.5);
  const tooltip = pane.getByRole("tooltip");
  await tooltip.waitFor({ state: "visible" });
  return (await tooltip.textContent())!;
}
