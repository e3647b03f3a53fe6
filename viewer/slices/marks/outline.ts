import { CASING, OUTLINE_COLOUR } from "@/viewer/colours.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/** The voxel axes of a stored slice, rows along the first. */
export const axesOf = (through: number): [number, number] =>
  through === 0 ? [1, 2] : through === 1 ? [0, 2] : [0, 1];

/**
 * The way of lines over a pane.
 *
 * @param lines [from, from, to, to] along {@link axesOf} the slice, voxel indices.
 */
function traceLines(context: CanvasRenderingContext2D, lines: Float32Array, mapping: PaneMapping): void {
  const { origin, du, dv, across, down, through } = mapping, isTurned = axesOf(through)[0] !== across;
  const x = (index: number) => (index - origin[across]!) / du[across]! + 0.5;
  const y = (index: number) => (index - origin[down]!) / dv[down]! + 0.5;
  const [u, v] = isTurned ? [1, 0] : [0, 1];
  context.beginPath();
  for (let n = 0; n < lines.length; n += 4) {
    context.moveTo(x(lines[n + u]!), y(lines[n + v]!));
    context.lineTo(x(lines[n + 2 + u]!), y(lines[n + 2 + v]!));
  }
  context.lineCap = "round";
}

/** Draws the outline of a mask over a pane, with a casing. `ratio`: device pixels per CSS pixel. */
export function drawOutline(
  context: CanvasRenderingContext2D,
  lines: Float32Array,
  mapping: PaneMapping,
  ratio: number,
  colour: string = OUTLINE_COLOUR,
): void {
  traceLines(context, lines, mapping);
  for (const [style, width] of [[CASING, 3], [colour, 1.5]] as const) {
    context.strokeStyle = style;
    context.lineWidth = width * ratio;
    context.stroke();
  }
}

/** Draws one contour over a pane. `ratio`: device pixels per CSS pixel. */
export function drawContour(
  context: CanvasRenderingContext2D,
  lines: Float32Array,
  mapping: PaneMapping,
  colour: string,
  ratio: number,
): void {
  traceLines(context, lines, mapping);
  context.strokeStyle = colour;
  context.lineWidth = 1.6 * ratio;
  context.stroke();
}
