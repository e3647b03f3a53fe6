import type { Shape } from "@/model/geometry.ts";
import { OUTLINE_COLOUR } from "@/viewer/colours.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/** Which slice of a volume: its number, and the voxel axes along and across it. */
type SliceOf = Pick<PaneMapping, "through" | "across" | "down" | "slice">;

/**
 * Ends of the line in each cell of four voxel centres, by which of them are inside (1 first, 2 across, 4 down, 8 both):
 * halves of a voxel from the first centre, four numbers a line.
 */
const LINES: readonly (readonly number[])[] = [
  [],
  [1, 0, 0, 1],
  [1, 0, 2, 1],
  [0, 1, 2, 1],
  [0, 1, 1, 2],
  [1, 0, 1, 2],
  [1, 0, 2, 1, 0, 1, 1, 2],
  [2, 1, 1, 2],
  [2, 1, 1, 2],
  [1, 0, 0, 1, 2, 1, 1, 2],
  [1, 0, 1, 2],
  [0, 1, 1, 2],
  [0, 1, 2, 1],
  [1, 0, 2, 1],
  [1, 0, 0, 1],
  [],
];

/**
 * The border of a mask on one slice (marching squares), half way between the centres inside and outside.
 *
 * @param mask  0 or not, [nx, ny, nz], i fastest; outside of it there is nothing.
 * @returns Lines as [from across, from down, to across, to down], voxel indices.
 */
export function outlineOf(mask: Uint8Array, shape: Shape, at: SliceOf): Float32Array {
  const strides = [1, shape[0], shape[0] * shape[1]];
  const columns = shape[at.across]!, rows = shape[at.down]!, lines: number[] = [];
  if (at.slice < 0 || at.slice >= shape[at.through]!) return new Float32Array();
  const start = at.slice * strides[at.through]!, right = strides[at.across]!, below = strides[at.down]!;
  const isInside = (column: number, row: number) =>
    column >= 0 && row >= 0 && column < columns && row < rows &&
    mask[start + column * right + row * below] !== 0;
  for (let row = -1; row < rows; row++) {
    let before = 0;
    for (let column = -1; column < columns; column++) {
      const after = (isInside(column + 1, row) ? 2 : 0) | (isInside(column + 1, row + 1) ? 8 : 0);
      const line = LINES[before | after]!;
      for (let n = 0; n < line.length; n += 2) lines.push(column + line[n]! / 2, row + line[n + 1]! / 2);
      before = after >> 1;
    }
  }
  return Float32Array.from(lines);
}

/** Draws lines of {@link outlineOf} over a pane. `ratio`: device pixels per CSS pixel. */
export function drawOutline(
  context: CanvasRenderingContext2D,
  lines: Float32Array,
  { origin, du, dv, across, down }: PaneMapping,
  ratio: number,
): void {
  const x = (index: number) => (index - origin[across]!) / du[across]! + 0.5;
  const y = (index: number) => (index - origin[down]!) / dv[down]! + 0.5;
  context.beginPath();
  for (let n = 0; n < lines.length; n += 4) {
    context.moveTo(x(lines[n]!), y(lines[n + 1]!));
    context.lineTo(x(lines[n + 2]!), y(lines[n + 3]!));
  }
  context.lineCap = "round";
  for (const [colour, width] of [["rgba(0,0,0,0.7)", 3], [OUTLINE_COLOUR, 1.5]] as const) {
    context.strokeStyle = colour;
    context.lineWidth = width * ratio;
    context.stroke();
  }
}
