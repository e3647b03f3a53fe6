import { AppError } from "@/model/errors.ts";
import {
  hasPlaces,
  MAX_MEASUREMENTS,
  type MeasurementList,
  type MeasurementPost,
  type MeasurementPut,
} from "@/model/schema/reading/measurements.ts";
import {
  countMeasurements,
  deleteMeasurement,
  findMeasured,
  insertMeasurement,
  listMeasurements,
  moveMeasurement,
  ownerOfMeasurement,
  updateMeasurement,
} from "@/server/core/reading/storage/measurements.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";

const unknown = (id: number) =>
  new AppError(
    "entity.not_found",
    `Cannot find measurement ${id}: the study has none of that number`,
  );

/**
 * Measurements of all readers on a study. @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function getMeasurements(
  { db }: ServiceContext,
  pid: number,
  { uid }: Caller,
): Promise<MeasurementList> {
  await mustFindPatient(db, pid);
  return {
    measurements: (await listMeasurements(db, pid)).map((
      { isInReport, createdAt, createdBy, creator, ...one },
    ) => ({
      ...one,
      is_in_report: isInReport,
      created_at: createdAt,
      created_by: creator,
      is_own: createdBy === uid,
    })),
  };
}

/**
 * Stores a measurement of the calling user.
 * @returns its id. @throws {AppError} `study.deleted`; `input.invalid` beyond the maximum number.
 */
export async function addMeasurement(
  { db, publish }: ServiceContext,
  pid: number,
  { note, ...measured }: MeasurementPost,
  { uid }: Caller,
): Promise<number> {
  const id = await db.transaction().execute(async (tx) => {
    await mustFindPatient(tx, pid);
    if (await countMeasurements(tx, pid) >= MAX_MEASUREMENTS) {
      throw new AppError("input.invalid", "Cannot keep the measurement: the study has too many", {
        field: "measurements",
        max: MAX_MEASUREMENTS,
      });
    }
    return await insertMeasurement(tx, {
      pid,
      ...measured,
      note: note ?? "",
      at: nowIso(),
      userId: uid,
    });
  });
  publish({ event: "study_reading", pid, uid });
  return id;
}

/**
 * Checks that the caller is the author of a measurement, or an administrator.
 * @throws {AppError} `access.forbidden`.
 */
async function mayChange(
  { db }: ServiceContext,
  pid: number,
  id: number,
  caller: Caller,
): Promise<void> {
  const owner = await ownerOfMeasurement(db, pid, id);
  if (owner === undefined) throw unknown(id);
  if (owner !== caller.uid) await checkMaintenance(db, caller);
}

/**
 * Changes a measurement's note, or whether the report shows it, which every user may do.
 * Only the author and administrators may move a measurement.
 * @throws {AppError} `entity.not_found`, `access.forbidden`, `input.invalid` for invalid points.
 */
export async function changeMeasurement(
  services: ServiceContext,
  pid: number,
  id: number,
  { note, is_in_report, moved }: MeasurementPut,
  caller: Caller,
): Promise<void> {
  const { db, publish } = services;
  await mustFindPatient(db, pid);
  if (moved) await mayChange(services, pid, id, caller);
  await db.transaction().execute(async (tx) => {
    if (!await updateMeasurement(tx, pid, id, { note, isInReport: is_in_report })) {
      throw unknown(id);
    }
    const measured = moved && await findMeasured(tx, pid, id);
    if (!moved || !measured) return;
    if (!hasPlaces({ ...measured, ...moved })) {
      throw new AppError(
        "input.invalid",
        "Cannot move the measurement: its kind has other places",
        {
          field: "moved.points_mm",
        },
      );
    }
    await moveMeasurement(tx, id, { ...measured, ...moved });
  });
  publish({ event: "study_reading", pid, uid: caller.uid });
}

/**
 * Deletes a measurement; allowed to its author and to administrators.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export async function removeMeasurement(
  services: ServiceContext,
  pid: number,
  id: number,
  caller: Caller,
): Promise<void> {
  const { db, publish } = services;
  await mustFindPatient(db, pid);
  await mayChange(services, pid, id, caller);
  await deleteMeasurement(db, id);
  publish({ event: "study_reading", pid, uid: caller.uid });
}
