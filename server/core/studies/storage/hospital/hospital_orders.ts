import { sql } from "kysely";
import type { RecordedIdentity } from "@/model/patient/shared_id.ts";
import type { OrderedPatient } from "@/model/patient/record_identity.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import type { HospitalOrderRow } from "@/server/core/database/tables.ts";

/** One of the order numbers under an accession number. */
export interface OrderItem {
  /** placer order number, or else filler order number; empty if the message has neither */
  number: string;
  /** placer order number and filler order number, empty if missing; absent in older rows */
  placer?: string;
  filler?: string;
  /** assigning authority of the placer order number; absent if missing */
  authority?: string;
  /** time of the last change (XO, XX), ms since the epoch: older messages may name other patients */
  changeMs?: number;
  /** time of the change that filed the order here: older messages may have a former accession */
  movedMs?: number;
  /**
   * set if the accession number is provisional: the filler order number of a change that arrived
   * before the order and had no accession number
   */
  isByFiller?: true;
  /** set for a cancellation that arrived before its order */
  isEarly?: true;
  /** set for a cancellation without an order number: of all orders with the accession number */
  isWhole?: true;
  procedure: string;
  /** time of the last message about this order number, ms since the epoch */
  ms: number;
  isInForce: boolean;
}

/** An examination that the hospital has ordered. */
export interface HospitalOrder extends OrderedPatient {
  id: number;
  system: string;
  accessionNumber: string;
  /** time of the last message that set the patient's data, ms since the epoch */
  eventMs: number;
  items: OrderItem[];
  referrer: string;
  plannedOn: string | null;
  /** number of the newest study when the order arrived; sorts the order among studies */
  afterPid: number;
  orderedAt: string;
  expiresAt: string;
  state: HospitalOrderRow["state"];
  /** study made for the order, which may have been deleted since; `null` without images */
  pid: number | null;
}

/** Maximum number of rows in one SQL statement. */
const ROWS_PER_STATEMENT = 5000;
/** A stored order as SQL returns it. */
type Selected = Omit<HospitalOrderRow, "id"> & { id: number };

/** Item as earlier versions stored it: flags of the last message in place of times. */
type FormerItem = OrderItem & { isChange?: true; isMoved?: true };

const readItem = ({ isChange, isMoved, ...item }: FormerItem): OrderItem => ({
  ...isChange && { changeMs: item.ms },
  ...isMoved && { movedMs: item.ms },
  ...item,
});

export const orderOf = (row: Selected): HospitalOrder => ({
  id: row.id,
  system: row.system,
  accessionNumber: row.accession_number,
  patientId: row.patient_id,
  patientName: row.patient_name,
  birthDate: row.birth_date,
  sex: row.sex,
  eventMs: Number(row.event_ms),
  items: (JSON.parse(row.items) as FormerItem[]).map(readItem),
  referrer: row.referrer,
  plannedOn: row.planned_on,
  afterPid: row.after_pid,
  orderedAt: row.ordered_at,
  expiresAt: row.expires_at,
  state: row.state,
  pid: row.pid,
});

const columnsOf = (order: Omit<HospitalOrder, "id" | "afterPid">) => ({
  system: order.system,
  accession_number: order.accessionNumber,
  patient_id: order.patientId,
  patient_name: order.patientName,
  birth_date: order.birthDate,
  sex: order.sex,
  event_ms: order.eventMs,
  items: JSON.stringify(order.items),
  referrer: order.referrer,
  planned_on: order.plannedOn,
  ordered_at: order.orderedAt,
  expires_at: order.expiresAt,
  state: order.state,
  pid: order.pid,
  is_changed: Number(order.items.some(({ changeMs }) => changeMs !== undefined)),
});

/** Patient of an order, in the form in which studies are compared with it. */
export const personOf = (
  { patientId, patientName, birthDate, sex }: OrderedPatient,
): RecordedIdentity => ({
  patient_id: patientId,
  patient_name: patientName,
  patient_birthdate: birthDate,
  patient_sex: sex,
});

/** Procedures of the order numbers in force; if all were cancelled, of all order numbers. */
export function procedureOf({ items }: HospitalOrder): string {
  const inForce = items.filter(({ isInForce }) => isInForce);
  const named = (inForce.length > 0 ? inForce : items).map(({ procedure }) => procedure);
  return [...new Set(named)].filter(Boolean).join(" / ");
}

/** Notifies the worklist index, in which an order has its number as a negative study number. */
async function noteChange(db: Database, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += ROWS_PER_STATEMENT) {
    const pids = ids.slice(at, at + ROWS_PER_STATEMENT).map((id) => ({ pid: -id }));
    await db.insertInto("worklist_changes").values(pids).execute();
  }
}

export async function insertOrder(
  db: Database,
  order: Omit<HospitalOrder, "id" | "afterPid">,
): Promise<number> {
  const { newest } = await db.selectFrom("patients").select((e) => e.fn.max("pid").as("newest"))
    .executeTakeFirstOrThrow();
  const { id } = await db.insertInto("hospital_orders")
    .values({ ...columnsOf(order), after_pid: Number(newest ?? 0) }).returning("id")
    .executeTakeFirstOrThrow();
  await noteChange(db, [id]);
  return id;
}

export async function updateOrder(db: Database, order: HospitalOrder): Promise<void> {
  await db.updateTable("hospital_orders").set(columnsOf(order)).where("id", "=", order.id)
    .execute();
  await noteChange(db, [order.id]);
}

/** Reads orders by order id, oldest first. */
export async function findOrders(db: Database, ids: readonly number[]): Promise<HospitalOrder[]> {
  const rows = await db.selectFrom("hospital_orders").selectAll()
    .where(isAmong(db, "id", numberList(db, ids))).orderBy("id").execute();
  return rows.map(orderOf);
}

/** Replaces the patient of orders. */
export async function setPatient(
  db: Database,
  ids: readonly number[],
  { patientId, patientName, birthDate, sex }: OrderedPatient,
): Promise<void> {
  await db.updateTable("hospital_orders").set({
    patient_id: patientId,
    patient_name: patientName,
    birth_date: birthDate,
    sex,
  }).where(isAmong(db, "id", numberList(db, ids))).execute();
  await noteChange(db, ids);
}

/** Orders with a patient ID, oldest first. */
export async function ordersOfPatient(db: Database, patientId: string): Promise<HospitalOrder[]> {
  const rows = await db.selectFrom("hospital_orders").selectAll()
    .where("patient_id", "=", patientId).orderBy("id").execute();
  return rows.map(orderOf);
}

/** Moves all orders of a patient ID to another patient ID. @param ids Ids of these orders. */
export async function movePatient(
  db: Database,
  { from, to, ids }: { from: string; to: string; ids: readonly number[] },
): Promise<void> {
  await db.updateTable("hospital_orders").set({ patient_id: to }).where("patient_id", "=", from)
    .execute();
  await noteChange(db, ids);
}

/** Writes the patient data that a message contains into orders. */
export async function writePatient(
  db: Database,
  ids: readonly number[],
  { patientName, birthDate, sex, eventMs }: Omit<OrderedPatient, "patientId"> & { eventMs: number },
): Promise<void> {
  await db.updateTable("hospital_orders").set({
    ...(patientName === "" ? {} : { patient_name: patientName }),
    ...(birthDate === null ? {} : { birth_date: birthDate }),
    ...(sex === null ? {} : { sex }),
    event_ms: sql<number>`CASE WHEN event_ms < ${eventMs} THEN ${eventMs} ELSE event_ms END`,
  }).where(isAmong(db, "id", numberList(db, ids))).execute();
  await noteChange(db, ids);
}

/** Orders of a patient with an accession number, oldest first. */
export async function ordersOfAccession(
  db: Database,
  accessionNumber: string,
  patientId: string,
): Promise<HospitalOrder[]> {
  const rows = await db.selectFrom("hospital_orders").selectAll()
    .where("accession_number", "=", accessionNumber).where("patient_id", "=", patientId)
    .orderBy("id").execute();
  return rows.map(orderOf);
}

/** Orders that messages of a hospital system have changed (XO, XX), oldest first. */
export async function changedOrders(db: Database, system: string): Promise<HospitalOrder[]> {
  const rows = await db.selectFrom("hospital_orders").selectAll().where("is_changed", "=", 1)
    .where("system", "=", system).orderBy("id").execute();
  return rows.map(orderOf);
}

/** Orders of a hospital system that may have one of these order numbers, oldest first. */
export async function ordersOfNumber(
  db: Database,
  system: string,
  numbers: readonly string[],
): Promise<HospitalOrder[]> {
  const patterns = numbers.map((number) =>
    `%${JSON.stringify(number).replaceAll(/[!%_]/g, "!$&")}%`
  );
  const rows = await db.selectFrom("hospital_orders").selectAll().where("system", "=", system)
    .where((e) =>
      e.or(patterns.map((pattern) => sql<boolean>`${e.ref("items")} LIKE ${pattern} ESCAPE '!'`))
    ).orderBy("id").execute();
  return rows.map(orderOf);
}

/** Orders by id, only those that wait for images. */
export async function readOrders(db: Database, ids: readonly number[]): Promise<HospitalOrder[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("hospital_orders").selectAll().where("state", "=", "ordered")
    .where(isAmong(db, "id", numberList(db, ids))).execute();
  return rows.map(orderOf);
}

/** The next orders that wait for images, after an order id. */
export async function ordersAfter(
  db: Database,
  id: number,
  most: number,
): Promise<HospitalOrder[]> {
  const rows = await db.selectFrom("hospital_orders").selectAll().where("state", "=", "ordered")
    .where("id", ">", id).orderBy("id").limit(most).execute();
  return rows.map(orderOf);
}

/** Ids of those orders of which an order or study of another patient has the accession number. */
export async function doubtedOrders(
  db: Database,
  orders: readonly HospitalOrder[],
): Promise<Set<number>> {
  const numbers = [...new Set(orders.map(({ accessionNumber }) => accessionNumber))];
  if (numbers.length === 0) return new Set();
  const [others, studies] = await Promise.all([
    db.selectFrom("hospital_orders").select(["accession_number", "patient_id"])
      .where("state", "!=", "cancelled").where("accession_number", "in", numbers).execute(),
    db.selectFrom("patients").select(["accession_number", "patient_id"])
      .where("accession_number", "in", numbers).execute(),
  ]);
  const all = [...others, ...studies];
  return new Set(
    orders.filter((order) =>
      all.some((one) =>
        one.accession_number === order.accessionNumber &&
        (one.patient_id !== order.patientId || studies.includes(one))
      )
    ).map(({ id }) => id),
  );
}

/** Deletes expired orders. @returns number of deleted orders. */
export async function forgetOrders(db: Database, now: string): Promise<number> {
  const rows = await db.deleteFrom("hospital_orders").where("expires_at", "<", now).returning("id")
    .execute();
  await noteChange(db, rows.map(({ id }) => id));
  return rows.length;
}

/** Number of orders for which no images have arrived. */
export async function countOrders(db: Database): Promise<number> {
  const { n } = await db.selectFrom("hospital_orders").select((e) => e.fn.countAll().as("n"))
    .where("state", "!=", "arrived").executeTakeFirstOrThrow();
  return Number(n);
}

/**
 * Deletes orders without images, first those that expire first, so that at most `most` remain.
 * @returns number of deleted orders.
 */
export async function trimOrders(db: Database, most: number): Promise<number> {
  const excess = await countOrders(db) - most;
  if (excess <= 0) return 0;
  const first = await db.selectFrom("hospital_orders").select("id").where("state", "!=", "arrived")
    .orderBy("expires_at").orderBy("id").limit(excess).execute();
  const ids = first.map(({ id }) => id);
  await db.deleteFrom("hospital_orders").where(isAmong(db, "id", numberList(db, ids))).execute();
  await noteChange(db, ids);
  return ids.length;
}
