import { CASING, OUTLINE_COLOUR } from "@/viewer/colours.ts";
import type { PaneMapping } from "@/viewer/scene.ts";
import type { Contour } from "@/viewer/slices/marks/mask_contours.ts";

/** Voxel axes along the rows and columns of a stored slice. */
export const axesOf = (through: number): [number, number] =>
  through === 0 ? [1, 2] : through === 1 ? [0, 2] : [0, 1];

/**
 * Adds line segments in a pane to the context's path.
 *
 * @param lines Segments [from, from, to, to] along {@link axesOf} the slice, voxel indices.
 */
function traceLines(
  context: CanvasRenderingContext2D,
  lines: Float32Array,
  mapping: PaneMapping,
): void {
  const { origin, du, dv, across, down, through } = mapping,
    isTurned = axesOf(through)[0] !== across;
  const x = (index: number) => (index - origin[across]!) / du[across]! + 0.5;
  const y = (index: number) => (index - origin[down]!) / dv[down]! + 0.5;
  const [u, v] = isTurned ? [1, 0] : [0, 1];
  for (let n = 0; n < lines.length; n += 4) {
    const isNext = n > 0 && lines[n] === lines[n - 2] && lines[n + 1] === lines[n - 1];
    if (!isNext) context.moveTo(x(lines[n + u]!), y(lines[n + v]!));
    context.lineTo(x(lines[n + 2 + u]!), y(lines[n + 2 + v]!));
  }
  context.lineCap = "round";
  context.lineJoin = "bevel";
}

function strokePath(context: CanvasRenderingContext2D, colour: string, width: number): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
}

/** Width of a line, and of the wider dark line below it, CSS px. */
const LINE = 1.5, CASED = 3;

/** Draws the outline of a mask with a dark border. `ratio`: device pixels per CSS pixel. */
export function drawOutline(
  context: CanvasRenderingContext2D,
  lines: Float32Array,
  mapping: PaneMapping,
  ratio: number,
): void {
  context.beginPath();
  traceLines(context, lines, mapping);
  strokePath(context, CASING, CASED * ratio);
  strokePath(context, OUTLINE_COLOUR, LINE * ratio);
}

/**
 * Draws contours over a pane, each in a colour. The dark borders of all contours are drawn first:
 * otherwise they would cover neighbouring lines. `ratio`: device pixels per CSS pixel.
 *
 * @param opacity Opacity of lines and dark borders, 0..1.
 */
export function drawContours(
  context: CanvasRenderingContext2D,
  contours: readonly Contour[],
  mapping: PaneMapping,
  ratio: number,
  colourOf: (value: number) => string,
  opacity = 1,
): void {
  context.globalAlpha = opacity;
  context.beginPath();
  for (const { lines } of contours) traceLines(context, lines, mapping);
  strokePath(context, CASING, CASED * ratio);
  for (const { value, lines } of contours) {
    context.beginPath();
    traceLines(context, lines, mapping);
    strokePath(context, colourOf(value), LINE * ratio);
  }
  context.globalAlpha = 1;
}
