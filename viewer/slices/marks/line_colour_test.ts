import assert from "node:assert/strict";
import { TABLE_SIZE, writeRegionColours } from "@/viewer/colours.ts";
import { lineColourOf } from "@/viewer/slices/marks/line_colour.ts";

Deno.test("lineColourOf() leaves bright colours alone, and shows every region's on black at 3 : 1 (WCAG 1.4.11)", () => {
  const table = new Uint32Array(TABLE_SIZE);
  writeRegionColours(table);
  for (let label = 1; label <= 104; label++) {
    const [red, green, blue] = lineColourOf(table[label]!).match(/\d+/g)!.map(Number) as [
      number,
      number,
      number,
    ];
    const light = [red, green, blue].map((value) =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
    );
    const luminance = 0.2126 * light[0]! + 0.7152 * light[1]! + 0.0722 * light[2]!;
    assert.ok((luminance + 0.05) / 0.05 >= 3, `${label}: ${red} ${green} ${blue}`);
  }
  assert.equal(lineColourOf(0x00aa14dc), "rgb(220,20,170)");
});
