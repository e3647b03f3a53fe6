import { AppError } from "@/model/errors.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type {
  EditClaim,
  PatientRow,
  PatientUpdate,
  PatientUpdateResponse,
} from "@/model/schema/studies/patients.ts";
import {
  CLAIM_MS,
  deleteClaim,
  findClaim,
  setClaim,
} from "@/server/core/studies/storage/edit_claims.ts";
import { findSameDay, updatePatient as updateRow } from "@/server/core/studies/storage/patients.ts";
import { findUser } from "@/server/core/accounts/storage/users.ts";
import { matchStudies } from "@/server/core/studies/service/orders/match_orders.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
import { setOrdered } from "@/server/core/studies/storage/hospital/ordered_studies.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { queueChange } from "@/server/core/connections/service/result_queue.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { queueLongitudinal } from "@/server/core/analyses/service/queue_visits.ts";
import { nameReadings } from "@/server/core/studies/service/headers/name_readings.ts";
import { checkUnclaimed, mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { ageAfterEdit } from "@/model/patient/age.ts";

const IDENTITY_KEYS = [
  "patient_id",
  "patient_name",
  "patient_birthdate",
  "patient_sex",
] as const;

/** Checks that a study is not being analysed. @throws {AppError} `study.being_analyzed`. */
function checkIdle(row: PatientRow): void {
  if (!isAnalyzing(row.t1_analysis_status) && !isAnalyzing(row.t2_analysis_status)) return;
  throw new AppError("study.being_analyzed", `Cannot edit study ${row.pid}: it is being analysed`, {
    pid: row.pid,
  });
}

/**
 * Starts or extends the editing of a study's record, which locks it for two minutes.
 * @throws {AppError} `study.being_edited` by another user; `study.being_analyzed`;
 * `study.deleted` or `entity.not_found` if the study does not exist.
 */
export async function claimEdit(
  services: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<EditClaim> {
  const { db, publish } = services;
  const { left, isNew } = await db.transaction().execute(async (tx) => {
    checkIdle((await mustFindPatient(tx, pid)).row);
    await checkUnclaimed(tx, pid, caller);
    const isNew = await findClaim(tx, pid, Date.now()) === null;
    return { left: await setClaim(tx, pid, caller.uid, Date.now() + CLAIM_MS), isNew };
  });
  for (const leftPid of left) {
    publish({ event: "study_editing", pid: leftPid, uid: caller.uid, user: null });
  }
  if (isNew) {
    const user = await findUser(db, caller.uid);
    publish({
      event: "study_editing",
      pid,
      uid: caller.uid,
      user: user?.name ?? user?.email ?? "",
    });
  }
  const readings = isNew ? await nameReadings(services, pid) : [];
  return { expires_in: CLAIM_MS / 1000, ...readings.length > 0 ? { readings } : {} };
}

/** Ends the caller's editing without a change; does nothing if the caller is not editing. */
export async function releaseEdit(
  { db, publish }: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<void> {
  if (await deleteClaim(db, pid, caller.uid)) {
    publish({ event: "study_editing", pid, uid: caller.uid, user: null });
  }
}

/**
 * Changes a patient's identity and the study date, and ends the caller's editing.
 *
 * @throws {AppError} `study.being_edited`, `study.being_analyzed`, `study.duplicate` when the
 * change gives the patient a second study on that date, `study.deleted`, `entity.not_found`.
 */
export async function updatePatient(
  services: ServiceContext,
  pid: number,
  update: PatientUpdate,
  caller: Caller,
): Promise<PatientUpdateResponse> {
  const { db, publish, log, wakeJobs } = services;
  const edited = await db.transaction().execute(async (tx) => {
    const patient = await mustFindPatient(tx, pid), { row } = patient;
    await checkUnclaimed(tx, pid, caller);
    checkIdle(row);
    const keys = Object.keys(update) as (keyof PatientUpdate)[];
    const isChanged = keys.some((key) => update[key] !== row[key]);
    let isQueued = false, areOrdersChanged = false;
    const isOther = update.patient_id !== row.patient_id || update.study_date !== row.study_date;
    // if several people share the ID, another study of that day may be of another person
    const isComparable = isOther && await sharedIdAmong(tx, update.patient_id) === null;
    if (isComparable && await findSameDay(tx, pid, update.patient_id, update.study_date) !== null) {
      throw new AppError(
        "study.duplicate",
        `Cannot change study ${pid}: the patient has one of that day`,
        {
          pid,
        },
      );
    }
    if (isChanged) {
      await updateRow(
        tx,
        pid,
        {
          patientId: update.patient_id,
          patientName: update.patient_name,
          birthDate: update.patient_birthdate,
          sex: update.patient_sex,
          age: ageAfterEdit({
            birthDate: row.patient_birthdate,
            studyDate: row.study_date,
            age: row.patient_age,
            stated: patient.statedAge,
          }, { birthDate: update.patient_birthdate, studyDate: update.study_date }),
          studyDate: update.study_date,
          isNewStudyDate: update.study_date !== row.study_date,
          editedAt: IDENTITY_KEYS.some((key) => update[key] !== row[key]) ? nowIso() : null,
        },
        patient.received ?? {
          patientId: row.patient_id,
          patientName: row.patient_name,
          birthDate: row.patient_birthdate,
        },
      );
      await refreshFindings(tx, [pid]);
      isQueued = await queueChange(tx, pid, "patient");
      if (update.patient_id !== row.patient_id) {
        // removes the procedure ordered for the former patient, even if the order was deleted since
        await setOrdered(tx, pid, { procedure: null, referrer: null });
      }
      areOrdersChanged = (await matchStudies(tx, [pid])).isOrderChanged;
    }
    const wasClaimed = await deleteClaim(tx, pid, caller.uid);
    return { before: row, isChanged, isQueued, wasClaimed, areOrdersChanged };
  });
  const { before, isChanged, isQueued, wasClaimed, areOrdersChanged } = edited;
  if (wasClaimed) publish({ event: "study_editing", pid, uid: caller.uid, user: null });
  if (areOrdersChanged) publish({ event: "study_orders" });
  if (isChanged) {
    publish({ event: "study_update", pid, uid: caller.uid });
    if (isQueued) publish({ event: "study_sent", pid });
    log("info", "Changed study", { pid, uid: caller.uid });
    // the event covers the new patient ID; studies with the former ID are compared again here
    const isLeft = before.patient_id !== update.patient_id && before.patient_id !== "";
    if (isLeft && await queueLongitudinal(db, before.patient_id)) wakeJobs();
  }
  const isAnalysed = before.t1_analysis_status === "completed" ||
    before.t2_analysis_status === "completed";
  const isSubjectChanged = before.patient_sex !== update.patient_sex ||
    before.patient_birthdate !== update.patient_birthdate ||
    before.study_date !== update.study_date;
  return { pid, analysis_affected: isAnalysed && isSubjectChanged };
}
