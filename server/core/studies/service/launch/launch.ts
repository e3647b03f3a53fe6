import { normalForm } from "@/model/normal_form.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import {
  type LaunchAnswer,
  type LaunchedStudy,
  type LaunchRequest,
  MAX_LAUNCH_STUDIES,
} from "@/model/schema/studies/launch.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  accessionNumbersOf,
  isBinned,
  type LaunchLookup,
  listByFormerPatientId,
  listLaunched,
} from "@/server/core/studies/storage/launched_studies.ts";
import { readPage, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

function stateOf({ row }: StoredPatient): LaunchedStudy["state"] {
  const states = [row.t1_analysis_status, row.t2_analysis_status];
  if (states.includes("completed")) return "analyzed";
  return states.some(isAnalyzing) ? "analyzing" : "not_analyzed";
}

/** Studies by number, as described in the response to a link. */
export async function readStudies(db: Database, pids: readonly number[]): Promise<LaunchedStudy[]> {
  const [patients, numbers] = await Promise.all([
    readPage(db, pids),
    accessionNumbersOf(db, pids),
  ]);
  return patients.map((patient) => {
    const { row, studyUid, received } = patient;
    const isEdited = received !== null && received.patientId !== row.patient_id;
    return {
      pid: row.pid,
      study_uid: studyUid,
      patient_id: row.patient_id,
      patient_name: row.patient_name,
      birth_date: row.patient_birthdate,
      study_date: row.study_date,
      accession_numbers: numbers.get(row.pid) ?? [],
      received_patient_id: isEdited ? received.patientId : null,
      state: stateOf(patient),
    };
  });
}

/**
 * Whether a study belongs to the patient named in the link, according to the study's record.
 * A study without a patient ID belongs to no patient.
 */
function agrees(study: LaunchedStudy, request: LaunchRequest): boolean {
  const { patient_id, birth_date, study_uids, accession_numbers } = request;
  if (patient_id !== null && study.patient_id !== patient_id) return false;
  if (birth_date !== null && study.birth_date !== null && study.birth_date !== birth_date) {
    return false;
  }
  const isNumbered = request.pid !== null;
  if (isNumbered && study_uids.some((uid) => uid !== study.study_uid)) return false;
  // if the link has an accession number and a study UID or study number, both must match
  return (study_uids.length === 0 && !isNumbered) || accession_numbers.length === 0 ||
    study.accession_numbers.length === 0 ||
    study.accession_numbers.some((number) => accession_numbers.includes(number));
}

function arePeople(studies: readonly LaunchedStudy[]): boolean {
  const people = studies.map(({ patient_id, patient_name, birth_date }) =>
    JSON.stringify([patient_id, normalForm(patient_name, "NFKC").toLowerCase(), birth_date])
  );
  return new Set(people).size > 1;
}

const NONE: LaunchAnswer = {
  outcome: "none",
  studies: [],
  missing: 0,
  is_cut: false,
  are_several_people: false,
};

function lookupOf(request: LaunchRequest): LaunchLookup {
  const { study_uids, accession_numbers, patient_id, date_from, date_to } = request;
  if (study_uids.length > 0) return { studyUids: study_uids };
  if (accession_numbers.length > 0) return { accessionNumbers: accession_numbers };
  return { patientId: patient_id!, from: date_from, until: date_to };
}

/** Response to a link that matches no study in the worklist. */
async function absent(db: Database, request: LaunchRequest): Promise<LaunchAnswer> {
  const { study_uids, accession_numbers, patient_id } = request;
  if (await isBinned(db, study_uids)) return { ...NONE, outcome: "deleted" };
  const isOfPatient = study_uids.length + accession_numbers.length === 0;
  const former = isOfPatient && patient_id !== null
    ? await readStudies(db, await listByFormerPatientId(db, patient_id, MAX_LAUNCH_STUDIES))
    : [];
  return former.length > 0
    ? { ...NONE, outcome: "refused", studies: former }
    : { ...NONE, missing: study_uids.length || accession_numbers.length };
}

/** Number of study UIDs, or of accession numbers without study UIDs, of which no study is stored. */
function missingOf(
  { study_uids, accession_numbers }: LaunchRequest,
  studies: readonly LaunchedStudy[],
  agreeing: readonly LaunchedStudy[],
): number {
  if (study_uids.length > 0) return Math.max(0, study_uids.length - studies.length);
  const stored = new Set(agreeing.flatMap((study) => study.accession_numbers));
  return accession_numbers.filter((number) => !stored.has(number)).length;
}

/** Response to a link with a study number; searches no other study. */
async function numbered(db: Database, request: LaunchRequest, pid: number): Promise<LaunchAnswer> {
  const studies = await readStudies(db, [pid]), [study] = studies;
  if (study === undefined) return NONE;
  return { ...NONE, outcome: agrees(study, request) ? "open" : "refused", studies };
}

/**
 * Finds the studies of the link's patient that a link in another system names.
 * A link with the UID of another patient's study is refused.
 * Of studies with one accession number or patient ID, those of other people are left out.
 */
export async function findLaunched(
  { db }: ServiceContext,
  request: LaunchRequest,
): Promise<LaunchAnswer> {
  const { study_uids, modalities, most_recent } = request;
  if (request.pid !== null) return await numbered(db, request, request.pid);
  // all studies of this product are MR studies
  if (modalities.length > 0 && !modalities.includes("MR")) return NONE;
  const pids = await listLaunched(db, lookupOf(request), MAX_LAUNCH_STUDIES + 1);
  if (pids.length === 0) return await absent(db, request);
  const isCut = pids.length > MAX_LAUNCH_STUDIES;
  const studies = await readStudies(db, pids.slice(0, MAX_LAUNCH_STUDIES));
  const others = studies.filter((study) => !agrees(study, request));
  const agreeing = studies.filter((study) => agrees(study, request));
  if (agreeing.length === 0 || (study_uids.length > 0 && others.length > 0)) {
    return { ...NONE, outcome: "refused", studies: others };
  }
  const isById = study_uids.length + request.accession_numbers.length === 0;
  // a shared patient ID alone does not identify a person, even if only one study has it
  const isShared = isById && await sharedIdAmong(db, request.patient_id!) !== null;
  const areSeveral = isShared || arePeople(agreeing);
  // if several people share an ID, the newest study may be of another person than the link means
  const shown = most_recent === null || areSeveral ? agreeing : agreeing.slice(0, most_recent);
  const missing = missingOf(request, studies, agreeing);
  return {
    outcome: shown.length === 1 && missing === 0 && !isShared ? "open" : "choose",
    studies: shown,
    missing,
    is_cut: isCut && shown.length === agreeing.length,
    are_several_people: areSeveral,
  };
}
