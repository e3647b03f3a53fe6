import type { Grid } from "@/viewer/grid.ts";
import type { OrientationMarks } from "@/viewer/orientation.ts";
import { pixelX, pixelY } from "@/viewer/pick.ts";
import { type PaneMapping, type Scene, sliceCount, sliceNumber } from "@/viewer/scene.ts";

/** What is drawn over a pane besides the pixels. */
export interface Annotation {
  marks: OrientationMarks;
  /** Name of the plane in the page's language. */
  title: string;
  isActive: boolean;
}

const TEXT = "#e5e7eb", MARK = "#facc15", LINE = "#22d3ee", LINE_OUT = "rgba(34,211,238,0.35)";
const SCALE_STEPS_MM = [1, 2, 5, 10, 20, 50, 100];
/** The longest scale bar, as a part of the pane's width. */
const SCALE_PART = 0.22;

/** CSS px. */
const ROOM_FOR_POSITION = 360;

/** mm with one decimal and the letter of its direction: "R 12.3". */
export function directedMm(rasMm: ArrayLike<number>): string {
  const letters = ["RL", "AP", "SI"];
  return letters.map((pair, r) => {
    const mm = rasMm[r]!;
    return `${pair[mm < -0.05 ? 1 : 0]} ${Math.abs(mm).toFixed(1)}`;
  }).join("  ");
}

/** The longest round length that fits, mm. */
export function scaleBarMm(mmPerPixel: number, widthPixels: number): number {
  const most = mmPerPixel * widthPixels * SCALE_PART;
  return SCALE_STEPS_MM.findLast((mm) => mm <= most) ?? SCALE_STEPS_MM[0]!;
}

/**
 * Draws crosshair, orientation marks, slice number, position and scale bar over what is there. The canvas has the pane's
 * size in device pixels; `ratio` is device pixels per CSS pixel.
 */
export function annotate(
  context: CanvasRenderingContext2D,
  mapping: PaneMapping,
  scene: Scene,
  grid: Grid,
  annotation: Annotation,
  ratio: number,
): void {
  const { width, height } = mapping, pad = 10 * ratio;
  if (scene.isCrosshairVisible) drawCrosshair(context, mapping, scene, grid, ratio);
  const text = (words: string, x: number, y: number, align: CanvasTextAlign, colour: string, size = 12) => {
    context.font = `${size > 13 ? "600 " : ""}${
      size * ratio
    }px Inter, "Segoe UI", "Noto Sans", "Sulcus Korean", system-ui, sans-serif`;
    context.textAlign = align;
    context.lineJoin = "round";
    context.lineWidth = 3 * ratio;
    context.strokeStyle = "rgba(0,0,0,0.85)";
    context.fillStyle = colour;
    context.strokeText(words, x, y);
    context.fillText(words, x, y);
  };
  context.textBaseline = "middle";
  text(annotation.marks.left, pad, height / 2, "left", MARK, 16);
  text(annotation.marks.right, width - pad, height / 2, "right", MARK, 16);
  context.textBaseline = "top";
  text(annotation.marks.top, width / 2, pad, "center", MARK, 16);
  text(annotation.title, pad, pad, "left", TEXT, 13);
  const count = sliceCount(grid, mapping.plane);
  text(`${sliceNumber(mapping, grid)} / ${count}`, pad, pad + 18 * ratio, "left", TEXT);
  context.textBaseline = "bottom";
  text(annotation.marks.bottom, width / 2, height - pad, "center", MARK, 16);
  // in a narrow pane the position would run into the mark below; the status bar has it too
  const hasRoom = width >= ROOM_FOR_POSITION * ratio;
  if (hasRoom) text(`${directedMm(scene.crosshairMm)} mm`, pad, height - pad, "left", TEXT);
  const level = `W ${Math.round(scene.window.width)}  L ${Math.round(scene.window.level)}`;
  text(level, pad, height - pad - (hasRoom ? 16 * ratio : 0), "left", TEXT);
  const barMm = scaleBarMm(mapping.mmPerPixel, width);
  const bar = barMm / mapping.mmPerPixel, right = width - pad;
  text(`${barMm} mm`, right, height - pad - 8 * ratio, "right", TEXT);
  for (const [colour, thickness] of [["rgba(0,0,0,0.85)", 4], [TEXT, 2]] as const) {
    context.strokeStyle = colour;
    context.lineWidth = thickness * ratio;
    context.beginPath();
    context.moveTo(right - bar, height - pad - 6 * ratio);
    context.lineTo(right - bar, height - pad);
    context.lineTo(right, height - pad);
    context.lineTo(right, height - pad - 6 * ratio);
    context.stroke();
  }
}

/** Two lines with a gap around the place itself, so that they do not hide it; pale when it is on no slice. */
function drawCrosshair(
  context: CanvasRenderingContext2D,
  mapping: PaneMapping,
  scene: Scene,
  grid: Grid,
  ratio: number,
): void {
  const { width, height } = mapping, gap = 6 * ratio;
  const x = Math.round(pixelX(mapping, grid, scene.crosshairMm) - 0.5) + 0.5;
  const y = Math.round(pixelY(mapping, grid, scene.crosshairMm) - 0.5) + 0.5;
  const isOnSlice = mapping.slice >= 0 && mapping.slice < grid.shape[mapping.through]!;
  context.strokeStyle = isOnSlice ? LINE : LINE_OUT;
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
