import { geometryOf, valueDigits } from "@/model/regions/measured_shape.ts";
import type { PixelStatistics } from "@/model/schema/reading/measurements.ts";
import type { Grid } from "@/viewer/grid.ts";
import { affineRow } from "@/viewer/grid.ts";
import { pixelX, pixelY } from "@/viewer/slices/marks/pick.ts";
import type { PaneMapping, Plane } from "@/viewer/scene.ts";

/** Kinds of measurements: lines, and regions of pixels. */
export type MeasurementKind = "ruler" | "angle" | "ellipse" | "rectangle" | "freehand";

/**
 * A length between two points, an angle at the second of three points, or a region.
 * A region is a box (two corners) or a closed outline (three or more points).
 */
export interface Measurement {
  kind: MeasurementKind;
  plane: Plane;
  /** points in RAS mm, three numbers each, all on one slice */
  pointsMm: number[];
  /** whether the outline is still being drawn */
  isOpen?: boolean;
  /** id of a stored measurement; absent while unsaved */
  id?: number;
  /** whether another user made the measurement, which therefore cannot be moved */
  isFixed?: boolean;
  /** series that the panes showed when the user measured */
  series?: "t1" | "t2";
  /** statistics of a region; absent until original values are loaded */
  statistics?: PixelStatistics | null;
}

/** Number of points of a complete measurement; an outline has three or more. */
export const placesOf = (kind: MeasurementKind): number =>
  kind === "angle" || kind === "freehand" ? 3 : 2;

export const isWhole = ({ kind, pointsMm, isOpen }: Measurement): boolean =>
  !isOpen && (kind === "freehand" ? pointsMm.length >= 9 : pointsMm.length === 3 * placesOf(kind));

/** Whether a measurement is a region of pixels. */
export const isRegion = ({ kind }: Pick<Measurement, "kind">): boolean =>
  kind !== "ruler" && kind !== "angle";

/** Measured value as text: "12.3 mm", "47.1°", "157 mm² · 812 ± 20". */
export function measured(measurement: Measurement): string {
  const shape = geometryOf(measurement), { statistics } = measurement;
  if (!statistics) return shape;
  const digits = valueDigits(statistics);
  return `${shape} · ${digits(statistics.mean)} ± ${digits(statistics.sd)}`;
}

/** Whether a pane shows the slice of the measurement. */
export function isOnSlice(measurement: Measurement, mapping: PaneMapping, grid: Grid): boolean {
  if (measurement.plane !== mapping.plane) return false;
  const index = affineRow(grid.ijkFromRas, mapping.through, measurement.pointsMm);
  return Math.floor(index + 0.5) === mapping.slice;
}

/**
 * Distance in device pixels from a position in the pane to the nearest point of the measurement.
 * Writes the index of that point to `place`.
 */
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

/**
 * Draws the measurements of a pane's slice over the slice.
 *
 * @param series Series shown in the panes.
 * Measurements on other series appear only in the list, with the name of the series.
 * @param ratio  Device pixels per CSS pixel.
 */
export function drawMeasurements(
  context: CanvasRenderingContext2D,
  measurements: readonly Measurement[],
  mapping: PaneMapping,
  grid: Grid,
  series: "t1" | "t2",
  ratio: number,
): void {
  const labels: Box[] = [];
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
      trace(context, measurement, places);
      context.stroke();
      for (const [x, y] of measurement.kind === "freehand" ? places.slice(0, 1) : places) {
        context.beginPath();
        context.arc(x, y, (DOT_PX + (width === 4 ? 1 : 0)) * ratio, 0, 2 * Math.PI);
        context.fill();
      }
    }
    if (!isWhole(measurement)) continue;
    const isOther = (measurement.series ?? series) !== series;
    const words = isOther ? geometryOf(measurement) : measured(measurement);
    labels.push(write(context, words, places, ratio, labels));
  }
}

/** Path of a measurement: through the points, or around the region. */
function trace(
  context: CanvasRenderingContext2D,
  measurement: Measurement,
  places: readonly (readonly [number, number])[],
): void {
  const [first, second] = places;
  if (second && measurement.kind === "rectangle") {
    return context.rect(first![0], first![1], second[0] - first![0], second[1] - first![1]);
  }
  if (second && measurement.kind === "ellipse") {
    const [x, y] = [(first![0] + second[0]) / 2, (first![1] + second[1]) / 2];
    return context.ellipse(
      x,
      y,
      Math.abs(second[0] - first![0]) / 2,
      Math.abs(second[1] - first![1]) / 2,
      0,
      0,
      2 * Math.PI,
    );
  }
  places.forEach(([x, y], at) => at === 0 ? context.moveTo(x, y) : context.lineTo(x, y));
  if (isRegion(measurement) && isWhole(measurement)) context.closePath();
}

/** Extent of a text label: left and right end, and vertical centre; device pixels. */
export interface Box {
  left: number;
  right: number;
  y: number;
}

/** Size of a pane, device pixels. */
interface PaneSize {
  width: number;
  height: number;
}

/**
 * Nearest vertical position, device pixels, at which a text label overlaps no other text label:
 * at most four line heights away, and between `low` and `high`; otherwise the original position.
 */
export function freeHeight(
  { left, right, y }: Box,
  others: readonly Box[],
  line: number,
  low = -Infinity,
  high = Infinity,
): number {
  const isFree = (at: number) =>
    at >= low && at <= high &&
    others.every((one) => one.right <= left || one.left >= right || Math.abs(one.y - at) >= line);
  return [0, 1, -1, 2, -2, 3, -3, 4, -4].map((n) => y + n * line).find(isFree) ?? y;
}

/**
 * Horizontal position of a text label that would extend beyond the pane: moved inside.
 * A text label that is wider than the pane is aligned left.
 */
export function insidePane(
  { left, right, y }: Box,
  pane: PaneSize,
  margin: number,
  line: number,
): Box {
  const moved = Math.max(margin - left, Math.min(0, pane.width - margin - right));
  const lowest = pane.height - margin - line / 2;
  return {
    left: left + moved,
    right: right + moved,
    y: Math.max(margin + line / 2, Math.min(lowest, y)),
  };
}

/**
 * Draws a text label beside the second point of an angle, otherwise beside the last point.
 * The text label is inside the pane and does not overlap other text labels.
 */
function write(
  context: CanvasRenderingContext2D,
  words: string,
  places: readonly (readonly [number, number])[],
  ratio: number,
  others: readonly Box[],
): Box {
  const { canvas } = context, line = 17 * ratio, margin = 3 * ratio;
  const [x, y] = places[1]!, isLeft = x < places[0]![0];
  context.font = `600 ${13 * ratio}px Inter, "Segoe UI", "Noto Sans", system-ui, sans-serif`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3 * ratio;
  context.strokeStyle = SHADOW;
  context.fillStyle = LINE;
  const at = x + (isLeft ? -9 : 9) * ratio, { width } = context.measureText(words);
  const beside = { left: isLeft ? at - width : at, right: isLeft ? at : at + width, y };
  const box = insidePane(beside, canvas, margin, line), edge = margin + line / 2;
  box.y = freeHeight(box, others, line, edge, canvas.height - edge);
  context.strokeText(words, box.left, box.y);
  context.fillText(words, box.left, box.y);
  return box;
}
