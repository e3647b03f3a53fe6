/** Finds the stored order of a message by the order numbers of placer and filler (HL7 ORC). */
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
 * Whether a stored order has the order numbers of a message: the placer's if both have one,
 * otherwise the filler's. A filler may give one number to several orders of a placer.
 */
export function isNumberOf(item: OrderItem, { number, placer, filler }: Numbers): boolean {
  // rows of earlier versions do not distinguish the numbers of placer and filler
  if (item.placer === undefined) {
    return item.number === number || (filler !== "" && item.number === filler);
  }
  if (item.placer !== "" && placer !== "") return item.placer === placer;
  if (item.filler && filler !== "") return item.filler === filler;
  return item.number === "" && number === "";
}

export const placeOf = (items: readonly OrderItem[], order: Numbers): number =>
  items.findIndex((item) => isNumberOf(item, order));

/** Whether a cancellation is about a stored order; also `true` if either has no order number. */
export const isCancelled = (item: OrderItem, order: Numbers): boolean =>
  order.number === "" || item.number === "" || isNumberOf(item, order);

/** Rows of a patient that a cancellation applies to: by accession number or by order number. */
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

/** Whether a cancellation with only the filler's number arrived before the older order. */
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
  /** patient ID that is valid today */
  patientId: string;
}

/** A row from which a changed order is taken; `isMoved`: from another accession number. */
interface Source {
  row: HospitalOrder;
  isMoved: boolean;
}

/**
 * Further rows with an order: those under the same accession number; otherwise the row under
 * another accession number, if it is the only row: several rows are different examinations.
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

/** Row into which an order is written, and the row with the former accession number. */
export interface Taken {
  /** row into which the order is written; absent: a new row is needed */
  row?: HospitalOrder | undefined;
  former?: HospitalOrder;
}

/**
 * Takes a changed order away from other patients or from another accession number. A row with no
 * other order is moved to the new patient, without the former patient's data. From any other
 * row, and from rows under another accession number, only the order is taken.
 * @param own Rows of the new patient with this accession number.
 * @param row The row of `own` to which the order belongs; absent without such a row.
 * @returns `"older"` when a later change of the order is stored already.
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
