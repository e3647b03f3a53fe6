/** Finds the stored order of a message by the order numbers of placer and filler (HL7 ORC). */
import type { Order } from "@/model/hl7/order.ts";
import type { SharedId } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
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
export function isNumberOf(
  item: Pick<OrderItem, "number" | "placer" | "filler">,
  { number, placer, filler }: Numbers,
): boolean {
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
  /** reason why `patientId` does not identify one person; `null` if the ID does */
  shared: SharedId | null;
  /** all orders of the message */
  orders: readonly Order[];
}

/** Orders of a hospital system with one of the numbers of an order. */
const ordersWith = async (
  { tx, message: { system } }: Change,
  order: Order,
): Promise<HospitalOrder[]> => {
  const { number, placer, filler } = order;
  const rows = await ordersOfNumber(tx, system, [number, placer, filler].filter(Boolean));
  return rows.filter(({ items }) => placeOf(items, order) >= 0);
};

/**
 * The order of a change, with the accession number of the stored order if the message names none.
 * A filler's number names the accession number if the system sends no other.
 * @returns `"several_orders"`: the numbers of the message belong to several accession numbers.
 */
export async function withAccession(
  change: Change,
  order: Order,
): Promise<Order | "several_orders" | "order_not_found"> {
  const { isChange, isNamed, filler } = order;
  if (!isChange || isNamed) return order;
  const all = await ordersWith(change, order);
  const hasFiller = ({ items }: HospitalOrder, number: string) =>
    items.some((item) => item.filler === number && isNumberOf(item, order));
  const isByFiller = all.some((row) =>
    row.accessionNumber === filler || hasFiller(row, row.accessionNumber)
  );
  if (filler !== "" && (isByFiller || all.length === 0)) return order;
  const narrowed = (rows: HospitalOrder[], isMeant: (row: HospitalOrder) => boolean) =>
    rows.some(isMeant) ? rows.filter(isMeant) : rows;
  const ofFiller = narrowed(all, (row) => filler !== "" && hasFiller(row, filler));
  const meant = narrowed(ofFiller, ({ patientId }) => patientId === change.patientId);
  const [accessionNumber, ...more] = new Set(meant.map((row) => row.accessionNumber));
  if (accessionNumber === undefined) return "order_not_found";
  return more.length > 0 ? "several_orders" : { ...order, accessionNumber };
}

/**
 * Whether an order number belongs to several accession numbers, in stored orders or in the
 * message: each is then an order of its own, and a change moves none to another number.
 */
async function isGroup(change: Change, order: Order): Promise<boolean> {
  const named = change.orders.filter((one) => isNumberOf(one, order))
    .map(({ accessionNumber }) => accessionNumber).filter(Boolean);
  if (new Set(named).size > 1) return true;
  const stored = await ordersWith(change, order);
  return new Set(stored.map(({ accessionNumber }) => accessionNumber)).size > 1;
}

/** Row into which an order is written, and the row with the former accession number. */
export interface Taken {
  /** row into which the order is written; absent: a new row is needed */
  row?: HospitalOrder | undefined;
  former?: HospitalOrder;
}

/** Takes an order from a row, which keeps its remaining orders. */
async function removeItem(tx: Database, row: HospitalOrder, order: Order): Promise<void> {
  const items = row.items.filter((item) => !isNumberOf(item, order));
  const isOver = row.state === "ordered" && !items.some(({ isInForce }) => isInForce);
  await updateOrder(tx, {
    ...row,
    items,
    referrer: items.length === 0 ? "" : row.referrer,
    state: isOver ? "cancelled" : row.state,
  });
}

/**
 * Takes a changed order away from other patients or from another accession number. A row with no
 * other order is moved to the new patient, without the former patient's data. From any other
 * row, and from the only row under another accession number, only the order is taken.
 * @param own Rows of the new patient with this accession number.
 * @param row The row of `own` to which the order belongs; absent without such a row.
 * @returns `"older"` when a later change of the order is stored already.
 */
export async function takeFromOthers(
  change: Change,
  order: Order,
  { own, row }: { own: readonly HospitalOrder[]; row: HospitalOrder | undefined },
): Promise<Taken | "older"> {
  const { tx, message: { eventMs, isForced, system }, patientId, shared } = change;
  const { accessionNumber, number, isChange } = order;
  if (number === "") return { row };
  const rows = isChange ? await ordersWith(change, order) : await changedOrders(tx, system);
  // with an ID that several people share, rows that are not in `own` belong to other people
  const others = rows.filter((one) =>
    !own.some(({ id }) => id === one.id) && placeOf(one.items, order) >= 0 &&
    (shared === null || one.patientId !== patientId)
  );
  if (others.length === 0) return { row };
  const isHere = (one: HospitalOrder) => one.accessionNumber === accessionNumber;
  const isLate = (one: HospitalOrder) =>
    one.items.some((item) =>
      item.ms > eventMs && isNumberOf(item, order) &&
      (isHere(one) ? isChange || item.isChange : item.isMoved || (isChange && item.isChange))
    );
  const here = others.filter(isHere), elsewhere = others.filter((one) => !isHere(one));
  const isSeparate = elsewhere.length === 0 || await isGroup(change, order);
  if (!isForced && (isSeparate ? here : others).some(isLate)) return "older";
  if (!isChange) return { row };
  const taken: Taken = { row };
  const [former, ...more] = elsewhere, isAlone = former !== undefined && more.length === 0;
  if (isAlone && !isSeparate && here.length === 0) {
    if (await sharedIdAmong(tx, former.patientId) !== null) return taken;
    taken.former = former;
    await removeItem(tx, former, order);
  }
  for (const other of here) {
    if (taken.row === undefined && other.items.every((item) => isNumberOf(item, order))) {
      const nobody = { patientName: "", birthDate: null, sex: null };
      taken.row = { ...other, ...nobody, patientId, eventMs: -Infinity };
    } else await removeItem(tx, other, order);
  }
  return taken;
}
