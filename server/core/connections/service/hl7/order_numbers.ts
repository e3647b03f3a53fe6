/** Which ordered examination a message is about, by the numbers of placer and filler. */
import type { Order } from "@/model/hl7/order.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import {
  type HospitalOrder,
  type OrderItem,
  ordersOfAccession,
  ordersOfOthers,
  ordersOfPatient,
  updateOrder,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

type Numbers = Pick<Order, "number" | "placer" | "filler">;

/**
 * Whether a stored order has the numbers of a message: the placer's where both have it, otherwise
 * the filler's. A filler may give several orders of a placer one number.
 */
export function isNumberOf(item: OrderItem, { number, placer, filler }: Numbers): boolean {
  // rows of earlier versions do not tell the numbers of placer and filler apart
  if (item.placer === undefined) {
    return item.number === number || (filler !== "" && item.number === filler);
  }
  if (item.placer !== "" && placer !== "") return item.placer === placer;
  if (item.filler && filler !== "") return item.filler === filler;
  return item.number === "" && number === "";
}

export const placeOf = (items: readonly OrderItem[], order: Numbers): number =>
  items.findIndex((item) => isNumberOf(item, order));

/** Whether a cancellation is about a stored order; without numbers, the accession number says so. */
export const isCancelled = (item: OrderItem, order: Numbers): boolean =>
  order.number === "" || item.number === "" || isNumberOf(item, order);

/** Rows of a patient that a cancellation is about: by accession number, otherwise by order number. */
export async function rowsMeant(
  tx: Database,
  patientId: string,
  order: Order,
): Promise<HospitalOrder[]> {
  const { accessionNumber, isNamed, number, filler } = order;
  const byAccession = accessionNumber === ""
    ? []
    : await ordersOfAccession(tx, accessionNumber, patientId);
  const isAmong = (rows: readonly HospitalOrder[]) =>
    rows.some(({ items }) => items.some((item) => isCancelled(item, order)));
  if (isNamed || number === "" || isAmong(byAccession)) return byAccession;
  const byNumber = (await ordersOfPatient(tx, patientId))
    .filter(({ items }) => placeOf(items, order) >= 0);
  if (byNumber.length > 0 || filler === "" || byAccession.length > 0) {
    return byNumber.length > 0 ? byNumber : byAccession;
  }
  return await ordersOfAccession(tx, filler, patientId);
}

/** Whether a cancellation by the filler's number alone came before its older order. */
export async function isCancelledBefore(
  tx: Database,
  { eventMs, patientId }: { eventMs: number; patientId: string },
  { accessionNumber, filler, ...numbers }: Order,
): Promise<boolean> {
  if (filler === "" || filler === accessionNumber) return false;
  const rows = await ordersOfAccession(tx, filler, patientId);
  return rows.some(({ items }) =>
    items.some((item) =>
      !item.isInForce && item.ms > eventMs && isNumberOf(item, { ...numbers, filler })
    )
  );
}

interface Change {
  tx: Database;
  message: Pick<StoredMessage, "eventMs" | "isForced" | "system">;
  /** the ID that is valid today */
  patientId: string;
}

/**
 * Takes a changed order from other patients of its system who have it under the same accession
 * number. A row with this order alone becomes the new patient's, without data of the former; from
 * other rows only the order is taken.
 * @param row The new patient's row; absent without one.
 * @returns the new patient's row, not written yet; `"older"` when a later change is known.
 */
export async function takeFromOthers(
  { tx, message: { eventMs, isForced, system }, patientId }: Change,
  order: Order,
  row: HospitalOrder | undefined,
): Promise<HospitalOrder | undefined | "older"> {
  const { accessionNumber, number, isChange } = order;
  if (number === "") return row;
  const others = (await ordersOfOthers(tx, { system, accessionNumber, patientId }))
    .filter(({ items }) => placeOf(items, order) >= 0);
  const isLate = (item: OrderItem) =>
    item.ms > eventMs && (isChange || item.isChange === true) && isNumberOf(item, order);
  if (!isForced && others.some(({ items }) => items.some(isLate))) return "older";
  if (!isChange) return row;
  let target = row;
  for (const other of others) {
    const remaining = other.items.filter((item) => !isNumberOf(item, order));
    if (target === undefined && remaining.length === 0) {
      const nobody = { patientName: "", birthDate: null, sex: null };
      target = { ...other, ...nobody, patientId, eventMs: -Infinity };
      continue;
    }
    const isOver = other.state === "ordered" && !remaining.some(({ isInForce }) => isInForce);
    await updateOrder(tx, {
      ...other,
      items: remaining,
      referrer: remaining.length === 0 ? "" : other.referrer,
      state: isOver ? "cancelled" : other.state,
    });
  }
  return target;
}
