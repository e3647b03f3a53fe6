/** Applies HL7 orders of the hospital to the worklist, each message in one transaction. */
import { mayBeMri, type Order, type OrderMessage } from "@/model/hl7/order.ts";
import type { HospitalPatient } from "@/model/hl7/adt.ts";
import type { Database } from "@/server/core/database/database.ts";
import { NOT_FOUND, type StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import { mergesFrom, writeMovedOrders } from "@/server/core/connections/storage/patient_merges.ts";
import {
  cancelledAt,
  cancelOrder,
} from "@/server/core/connections/service/hl7/cancelled_orders.ts";
import { fillGaps, takeFromOthers } from "@/server/core/connections/service/hl7/changed_orders.ts";
import {
  type Applied,
  expiryOf,
  isOfPatient,
  itemOf,
  MAX_ITEMS,
  SHARED_REASONS,
} from "@/server/core/connections/service/hl7/order_context.ts";
import {
  isNumberOf,
  placeOf,
  withAccession,
} from "@/server/core/connections/service/hl7/order_numbers.ts";
import { newestOfPerson } from "@/server/core/connections/service/hl7/newest_identity.ts";
import { validId } from "@/server/core/connections/service/hl7/valid_id.ts";
import { given, withGiven } from "@/server/core/connections/service/hl7/patient_orders.ts";
import { matchAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  type HospitalOrder,
  insertOrder,
  type OrderItem,
  ordersOfAccession,
  ordersOfPatient,
  personOf,
  updateOrder,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/** Result of applying the orders of a message; texts for the code `reason` are in model/text. */
interface OrderOutcome {
  state: "applied" | "ignored" | "failed";
  reason: string | null;
  /** pids of studies of which the assigned order has changed */
  changed: number[];
  /** orders in this message; earlier messages with their order numbers must be re-applied */
  renewed: Applied["renewed"];
}

/** Reason codes of orders that were not applied, and that an administrator must check. */
const REFUSALS: readonly (string | null)[] = [
  ...Object.values(SHARED_REASONS),
  "several_orders",
  "too_many_orders",
  NOT_FOUND,
];

/**
 * Inserts an order. Entries that are missing in the message are those of the row that had the order
 * before, the patient's only if the order remains with the patient and is surely of the same person.
 */
async function addOrder(
  applied: Applied,
  order: Order,
  { row: former, item }: { row: HospitalOrder | undefined; item: OrderItem },
): Promise<void> {
  const { tx, message: { eventMs, system }, patient, patientId, at } = applied;
  const before = former?.patientId === patientId && isOfPatient(applied, former, order)
    ? former
    : null;
  const plannedOn = order.plannedOn ?? former?.plannedOn ?? null;
  const id = await insertOrder(tx, {
    system,
    accessionNumber: order.accessionNumber,
    ...before ? withGiven(before, patient, patientId) : { ...given(patient), patientId },
    eventMs,
    items: [item],
    referrer: displayName(order.referrer) || (former?.referrer ?? ""),
    plannedOn,
    orderedAt: at,
    expiresAt: expiryOf(at, plannedOn),
    state: item.isInForce ? "ordered" : "cancelled",
    pid: null,
  });
  applied.inserted.add(id);
}

/** Combines a stored order with the values of a newer message about this order. */
function withNewer(before: OrderItem, item: OrderItem): OrderItem {
  const { movedMs, isByFiller, ...placed } = item;
  const moved = before.isEarly ? movedMs : before.movedMs;
  const { changeMs, authority, placer = "", filler = "" } = before;
  return {
    ...changeMs !== undefined && { changeMs },
    ...authority !== undefined && { authority },
    ...placed,
    ...moved !== undefined && { movedMs: moved },
    ...isByFiller && before.isByFiller && { isByFiller },
    number: item.placer || placer || item.number,
    placer: item.placer || placer,
    filler: item.filler || filler,
    procedure: item.procedure || before.procedure,
  };
}

/** Whether a message is older than the last message about a stored order. */
function isOlder({ message: { eventMs, isForced } }: Applied, item: OrderItem, order: Order) {
  // if a change and a new order have the same time, the change counts as newer
  const isTie = item.ms === eventMs && item.changeMs === eventMs && item.isInForce;
  return !isForced && (item.ms > eventMs || (isTie && !order.isChange));
}

/**
 * Applies an order message that is older than the last message about the order: only empty fields
 * are filled. A change also removes the order from other rows, if the last message about the order
 * there is older than the change.
 */
async function setOlder(
  applied: Applied,
  order: Order,
  { rows, row }: { rows: readonly HospitalOrder[]; row: HospitalOrder },
): Promise<"older"> {
  const { message: { eventMs }, renewed } = applied;
  if (order.isChange) await takeFromOthers(applied, order, { own: rows, row });
  const { isEarly, movedMs, isByFiller, ...before } = row.items[placeOf(row.items, order)]!;
  // if a new order from before the last move already has this accession number, then that change
  // did not move the order here from another accession number
  const isPlaced = !order.isChange && movedMs !== undefined && movedMs >= eventMs;
  if (isPlaced) renewed.push({ order, areAll: true });
  const item: OrderItem = isEarly
    ? { ...itemOf(order, eventMs), ms: before.ms, isInForce: false }
    : {
      ...before,
      ...order.isChange && { changeMs: Math.max(before.changeMs ?? -Infinity, eventMs) },
      ...!isPlaced && movedMs !== undefined && { movedMs },
      ...order.isChange && isByFiller && { isByFiller },
    };
  const items = row.items.with(placeOf(row.items, order), item);
  await fillGaps(applied, order, { ...row, items });
  return "older";
}

/** Writes a new or changed order. @returns reason code if the order is skipped, or `null`. */
async function setOrder(applied: Applied, order: Order): Promise<string | null> {
  const { tx, message: { eventMs, isForced }, patient, patientId, shared, at } = applied;
  const all = await ordersOfAccession(tx, order.accessionNumber, patientId);
  const rows = all.filter((one) => isOfPatient(applied, one, order));
  const isHere = ({ items }: HospitalOrder) => placeOf(items, order) >= 0;
  const own = rows.find(isHere) ?? rows[0], stored = own?.items[placeOf(own.items, order)];
  if (own && stored && isOlder(applied, stored, order)) {
    return await setOlder(applied, order, { rows, row: own });
  }
  // whether another person with the same patient ID has this order
  const isOthers = order.number !== "" && !rows.some(isHere) && all.some(isHere);
  if (shared !== null && isOthers) return SHARED_REASONS[shared];
  const overMs = stored === undefined ? await cancelledAt(applied, order, rows) : null;
  const taken = await takeFromOthers(applied, order, { own: rows, row: own });
  if (taken === "older") return taken;
  const isByFiller = order.isChange && !order.isNamed && order.accessionNumber === order.filler;
  const before = taken.former?.items.find((one) => isNumberOf(one, order));
  const item: OrderItem = {
    ...itemOf(order, eventMs),
    procedure: order.procedure || (before?.procedure ?? ""),
    ...isByFiller && { isByFiller },
    ...overMs !== null && { ms: overMs, isInForce: false },
  };
  const { row, former } = taken, reason = overMs === null ? null : "older";
  if (row === undefined) {
    await addOrder(applied, order, { row: former, item });
    return reason;
  }
  const items = [...row.items], place = placeOf(items, order);
  if (place >= 0) items[place] = withNewer(items[place]!, item);
  else if (items.length < MAX_ITEMS) items.push(item);
  else return "too_many_orders";
  const isNewer = eventMs >= row.eventMs || isForced;
  const isInForce = items.some((one) => one.isInForce);
  // the row was moved from another patient; undoing a merge moves the row back like inserted rows
  if (row !== own) applied.inserted.add(row.id);
  await updateOrder(tx, {
    ...row,
    ...isNewer ? withGiven(row, patient, patientId) : {},
    eventMs: Math.max(row.eventMs, eventMs),
    items,
    referrer: isNewer && order.referrer !== "" ? displayName(order.referrer) : row.referrer,
    plannedOn: isNewer && order.plannedOn !== null ? order.plannedOn : row.plannedOn,
    expiresAt: expiryOf(at, order.plannedOn ?? row.plannedOn),
    // an order with images is matched again afterwards, which sets the state "arrived"
    state: row.state === "arrived" ? row.state : isInForce ? "ordered" : "cancelled",
  });
  return reason;
}

/**
 * Patient of an order. Newer data from patient administration replace the data of the order, and
 * any such data if the order names a former patient ID, if they are surely of the same person.
 */
async function patientOf(
  tx: Database,
  { patientId: idInMessage, eventMs }: StoredMessage,
  patient: HospitalPatient,
  patientId: string,
): Promise<HospitalPatient> {
  const newest = await newestOfPerson(tx, personOf({ ...given(patient), patientId }));
  if (newest === null || (patientId === idInMessage && newest.eventMs <= eventMs)) return patient;
  const { name, birthDate, sex } = newest.patient;
  return { ...patient, name: name ?? patient.name, birthDate, sex: sex ?? patient.sex };
}

/** Applies an order. @returns reason code if the order is skipped or refused, or `null`. */
async function applyOrder(applied: Applied, order: Order): Promise<string | null> {
  const { shared, renewed } = applied;
  if (shared !== null && order.control === "set" && order.accessionNumber === "") {
    return SHARED_REASONS[shared];
  }
  const meant = shared === null ? await withAccession(applied, order) : order;
  if (typeof meant === "string") return meant;
  applied.accessionNumbers.add(meant.accessionNumber);
  if (meant.control !== "set") return await cancelOrder(applied, meant);
  const reason = await setOrder(applied, meant), isStored = reason === null || reason === "older";
  if (isStored && order.number !== "") renewed.push({ order: meant, areAll: false });
  return reason;
}

/** Applies all orders of an HL7 message. */
export async function applyOrders(
  tx: Database,
  message: StoredMessage,
  { orders, patient }: OrderMessage,
  at: string,
): Promise<OrderOutcome> {
  const outcome: OrderOutcome = { state: "ignored", reason: null, changed: [], renewed: [] };
  const meant = orders.filter(({ control }) => control !== "ignore");
  if (meant.length === 0) return { ...outcome, reason: "no_change" };
  const mri = meant.filter(mayBeMri);
  if (mri.length === 0) return { ...outcome, reason: "other_modality" };
  const patientId = await validId(tx, message.patientId, patient.birthDate);
  if (patientId === null) return { ...outcome, state: "failed", reason: "merged_id" };
  const accessionNumbers = new Set<string>(), shared = await sharedIdAmong(tx, patientId);
  const applied: Applied = {
    tx,
    message,
    orders: mri,
    patient: shared === null ? await patientOf(tx, message, patient, patientId) : patient,
    sent: patient,
    patientId,
    shared,
    at,
    inserted: new Set(),
    accessionNumbers,
    renewed: outcome.renewed,
  };
  const reasons: (string | null)[] = [];
  for (const order of mri) reasons.push(await applyOrder(applied, order));
  if (patientId !== message.patientId) await noteFollowed(applied);
  for (const accessionNumber of accessionNumbers) {
    outcome.changed.push(...(await matchAccession(tx, accessionNumber)).changed);
  }
  const refused = reasons.find((reason) => REFUSALS.includes(reason));
  if (refused) return { ...outcome, state: "failed", reason: refused };
  if (reasons.some((reason) => reason === null || reason === "order_arrived")) {
    const hasArrived = reasons.every((reason) => reason === "order_arrived");
    return { ...outcome, state: "applied", reason: hasArrived ? "order_arrived" : null };
  }
  return { ...outcome, reason: reasons[0] ?? null };
}

/**
 * Records in the merges of a former patient ID that they moved orders of a message, with the patient
 * in the message, so that each merge can be undone. Orders that the valid ID had before are not
 * moved back.
 */
async function noteFollowed(
  { tx, message, sent, patientId, inserted }: Applied,
): Promise<void> {
  if (inserted.size === 0) return;
  const rows = (await ordersOfPatient(tx, patientId)).filter(({ id }) => inserted.has(id));
  for (const { id, priorId, movedOrders } of await mergesFrom(tx, message.patientId)) {
    const before = { ...given(sent), patientId: priorId };
    const moved = rows.map((row) => ({ id: row.id, before }));
    await writeMovedOrders(tx, id, [...movedOrders, ...moved]);
  }
}
