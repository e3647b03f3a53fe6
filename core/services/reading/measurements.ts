import { AppError } from "@/model/errors.ts";
import {
  MAX_MEASUREMENTS,
  type MeasurementList,
  type MeasurementPost,
  type MeasurementPut,
} from "@/model/schema/reading/measurements.ts";
import {
  countMeasurements,
  deleteMeasurement,
  insertMeasurement,
  listMeasurements,
  ownerOfMeasurement,
  updateMeasurement,
} from "@/core/storage/reading/measurements.ts";
import { type Caller, nowIso, type ServiceContext } from "@/core/services/context.ts";
import { checkMaintenance } from "@/core/services/site/maintenance.ts";
import { mustFindPatient } from "@/core/services/studies/patients.ts";

const unknown = (id: number) =>
  new AppError("entity.not_found", `Cannot find measurement ${id}: the study has none of that number`);

/** What was measured on a study, by everybody. @throws {AppError} `study.deleted`, `entity.not_found`. */
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
 * Keeps what the caller measured.
 * @returns its number. @throws {AppError} `input.invalid` when the study has too many; `study.deleted`.
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
    return await insertMeasurement(tx, { pid, ...measured, note: note ?? "", at: nowIso(), userId: uid });
  });
  publish({ event: "study_reading", pid, uid });
  return id;
}

/** Changes the note, or puts it into the report or out of it: everybody may. @throws {AppError} `entity.not_found`. */
export async function changeMeasurement(
  { db, publish }: ServiceContext,
  pid: number,
  id: number,
  { note, is_in_report }: MeasurementPut,
  { uid }: Caller,
): Promise<void> {
  await mustFindPatient(db, pid);
  if (!await updateMeasurement(db, pid, id, { note, isInReport: is_in_report })) throw unknown(id);
  publish({ event: "study_reading", pid, uid });
}

/**
 * Takes a measurement away: who made it may, and a maintenance user.
 * @throws {AppError} `entity.not_found`, `access.forbidden`.
 */
export async function removeMeasurement(
  { db, publish }: ServiceContext,
  pid: number,
  id: number,
  caller: Caller,
): Promise<void> {
  await mustFindPatient(db, pid);
  const owner = await ownerOfMeasurement(db, pid, id);
  if (owner === undefined) throw unknown(id);
  if (owner !== caller.uid) await checkMaintenance(db, caller);
  await deleteMeasurement(db, id);
  publish({ event: "study_reading", pid, uid: caller.uid });
}
