import type { DataSet } from "dicom-parser";
import {
  MAX_VALUE_BYTES,
  planesOf,
  sequenceItem,
  type SlicePlane,
} from "@/server/core/dicom/read/plane.ts";

/** One image of a file: its number, and how stored values become the scanner's. */
export interface Frame {
  /** from 0, in the order of the file's pixels */
  number: number;
  /** value = stored · slope + intercept */
  slope: number;
  intercept: number;
}

/**
 * Complex Image Component (PS3.3 C.8.13.3.1.1) and third value of Frame Type of anything but a
 * magnitude.
 */
const NOT_MAGNITUDE = new Set([
  "PHASE",
  "REAL",
  "IMAGINARY",
  "P",
  "PHASE MAP",
  "R",
  "I",
]);

const numberOf = (dataSet: DataSet | undefined, tag: string): number | undefined => {
  const element = dataSet?.elements[tag];
  if (!dataSet || !element || element.length === 0 || element.length > MAX_VALUE_BYTES) {
    return undefined;
  }
  const value = element.vr === "FL" || (!element.vr && element.length === 4)
    ? dataSet.float(tag)
    : dataSet.floatString(tag);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
};

/**
 * Slope and intercept of one image. Philips keeps the scale of the display and the scanner's apart:
 * the scanner's value is (stored · RS + RI) / (RS · SS), with SS in (2005,100E).
 * @see Chenevert et al. 2014, DOI 10.1593/tlo.13811, eq. 1.
 */
function scaleOf(
  values: DataSet | undefined,
  outer: DataSet,
  philips: DataSet | undefined,
): Pick<Frame, "slope" | "intercept"> {
  const number = (tag: string) => numberOf(values, tag) ?? numberOf(outer, tag);
  const slope = number("x00281053") || 1, intercept = number("x00281052") ?? 0;
  const isPhilips = /philips/i.test(outer.string("x00080070") ?? "");
  const scale = isPhilips
    ? numberOf(philips, "x2005100e") ?? numberOf(outer, "x2005100e")
    : undefined;
  if (!scale || !(scale > 0)) return { slope, intercept };
  return { slope: 1 / scale, intercept: intercept / (slope * scale) };
}

function isMagnitude(frame: DataSet | undefined): boolean {
  const component = frame?.string("x00089208")?.trim().toUpperCase() ?? "";
  const type = frame?.string("x00089007", 2)?.trim().toUpperCase() ?? "";
  return !NOT_MAGNITUDE.has(component) && !NOT_MAGNITUDE.has(type);
}

/**
 * The images of a file with their places; of a file that holds magnitude images and others (phase,
 * real, imaginary), the magnitude images alone.
 * @param frameCount Number of Frames. @returns empty when an image has no place.
 */
export function framesOf(
  dataSet: DataSet,
  frameCount: number,
): { frames: Frame[]; planes: SlicePlane[] } {
  const planes = planesOf(dataSet, frameCount), perFrame = dataSet.elements.x52009230?.items;
  const shared = sequenceItem(dataSet, "x52009229");
  const images = planes.map((plane, number) => {
    const item = perFrame?.[number]?.dataSet;
    const group = (tag: string) => sequenceItem(item, tag) ?? sequenceItem(shared, tag);
    const scale = scaleOf(group("x00289145"), dataSet, group("x2005140f"));
    return { plane, frame: { number, ...scale }, isMagnitude: isMagnitude(group("x00189226")) };
  });
  const magnitude = images.filter((image) => image.isMagnitude);
  const chosen = magnitude.length > 0 ? magnitude : images;
  return { frames: chosen.map(({ frame }) => frame), planes: chosen.map(({ plane }) => plane) };
}
