/** Finds the studies and orders of the person in an HL7 message about a patient ID. */
import type { GivenIdentity } from "@/model/hl7/adt.ts";
import { isSurelyOf, mayBeOnePerson, personsAmong } from "@/model/patient/one_person.ts";
import type { RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import { OTHER_PERSON } from "@/server/core/connections/storage/hl7_messages.ts";
import { given } from "@/server/core/connections/service/hl7/patient_orders.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import {
  type HospitalOrder,
  ordersOfPatient,
  personOf,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/** Studies and orders with a patient ID. */
export interface PatientRecords {
  studies: StoredPatient[];
  orders: HospitalOrder[];
}

/** Reason code of a message that does not say which person is meant, or means another person. */
type Refusal = "several_people" | typeof OTHER_PERSON;

/** Adds the orders of a patient ID to its studies. */
export const recordsOf = async (
  tx: Database,
  patientId: string,
  studies: StoredPatient[],
): Promise<PatientRecords> => ({ studies, orders: await ordersOfPatient(tx, patientId) });

const identitiesOf = ({ studies, orders }: PatientRecords): RecordedIdentity[] => [
  ...studies.map(({ row }) => row),
  ...orders.map(personOf),
];

const recordedOf = (patient: GivenIdentity): RecordedIdentity =>
  personOf({ ...given(patient), patientId: "" });

/** Whether several people have the patient ID of these records. */
export const areSeveral = (records: PatientRecords): boolean =>
  !personsAmong(identitiesOf(records)).isOne;

/** Whether a recorded birth date begins with an incomplete one; `null`: no date is recorded. */
const agreesWithPart = (recorded: string | null, part = ""): boolean =>
  recorded === null || recorded.startsWith(part);

/**
 * Whether the data of a patient are surely of the person in all records. An incomplete birth date
 * must agree with every recorded date, because it cannot correct one.
 */
export const areSurelyOf = (records: PatientRecords, patient: GivenIdentity): boolean =>
  identitiesOf(records).every((one) =>
    isSurelyOf(one, recordedOf(patient)) &&
    agreesWithPart(one.patient_birthdate, patient.birthPart)
  );

/** Patient data of a message, completed by the records of the person. */
export function completedBy(patient: GivenIdentity, records: PatientRecords): GivenIdentity {
  const all = identitiesOf(records);
  const sex = all.find((one) => one.patient_sex)?.patient_sex ?? null;
  return {
    ...patient,
    birthDate: patient.birthDate ?? all.find((one) => one.patient_birthdate)?.patient_birthdate ??
      null,
    sex: patient.sex ?? (sex === "male" || sex === "female" ? sex : null),
  };
}

/**
 * The one identity of all records of a person: the patient data of a message, completed by the
 * records in order.
 */
export function joinedIdentity(
  patient: GivenIdentity,
  records: readonly PatientRecords[],
): GivenIdentity {
  const name = records.flatMap(identitiesOf).find((one) => one.patient_name)?.patient_name ?? null;
  const named = { ...patient, name: patient.name ?? name };
  return records.reduce(completedBy, named);
}

/**
 * Records that an update message changes: all of them if they are of the person in the message or,
 * if several people share the ID, those with the birth date in the message.
 * @param isConfirmed Whether an administrator says that message and records are of one person.
 */
export function recordsMeant(
  records: PatientRecords,
  patient: GivenIdentity,
  isConfirmed: boolean,
): PatientRecords | Refusal {
  const all = identitiesOf(records), persons = personsAmong(all), person = recordedOf(patient);
  if (persons.isOne) {
    return isConfirmed || areSurelyOf(records, patient) ? records : OTHER_PERSON;
  }
  const isMeant = (one: RecordedIdentity) =>
    patient.birthDate !== null && one.patient_birthdate === patient.birthDate &&
    mayBeOnePerson(one, person) && persons.of(one) !== null;
  if (new Set(all.filter(isMeant).map(persons.of)).size !== 1) return "several_people";
  return {
    studies: records.studies.filter(({ row }) => isMeant(row)),
    orders: records.orders.filter((order) => isMeant(personOf(order))),
  };
}
