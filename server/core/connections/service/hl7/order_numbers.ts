/** Finds the stored order of a message by placer order number and filler order number (HL7 ORC). */
import type { Order } from "@/model/hl7/order.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import {
  type HospitalOrder,
  type OrderItem,
  ordersOfAccession,
  ordersOfNumber,
  ordersOfPatient,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

type Numbers = Pick<Order, "number" | "placer" | "authority" | "filler">;

/**
 * Whether a stored order has the order number of a message. Compares the placer order numbers if
 * both are present, otherwise the filler order numbers: a filler may assign the same number to
 * several orders of a placer. A placer order number is unique only within the assigning authority,
 * which a message may omit.
 */
export function isNumberOf(
  item: Pick<OrderItem, "number" | "placer" | "authority" | "filler" | "isWhole">,
  { number, placer, authority, filler }: Numbers,
): boolean {
  if (item.isWhole) return false;
  // rows of earlier versions do not distinguish placer order numbers and filler order numbers
  if (item.placer === undefined) {
    return item.number === number || (filler !== "" && item.number === filler);
  }
  if (item.placer !== "" && placer !== "") {
    const isOther = item.authority && authority !== "" && item.authority !== authority;
    return item.placer === placer && !isOther;
  }
  if (item.filler && filler !== "") return item.filler === filler;
  return item.number === "" && number === "";
}

export const placeOf = (items: readonly OrderItem[], order: Numbers): number =>
  items.findIndex((item) => isNumberOf(item, order));

/**
 * Whether a cancellation applies to a stored order; also `true` if the cancellation or the stored
 * order has no order number.
 */
export const isCancelled = (item: OrderItem, order: Numbers): boolean =>
  !item.isWhole && (order.number === "" || item.number === "" || isNumberOf(item, order));

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
    .filter((row) => row.accessionNumber !== "" && placeOf(row.items, order) >= 0);
  if (byNumber.length > 0 || filler === "" || byAccession.length > 0) {
    return byNumber.length > 0 ? byNumber : byAccession;
  }
  return await ordersOfAccession(tx, filler, patientId);
}

interface Change {
  tx: Database;
  message: Pick<StoredMessage, "system">;
  /** surviving patient ID after all merges */
  patientId: string;
  /** all orders of the message */
  orders: readonly Order[];
}

/**
 * Stored orders from the sending system with the placer or filler order number of `order`, without
 * rows that only contain cancellations without an accession number.
 */
export const ordersWith = async (
  { tx, message: { system } }: Change,
  order: Order,
): Promise<HospitalOrder[]> => {
  const { number, placer, filler } = order;
  const rows = await ordersOfNumber(tx, system, [number, placer, filler].filter(Boolean));
  return rows.filter((row) => row.accessionNumber !== "" && placeOf(row.items, order) >= 0);
};

/**
 * Adds the accession number of the stored order to a change that has none. The filler order number
 * is used as the accession number if the system sends no accession numbers, or if no order with
 * the order numbers of the change is stored.
 * @returns `"several_orders"` if orders with several accession numbers match, and
 * `"order_not_found"` if none matches.
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
 * message. Each accession number is then a separate order, and a change does not move an order
 * to a different accession number.
 */
export async function isGroup(change: Change, order: Order): Promise<boolean> {
  const named = change.orders.filter((one) => isNumberOf(one, order))
    .map(({ accessionNumber }) => accessionNumber).filter(Boolean);
  if (new Set(named).size > 1) return true;
  // a cancellation that is stored under the new accession number may concern the changed order
  const stored = (await ordersWith(change, order)).filter(({ accessionNumber, items }) =>
    accessionNumber !== order.accessionNumber || !items[placeOf(items, order)]!.isEarly
  );
  return new Set(stored.map(({ accessionNumber }) => accessionNumber)).size > 1;
}
