import { directionLetters, type OrientationMarks } from "@/viewer/slices/orientation.ts";
import { drawPaneMarks, PLACE, SHADE } from "@/viewer/slices/marks/pane_marks.ts";
import { mmPerPixel, type SurfaceCamera } from "@/viewer/surface/camera.ts";

/** Opacity of the crosshair when the surface hides it. */
const HIDDEN_ALPHA = 0.3;

/** Annotations that are drawn over the 3D pane. */
export interface SurfaceMarks {
  /** Text at the top left of the 3D pane. */
  title: string;
  /** Screen position of the crosshair, device pixels; `null` when it is not near the surface. */
  place: { x: number; y: number; isHidden: boolean } | null;
  /** Depth for which the scale bar is valid, scene units. */
  scaleDepth: number;
}

/** Orientation letters at the edges of the picture for the current camera direction. */
export function surfaceLetters(
  { right, up }: Pick<SurfaceCamera, "right" | "up">,
): OrientationMarks {
  const [across, upwards] = [[...right], [...up]];
  return {
    left: directionLetters(across.map((v) => -v)),
    right: directionLetters(across),
    top: directionLetters(upwards),
    bottom: directionLetters(upwards.map((v) => -v)),
  };
}

/**
 * Draws orientation letters, title, scale bar and crosshair; `ratio`: device pixels per CSS pixel.
 */
export function drawMarks(
  context: CanvasRenderingContext2D,
  camera: SurfaceCamera,
  marks: SurfaceMarks,
  ratio: number,
): void {
  const { width, height } = context.canvas;
  context.clearRect(0, 0, width, height);
  if (marks.place) drawPlace(context, marks.place, ratio);
  const scale = mmPerPixel(camera, marks.scaleDepth, width, height);
  drawPaneMarks({ context, width, height, ratio }, surfaceLetters(camera), marks.title, scale);
}

/** Draws a ring with four ticks; translucent when the surface hides the position. */
function drawPlace(
  context: CanvasRenderingContext2D,
  { x, y, isHidden }: NonNullable<SurfaceMarks["place"]>,
  ratio: number,
): void {
  context.globalAlpha = isHidden ? HIDDEN_ALPHA : 1;
  for (const [colour, thickness] of [[SHADE, 4], [PLACE, 2]] as const) {
    context.strokeStyle = colour;
    context.lineWidth = thickness * ratio;
    context.beginPath();
    context.arc(x, y, 6 * ratio, 0, 2 * Math.PI);
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]] as const) {
      context.moveTo(x + dx * 6 * ratio, y + dy * 6 * ratio);
      context.lineTo(x + dx * 12 * ratio, y + dy * 12 * ratio);
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}
