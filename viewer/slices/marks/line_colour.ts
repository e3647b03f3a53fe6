import { regionOf } from "@/model/regions/regions.ts";
import { GREY, word } from "@/viewer/colours.ts";

/**
 * Minimum relative luminance of a line: 4.3 : 1 against black. Such a line is visible on fluid
 * and air, and on the dark border that lines have over bright tissue.
 */
const LEAST = 0.165;
const GAMMA = 2.2;
/** Luminance coefficients of red, green and blue (sRGB). */
const PARTS = [0.2126, 0.7152, 0.0722] as const;

const lineColours = new Map<number, string>();

/**
 * Colour of a colour table for use in lines: lightened as far as a thin line on black requires.
 *
 * @param word Entry of a colour table: red in the lowest byte.
 */
export function lineColourOf(word: number): string {
  let colour = lineColours.get(word);
  if (colour === undefined) {
    const light = [0, 8, 16].map((shift) => ((word >> shift & 255) / 255) ** GAMMA);
    const luminanceOf = (of: readonly number[]) =>
      of.reduce((sum, value, at) => sum + PARTS[at]! * value, 0);
    // tries the same hue at full intensity first, then lighter colours
    const most = 1 / Math.max(...light, 1e-6), wanted = LEAST / luminanceOf(light);
    const strong = light.map((value) => value * Math.min(most, Math.max(1, wanted)));
    const luminance = luminanceOf(strong),
      white = Math.max(0, (LEAST - luminance) / (1 - luminance));
    const lightened = strong.map((value) =>
      Math.round(255 * (value + white * (1 - value)) ** (1 / GAMMA))
    );
    lineColours.set(word, colour = `rgb(${lightened.join(",")})`);
  }
  return colour;
}

/** Colour of a region's outline, and of the region's mark in a list; grey for an unknown label. */
export const lineColour = (label: number): string =>
  lineColourOf(word(regionOf(label)?.rgb ?? GREY));
