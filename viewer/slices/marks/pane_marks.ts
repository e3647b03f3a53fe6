import type { OrientationMarks } from "@/viewer/slices/orientation.ts";

/** Colours of annotations over a pane, and of the dark outline that keeps them readable. */
export const TEXT = "#e5e7eb", MARK = "#facc15", PLACE = "#22d3ee", SHADE = "rgba(0,0,0,0.85)";
const FONT = `px Inter, "Segoe UI", "Noto Sans", "Sulcus Korean", system-ui, sans-serif`;
const SCALE_STEPS_MM = [1, 2, 5, 10, 20, 50, 100];
/** Maximum length of the scale bar, as a fraction of the pane's width. */
const SCALE_PART = 0.22;
/** Distance of annotations from the pane's edge, CSS px. */
export const PAD = 10;

/** The subset of a canvas context that annotations use: lines and texts. */
export type MarkContext = Pick<
  CanvasRenderingContext2D,
  | "font"
  | "textAlign"
  | "textBaseline"
  | "lineJoin"
  | "lineWidth"
  | "strokeStyle"
  | "fillStyle"
  | "strokeText"
  | "fillText"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "stroke"
>;

/** Largest round length that fits the maximum length of the scale bar, mm. */
function scaleBarMm(mmPerPixel: number, widthPixels: number): number {
  const most = mmPerPixel * widthPixels * SCALE_PART;
  return SCALE_STEPS_MM.findLast((mm) => mm <= most) ?? SCALE_STEPS_MM[0]!;
}

/**
 * A canvas over a pane, with the pane's size in device pixels;
 * `ratio` is device pixels per CSS pixel.
 */
interface PaneCanvas {
  context: MarkContext;
  width: number;
  height: number;
  ratio: number;
}

/** Vertical alignment of a text: the edge of the text that is at the given y. */
type Edge = "top" | "middle" | "bottom";
/**
 * Offset of the baseline from the edge, relative to the font size. SVG, used for server-rendered
 * pictures, would align text differently than a canvas.
 */
const BASELINE: Readonly<Record<Edge, number>> = { top: 0.9, middle: 0.36, bottom: -0.24 };

/** Draws text at a position in device pixels; `size` in CSS px. */
export function writeText(
  { context, ratio }: PaneCanvas,
  words: string,
  [x, y, edge]: readonly [x: number, y: number, edge: Edge],
  align: CanvasTextAlign,
  colour = TEXT,
  size = 12,
): void {
  const baseline = Math.round(y + BASELINE[edge] * size * ratio);
  context.font = `${size > 13 ? "600 " : ""}${size * ratio}${FONT}`;
  context.textAlign = align;
  context.textBaseline = "alphabetic";
  context.lineJoin = "round";
  context.lineWidth = 3 * ratio;
  context.strokeStyle = SHADE;
  context.fillStyle = colour;
  context.strokeText(words, x, baseline);
  context.fillText(words, x, baseline);
}

/** Draws the annotations common to all panes: orientation letters, title, and scale bar. */
export function drawPaneMarks(
  canvas: PaneCanvas,
  marks: OrientationMarks,
  title: string,
  mmPerPixel: number,
): void {
  const { context, width, height, ratio } = canvas, pad = PAD * ratio;
  const right = width - pad, bottom = height - pad;
  writeText(canvas, marks.left, [pad, height / 2, "middle"], "left", MARK, 16);
  writeText(canvas, marks.right, [right, height / 2, "middle"], "right", MARK, 16);
  writeText(canvas, marks.top, [width / 2, pad, "top"], "center", MARK, 16);
  writeText(canvas, title, [pad, pad, "top"], "left", TEXT, 13);
  writeText(canvas, marks.bottom, [width / 2, bottom, "bottom"], "center", MARK, 16);
  const barMm = scaleBarMm(mmPerPixel, width), bar = barMm / mmPerPixel;
  writeText(canvas, `${barMm}\u00a0mm`, [right, bottom - 8 * ratio, "bottom"], "right");
  for (const [colour, thickness] of [[SHADE, 4], [TEXT, 2]] as const) {
    context.strokeStyle = colour;
    context.lineWidth = thickness * ratio;
    context.beginPath();
    context.moveTo(right - bar, bottom - 6 * ratio);
    context.lineTo(right - bar, bottom);
    context.lineTo(right, bottom);
    context.lineTo(right, bottom - 6 * ratio);
    context.stroke();
  }
}
