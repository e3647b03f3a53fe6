import type { DataSet } from "dicom-parser";

/** Window Center and Width, in the units of the rescaled pixels (PS3.3 C.11.2.1.2). */
export interface HeaderWindow {
  width: number;
  level: number;
}

const CENTER = "x00281050", WIDTH = "x00281051", VOI_LUT = "x00289132";
/** Functional groups of a multi-frame image: shared by all frames, and per frame. */
const GROUPS = ["x52009229", "x52009230"];
/** Maximum magnitude of a plausible window value. */
const MAX_VALUE = 1e7;

function windowIn(dataSet: DataSet): HeaderWindow | null {
  const first = (tag: string) => Number(dataSet.string(tag)?.split("\\")[0]?.trim() || NaN);
  const width = first(WIDTH), level = first(CENTER);
  const isSound = width >= 1 && width <= MAX_VALUE && Math.abs(level) <= MAX_VALUE;
  return isSound ? { width, level } : null;
}

/** First window/level in a header; `null` if it is missing or invalid. */
export function headerWindow(dataSet: DataSet): HeaderWindow | null {
  const window = windowIn(dataSet);
  if (window) return window;
  for (const group of GROUPS) {
    const frame = dataSet.elements[group]?.items?.[0]?.dataSet;
    const lut = frame?.elements[VOI_LUT]?.items?.[0]?.dataSet, found = lut ? windowIn(lut) : null;
    if (found) return found;
  }
  return null;
}
