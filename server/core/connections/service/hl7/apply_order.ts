/** Applies HL7 orders of the hospital to the worklist, each message in one transaction. */
import { areOtherPeople, isPlaceholder, type SharedId } from "@/model/patient/shared_id.ts";
import { mayBeMri, type Order, type OrderMessage } from "@/model/hl7/order.ts";
import type { HospitalPatient } from "@/model/hl7/adt.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import { mergesFrom, writeMovedOrders } from "@/server/core/connections/storage/patient_merges.ts";
import {
  isCancelled,
  isCancelledBefore,
  isNumberOf,
  placeOf,
  rowsMeant,
  takeFromOthers,
  withAccession,
} from "@/server/core/connections/service/hl7/order_numbers.ts";
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
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";

const DAY_MS = 86_400_000;
/** Days that an order is kept after its last message, or after its planned day. */
export const ORDER_DAYS = 30;
/** Maximum time until the planned day of an order; a later day is taken for a mistake. */
const MAX_PLANNED_MS = 400 * DAY_MS;
/** Maximum number of order numbers under one accession number of a patient. */
const MAX_ITEMS = 20;

/** Result of applying the orders of a message; texts for the code `reason` are in model/text. */
interface OrderOutcome {
  state: "applied" | "ignored" | "failed";
  reason: string | null;
  /** pids of studies of which the assigned order has changed */
  changed: number[];
}

/** The last day on which an order is kept. */
function expiryOf(at: string, plannedOn: string | null): string {
  const now = Date.parse(at), planned = plannedOn === null ? now : Date.parse(plannedOn);
  const from = planned - now > MAX_PLANNED_MS ? now : Math.max(now, planned);
  return new Date(from + ORDER_DAYS * DAY_MS).toISOString();
}

/** Reason codes for refusing a message about a patient ID that several people share. */
export const SHARED_REASONS: Readonly<Record<SharedId, string>> = {
  placeholder: "placeholder_id",
  several_people: "shared_id",
};

/** Reason codes for orders that an administrator must check, because they are applied nowhere. */
const REFUSALS: readonly (string | null)[] = [
  ...Object.values(SHARED_REASONS),
  "several_orders",
  "order_not_found",
];

interface Applied {
  tx: Database;
  message: StoredMessage;
  orders: readonly Order[];
  patient: HospitalPatient;
  /** patient ID that is valid today, after all merges of the ID in the message */
  patientId: string;
  /** reason why `patientId` does not identify one person; `null` if the ID does */
  shared: SharedId | null;
  at: string;
  /** ids of order rows that this message inserted or took over from another patient */
  inserted: Set<number>;
  /** accession numbers of the orders in this message */
  accessionNumbers: Set<string>;
}

/** Order of a message in the form of a stored order that is in force. */
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
  ...isChange && { isChange, isMoved: true },
});

/**
 * Whether a stored order is of the patient in a message. If several people share the patient ID,
 * the order number must agree, and birth date, sex and name must not contradict.
 */
function isOfPatient({ patient, patientId, shared }: Applied, row: HospitalOrder, order: Order) {
  if (shared === null) return true;
  const person = personOf({ ...given(patient), patientId }), ordered = personOf(row);
  const isNumbered = order.number !== "" && placeOf(row.items, order) >= 0;
  return isNumbered && !areOtherPeople(ordered, person);
}

/** Inserts an order; if only the accession number changed, the patient data are kept. */
async function addOrder(
  applied: Applied,
  order: Order,
  { row: former, item }: { row: HospitalOrder | undefined; item: OrderItem },
): Promise<void> {
  const { tx, message: { eventMs, system }, patient, patientId, at } = applied;
  const before = former?.patientId === patientId && isOfPatient(applied, former, order)
    ? former
    : null;
  const procedure = before?.items.find((one) => isNumberOf(one, order))?.procedure ?? "";
  const plannedOn = order.plannedOn ?? before?.plannedOn ?? null;
  const id = await insertOrder(tx, {
    system,
    accessionNumber: order.accessionNumber,
    ...before ? withGiven(before, patient, patientId) : { ...given(patient), patientId },
    eventMs,
    items: [{ ...item, procedure: item.procedure || procedure }],
    referrer: displayName(order.referrer) || (before?.referrer ?? ""),
    plannedOn,
    orderedAt: at,
    expiresAt: expiryOf(at, plannedOn),
    state: "ordered",
    pid: null,
  });
  applied.inserted.add(id);
}

/** Writes a new or changed order. @returns reason code if the order is skipped, or `null`. */
async function setOrder(applied: Applied, order: Order): Promise<string | null> {
  const { tx, message: { eventMs, isForced }, patient, patientId, shared, at } = applied;
  const all = await ordersOfAccession(tx, order.accessionNumber, patientId);
  const rows = all.filter((one) => isOfPatient(applied, one, order));
  const isHere = ({ items }: HospitalOrder) => placeOf(items, order) >= 0;
  const own = rows.find(isHere) ?? rows[0];
  const isLate = (item: OrderItem | undefined) => item && item.ms > eventMs && !isForced;
  if (own && isLate(own.items[placeOf(own.items, order)])) return "older";
  // whether another person with the same patient ID has this order
  const isOthers = order.number !== "" && !rows.some(isHere) && all.some(isHere);
  if (shared !== null && isOthers) return SHARED_REASONS[shared];
  const taken = await takeFromOthers(applied, order, { own: rows, row: own });
  if (taken === "older") return taken;
  const { row, former } = taken, item = itemOf(order, eventMs);
  if (former) applied.accessionNumbers.add(former.accessionNumber);
  if (row === undefined) {
    const isOver = shared === null &&
      await isCancelledBefore(tx, { eventMs, patientId }, order);
    if (isOver && !isForced) return "older";
    await addOrder(applied, order, { row: former, item });
    return null;
  }
  const items = [...row.items], place = placeOf(items, order);
  if (place >= 0) {
    const { procedure, placer = "", filler = "", isMoved } = items[place]!;
    const { isMoved: _, ...unmoved } = item;
    items[place] = {
      ...unmoved,
      ...isMoved && item.isChange && { isMoved },
      number: item.placer || placer || item.number,
      placer: item.placer || placer,
      filler: item.filler || filler,
      procedure: order.procedure || procedure,
    };
  } else if (items.length < MAX_ITEMS) items.push(item);
  else return "too_many_orders";
  const isNewer = eventMs >= row.eventMs || isForced;
  // this row came from another patient; undoing a merge moves it back with the inserted rows
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
    state: row.state === "cancelled" ? "ordered" : row.state,
  });
  return null;
}

/** Cancels an order. @returns reason code if the order is skipped; `null` if cancelled. */
async function cancelOrder(applied: Applied, order: Order): Promise<string | null> {
  const { tx, message: { eventMs, isForced, system }, patient, patientId, shared, at } = applied;
  const all = await rowsMeant(tx, patientId, order);
  const rows = all.filter((one) => isOfPatient(applied, one, order));
  if (shared !== null && rows.length === 0 && all.length > 0) return SHARED_REASONS[shared];
  if (rows.length === 0) {
    if (order.accessionNumber === "") return "no_order";
    // stored as cancelled, so that a delayed message with an earlier time does not place the order
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
    // an order with images keeps the state "arrived", because images and procedure remain
    const state = isOver && row.state === "ordered" ? "cancelled" : row.state;
    await updateOrder(tx, { ...row, items, state, expiresAt: expiryOf(at, row.plannedOn) });
    applied.accessionNumbers.add(row.accessionNumber);
    reason = isOver && row.state === "arrived" ? "order_arrived" : null;
  }
  return reason;
}

/**
 * Patient ID that is valid today for the ID in an order. `null` if the birth date differs from
 * records with this ID, because a hospital may assign an ID again to a second person.
 */
async function validId(
  tx: Database,
  patientId: string,
  { birthDate }: HospitalPatient,
): Promise<string | null> {
  const last = (await mergesFrom(tx, patientId)).at(-1);
  if (last === undefined) return patientId;
  if (isPlaceholder(patientId) || await sharedIdAmong(tx, last.patientId) !== null) return null;
  const isOther = birthDate !== null &&
    (await listRecords(tx, last.patientId)).some((record) =>
      record.patient_birthdate !== null && record.patient_birthdate !== birthDate
    );
  return isOther ? null : last.patientId;
}

/** Applies an order. @returns reason code if the order is skipped or refused, or `null`. */
async function applyOrder(applied: Applied, order: Order): Promise<string | null> {
  const { shared } = applied;
  if (shared !== null && order.control === "set" && order.accessionNumber === "") {
    return SHARED_REASONS[shared];
  }
  const meant = shared === null ? await withAccession(applied, order) : order;
  if (typeof meant === "string") return meant;
  applied.accessionNumbers.add(meant.accessionNumber);
  return await (meant.control === "set" ? setOrder(applied, meant) : cancelOrder(applied, meant));
}

/** Applies all orders of an HL7 message. */
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
  const accessionNumbers = new Set<string>();
  const applied: Applied = {
    tx,
    message,
    orders: mri,
    patient,
    patientId,
    shared: await sharedIdAmong(tx, patientId),
    at,
    inserted: new Set(),
    accessionNumbers,
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
 * Records in the merges of a former patient ID that they moved orders of a message, so that each
 * merge can be undone. Orders that the valid ID had before are not moved back.
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
