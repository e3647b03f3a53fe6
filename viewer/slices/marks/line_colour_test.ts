import assert from "node:assert/strict";
import { REGIONS } from "@/model/regions/regions.ts";
import { CASING } from "@/viewer/colours.ts";
import { lineColour, lineColourOf } from "@/viewer/slices/marks/line_colour.ts";

/** Relative luminance as defined by WCAG 2.2. */
function luminanceOf(rgb: readonly number[]): number {
  const [red, green, blue] = rgb.map((value) =>
    value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
const contrastOf = (a: readonly number[], b: readonly number[]) => {
  const [low, high] = [luminanceOf(a), luminanceOf(b)].toSorted((x, y) => x - y);
  return (high! + 0.05) / (low! + 0.05);
};
const numbersIn = (css: string) => css.match(/[\d.]+/g)!.map(Number);

Deno.test("lineColour() stands out 3 : 1 from air, fluid and its casing on whatever is bright (WCAG 1.4.11)", () => {
  const [red, green, blue, opacity] = numbersIn(CASING), through = 255 * (1 - opacity!);
  const casingOnWhite = [red!, green!, blue!].map((value) => value * opacity! + through);
  for (const { label, name } of REGIONS) {
    const colour = numbersIn(lineColour(label));
    for (const behind of [[0, 0, 0], [30, 30, 30], casingOnWhite]) {
      const contrast = contrastOf(colour, behind);
      assert.ok(contrast >= 3, `${name}: ${contrast.toFixed(2)} on ${behind}`);
    }
  }
});

Deno.test("lineColourOf() leaves bright colours alone", () => {
  assert.equal(lineColourOf(0x00aa14dc), "rgb(220,20,170)");
});
