import type { Composer } from "@/viewer/slices/compose.ts";
import { affineRow, type Grid } from "@/viewer/grid.ts";
import type { DrawOver } from "@/viewer/slices/slice_renderer.ts";
import {
  createPaneMapping,
  fittingMmPerPixel,
  mapPane,
  type PaneMapping,
  type Plane,
  type Scene,
  sliceNumber,
  throughAxis,
} from "@/viewer/scene.ts";

/** Index of the composer's pane for tiles; planes and surface use the first panes. */
const TILE_PANE = 7;

/** Number of rows and columns of a mosaic. */
interface MosaicShape {
  rows: number;
  columns: number;
}

/**
 * Voxel indices of the displayed slices, evenly spaced over the field (the labelled head):
 * top to bottom for axial, front to back for coronal, right to left for sagittal.
 * Fewer if the field has fewer slices.
 */
export function mosaicSlices(scene: Scene, grid: Grid, plane: Plane, count: number): number[] {
  const ras = throughAxis[plane], axis = grid.voxelAxis[ras]!;
  const half = scene.field.extentMm[axis]! / grid.spacingMm[axis]! / 2,
    centre = scene.field.centreIjk[axis]!;
  const low = Math.max(0, Math.ceil(centre - half)),
    high = Math.min(grid.shape[axis]! - 1, Math.floor(centre + half));
  const sliceCount = Math.min(count, high - low + 1);
  const slices = Array.from(
    { length: sliceCount },
    (_, at) => Math.round(low + (at + 0.5) * (high - low + 1) / sliceCount - 0.5),
  );
  // starts at the positive anatomical end: superior, anterior, right first
  return grid.voxelSign[ras]! > 0 ? slices.reverse() : slices;
}

/** Number of rows and columns that fills a pane best with tiles of the field's aspect ratio. */
export function mosaicShape(
  count: number,
  width: number,
  height: number,
  aspect: number,
): MosaicShape {
  let best: MosaicShape = { rows: 1, columns: count }, area = 0;
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const tile = Math.min(width / columns, height / rows * aspect);
    if (tile > area) [area, best] = [tile, { rows, columns }];
  }
  return best;
}

/**
 * Draws many slices of one plane into a canvas, with the scene's window and overlay.
 * The slice nearest to the crosshair is framed.
 *
 * @param canvas Size in device pixels. `ratio`: device pixels per CSS pixel.
 * @param marks  Orientation letters of the left and right edge, drawn into every tile.
 * @param cover  Covers parts of a tile with slices that have not arrived.
 * @returns for each tile, the mapping from canvas to voxels, to locate a click.
 * Tiles are in rows from the top, left to right.
 */
export function drawMosaic(
  canvas: HTMLCanvasElement,
  composer: Composer,
  scene: Scene,
  grid: Grid,
  plane: Plane,
  count: number,
  marks: { left: string; right: string },
  ratio: number,
  cover: DrawOver,
): { shape: MosaicShape; tileWidth: number; tileHeight: number; mappings: PaneMapping[] } {
  const context = canvas.getContext("2d", { alpha: false })!;
  context.fillStyle = "#000";
  context.fillRect(0, 0, canvas.width, canvas.height);
  const slices = mosaicSlices(scene, grid, plane, count);
  const probe = createPaneMapping(plane);
  const still: Scene = {
    ...scene,
    crosshairMm: scene.crosshairMm.slice(),
    views: { ...scene.views, [plane]: { zoom: 1, panXMm: 0, panYMm: 0 } },
  };
  mapPane(probe, still, grid, 100, 100);
  const mm = (axis: number) => scene.field.extentMm[axis]!;
  const aspect = mm(probe.across) / mm(probe.down);
  const shape = mosaicShape(slices.length, canvas.width, canvas.height, aspect);
  const tileWidth = Math.floor(canvas.width / shape.columns),
    tileHeight = Math.floor(canvas.height / shape.rows);
  if (tileWidth === 0 || tileHeight === 0) return { shape, tileWidth, tileHeight, mappings: [] };
  // the whole field of this plane is shown, independent of the extent of other planes
  const fits = Math.max(mm(probe.across) / tileWidth, mm(probe.down) / tileHeight);
  still.views[plane].zoom = fittingMmPerPixel(still, grid, plane, tileWidth, tileHeight) / fits;
  composer.sizePane(TILE_PANE, tileWidth, tileHeight);
  const pixels = composer.pixels(TILE_PANE), image = new ImageData(pixels, tileWidth, tileHeight);
  const mappings = slices.map((slice, at) => {
    const mapping = createPaneMapping(plane), axis = probe.through;
    const moved = slice - affineRow(grid.ijkFromRas, axis, still.crosshairMm);
    for (let r = 0; r < 3; r++) still.crosshairMm[r]! += grid.rasFromIjk[axis * 4 + r]! * moved;
    mapPane(mapping, still, grid, tileWidth, tileHeight);
    composer.compose(TILE_PANE, mapping, still);
    const x = at % shape.columns * tileWidth, y = Math.floor(at / shape.columns) * tileHeight;
    context.putImageData(image, x, y);
    context.save();
    context.translate(x, y);
    cover(context, mapping, ratio);
    context.restore();
    label(
      context,
      String(sliceNumber(mapping, grid)),
      x + 5 * ratio,
      y + 5 * ratio,
      "left",
      "top",
      ratio,
    );
    label(context, marks.left, x + 5 * ratio, y + tileHeight / 2, "left", "middle", ratio);
    label(
      context,
      marks.right,
      x + tileWidth - 5 * ratio,
      y + tileHeight / 2,
      "right",
      "middle",
      ratio,
    );
    return mapping;
  });
  const here = nearestSlice(slices, probe.slice);
  context.strokeStyle = CURRENT_COLOUR;
  context.lineWidth = 2 * ratio;
  context.strokeRect(
    here % shape.columns * tileWidth + ratio,
    Math.floor(here / shape.columns) * tileHeight + ratio,
    tileWidth - 2 * ratio,
    tileHeight - 2 * ratio,
  );
  return { shape, tileWidth, tileHeight, mappings };
}

const CURRENT_COLOUR = "#22d3ee";

/** Index of the displayed slice that is nearest to the crosshair. */
export const nearestSlice = (slices: readonly number[], slice: number): number =>
  slices.reduce(
    (best, each, at) => Math.abs(each - slice) < Math.abs(slices[best]! - slice) ? at : best,
    0,
  );

function label(
  context: CanvasRenderingContext2D,
  words: string,
  x: number,
  y: number,
  align: CanvasTextAlign,
  baseline: CanvasTextBaseline,
  ratio: number,
): void {
  context.font = `600 ${11 * ratio}px Inter, "Segoe UI", "Noto Sans", system-ui, sans-serif`;
  context.textAlign = align;
  context.textBaseline = baseline;
  context.lineWidth = 3 * ratio;
  context.lineJoin = "round";
  context.strokeStyle = "rgba(0,0,0,0.85)";
  context.fillStyle = baseline === "middle" ? "#facc15" : "#e5e7eb";
  context.strokeText(words, x, y);
  context.fillText(words, x, y);
}
