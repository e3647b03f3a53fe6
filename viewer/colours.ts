import { DEEP, LESION_COLOURS, PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import { regionOf } from "@/model/regions/regions.ts";

export { DEEP, LESION_COLOURS, PERIVENTRICULAR };

/** Colour of the intracranial outline, and of the symbol beside the intracranial volume. */
export const OUTLINE_COLOUR = "#38bdf8";

/** Number of entries in a colour table: one for each value of an 8-bit volume. */
export const TABLE_SIZE = 256;

type Rgb = readonly [red: number, green: number, blue: number];

/** Makes an opaque colour in the kernels' format: a little-endian RGBA word. */
export const word = ([red, green, blue]: Rgb): number =>
  (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;

/**
 * Colour table of label maps: labels 0..104 as in model/regions/regions.ts, higher values black.
 */
export function writeRegionColours(table: Uint32Array): void {
  for (let label = 0; label < TABLE_SIZE; label++) {
    table[label] = word(regionOf(label)?.rgb ?? [0, 0, 0]);
  }
}

const cssOf = (rgb: Rgb): string => `rgb(${rgb.join(",")})`;
/** Colour of voxels outside all labelled regions. */
export const GREY: Rgb = [128, 128, 128];

/** CSS colour of a label; grey for an unknown label. */
export const regionColour = (label: number): string => cssOf(regionOf(label)?.rgb ?? GREY);

/** Colour of the wider dark line below each line, which keeps the line visible on bright tissue. */
export const CASING = "rgba(0,0,0,0.85)";

/**
 * Jet colour scale for a fraction 0..1: blue, cyan, yellow, red.
 * Each of the three colour channels is a trapezium over the fraction.
 */
export function jet(fraction: number): Rgb {
  const channel = (centre: number) => {
    const height = 1.5 - Math.abs(4 * fraction - centre);
    return Math.round(255 * Math.min(Math.max(height, 0), 1));
  };
  return [channel(3), channel(2), channel(1)];
}

/**
 * The only colour scale of cortical thickness: 256 values for 0..5 mm.
 * Slices, surface and colour bar use the same scale.
 */
export function writeThicknessColours(table: Uint32Array): void {
  for (let value = 0; value < TABLE_SIZE; value++) {
    table[value] = word(jet(value / (TABLE_SIZE - 1)));
  }
}

export function writeLesionColours(table: Uint32Array): void {
  table.fill(word([0, 0, 0]));
  table[PERIVENTRICULAR] = word(LESION_COLOURS[PERIVENTRICULAR]);
  table[DEEP] = word(LESION_COLOURS[DEEP]);
}

/** Whether a label is a fluid region: a large volume of fluid is abnormal (D2 §9). */
const isInverted = (label: number): boolean =>
  (label >= 15 && label <= 18) || (label >= 25 && label <= 28);

/**
 * Whether a region is visible under a threshold: its percentile (for fluid 100 minus the
 * percentile) is at or below the threshold. A region without a norm is not visible.
 */
export function isWithinThreshold(
  label: number,
  percentile: number | null,
  threshold: number,
): boolean {
  if (percentile === null || Number.isNaN(percentile)) return false;
  return (isInverted(label) ? 100 - percentile : percentile) <= threshold;
}
