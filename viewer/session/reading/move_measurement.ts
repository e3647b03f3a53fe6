import { browserApi } from "@/client/browser_api.ts";
import { changeMeasurement, listMeasurements } from "@/client/api/reading/measurements.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { AppError } from "@/model/errors.ts";
import { statisticsOf } from "@/viewer/reading/region_pixels.ts";
import { Originals } from "@/viewer/session/reading/originals.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import type { PixelStatistics } from "@/model/schema/reading/measurements.ts";
import { isRegion, type Measurement } from "@/viewer/slices/marks/measure.ts";

/** Statistics of a region at the current position; `null` without original values. */
async function statisticsNow(
  session: ViewerSession,
  one: Measurement,
): Promise<PixelStatistics | null> {
  if (!isRegion(one) || !one.series) return null;
  const originals = new Originals(session);
  try {
    const original = await originals.arrival(one.series);
    return original && statisticsOf(one, session.grid, original);
  } finally {
    originals.close();
  }
}

/** Displays a stored measurement at a new position, before the position is saved. */
function put(session: ViewerSession, one: Measurement): void {
  session.measurements.value = session.measurements.peek().map((each) =>
    each.id === one.id ? one : each
  );
}

/** Saves the new position of a measurement; moves it back if the server refuses. */
export async function moveStored(
  session: ViewerSession,
  before: Measurement,
  after: Measurement,
): Promise<void> {
  put(session, after);
  try {
    const { measurements } = await listMeasurements(browserApi, session.pid);
    const stored = measurements.find(({ id }) => id === after.id);
    if (!stored) {
      throw new AppError("entity.not_found", "Cannot move the measurement: it was removed");
    }
    const statistics = await statisticsNow(session, after).catch(() => null);
    await changeMeasurement(browserApi, session.pid, stored.id, {
      note: stored.note,
      is_in_report: stored.is_in_report,
      moved: { points_mm: after.pointsMm.map((mm) => Math.round(mm * 100) / 100), statistics },
    });
    put(session, { ...after, statistics });
  } catch (error) {
    put(session, before);
    presentError(error);
  }
}
