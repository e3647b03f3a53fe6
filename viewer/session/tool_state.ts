import { type Signal, signal } from "@preact/signals-react";
import { isWhole, type Measurement } from "@/viewer/slices/measure.ts";
import type { Plane } from "@/viewer/scene.ts";

/** What the left button does in a pane. */
export const TOOLS = ["crosshair", "scroll", "ruler", "angle"] as const;
export type Tool = (typeof TOOLS)[number];

export const CINE_SPEEDS = [2, 5, 10, 20] as const;

/** Tools that the images do not wait for: what they are set to, and how measurements are made. */
export class ToolState {
  readonly tool: Signal<Tool> = signal("crosshair");
  readonly isPlaying = signal(false);
  readonly slicesPerSecond = signal<number>(10);
  readonly isAnonymous = signal(false);

  /** @param measurements The session's: they are part of a shared view. */
  constructor(readonly measurements: Signal<readonly Measurement[]> = signal([])) {}

  /** Takes back the last measurement; false when there is none. */
  undo(): boolean {
    if (this.measurements.value.length === 0) return false;
    this.measurements.value = this.measurements.value.slice(0, -1);
    return true;
  }

  /** Adds a place (RAS mm) to the measurement that is being made, or begins one. */
  place(kind: Measurement["kind"], plane: Plane, rasMm: readonly number[]): void {
    const all = this.measurements.value, last = all.at(-1);
    this.measurements.value = last && !isWhole(last) && last.kind === kind && last.plane === plane
      ? [...all.slice(0, -1), { ...last, pointsMm: [...last.pointsMm, ...rasMm] }]
      : [...all.filter(isWhole), { kind, plane, pointsMm: [...rasMm] }];
  }

  /** Moves one place of a measurement. */
  move(at: number, place: number, rasMm: readonly number[]): void {
    this.measurements.value = this.measurements.value.map((each, n) =>
      n === at
        ? {
          ...each,
          pointsMm: each.pointsMm.with(3 * place, rasMm[0]!).with(3 * place + 1, rasMm[1]!).with(
            3 * place + 2,
            rasMm[2]!,
          ),
        }
        : each
    );
  }

  /** Leaves what was begun and not ended. */
  discardUnfinished(): void {
    this.measurements.value = this.measurements.value.filter(isWhole);
  }
}
