import { AppError } from "@/model/errors.ts";

/** Parameters with which a frame is rendered. */
export interface Rendering {
  /** number of the frame, from 1 */
  frame: number;
  /** window/level in rescaled values */
  window?: { level: number; width: number };
  /** size in pixels into which the image is scaled; the aspect ratio is kept */
  viewport?: { width: number; height: number };
}

/** Maximum side length of a viewport, pixels. */
const MAX_SIDE = 4096;

const invalid = (field: string) =>
  new AppError("input.invalid", `Cannot render: ${field} is not valid`, { field });

/** Parses a parameter's two numbers, each followed by a unit or a name. */
function pairOf(text: string, field: string): [number, number] {
  const [a, b] = text.split(",").map(Number);
  if (a === undefined || b === undefined || ![a, b].every(Number.isFinite)) throw invalid(field);
  return [a, b];
}

/**
 * Parses `window` (level, width, linear) and `viewport` (width, height) of WADO-RS (PS3.18 §8.3.5).
 * @throws {AppError} `input.invalid`, also if only a part of the image is requested.
 */
export function renderingOf(query: URLSearchParams, frame: number): Rendering {
  const window = query.get("window"), viewport = query.get("viewport");
  const rendering: Rendering = { frame };
  if (window) {
    const [level, width] = pairOf(window, "window");
    if (width < 1 || !/^[^,]+,[^,]+(,linear)?$/i.test(window)) throw invalid("window");
    rendering.window = { level, width };
  }
  if (viewport) {
    const [width, height] = pairOf(viewport, "viewport");
    const isSize = [width, height].every((one) =>
      Number.isInteger(one) && one > 0 && one <= MAX_SIDE
    );
    if (!isSize || viewport.split(",").length !== 2) throw invalid("viewport");
    rendering.viewport = { width, height };
  }
  return rendering;
}
