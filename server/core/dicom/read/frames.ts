import type { DataSet } from "dicom-parser";
import { isDecimal } from "@/server/core/dicom/read/value_forms.ts";
import {
  MAX_VALUE_BYTES,
  planesOf,
  sequenceItem,
  type SlicePlane,
} from "@/server/core/dicom/read/plane.ts";

/** One image (frame) of a file, with the rescaling of its stored values. */
export interface Frame {
  /** frame number from 0, in the order of the pixel data */
  number: number;
  /** value = stored · slope + intercept */
  slope: number;
  intercept: number;
}

/**
 * Values of Complex Image Component (PS3.3 C.8.13.3.1.1) and of Frame Type's third value
 * that exclude a magnitude image.
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

/** Numeric value of an element; `undefined`: absent or empty; NaN: damaged. */
const numberOf = (dataSet: DataSet | undefined, tag: string): number | undefined => {
  const element = dataSet?.elements[tag];
  if (!dataSet || !element || element.length === 0 || element.length > MAX_VALUE_BYTES) {
    return undefined;
  }
  const text = dataSet.string(tag)?.trim() ?? "";
  return text === "" ? undefined : isDecimal(text) ? Number(text) : NaN;
};

/** Creator of the private block in which element 0E is Philips' Scale Slope. */
const PHILIPS_CREATOR = "Philips MR Imaging DD 001";
/** Numbers of the private blocks in a group (PS3.5 §7.8.1). */
const FIRST_BLOCK = 0x10, LAST_BLOCK = 0xff;

/**
 * Tag of Philips' Scale Slope in a data set, since archives may move a private block.
 * Without a creator the scanners' usual block; `undefined` if the block has another creator.
 */
function philipsScaleTag(dataSet: DataSet): string | undefined {
  const hex = (block: number) => block.toString(16).padStart(2, "0");
  const creator = (block: number) => dataSet.string(`x200500${hex(block)}`)?.trim();
  for (let block = FIRST_BLOCK; block <= LAST_BLOCK; block++) {
    if (creator(block) === PHILIPS_CREATOR) return `x2005${hex(block)}0e`;
  }
  return creator(FIRST_BLOCK) ? undefined : `x2005${hex(FIRST_BLOCK)}0e`;
}

/**
 * Philips' Scale Slope as a number. Its VR is FL, absent in implicit files, or UN when an archive
 * without Philips' dictionary has rewritten the file. Some archives store it as a text.
 */
function philipsScaleOf(dataSet: DataSet | undefined): number | undefined {
  const tag = dataSet && philipsScaleTag(dataSet), element = tag && dataSet.elements[tag];
  if (!tag || !element) return undefined;
  const isBinary = element.vr === "FL" || ((!element.vr || element.vr === "UN") &&
    element.length === 4);
  const value = isBinary ? dataSet.float(tag) : numberOf(dataSet, tag);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/**
 * Rescale slope and intercept of an image; NaN for damaged values.
 * Philips stores one scale for the display, and another for the scanner's values:
 * value = (stored · RS + RI) / (RS · SS), with SS in (2005,xx0E).
 * @see Chenevert et al. 2014, DOI 10.1593/tlo.13811, eq. 1.
 */
function scaleOf(
  values: DataSet | undefined,
  outer: DataSet,
  philips: DataSet | undefined,
): Pick<Frame, "slope" | "intercept"> {
  const number = (tag: string) => numberOf(values, tag) ?? numberOf(outer, tag);
  const stored = number("x00281053"), slope = stored === 0 ? 1 : stored ?? 1;
  const intercept = number("x00281052") ?? 0;
  const isPhilips = /philips/i.test(outer.string("x00080070") ?? "");
  const scale = isPhilips ? philipsScaleOf(philips) ?? philipsScaleOf(outer) : undefined;
  if (!scale || !(scale > 0)) return { slope, intercept };
  return { slope: 1 / scale, intercept: intercept / (slope * scale) };
}

/** Image component (magnitude, phase, …) by the number in GE's Raw Data Type (0043,102F), VR SS. */
const GE_RAW_TYPES = [undefined, "PHASE", "REAL", "IMAGINARY"];

/**
 * Image component by GE's private attribute;
 * `undefined` for magnitude images, and for scanners of other manufacturers.
 */
export function componentOfGe(dataSet: DataSet): string | undefined {
  const element = dataSet.elements.x0043102f;
  const isGe = /^ge/i.test(dataSet.string("x00080070") ?? "");
  // VR is UN if an archive without GE's dictionary has rewritten the file
  if (!isGe || element?.length !== 2 || !["SS", "US", "UN", undefined].includes(element.vr)) {
    return undefined;
  }
  return GE_RAW_TYPES[dataSet.int16("x0043102f") ?? 0];
}

function isMagnitude(frame: DataSet | undefined): boolean {
  const component = frame?.string("x00089208")?.trim().toUpperCase() ?? "";
  const type = frame?.string("x00089007", 2)?.trim().toUpperCase() ?? "";
  return !NOT_MAGNITUDE.has(component) && !NOT_MAGNITUDE.has(type);
}

/**
 * Images (frames) of a file, with positions.
 * If a file has magnitude and other images (phase, real, imaginary), only the magnitude images.
 * @param frameCount Value of Number of Frames. @returns empty if any image has no position.
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
