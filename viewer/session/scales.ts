import { DEFAULT_WINDOW, seriesOf, type ViewerType } from "@/viewer/scene.ts";

/** value = intercept + slope · byte, and the window that the series' headers name. */
export interface PageScale {
  slope: number;
  intercept: number;
  window: { width: number; level: number } | null;
}

/** The scales of a study's images; `null` if unknown. */
export interface Scales {
  t1: PageScale | null;
  t2: PageScale | null;
}

/** The scale of a tab's images. */
export const scaleOf = (scales: Scales, type: ViewerType): PageScale | null =>
  scales[seriesOf(type)];

/** A window's width or level in the series' own values; in bytes without a scale. */
export const inUnits = (scale: PageScale | null, field: "width" | "level", bytes: number): number =>
  scale === null ? bytes : scale.slope * bytes + (field === "level" ? scale.intercept : 0);

/** {@link inUnits}, the other way. */
export const fromUnits = (
  scale: PageScale | null,
  field: "width" | "level",
  value: number,
): number =>
  scale === null ? value : (value - (field === "level" ? scale.intercept : 0)) / scale.slope;

/** The window that images open with, in bytes: their header's, when it shows them at all. */
export function pageWindow(scale: PageScale | null): { width: number; level: number } {
  if (!scale?.window) return { ...DEFAULT_WINDOW };
  const width = fromUnits(scale, "width", scale.window.width);
  const level = fromUnits(scale, "level", scale.window.level);
  const isSeen = width >= 4 && width <= 1024 && level - width / 2 < 250 && level + width / 2 > 5;
  return isSeen ? { width, level } : { ...DEFAULT_WINDOW };
}
