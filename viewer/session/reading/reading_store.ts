import { batch, effect, signal } from "@preact/signals-react";
import { AppError } from "@/model/errors.ts";
import { browserApi } from "@/client/browser_api.ts";
import {
  addMeasurement,
  changeMeasurement,
  listMeasurements,
  removeMeasurement,
} from "@/client/api/reading/measurements.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { presentError } from "@/client/notices/present_error.ts";
import type { StudyMeasurement } from "@/model/schema/reading/measurements.ts";
import { originalAt } from "@/viewer/reading/original_volume.ts";
import { statisticsOf } from "@/viewer/reading/region_pixels.ts";
import { Originals } from "@/viewer/session/reading/originals.ts";
import { seriesOf } from "@/viewer/scene.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { isRegion, isWhole, type Measurement } from "@/viewer/slices/marks/measure.ts";

/** A stored measurement in the form drawn by the panes. */
const drawnOf = (
  { id, kind, plane, points_mm, series, statistics, is_own }: StudyMeasurement,
): Measurement => ({
  id,
  isFixed: !is_own,
  kind,
  plane,
  pointsMm: points_mm,
  series,
  statistics,
});

/** Measurements of a study, both stored and unsaved. */
export class ReadingStore {
  readonly stored = signal<readonly StudyMeasurement[]>([]);
  readonly isBusy = signal(false);
  readonly originals: Originals;
  readonly #stops: (() => void)[] = [];

  constructor(private readonly session: ViewerSession) {
    this.originals = new Originals(session);
  }

  /** Loads the stored measurements, and follows changes by other users. */
  start(): void {
    void this.refresh();
    this.#stops.push(
      onServerEvent((event) => {
        if (event.event === "study_reading" && event.pid === this.session.pid) void this.refresh();
      }),
      // computes missing statistics as soon as original values are loaded
      effect(() => {
        void [this.originals.changes.value, this.session.measurements.value];
        this.#measure();
      }),
    );
  }

  /** The series shown by the current tab. */
  get series(): "t1" | "t2" {
    return seriesOf(this.session.type.peek());
  }

  async refresh(): Promise<void> {
    try {
      const { measurements } = await listMeasurements(browserApi, this.session.pid);
      const unsaved = this.session.measurements.peek().filter(({ id }) => id === undefined);
      batch(() => {
        this.stored.value = measurements;
        this.session.measurements.value = [...measurements.map(drawnOf), ...unsaved];
      });
    } catch (error) {
      // a core of another vendor lacks this call
      if (!(error instanceof AppError && error.code === "entity.not_found")) presentError(error);
    }
  }

  /** Computes missing statistics of regions in loaded series. */
  #measure(): void {
    const { session, originals } = this;
    let isChanged = false;
    const measured = session.measurements.peek().map((one) => {
      if (one.id !== undefined || !isRegion(one) || !isWhole(one) || one.statistics) return one;
      const series = one.series ?? this.series, original = originals.of(series);
      if (original.kind !== "loaded") return one;
      const statistics = statisticsOf(one, session.grid, original.volume);
      if (!statistics) return one;
      isChanged = true;
      return { ...one, series, statistics };
    });
    if (isChanged) queueMicrotask(() => session.measurements.value = measured);
  }

  /**
   * Original value at the crosshair in the current tab's series; `null` until loaded, NaN outside.
   */
  valueAtCrosshair(): number | null {
    const original = this.originals.of(this.series);
    return original.kind === "loaded"
      ? originalAt(original.volume, this.session.scene.crosshairMm)
      : null;
  }

  async #run(work: () => Promise<unknown>): Promise<void> {
    this.isBusy.value = true;
    try {
      await work();
    } catch (error) {
      presentError(error);
    }
    await this.refresh();
    this.isBusy.value = false;
  }

  /** Stores measurements in the study. */
  save(measurements: readonly Measurement[]): Promise<void> {
    const { session } = this;
    return this.#run(async () => {
      for (const measurement of measurements) {
        await addMeasurement(browserApi, session.pid, {
          kind: measurement.kind,
          series: measurement.series ?? this.series,
          plane: measurement.plane,
          points_mm: measurement.pointsMm.map((mm) => Math.round(mm * 100) / 100),
          statistics: measurement.statistics ?? null,
        });
        session.measurements.value = session.measurements.peek().filter((each) =>
          each !== measurement
        );
      }
    });
  }

  change(
    one: StudyMeasurement,
    changes: Partial<Pick<StudyMeasurement, "note" | "is_in_report">>,
  ): Promise<void> {
    const { note, is_in_report } = { ...one, ...changes };
    return this.#run(() =>
      changeMeasurement(browserApi, this.session.pid, one.id, { note, is_in_report })
    );
  }

  /** Deletes a measurement, stored or unsaved. */
  async remove(one: Measurement): Promise<void> {
    const { session } = this, { id } = one;
    if (id === undefined) {
      session.measurements.value = session.measurements.peek().filter((each) => each !== one);
    } else await this.#run(() => removeMeasurement(browserApi, session.pid, id));
  }

  close(): void {
    this.#stops.splice(0).forEach((stop) => stop());
    this.originals.close();
  }
}
