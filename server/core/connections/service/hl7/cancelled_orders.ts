/** Applies HL7 cancellations of orders, and stores them for orders that arrive later. */
import type { Order } from "@/model/hl7/order.ts";
import {
  type Applied,
  expiryOf,
  isOfPatient,
  itemOf,
  MAX_ITEMS,
  SHARED_REASONS,
} from "@/server/core/connections/service/hl7/order_context.ts";
import {
  isCancelled,
  isNumberOf,
  placeOf,
  rowsMeant,
} from "@/server/core/connections/service/hl7/order_numbers.ts";
import { given } from "@/server/core/connections/service/hl7/patient_orders.ts";
import {
  type HospitalOrder,
  insertOrder,
  type OrderItem,
  ordersOfAccession,
  updateOrder,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/**
 * Adds a cancellation to a row with fewer than {@link MAX_ITEMS} order numbers. If all rows are
 * full, inserts a row that contains only the cancellation.
 */
async function note(
  { tx, message: { eventMs, system }, patient, patientId, at, inserted }: Applied,
  { accessionNumber, rows, item }: {
    accessionNumber: string;
    rows: readonly HospitalOrder[];
    item: OrderItem;
  },
): Promise<void> {
  const row = rows.find(({ items }) => items.length < MAX_ITEMS);
  if (row !== undefined) {
    const expiresAt = expiryOf(at, row.plannedOn);
    return await updateOrder(tx, { ...row, items: [...row.items, item], expiresAt });
  }
  const id = await insertOrder(tx, {
    system,
    accessionNumber,
    ...given(patient),
    patientId,
    eventMs,
    items: [item],
    referrer: "",
    plannedOn: null,
    orderedAt: at,
    expiresAt: expiryOf(at, null),
    state: "cancelled",
    pid: null,
  });
  inserted.add(id);
}

/**
 * Stores a cancellation, so that an older message that arrives later does not restore the cancelled
 * order. A cancellation without an accession number is stored in a row of the patient without an
 * accession number.
 * @param meant Rows to which the cancellation applies, after {@link cancelOrder} has updated them.
 */
async function remember(
  applied: Applied,
  order: Order,
  meant: readonly HospitalOrder[],
): Promise<void> {
  const { tx, message: { eventMs }, patientId } = applied;
  const { accessionNumber, isNamed, number } = order, isWhole = number === "";
  const rows = isNamed
    ? meant
    : (await ordersOfAccession(tx, "", patientId)).filter((row) =>
      isOfPatient(applied, row, order)
    );
  const isNoted = (item: OrderItem) => isWhole ? item.isWhole : isNumberOf(item, order);
  const row = rows.find(({ items }) => items.some(isNoted));
  const item: OrderItem = {
    ...itemOf(order, eventMs),
    procedure: "",
    isInForce: false,
    ...isWhole ? { isWhole } : { isEarly: true },
  };
  if (row === undefined) {
    return await note(applied, { accessionNumber: isNamed ? accessionNumber : "", rows, item });
  }
  // cancelOrder() has already updated the time of this order; it does not update the time of
  // cancellations that were stored without an accession number or without an order number
  if (isNamed && !isWhole) return;
  const items = row.items.map((one) =>
    isNoted(one) ? { ...one, ms: Math.max(one.ms, eventMs) } : one
  );
  await updateOrder(tx, { ...row, items, expiresAt: expiryOf(applied.at, row.plannedOn) });
}

/** Cancels an order. @returns reason code if the order is skipped; `null` if cancelled. */
export async function cancelOrder(applied: Applied, order: Order): Promise<string | null> {
  const { tx, message: { eventMs, isForced }, patientId, shared, at } = applied;
  const all = await rowsMeant(tx, patientId, order);
  const rows = all.filter((one) => isOfPatient(applied, one, order));
  if (shared !== null && rows.length === 0 && all.length > 0) return SHARED_REASONS[shared];
  let reason: string | null = "no_order";
  const cancelled: HospitalOrder[] = [];
  for (const row of rows) {
    const isMeant = (item: OrderItem) => isCancelled(item, order);
    const isLate = (item: OrderItem) => item.ms > eventMs && !isForced;
    cancelled.push(row);
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
    cancelled.splice(-1, 1, { ...row, items, state });
    await updateOrder(tx, { ...row, items, state, expiresAt: expiryOf(at, row.plannedOn) });
    applied.accessionNumbers.add(row.accessionNumber);
    reason = isOver && row.state === "arrived" ? "order_arrived" : null;
  }
  await remember(applied, order, cancelled);
  return reason;
}

/**
 * Time of the latest cancellation that was stored before the order arrived, ms since the epoch.
 * `null` if no stored cancellation of the order is newer than the message with the order.
 * @param rows Rows of the patient with the accession number of the order.
 */
export async function cancelledAt(
  applied: Applied,
  order: Order,
  rows: readonly HospitalOrder[],
): Promise<number | null> {
  const { tx, message: { eventMs, isForced }, patientId } = applied;
  if (isForced) return null;
  const unnamed = (await ordersOfAccession(tx, "", patientId))
    .filter((row) => isOfPatient(applied, row, order) && placeOf(row.items, order) >= 0);
  // an order without an order number is cancelled by any cancellation for its accession number
  const isOver = (item: OrderItem) => item.isWhole || (order.number === "" && !item.isInForce);
  const times = [
    ...rows.flatMap(({ items }) => items.filter(isOver)),
    ...unnamed.flatMap(({ items }) => items.filter((item) => isNumberOf(item, order))),
  ].map(({ ms }) => ms).filter((ms) => ms > eventMs);
  return times.length === 0 ? null : Math.max(...times);
}
