import type { Grid } from "@/viewer/grid.ts";
import type { OrientationMarks } from "@/viewer/slices/orientation.ts";
import {
  drawPaneMarks,
  type MarkContext,
  PAD,
  PLACE,
  writeText,
} from "@/viewer/slices/marks/pane_marks.ts";
import { pixelX, pixelY } from "@/viewer/slices/marks/pick.ts";
import {
  type PaneMapping,
  type Scene,
  shownWindow,
  sliceCount,
  sliceNumber,
} from "@/viewer/scene.ts";

/** Annotations drawn over a pane. */
export interface Annotation {
  marks: OrientationMarks;
  /** Name of the plane in the page's language. */
  title: string;
  /** study and series of the images during a comparison; empty otherwise */
  caption: string;
}

const LINE_OUT = "rgba(34,211,238,0.35)";
/** Minimum width of a pane in which the position of the crosshair is printed, CSS px. */
const ROOM_FOR_POSITION = 360;

/** Formats a coordinate with one decimal and the direction letter: "R 12.3". */
export function directedMm(rasMm: ArrayLike<number>): string {
  const letters = ["RL", "AP", "SI"];
  return letters.map((pair, r) => {
    const mm = rasMm[r]!;
    return `${pair[mm < -0.05 ? 1 : 0]} ${Math.abs(mm).toFixed(1)}`;
  }).join("  ");
}

/**
 * Draws crosshair, orientation letters, slice number, caption, position and scale bar.
 * The canvas has the pane's size in device pixels; `ratio` is device pixels per CSS pixel.
 */
export function annotate(
  context: MarkContext,
  mapping: PaneMapping,
  scene: Scene,
  grid: Grid,
  annotation: Annotation,
  ratio: number,
): void {
  const { width, height } = mapping, pad = PAD * ratio, canvas = { context, width, height, ratio };
  if (scene.isCrosshairVisible) drawCrosshair(context, mapping, scene, grid, ratio);
  drawPaneMarks(canvas, annotation.marks, annotation.title, mapping.mmPerPixel);
  const count = sliceCount(grid, mapping.plane), bottom = height - pad;
  const number = `${sliceNumber(mapping, grid)} / ${count}`;
  writeText(canvas, number, [pad, pad + 18 * ratio, "top"], "left");
  writeText(canvas, annotation.caption, [pad, pad + 35 * ratio, "top"], "left");
  // in a narrow pane the position would overlap the letter; the status bar shows the position too
  const hasRoom = width >= ROOM_FOR_POSITION * ratio;
  if (hasRoom) {
    writeText(canvas, `${directedMm(scene.crosshairMm)}\u00a0mm`, [pad, bottom, "bottom"], "left");
  }
  const [span, centre] = shownWindow(scene), level = `W ${span}  L ${centre}`;
  writeText(canvas, level, [pad, bottom - (hasRoom ? 16 * ratio : 0), "bottom"], "left");
}

/**
 * Crosshair with a gap at the centre, which keeps the position visible.
 * The crosshair is translucent where its position is outside the slices.
 */
function drawCrosshair(
  context: MarkContext,
  mapping: PaneMapping,
  scene: Scene,
  grid: Grid,
  ratio: number,
): void {
  const { width, height } = mapping, gap = 6 * ratio;
  const x = Math.round(pixelX(mapping, grid, scene.crosshairMm) - 0.5) + 0.5;
  const y = Math.round(pixelY(mapping, grid, scene.crosshairMm) - 0.5) + 0.5;
  const isOnSlice = mapping.slice >= 0 && mapping.slice < grid.shape[mapping.through]!;
  context.strokeStyle = isOnSlice ? PLACE : LINE_OUT;
  context.lineWidth = Math.max(1, Math.round(ratio));
  context.beginPath();
  context.moveTo(0, y);
  context.lineTo(x - gap, y);
  context.moveTo(x + gap, y);
  context.lineTo(width, y);
  context.moveTo(x, 0);
  context.lineTo(x, y - gap);
  context.moveTo(x, y + gap);
  context.lineTo(x, height);
  context.stroke();
}
