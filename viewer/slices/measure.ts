import type { Grid } from "@/viewer/grid.ts";
import { affineRow } from "@/viewer/grid.ts";
import { pixelX, pixelY } from "@/viewer/slices/pick.ts";
import type { PaneMapping, Plane } from "@/viewer/scene.ts";

/** A length between two places, or an angle between the lines from its second place to the first and third. */
export interface Measurement {
  kind: "ruler" | "angle";
  plane: Plane;
  /** RAS mm, three numbers a place, all on one slice. */
  pointsMm: number[];
}

/** Places that a measurement has when it is whole. */
export const placesOf = (kind: Measurement["kind"]): number => kind === "ruler" ? 2 : 3;

export const isWhole = ({ kind, pointsMm }: Measurement): boolean => pointsMm.length === 3 * placesOf(kind);

const from = (pointsMm: readonly number[], a: number, b: number): [number, number, number] => [
  pointsMm[3 * b]! - pointsMm[3 * a]!,
  pointsMm[3 * b + 1]! - pointsMm[3 * a + 1]!,
  pointsMm[3 * b + 2]! - pointsMm[3 * a + 2]!,
];

/** Distance of the first two places, mm. */
export const lengthMm = ({ pointsMm }: Measurement): number => Math.hypot(...from(pointsMm, 0, 1));

/** Angle at the second place, degrees 0..180; 0 when two places fall together. */
export function angleDeg({ pointsMm }: Measurement): number {
  const a = from(pointsMm, 1, 0), b = from(pointsMm, 1, 2);
  const across = Math.hypot(
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  );
  return Math.atan2(across, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * 180 / Math.PI;
}

/** "12.3 mm", "47.1°". */
export const measured = (measurement: Measurement): string =>
  measurement.kind === "ruler"
    ? `${lengthMm(measurement).toFixed(1)} mm`
    : `${angleDeg(measurement).toFixed(1)}°`;

/** Whether a pane shows the slice that the measurement lies on. */
export function isOnSlice(measurement: Measurement, mapping: PaneMapping, grid: Grid): boolean {
  if (measurement.plane !== mapping.plane) return false;
  const index = affineRow(grid.ijkFromRas, mapping.through, measurement.pointsMm);
  return Math.floor(index + 0.5) === mapping.slice;
}

/** Device pixels from the pane's corner to the nearest place of the measurement; its index in `place`. */
export function nearestPlace(
  measurement: Measurement,
  mapping: PaneMapping,
  grid: Grid,
  x: number,
  y: number,
): { place: number; pixels: number } {
  let place = 0, pixels = Infinity;
  for (let at = 0; at < measurement.pointsMm.length / 3; at++) {
    const point = measurement.pointsMm.slice(3 * at, 3 * at + 3);
    const away = Math.hypot(pixelX(mapping, grid, point) - x, pixelY(mapping, grid, point) - y);
    if (away < pixels) [place, pixels] = [at, away];
  }
  return { place, pixels };
}

const LINE = "#a3e635", SHADOW = "rgba(0,0,0,0.85)", DOT_PX = 3.5;

/** Draws the measurements of a pane's slice over it. `ratio`: device pixels per CSS pixel. */
export function drawMeasurements(
  context: CanvasRenderingContext2D,
  measurements: readonly Measurement[],
  mapping: PaneMapping,
  grid: Grid,
  ratio: number,
): void {
  for (const measurement of measurements) {
    if (!isOnSlice(measurement, mapping, grid)) continue;
    const places = Array.from({ length: measurement.pointsMm.length / 3 }, (_, at) => {
      const point = measurement.pointsMm.slice(3 * at, 3 * at + 3);
      return [pixelX(mapping, grid, point), pixelY(mapping, grid, point)] as const;
    });
    for (const [colour, width] of [[SHADOW, 4], [LINE, 2]] as const) {
      context.strokeStyle = context.fillStyle = colour;
      context.lineWidth = width * ratio;
      context.beginPath();
      places.forEach(([x, y], at) => at === 0 ? context.moveTo(x, y) : context.lineTo(x, y));
      context.stroke();
      for (const [x, y] of places) {
        context.beginPath();
        context.arc(x, y, (DOT_PX + (width === 4 ? 1 : 0)) * ratio, 0, 2 * Math.PI);
        context.fill();
      }
    }
    if (isWhole(measurement)) write(context, measured(measurement), places, ratio);
  }
}

/** Beside the second place of an angle, else beside the last one. */
function write(
  context: CanvasRenderingContext2D,
  words: string,
  places: readonly (readonly [number, number])[],
  ratio: number,
): void {
  const [x, y] = places[1]!, isLeft = x < places[0]![0];
  context.font = `600 ${13 * ratio}px Inter, "Segoe UI", "Noto Sans", system-ui, sans-serif`;
  context.textAlign = isLeft ? "right" : "left";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3 * ratio;
  context.strokeStyle = SHADOW;
  context.fillStyle = LINE;
  const at = x + (isLeft ? -9 : 9) * ratio;
  context.strokeText(words, at, y);
  context.fillText(words, at, y);
}
