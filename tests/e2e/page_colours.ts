// Drawn colours, computed in the page.
import type { BrowserContext } from "@playwright/test";

/** Red, green and blue, 0–255, and opacity, 0–1. */
type Rgba = readonly [number, number, number, number];

/** Functions that a page has after {@link knowColours}. */
export interface PageColours {
  /** colour behind an element's content: its background over those of its ancestors */
  behind(element: Element | null): Rgba;
  /** contrast ratio of a CSS colour on another, 1–21 */
  contrast(colour: string | Rgba, ground: Rgba): number;
  /** whether an element is visible, and not only for screen readers */
  isShown(element: Element): boolean;
}

/** Runs in the page for {@link knowColours}, so it can use nothing outside of the function. */
function addColours(): void {
  const parsed = new Map<string, Rgba>();
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  const rgba = (colour: string): Rgba => {
    let known = parsed.get(colour);
    if (!known) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      parsed.set(colour, known = [r!, g!, b!, a! / 255]);
    }
    return known;
  };
  const over = ([r, g, b, a]: Rgba, [x, y, z]: Rgba): Rgba => [
    r * a + x * (1 - a),
    g * a + y * (1 - a),
    b * a + z * (1 - a),
    1,
  ];
  const behind = (element: Element | null): Rgba => {
    if (element === null) {
      return rgba(
        getComputedStyle(document.documentElement).colorScheme === "dark" ? "#000" : "#fff",
      );
    }
    const colour = rgba(getComputedStyle(element).backgroundColor);
    return colour[3] === 1 ? colour : over(colour, behind(element.parentElement));
  };
  const luminance = (colour: Rgba) => {
    const [r, g, b] = colour.slice(0, 3).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4
    ) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (colour: string | Rgba, ground: Rgba) => {
    const two = [over(typeof colour === "string" ? rgba(colour) : colour, ground), ground].map(
      luminance,
    );
    return (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05);
  };
  const isShown = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 2 && height > 2 &&
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  Object.assign(globalThis, { colours: { behind, contrast, isShown } satisfies PageColours });
}

/** Adds `colours` to every page of the context. */
export async function knowColours(context: BrowserContext): Promise<void> {
  await context.addInitScript(addColours);
}
