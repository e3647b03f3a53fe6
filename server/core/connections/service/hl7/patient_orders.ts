/** Changes the patient of stored orders after updates, merges and undone merges of patients. */
import { mayBeOnePerson } from "@/model/patient/one_person.ts";
import type { GivenIdentity } from "@/model/hl7/adt.ts";
import type { OrderedPatient } from "@/model/patient/record_identity.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { MovedOrder, PatientMerge } from "@/server/core/connections/storage/patient_merges.ts";
import { hasName } from "@/server/core/studies/service/headers/hospital_identity.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  findOrders,
  type HospitalOrder,
  movePatient,
  setPatient,
  writePatient,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/** Patient data of an HL7 message in the form in which an order stores them. */
export const given = ({ name, birthDate, sex }: GivenIdentity) => ({
  patientName: name === null ? "" : displayName(name),
  birthDate,
  sex,
});

/**
 * Whether two messages about an order are surely about one person, so that one completes the other:
 * birth dates or names are equal and nothing contradicts, or one of the messages names no person.
 */
export function isSurelyOne(
  a: Omit<OrderedPatient, "patientId">,
  b: Omit<OrderedPatient, "patientId">,
): boolean {
  const [one, other] = [a, b].map(({ birthDate, sex }) => ({
    patient_birthdate: birthDate,
    patient_sex: sex,
  }));
  if (!mayBeOnePerson(one!, other!)) return false;
  const names = [a.patientName, b.patientName] as const;
  const hasEqualName = names.every((name) => name !== "") &&
    (hasName(names[0], names[1]) || hasName(names[1], names[0]));
  return hasEqualName || (a.birthDate !== null && a.birthDate === b.birthDate) ||
    [a, b].some(({ patientName, birthDate }) => patientName === "" && birthDate === null);
}

/**
 * Patient data of an order, replaced by those in an HL7 message. Values that the message lacks are
 * kept if it is surely about the same person.
 */
export const withGiven = (
  before: OrderedPatient,
  patient: GivenIdentity,
  patientId: string,
): OrderedPatient => {
  const { patientName, birthDate, sex } = given(patient);
  if (!isSurelyOne(before, { patientName, birthDate, sex })) {
    return { patientId, patientName, birthDate, sex };
  }
  return {
    patientId,
    patientName: patientName || before.patientName,
    birthDate: birthDate ?? before.birthDate,
    sex: sex ?? before.sex,
  };
};

/** Writes patient data from the hospital's system into orders. */
export const writeOrders = (
  tx: Database,
  orders: readonly HospitalOrder[],
  { patient, eventMs }: { patient: GivenIdentity; eventMs: number },
): Promise<void> => writePatient(tx, orders.map(({ id }) => id), { ...given(patient), eventMs });

/** Moves all orders of a former patient ID. */
export const moveOrders = (
  tx: Database,
  orders: readonly MovedOrder[],
  { priorId, patientId }: { priorId: string; patientId: string },
): Promise<void> =>
  movePatient(tx, { from: priorId, to: patientId, ids: orders.map(({ id }) => id) });

/** Moves orders back when a merge is undone. @returns the accession numbers of the orders. */
export async function moveOrdersBack(
  tx: Database,
  { movedOrders, patientId }: Pick<PatientMerge, "movedOrders" | "patientId">,
): Promise<string[]> {
  const orders = await findOrders(tx, movedOrders.map(({ id }) => id));
  const moved = new Map(
    orders.filter((order) => order.patientId === patientId).map((order) => [order.id, order]),
  );
  const there = movedOrders.filter(({ id }) => moved.has(id));
  // orders with the same patient data are written in one statement
  const groups = Map.groupBy(there, ({ before }) => JSON.stringify(before));
  for (const group of groups.values()) {
    await setPatient(tx, group.map(({ id }) => id), group[0]!.before);
  }
  return there.map(({ id }) => moved.get(id)!.accessionNumber);
}
