import { DEFAULT_WINDOW, seriesOf, type ViewerType } from "@/viewer/scene.ts";

/**
 * Mapping of image bytes, value = intercept + slope · byte, and the window of the DICOM headers.
 */
export interface PageScale {
  slope: number;
  intercept: number;
  window: { width: number; level: number } | null;
}

/** Scales of a study's images, by kind; `null` if unknown. */
export interface Scales {
  t1: PageScale | null;
  t2: PageScale | null;
}

/** The scale of the images that a tab shows. */
export const scaleOf = (scales: Scales, type: ViewerType): PageScale | null =>
  scales[seriesOf(type)];

/** A window's width or level in original values; in bytes without a scale. */
export const inUnits = (scale: PageScale | null, field: "width" | "level", bytes: number): number =>
  scale === null ? bytes : scale.slope * bytes + (field === "level" ? scale.intercept : 0);

/** Converts original values back to bytes, the inverse of {@link inUnits}. */
export const fromUnits = (
  scale: PageScale | null,
  field: "width" | "level",
  value: number,
): number =>
  scale === null ? value : (value - (field === "level" ? scale.intercept : 0)) / scale.slope;

/** Initial window in bytes: the header's window, unless it would make the image invisible. */
export function pageWindow(scale: PageScale | null): { width: number; level: number } {
  if (!scale?.window) return { ...DEFAULT_WINDOW };
  const width = fromUnits(scale, "width", scale.window.width);
  const level = fromUnits(scale, "level", scale.window.level);
  const isSeen = width >= 4 && width <= 1024 && level - width / 2 < 250 && level + width / 2 > 5;
  return isSeen ? { width, level } : { ...DEFAULT_WINDOW };
}
