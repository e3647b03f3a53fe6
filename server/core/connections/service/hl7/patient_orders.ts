/** Orders that follow their patient: updates, merges and their undoing. */
import { mayAllBeOnePerson, mayBeOnePerson } from "@/model/patient/one_person.ts";
import type { HospitalPatient } from "@/model/hl7/adt.ts";
import type { OrderedPatient } from "@/model/patient/record_identity.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { MovedOrder, PatientMerge } from "@/server/core/connections/storage/patient_merges.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  findOrders,
  type HospitalOrder,
  movePatient,
  ordersOfPatient,
  personOf,
  setPatient,
  writePatient,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";

/** Patient data of a message, as an order has them. */
export const given = ({ name, birthDate, sex }: HospitalPatient) => ({
  patientName: name === null ? "" : displayName(name),
  birthDate,
  sex,
});

/** A patient with the values that a message has. */
export const withGiven = (
  before: OrderedPatient,
  patient: HospitalPatient,
  patientId: string,
): OrderedPatient => {
  const { patientName, birthDate, sex } = given(patient);
  return {
    patientId,
    patientName: patientName || before.patientName,
    birthDate: birthDate ?? before.birthDate,
    sex: sex ?? before.sex,
  };
};

/**
 * The orders of an ID that patient data are for: all of them, or those with their birth date when
 * several people have the ID.
 */
function ordersMeant(
  orders: readonly HospitalOrder[],
  records: Parameters<typeof mayAllBeOnePerson>[0],
  { birthDate, sex }: HospitalPatient,
): HospitalOrder[] {
  if (mayAllBeOnePerson([...records, ...orders.map(personOf)])) return [...orders];
  const person = { patient_birthdate: birthDate, patient_sex: sex };
  return orders.filter((order) =>
    birthDate !== null && order.birthDate === birthDate && mayBeOnePerson(personOf(order), person)
  );
}

/** Patient data for the orders of an ID. */
interface OrderedIdentity {
  patientId: string;
  patient: HospitalPatient;
  eventMs: number;
}

/** Writes patient data into the orders of their ID. @returns the number of changed orders. */
export async function updateOrders(
  tx: Database,
  { patientId, patient, eventMs }: OrderedIdentity,
): Promise<number> {
  const orders = await ordersOfPatient(tx, patientId);
  if (orders.length === 0) return 0;
  const records = await listRecords(tx, patientId);
  const meant = ordersMeant(orders, records, patient);
  await writePatient(tx, meant.map(({ id }) => id), { ...given(patient), eventMs });
  return meant.length;
}

/** Moves the orders of a former ID. @returns them with their patient before. */
export async function moveOrders(
  tx: Database,
  priorId: string,
  patientId: string,
): Promise<MovedOrder[]> {
  const moved = (await ordersOfPatient(tx, priorId)).map(({ id, patientName, birthDate, sex }) => ({
    id,
    before: { patientId: priorId, patientName, birthDate, sex },
  }));
  await movePatient(tx, { from: priorId, to: patientId, ids: moved.map(({ id }) => id) });
  return moved;
}

/** Moves the orders of a merge back. @returns their accession numbers. */
export async function moveOrdersBack(
  tx: Database,
  { movedOrders, patientId }: Pick<PatientMerge, "movedOrders" | "patientId">,
): Promise<string[]> {
  const orders = await findOrders(tx, movedOrders.map(({ id }) => id));
  const moved = new Map(
    orders.filter((order) => order.patientId === patientId).map((order) => [order.id, order]),
  );
  const there = movedOrders.filter(({ id }) => moved.has(id));
  // most orders of a patient have the same record
  const groups = Map.groupBy(there, ({ before }) => JSON.stringify(before));
  for (const group of groups.values()) {
    await setPatient(tx, group.map(({ id }) => id), group[0]!.before);
  }
  return there.map(({ id }) => moved.get(id)!.accessionNumber);
}
