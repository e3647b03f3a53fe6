import type { OrientationMarks } from "@/viewer/slices/orientation.ts";

/**
 * Colours of drawings over a pane, and of the dark edge that keeps them readable on any picture.
 */
export const TEXT = "#e5e7eb", MARK = "#facc15", PLACE = "#22d3ee", SHADE = "rgba(0,0,0,0.85)";
const FONT = `px Inter, "Segoe UI", "Noto Sans", "Sulcus Korean", system-ui, sans-serif`;
const SCALE_STEPS_MM = [1, 2, 5, 10, 20, 50, 100];
/** The longest scale bar, as a part of the pane's width. */
const SCALE_PART = 0.22;
/** Distance from the edge, CSS px. */
export const PAD = 10;

/** The longest round length that fits, mm. */
function scaleBarMm(mmPerPixel: number, widthPixels: number): number {
  const most = mmPerPixel * widthPixels * SCALE_PART;
  return SCALE_STEPS_MM.findLast((mm) => mm <= most) ?? SCALE_STEPS_MM[0]!;
}

/**
 * A canvas over a pane, of the pane's size in device pixels; `ratio` is device pixels per CSS
 * pixel.
 */
interface PaneCanvas {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
  ratio: number;
}

/** Writes words at a place, device pixels; `size` in CSS px. */
export function writeText(
  { context, ratio }: PaneCanvas,
  words: string,
  x: number,
  y: number,
  align: CanvasTextAlign,
  colour = TEXT,
  size = 12,
): void {
  context.font = `${size > 13 ? "600 " : ""}${size * ratio}${FONT}`;
  context.textAlign = align;
  context.lineJoin = "round";
  context.lineWidth = 3 * ratio;
  context.strokeStyle = SHADE;
  context.fillStyle = colour;
  context.strokeText(words, x, y);
  context.fillText(words, x, y);
}

/** Draws the marks of every pane: orientation, title, and scale bar. */
export function drawPaneMarks(
  canvas: PaneCanvas,
  marks: OrientationMarks,
  title: string,
  mmPerPixel: number,
): void {
  const { context, width, height, ratio } = canvas, pad = PAD * ratio;
  context.textBaseline = "middle";
  writeText(canvas, marks.left, pad, height / 2, "left", MARK, 16);
  writeText(canvas, marks.right, width - pad, height / 2, "right", MARK, 16);
  context.textBaseline = "top";
  writeText(canvas, marks.top, width / 2, pad, "center", MARK, 16);
  writeText(canvas, title, pad, pad, "left", TEXT, 13);
  context.textBaseline = "bottom";
  writeText(canvas, marks.bottom, width / 2, height - pad, "center", MARK, 16);
  const barMm = scaleBarMm(mmPerPixel, width), bar = barMm / mmPerPixel, right = width - pad;
  writeText(canvas, `${barMm} mm`, right, height - pad - 8 * ratio, "right");
  for (const [colour, thickness] of [[SHADE, 4], [TEXT, 2]] as const) {
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
