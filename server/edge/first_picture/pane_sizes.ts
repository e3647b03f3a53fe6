import type { PanesRoom } from "@/model/viewer/first_picture.ts";
import type { Layout } from "@/viewer/layout.ts";
import { type Plane, PLANES } from "@/viewer/scene.ts";

/** Size of a pane on the screen, in device pixels. */
export interface PaneSize {
  plane: Plane;
  width: number;
  height: number;
}

/** Columns and rows of the panes' grids, as in the CSS class names: integer sizes, gaps of 1 px. */
const GRID: Record<Layout["grid"], readonly [columns: number, rows: number]> = {
  single: [1, 1],
  quarters: [2, 2],
  column: [1, 2],
  row: [3, 1],
  stacked: [3, 2],
  sideBySide: [2, 3],
};

/** Sizes of the slice panes of a layout for a given total size. */
export function paneSizes({ grid, places }: Layout, room: PanesRoom): PaneSize[] {
  const [columns, rows] = GRID[grid];
  const cell = {
    width: Math.floor((room.width - columns + 1) / columns),
    height: Math.floor((room.height - rows + 1) / rows),
  };
  const large = { width: 2 * cell.width + 1, height: 2 * cell.height + 1 };
  const device = (px: number) => Math.round(px * room.ratio);
  return PLANES.filter((plane) => places[plane] !== "hidden").map((plane) => {
    const { width, height } = places[plane] === "large" ? large : cell;
    return { plane, width: device(width), height: device(height) };
  });
}
