/** Which ordered examination a message is about, by the numbers of placer and filler. */
import type { Order } from "@/model/hl7/order.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import {
  changedOrders,
  type HospitalOrder,
  type OrderItem,
  ordersOfAccession,
  ordersOfNumber,
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

/** A row that a changed order is taken from, with the accession number that it may have had. */
interface Source {
  row: HospitalOrder;
  isMoved: boolean;
}

/**
 * Other rows of a system with an order: those under its accession number and, when there is only
 * one, the row under another number. With several, one number stands for several examinations.
 */
function sourcesOf(
  rows: readonly HospitalOrder[],
  { accessionNumber }: Order,
  isThere: boolean,
): Source[] {
  const isMoved = (row: HospitalOrder) => row.accessionNumber !== accessionNumber;
  const here = rows.filter((row) => !isMoved(row)), elsewhere = rows.filter(isMoved);
  const isOnlyMoved = !isThere && here.length === 0 && elsewhere.length === 1;
  return (isOnlyMoved ? elsewhere : here).map((row) => ({ row, isMoved: isOnlyMoved }));
}

/** An order's row before it is written, and the row with its former accession number. */
export interface Taken {
  /** row that the order is written into; absent: a new one */
  row?: HospitalOrder | undefined;
  former?: HospitalOrder;
}

/**
 * Takes a changed order from other patients of its system, and from another accession number. A row
 * with this order alone becomes the new patient's, without data of the former; from other rows, and
 * from those of another accession number, only the order is taken.
 * @param own Rows of this patient with the accession number.
 * @param row The row among them that the order belongs to; absent without one.
 * @returns `"older"` when a later change is known.
 */
export async function takeFromOthers(
  { tx, message: { eventMs, isForced, system }, patientId }: Change,
  order: Order,
  { own, row }: { own: readonly HospitalOrder[]; row: HospitalOrder | undefined },
): Promise<Taken | "older"> {
  const { accessionNumber, number, placer, filler, isChange } = order;
  if (number === "") return { row };
  const all = isChange
    ? await ordersOfNumber(tx, system, [number, placer, filler].filter(Boolean))
    : await changedOrders(tx, system);
  const others = all.filter((one) =>
    !own.some(({ id }) => id === one.id) && placeOf(one.items, order) >= 0
  );
  const isLate = (one: HospitalOrder) =>
    one.items.some((item) =>
      item.ms > eventMs && isNumberOf(item, order) &&
      (item.isChange === true || (isChange && one.accessionNumber === accessionNumber))
    );
  if (!isForced && others.some(isLate)) return "older";
  if (!isChange) return { row };
  const isThere = own.some(({ items }) => placeOf(items, order) >= 0), taken: Taken = { row };
  for (const { row: other, isMoved } of sourcesOf(others, order, isThere)) {
    const remaining = other.items.filter((item) => !isNumberOf(item, order));
    if (isMoved) taken.former = other;
    else if (taken.row === undefined && remaining.length === 0) {
      const nobody = { patientName: "", birthDate: null, sex: null };
      taken.row = { ...other, ...nobody, patientId, eventMs: -Infinity };
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
  return taken;
}
