/** Applies orders of the hospital, each message in one transaction. */
import { mayAllBeOnePerson, mayBeOnePerson } from "@/model/patient/one_person.ts";
import { mayBeMri, type Order, type OrderMessage } from "@/model/hl7/order.ts";
import type { HospitalPatient } from "@/model/hl7/adt.ts";
import type { OrderedPatient } from "@/model/patient/record_identity.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import {
  mergesFrom,
  type MovedOrder,
  type PatientMerge,
  writeMovedOrders,
} from "@/server/core/connections/storage/patient_merges.ts";
import {
  isCancelled,
  isCancelledBefore,
  placeOf,
  rowsMeant,
  takeFromOthers,
} from "@/server/core/connections/service/hl7/order_numbers.ts";
import { matchAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  findOrder,
  type HospitalOrder,
  insertOrder,
  movePatient,
  type OrderItem,
  ordersOfAccession,
  ordersOfPatient,
  personOf,
  sharedAccessions,
  updateOrder,
  writePatient,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";

const DAY_MS = 86_400_000;
/** Days that an order is kept after its last message, or after its planned day. */
export const ORDER_DAYS = 30;
/** A planned day further away is taken for a mistake. */
const MAX_PLANNED_MS = 400 * DAY_MS;
/** Maximum number of order numbers under one accession number of a patient. */
const MAX_ITEMS = 20;

/** Result of the orders of a message; `reason` is a code of model/text. */
interface OrderOutcome {
  state: "applied" | "ignored" | "failed";
  reason: string | null;
  /** studies with images of these orders that have changed */
  changed: number[];
}

/** The last day on which an order is kept. */
function expiryOf(at: string, plannedOn: string | null): string {
  const now = Date.parse(at), planned = plannedOn === null ? now : Date.parse(plannedOn);
  const from = planned - now > MAX_PLANNED_MS ? now : Math.max(now, planned);
  return new Date(from + ORDER_DAYS * DAY_MS).toISOString();
}

const given = ({ name, birthDate, sex }: HospitalPatient) => ({
  patientName: name === null ? "" : displayName(name),
  birthDate,
  sex,
});

/** A patient with the values that a message has. */
const withGiven = (
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

interface Applied {
  tx: Database;
  message: StoredMessage;
  patient: HospitalPatient;
  /** the ID that is valid today */
  patientId: string;
  at: string;
  /** numbers of orders that this message has brought */
  inserted: Set<number>;
  /** accession numbers of the orders that it concerns */
  accessionNumbers: Set<string>;
}

/** An order that a message sets, in force. */
const itemOf = (
  { number, placer, filler, procedure, isChange }: Order,
  ms: number,
): OrderItem & { placer: string; filler: string } => ({
  number,
  placer,
  filler,
  procedure,
  ms,
  isInForce: true,
  ...isChange && { isChange },
});

/** Writes a new or changed order. @returns why it is left out; `null`: it is written. */
async function setOrder(applied: Applied, order: Order): Promise<string | null> {
  const { tx, message: { eventMs, isForced, system }, patient, patientId, at } = applied;
  const rows = await ordersOfAccession(tx, order.accessionNumber, patientId);
  const own = rows.find(({ items }) => placeOf(items, order) >= 0) ?? rows[0];
  const isLate = (item: OrderItem | undefined) => item && item.ms > eventMs && !isForced;
  if (own && isLate(own.items[placeOf(own.items, order)])) return "older";
  const row = await takeFromOthers(applied, order, own);
  if (row === "older") return row;
  const item = itemOf(order, eventMs);
  if (row === undefined) {
    if (!isForced && await isCancelledBefore(tx, { eventMs, patientId }, order)) return "older";
    const id = await insertOrder(tx, {
      system,
      accessionNumber: order.accessionNumber,
      ...given(patient),
      patientId,
      eventMs,
      items: [item],
      referrer: displayName(order.referrer),
      plannedOn: order.plannedOn,
      orderedAt: at,
      expiresAt: expiryOf(at, order.plannedOn),
      state: "ordered",
      pid: null,
    });
    applied.inserted.add(id);
    return null;
  }
  const items = [...row.items], place = placeOf(items, order);
  if (place >= 0) {
    const { procedure, placer = "", filler = "" } = items[place]!;
    items[place] = {
      ...item,
      number: item.placer || placer || item.number,
      placer: item.placer || placer,
      filler: item.filler || filler,
      procedure: order.procedure || procedure,
    };
  } else if (items.length < MAX_ITEMS) items.push(item);
  else return "too_many_orders";
  const isNewer = eventMs >= row.eventMs || isForced;
  // a row of another patient, which an undone merge moves back with those of the message
  if (row !== own) applied.inserted.add(row.id);
  await updateOrder(tx, {
    ...row,
    ...isNewer ? withGiven(row, patient, patientId) : {},
    eventMs: Math.max(row.eventMs, eventMs),
    items,
    referrer: isNewer && order.referrer !== "" ? displayName(order.referrer) : row.referrer,
    plannedOn: isNewer && order.plannedOn !== null ? order.plannedOn : row.plannedOn,
    expiresAt: expiryOf(at, order.plannedOn ?? row.plannedOn),
    // with images, the order is matched again below
    state: row.state === "cancelled" ? "ordered" : row.state,
  });
  return null;
}

/** Cancels an order. @returns why it is left out; `null`: it is cancelled. */
async function cancelOrder(applied: Applied, order: Order): Promise<string | null> {
  const { tx, message: { eventMs, isForced, system }, patient, patientId, at } = applied;
  const rows = await rowsMeant(tx, patientId, order);
  if (rows.length === 0) {
    if (order.accessionNumber === "") return "no_order";
    // remembered, so that a late message with an earlier time does not order it again
    const id = await insertOrder(tx, {
      system,
      accessionNumber: order.accessionNumber,
      ...given(patient),
      patientId,
      eventMs,
      items: [{ ...itemOf(order, eventMs), procedure: "", isInForce: false }],
      referrer: "",
      plannedOn: null,
      orderedAt: at,
      expiresAt: expiryOf(at, null),
      state: "cancelled",
      pid: null,
    });
    applied.inserted.add(id);
    return "no_order";
  }
  let reason: string | null = "no_order";
  for (const row of rows) {
    const isMeant = (item: OrderItem) => isCancelled(item, order);
    const isLate = (item: OrderItem) => item.ms > eventMs && !isForced;
    if (!row.items.some(isMeant)) continue;
    if (row.items.filter(isMeant).every(isLate)) {
      reason = reason === null ? null : "older";
      continue;
    }
    const items = row.items.map((item) =>
      isMeant(item) && !isLate(item) ? { ...item, ms: eventMs, isInForce: false } : item
    );
    const isOver = !items.some(({ isInForce }) => isInForce);
    // the images of a cancelled order stay, with its procedure
    const state = isOver && row.state === "ordered" ? "cancelled" : row.state;
    await updateOrder(tx, { ...row, items, state, expiresAt: expiryOf(at, row.plannedOn) });
    applied.accessionNumbers.add(row.accessionNumber);
    reason = isOver && row.state === "arrived" ? "order_arrived" : null;
  }
  return reason;
}

/**
 * The ID valid today of the patient of an order; `null` if the birth date is another than in the
 * records of this ID: a hospital may use an ID again for a second person.
 */
async function validId(
  tx: Database,
  patientId: string,
  { birthDate }: HospitalPatient,
): Promise<string | null> {
  const last = (await mergesFrom(tx, patientId)).at(-1);
  if (last === undefined) return patientId;
  const isOther = birthDate !== null &&
    (await listRecords(tx, last.patientId)).some((record) =>
      record.patient_birthdate !== null && record.patient_birthdate !== birthDate
    );
  return isOther ? null : last.patientId;
}

/** Applies the orders of a message. */
export async function applyOrders(
  tx: Database,
  message: StoredMessage,
  { orders, patient }: OrderMessage,
  at: string,
): Promise<OrderOutcome> {
  const outcome: OrderOutcome = { state: "ignored", reason: null, changed: [] };
  const meant = orders.filter(({ control }) => control !== "ignore");
  if (meant.length === 0) return { ...outcome, reason: "no_change" };
  const mri = meant.filter(mayBeMri);
  if (mri.length === 0) return { ...outcome, reason: "other_modality" };
  const patientId = await validId(tx, message.patientId, patient);
  if (patientId === null) return { ...outcome, state: "failed", reason: "merged_id" };
  const accessionNumbers = new Set(mri.map(({ accessionNumber }) => accessionNumber));
  const applied: Applied = {
    tx,
    message,
    patient,
    patientId,
    at,
    inserted: new Set(),
    accessionNumbers,
  };
  const reasons: (string | null)[] = [];
  for (const order of mri) {
    reasons.push(
      await (order.control === "set" ? setOrder(applied, order) : cancelOrder(applied, order)),
    );
  }
  if (patientId !== message.patientId) await noteFollowed(applied);
  for (const accessionNumber of accessionNumbers) {
    outcome.changed.push(...(await matchAccession(tx, accessionNumber)).changed);
  }
  if (reasons.some((reason) => reason === null || reason === "order_arrived")) {
    const hasArrived = reasons.every((reason) => reason === "order_arrived");
    return { ...outcome, state: "applied", reason: hasArrived ? "order_arrived" : null };
  }
  return { ...outcome, reason: reasons[0] ?? null };
}

/**
 * Notes in the merges of a former ID that they moved the orders of a message: each can be undone.
 * Orders that the valid ID had before are its own patient's and stay there.
 */
async function noteFollowed(
  { tx, message, patientId, inserted }: Applied,
): Promise<void> {
  if (inserted.size === 0) return;
  const rows = (await ordersOfPatient(tx, patientId)).filter(({ id }) => inserted.has(id));
  for (const { id, priorId, movedOrders } of await mergesFrom(tx, message.patientId)) {
    const moved = rows.map(({ id, patientName, birthDate, sex }) => ({
      id,
      before: { patientId: priorId, patientName, birthDate, sex },
    }));
    await writeMovedOrders(tx, id, [...movedOrders, ...moved]);
  }
}

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
