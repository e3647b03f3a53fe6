import { type Signal, signal } from "@preact/signals-react";
import {
  isRegion,
  isWhole,
  type Measurement,
  type MeasurementKind,
} from "@/viewer/slices/marks/measure.ts";
import { isTinyShape } from "@/model/regions/measured_shape.ts";
import type { Plane } from "@/viewer/scene.ts";

/** Tool that the left mouse button uses in a pane. */
export const TOOLS = ["crosshair", "scroll", "ruler", "angle"] as const;
/** Tools that are selected in the panel for measurements and corrections. */
export const REGION_TOOLS = ["ellipse", "rectangle", "freehand"] as const;
export type Tool = (typeof TOOLS)[number] | (typeof REGION_TOOLS)[number] | "brush";

/** Whether a tool makes measurements. */
export const isMeasuring = (tool: Tool): tool is MeasurementKind =>
  tool !== "crosshair" && tool !== "scroll" && tool !== "brush";

/** Maximum number of points of an outline. */
const MAX_OUTLINE = 400;

export const CINE_SPEEDS = [2, 5, 10, 20] as const;

/** Receives the brush strokes of the pointer; positions in RAS mm. */
export interface BrushStrokes {
  begin(plane: Plane, rasMm: readonly number[]): void;
  extend(rasMm: readonly number[]): void;
  end(): void;
  /** Cancels the stroke and restores the voxels. */
  cancel(): void;
}

/** State of the tools, loaded after the images: settings, and editing of measurements. */
export class ToolState {
  readonly tool: Signal<Tool> = signal("crosshair");
  readonly isPlaying = signal(false);
  readonly slicesPerSecond = signal<number>(10);
  readonly isAnonymous = signal(false);
  /** Called after a stored measurement was moved. */
  onMoved: (before: Measurement, after: Measurement) => void = () => {};
  /** Earlier states of moved measurements, for undo; most recent last. */
  readonly moves: Measurement[] = [];
  /** Handler of brush strokes; `null` until the correction tool is loaded. */
  readonly brush: Signal<BrushStrokes | null> = signal(null);

  /** @param measurements Signal of the session, because measurements are part of a shared view. */
  constructor(readonly measurements: Signal<readonly Measurement[]> = signal([])) {}

  /** Removes the last unsaved measurement. @returns false without one. */
  undo(): boolean {
    // a stored measurement can only be deleted in the list of measurements
    if (this.measurements.value.at(-1)?.id !== undefined || this.measurements.value.length === 0) {
      return false;
    }
    this.measurements.value = this.measurements.value.slice(0, -1);
    return true;
  }

  /** Adds a point (RAS mm) to the current measurement, or starts a new one on a series. */
  place(
    kind: Measurement["kind"],
    plane: Plane,
    rasMm: readonly number[],
    series?: Measurement["series"],
  ): void {
    const measurements = this.measurements.value, last = measurements.at(-1);
    if (isRegion({ kind })) {
      const isOpen = kind === "freehand" ? { isOpen: true } : {};
      const pointsMm = kind === "freehand" ? [...rasMm] : [...rasMm, ...rasMm];
      this.measurements.value = [...measurements.filter(isWhole), {
        kind,
        plane,
        series,
        pointsMm,
        ...isOpen,
      }];
      return;
    }
    this.measurements.value = last && !isWhole(last) && last.kind === kind && last.plane === plane
      ? [...measurements.slice(0, -1), { ...last, pointsMm: [...last.pointsMm, ...rasMm] }]
      : [...measurements.filter(isWhole), { kind, plane, series, pointsMm: [...rasMm] }];
  }

  /** Moves one point of a measurement. */
  move(at: number, place: number, rasMm: readonly number[]): void {
    this.measurements.value = this.measurements.value.map((each, n) =>
      n === at
        ? {
          ...each,
          // the previous statistics belong to the position before the move
          ...(each.statistics ? { statistics: null } : {}),
          pointsMm: each.pointsMm.with(3 * place, rasMm[0]!).with(3 * place + 1, rasMm[1]!).with(
            3 * place + 2,
            rasMm[2]!,
          ),
        }
        : each
    );
  }

  /**
   * Ends the move of a measurement, and reverts the move if points coincide.
   * @param before State before the move.
   */
  moved(at: number, before: Measurement): void {
    const moved = this.measurements.value[at];
    if (moved && isTinyShape(moved)) {
      this.measurements.value = this.measurements.value.with(at, before);
      return;
    }
    if (before.id === undefined || moved?.id !== before.id || moved === before) return;
    this.moves.push(before);
    this.onMoved(before, moved);
  }

  /** Reverts the last move of a stored measurement. @returns false without a move. */
  undoMove(): boolean {
    const previous = this.moves.pop();
    const current = this.measurements.value.find(({ id }) => id === previous?.id);
    if (!previous || !current) return false;
    this.onMoved(current, previous);
    return true;
  }

  /** Cancels the unfinished measurement, because a second finger touched the screen. */
  cancel(before: readonly Measurement[]): void {
    this.brush.peek()?.cancel();
    this.measurements.value = before;
  }

  /** Adds a point to the outline that is being drawn. */
  extend(rasMm: readonly number[]): void {
    const last = this.measurements.value.at(-1);
    if (!last?.isOpen || last.pointsMm.length >= 3 * MAX_OUTLINE) return;
    this.measurements.value = this.measurements.value.with(-1, {
      ...last,
      pointsMm: [...last.pointsMm, ...rasMm],
    });
  }

  /**
   * Completes a region. @param isTiny True if the region is tiny on the screen: it is then removed.
   */
  end(isTiny: boolean): void {
    const last = this.measurements.value.at(-1);
    if (!last || !isRegion(last)) return;
    const { isOpen: _, ...whole } = last;
    this.measurements.value = isTiny || !isWhole(whole)
      ? this.measurements.value.slice(0, -1)
      : this.measurements.value.with(-1, whole);
  }

  /** Discards an unfinished measurement. */
  discardUnfinished(): void {
    this.measurements.value = this.measurements.value.filter(isWhole);
  }
}
