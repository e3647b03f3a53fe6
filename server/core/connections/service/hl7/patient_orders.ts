/** Orders that follow their patient: updates, merges and their undoing. */
import { mayAllBeOnePerson, mayBeOnePerson } from "@/model/patient/one_person.ts";
import type { HospitalPatient } from "@/model/hl7/adt.ts";
import type { OrderedPatient } from "@/model/patient/record_identity.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { MovedOrder, PatientMerge } from "@/server/core/connections/storage/patient_merges.ts";
import { matchAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  findOrder,
  type HospitalOrder,
  movePatient,
  ordersOfPatient,
  personOf,
  sharedAccessions,
  updateOrder,
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
  const accessionNumbers: string[] = [];
  for (const { id, before } of movedOrders) {
    const order = await findOrder(tx, id);
    if (order?.patientId !== patientId) continue;
    await updateOrder(tx, { ...order, ...before });
    accessionNumbers.push(order.accessionNumber);
  }
  return accessionNumbers;
}

/** Matches the orders of an ID with images again. @returns the changed studies. */
export async function matchOrdersOf(tx: Database, patientId: string): Promise<number[]> {
  const changed: number[] = [];
  for (const accessionNumber of await sharedAccessions(tx, patientId)) {
    changed.push(...(await matchAccession(tx, accessionNumber)).changed);
  }
  return changed;
}
