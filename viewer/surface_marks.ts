import { scaleBarMm } from "@/viewer/annotate.ts";
import { directionLetters, type OrientationMarks } from "@/viewer/orientation.ts";
import { mmPerPixel, type SurfaceCamera } from "@/viewer/surface_camera.ts";

const TEXT = "#e5e7eb", MARK = "#facc15", PLACE = "#22d3ee", SHADE = "rgba(0,0,0,0.85)";
const FONT = `px Inter, "Segoe UI", "Noto Sans", "Sulcus Korean", system-ui, sans-serif`;
/** A place behind the surface shows this strongly. */
const HIDDEN_ALPHA = 0.3;

/** What is drawn over the surface. */
export interface SurfaceMarks {
  /** Words at the left top. */
  title: string;
  /** Place of the crosshair on the screen, device pixels; `null` when it is not near the surface. */
  place: { x: number; y: number; isHidden: boolean } | null;
  /** Depth that the scale bar holds for, scene units. */
  scaleDepth: number;
}

/** Letters at the edges of the picture: the patient's directions, whatever the camera's turn. */
export function surfaceLetters({ right, up }: Pick<SurfaceCamera, "right" | "up">): OrientationMarks {
  const [across, upwards] = [[...right], [...up]];
  return {
    left: directionLetters(across.map((v) => -v)),
    right: directionLetters(across),
    top: directionLetters(upwards),
    bottom: directionLetters(upwards.map((v) => -v)),
  };
}

/** Draws orientation letters, title, scale bar and the crosshair's place; `ratio`: device pixels per CSS pixel. */
export function drawMarks(
  context: CanvasRenderingContext2D,
  camera: SurfaceCamera,
  marks: SurfaceMarks,
  ratio: number,
): void {
  const { width, height } = context.canvas, pad = 10 * ratio;
  context.clearRect(0, 0, width, height);
  context.lineJoin = "round";
  const text = (
    words: string,
    x: number,
    y: number,
    align: CanvasTextAlign,
    colour: string,
    size: number,
  ) => {
    context.font = `${size > 13 ? "600 " : ""}${size * ratio}${FONT}`;
    context.textAlign = align;
    context.lineWidth = 3 * ratio;
    context.strokeStyle = SHADE;
    context.fillStyle = colour;
    context.strokeText(words, x, y);
    context.fillText(words, x, y);
  };
  if (marks.place) drawPlace(context, marks.place, ratio);
  const letters = surfaceLetters(camera);
  context.textBaseline = "middle";
  text(letters.left, pad, height / 2, "left", MARK, 16);
  text(letters.right, width - pad, height / 2, "right", MARK, 16);
  context.textBaseline = "top";
  text(letters.top, width / 2, pad, "center", MARK, 16);
  text(marks.title, pad, pad, "left", TEXT, 13);
  context.textBaseline = "bottom";
  text(letters.bottom, width / 2, height - pad, "center", MARK, 16);
  const scale = mmPerPixel(camera, marks.scaleDepth, width, height);
  const barMm = scaleBarMm(scale, width), bar = barMm / scale, right = width - pad;
  text(`${barMm} mm`, right, height - pad - 8 * ratio, "right", TEXT, 12);
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

/** A ring with four ticks; pale when the surface hides the place. */
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
