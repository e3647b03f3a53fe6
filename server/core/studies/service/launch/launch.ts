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
  accessionsOfOthers,
  type LaunchLookup,
  listByFormerPatientId,
  listLaunched,
  orderedPatientIds,
} from "@/server/core/studies/storage/launched_studies.ts";
import { listLinkedBinned } from "@/server/core/studies/storage/bin.ts";
import { readPage, type StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { type LinkPatient, patientOf } from "@/server/core/studies/service/launch/link_patient.ts";
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

const isOtherModality = ({ modalities }: LaunchRequest): boolean =>
  // all studies of this product are MR studies
  modalities.length > 0 && !modalities.includes("MR");

const isOutside = ({ study_date }: LaunchedStudy, { date_from, date_to }: LaunchRequest): boolean =>
  study_date !== null &&
  (date_from !== null && study_date < date_from || date_to !== null && study_date > date_to);

/**
 * Whether a study's record has the values of a link. A study without a patient ID belongs to no
 * patient. With a study UID or number in the link, an accession number of the record must be among
 * those of the link.
 */
function agrees(study: LaunchedStudy, request: LaunchRequest, ids: readonly string[]): boolean {
  const { birth_date, study_uids, accession_numbers } = request;
  if (ids.length > 0 && !ids.includes(study.patient_id)) return false;
  if (isOtherModality(request) || isOutside(study, request)) return false;
  if (birth_date !== null && study.birth_date !== null && study.birth_date !== birth_date) {
    return false;
  }
  const isNumbered = request.pid !== null;
  if (isNumbered && study_uids.some((uid) => uid !== study.study_uid)) return false;
  return (study_uids.length === 0 && !isNumbered) || accession_numbers.length === 0 ||
    study.accession_numbers.length === 0 ||
    study.accession_numbers.some((number) => accession_numbers.includes(number));
}

/**
 * Whether another study or an order has an accession number that a link gives beside its studies.
 * A study without an accession number must not be opened under another one's number.
 */
async function hasOtherAccession(
  db: Database,
  request: LaunchRequest,
  studies: readonly LaunchedStudy[],
): Promise<boolean> {
  if (request.study_uids.length === 0 && request.pid === null) return false;
  const accessions = new Set(studies.flatMap((study) => study.accession_numbers));
  const numbers = request.accession_numbers.filter((number) => !accessions.has(number));
  return (await accessionsOfOthers(db, numbers, studies.map(({ pid }) => pid))).length > 0;
}

function arePeople(studies: readonly LaunchedStudy[]): boolean {
  const people = studies.map(({ patient_id, patient_name, birth_date }) =>
    JSON.stringify([patient_id, normalForm(patient_name, "NFKC").toLowerCase(), birth_date])
  );
  return new Set(people).size > 1;
}

/** Studies in the bin that a link names, as {@link readStudies}. */
async function readBinned(
  db: Database,
  lookup: Parameters<typeof listLinkedBinned>[1],
): Promise<LaunchedStudy[]> {
  const binned = await listLinkedBinned(db, lookup, MAX_LAUNCH_STUDIES);
  return binned.map(({ pid, studyDate, record, accessionNumbers }) => ({
    pid,
    study_uid: record.study_uid,
    patient_id: record.patient_id,
    patient_name: record.patient_name,
    birth_date: record.patient_birthdate,
    study_date: studyDate,
    accession_numbers: accessionNumbers,
    received_patient_id: null,
    state: "deleted",
  }));
}

/** Studies in the bin with a study UID of a link or, without study UIDs, an accession number. */
const binnedOf = (
  db: Database,
  { study_uids, accession_numbers }: LaunchRequest,
): Promise<LaunchedStudy[]> => {
  if (study_uids.length > 0) return readBinned(db, { studyUids: study_uids });
  if (accession_numbers.length === 0) return Promise.resolve([]);
  return readBinned(db, { accessionNumbers: accession_numbers });
};

/**
 * Response to a link that only studies in the bin match: refused if values of the link contradict
 * them, as for other studies.
 */
async function inBin(
  db: Database,
  request: LaunchRequest,
  { binned, ids }: { binned: readonly LaunchedStudy[]; ids: readonly string[] },
): Promise<LaunchAnswer> {
  const isStrict = request.study_uids.length > 0 || request.pid !== null;
  const disagreeing = binned.filter((study) => !agrees(study, request, ids));
  const isOther = await hasOtherAccession(db, request, binned);
  if (isOther || disagreeing.length === binned.length || (isStrict && disagreeing.length > 0)) {
    const studies = disagreeing.length > 0 ? disagreeing : [...binned];
    return { ...NONE, outcome: "refused", studies, is_accession_of_other: isOther };
  }
  return { ...NONE, outcome: "deleted" };
}

const NONE: LaunchAnswer = {
  outcome: "none",
  studies: [],
  missing: 0,
  in_bin: 0,
  is_cut: false,
  are_several_people: false,
  compared_patient_id: null,
  unknown_authority: null,
  is_accession_of_other: false,
  absence: null,
};

function lookupOf(request: LaunchRequest, { id, others }: LinkPatient): LaunchLookup {
  const { study_uids, accession_numbers, date_from, date_to } = request;
  if (study_uids.length > 0) return { studyUids: study_uids };
  if (accession_numbers.length > 0) return { accessionNumbers: accession_numbers };
  return { patientIds: [id!, ...others], from: date_from, until: date_to };
}

const namesPatientOnly = ({ study_uids, accession_numbers }: LaunchRequest): boolean =>
  study_uids.length + accession_numbers.length === 0;

/** Reason why a link matches no study in the worklist. */
async function absenceOf(
  db: Database,
  request: LaunchRequest,
  { id }: LinkPatient,
): Promise<LaunchAnswer["absence"]> {
  const { study_uids, accession_numbers } = request;
  if (namesPatientOnly(request)) {
    const studies = await readStudies(
      db,
      await listLaunched(db, { patientIds: [id!] }, MAX_LAUNCH_STUDIES),
    );
    const undated = { ...request, date_from: null, date_to: null, modalities: [] };
    if (!studies.some((study) => agrees(study, undated, [id!]))) return "no_study";
    return isOtherModality(request) ? "no_modality" : "no_date";
  }
  if (study_uids.length > 0) return "no_study";
  const patients = await orderedPatientIds(db, accession_numbers, MAX_LAUNCH_STUDIES);
  return patients.some((patient) => id === null || patient === id) ? "ordered" : "no_study";
}

/** Response to a link that matches no study in the worklist. */
async function absent(
  db: Database,
  request: LaunchRequest,
  patient: LinkPatient,
): Promise<LaunchAnswer> {
  const { study_uids, accession_numbers } = request;
  const ids = patient.id === null ? [] : [patient.id], binned = await binnedOf(db, request);
  if (binned.length > 0) return await inBin(db, request, { binned, ids });
  const absence = await absenceOf(db, request, patient);
  const former = namesPatientOnly(request) && absence === "no_study"
    ? await readStudies(db, await listByFormerPatientId(db, patient.id!, MAX_LAUNCH_STUDIES))
    : [];
  if (former.length > 0) return { ...NONE, outcome: "refused", studies: former };
  const ofPatient = namesPatientOnly(request) && absence === "no_study"
    ? await readBinned(db, { patientIds: ids })
    : [];
  return ofPatient.length > 0
    ? await inBin(db, request, { binned: ofPatient, ids })
    : { ...NONE, missing: study_uids.length || accession_numbers.length, absence };
}

/** Number of study UIDs of a link, otherwise of accession numbers, that no stored study has. */
function missingOf(
  { study_uids, accession_numbers }: LaunchRequest,
  studies: readonly LaunchedStudy[],
  agreeing: readonly LaunchedStudy[],
): number {
  if (study_uids.length > 0) return Math.max(0, study_uids.length - studies.length);
  const stored = new Set(agreeing.flatMap((study) => study.accession_numbers));
  return accession_numbers.filter((number) => !stored.has(number)).length;
}

/**
 * Whether the assigning authority of a link's patient ID differs from the known ones. If none is
 * known, a study UID or number and the patient ID are enough.
 */
const isOtherAuthority = ({ authority }: LinkPatient): boolean =>
  authority !== null && authority.known.length > 0;

/** Response to a link with a study number; searches no other study. */
async function numbered(
  db: Database,
  request: LaunchRequest,
  patient: LinkPatient,
): Promise<LaunchAnswer> {
  const { id } = patient;
  const studies = await readStudies(db, [request.pid!]), [study] = studies;
  if (study === undefined) {
    const binned = await readBinned(db, { pids: [request.pid!] });
    if (binned.length === 0) return { ...NONE, absence: "no_study" };
    return await inBin(db, request, { binned, ids: id === null ? [] : [id] });
  }
  const isOther = await hasOtherAccession(db, request, studies);
  const isAgreeing = !isOther && !isOtherAuthority(patient) &&
    agrees(study, request, id === null ? [] : [id]);
  return {
    ...NONE,
    outcome: isAgreeing ? "open" : "refused",
    studies,
    is_accession_of_other: isOther,
  };
}

/** Whether one of the studies may be of another person than the link means. */
async function areDoubtful(
  db: Database,
  request: LaunchRequest,
  { id, others, authority }: LinkPatient,
  { studies, binned }: { studies: readonly LaunchedStudy[]; binned: readonly LaunchedStudy[] },
): Promise<boolean> {
  if (request.study_uids.length > 0) return false;
  if (authority !== null) return true;
  // a shared patient ID alone does not identify a person, even if only one study has it
  if (namesPatientOnly(request)) {
    return others.length > 0 || await sharedIdAmong(db, id!) !== null;
  }
  if (id !== null) return false;
  if (arePeople([...studies, ...binned])) return true;
  // another patient may have an order with this accession number, whose images are not here yet
  const ordered = await orderedPatientIds(db, request.accession_numbers, MAX_LAUNCH_STUDIES);
  return ordered.some((patient) => studies.some((study) => study.patient_id !== patient));
}

/** Response to a link with stored studies. @param pids Numbers of the studies, newest first. */
async function present(
  db: Database,
  request: LaunchRequest,
  patient: LinkPatient,
  pids: readonly number[],
): Promise<LaunchAnswer> {
  const { most_recent } = request, isByUid = request.study_uids.length > 0;
  const isCut = pids.length > MAX_LAUNCH_STUDIES;
  const studies = await readStudies(db, pids.slice(0, MAX_LAUNCH_STUDIES));
  const also = namesPatientOnly(request) ? patient.others : [];
  const ids = patient.id === null ? [] : [patient.id, ...also];
  const agreeing = studies.filter((study) => agrees(study, request, ids));
  const disagreeing = studies.filter((study) => !agreeing.includes(study));
  const binned = await binnedOf(db, request);
  // the studies in the bin may be the link's, and the stored ones another patient's
  const isBinned = binned.some((study) => agrees(study, request, ids));
  if (agreeing.length === 0 && isBinned && !isByUid) return { ...NONE, outcome: "deleted" };
  const isOther = await hasOtherAccession(db, request, [...studies, ...binned]);
  const isBinRefused = isByUid && binned.some((study) => !agrees(study, request, ids));
  if (isBinRefused) disagreeing.push(...binned.filter((study) => !agrees(study, request, ids)));
  const isByUidOfOther = isByUid && (disagreeing.length > 0 || isOtherAuthority(patient));
  if (agreeing.length === 0 || isOther || isByUidOfOther) {
    const refused = disagreeing.length > 0 ? disagreeing : studies;
    return { ...NONE, outcome: "refused", studies: refused, is_accession_of_other: isOther };
  }
  const isDoubtful = await areDoubtful(db, request, patient, { studies: agreeing, binned });
  const areSeveral = isDoubtful || arePeople(agreeing);
  // if several people share an ID, the newest study may be of another person than the link means
  const shown = most_recent === null || areSeveral ? agreeing : agreeing.slice(0, most_recent);
  const missing = missingOf(request, studies, agreeing);
  return {
    ...NONE,
    outcome: shown.length === 1 && missing === 0 && !isDoubtful ? "open" : "choose",
    studies: shown,
    missing,
    in_bin: missing - missingOf(request, [...studies, ...binned], [...agreeing, ...binned]),
    is_cut: isCut && shown.length === agreeing.length,
    are_several_people: areSeveral,
  };
}

/**
 * Finds the studies of the link's patient that a link in another system names.
 * A link with values of another patient's study or order is refused.
 * Of studies with one accession number or patient ID, those of other people are left out.
 */
export async function findLaunched(
  { db }: Pick<ServiceContext, "db">,
  request: LaunchRequest,
): Promise<LaunchAnswer> {
  const patient = await patientOf(db, request);
  const compared = { compared_patient_id: patient.id, unknown_authority: patient.authority };
  if (request.pid !== null) return { ...await numbered(db, request, patient), ...compared };
  const pids = namesPatientOnly(request) && isOtherModality(request)
    ? []
    : await listLaunched(db, lookupOf(request, patient), MAX_LAUNCH_STUDIES + 1);
  const answer = pids.length === 0
    ? await absent(db, request, patient)
    : await present(db, request, patient, pids);
  return { ...answer, ...compared };
}
