/** Takes orders that HL7 changes give to another patient or accession number from their rows. */
import type { Order } from "@/model/hl7/order.ts";
import type { Database } from "@/server/core/database/database.ts";
import { type Applied, isOfPatient } from "@/server/core/connections/service/hl7/order_context.ts";
import {
  isGroup,
  isNumberOf,
  ordersWith,
  placeOf,
} from "@/server/core/connections/service/hl7/order_numbers.ts";
import { given, isSurelyOne } from "@/server/core/connections/service/hl7/patient_orders.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import { sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";
import {
  changedOrders,
  type HospitalOrder,
  type OrderItem,
  updateOrder,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/** Row into which an order is written, and the row with the former accession number. */
interface Taken {
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

/** Adds entries of an older message to an order where the newer messages have none. */
export async function fillGaps(
  applied: Applied,
  order: Order,
  row: HospitalOrder,
): Promise<void> {
  const { patientName, birthDate, sex } = given(applied.patient);
  applied.accessionNumbers.add(row.accessionNumber);
  const isSame = row.patientId === applied.patientId && isOfPatient(applied, row, order) &&
    isSurelyOne(row, { patientName, birthDate, sex });
  await updateOrder(applied.tx, {
    ...row,
    ...isSame && {
      patientName: row.patientName || patientName,
      birthDate: row.birthDate ?? birthDate,
      sex: row.sex ?? sex,
    },
    items: row.items.map((item) =>
      isNumberOf(item, order) ? { ...item, procedure: item.procedure || order.procedure } : item
    ),
    referrer: row.referrer || displayName(order.referrer),
    plannedOn: row.plannedOn ?? order.plannedOn,
  });
}

/**
 * Removes the order from rows that a change without accession number placed under the filler's
 * number. The change is applied again, after the message that names the accession number.
 * @returns the remaining rows.
 */
async function withoutGuesses(
  { tx, accessionNumbers, renewed }: Applied,
  order: Order,
  rows: readonly HospitalOrder[],
): Promise<HospitalOrder[]> {
  const isGuess = ({ accessionNumber, items }: HospitalOrder) =>
    order.isNamed && accessionNumber !== order.accessionNumber &&
    items.some((item) => item.isByFiller && isNumberOf(item, order));
  const guesses = rows.filter(isGuess);
  if (guesses.length > 0) renewed.push({ order, areAll: true });
  for (const row of guesses) {
    await removeItem(tx, row, order);
    accessionNumbers.add(row.accessionNumber);
  }
  return rows.filter((row) => !guesses.includes(row));
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
  applied: Applied,
  order: Order,
  { own, row }: { own: readonly HospitalOrder[]; row: HospitalOrder | undefined },
): Promise<Taken | "older"> {
  const { tx, message: { eventMs, isForced, system }, patientId, shared } = applied;
  const { accessionNumber, number, isChange } = order;
  if (number === "") return { row };
  const rows = isChange ? await ordersWith(applied, order) : await changedOrders(tx, system);
  // with an ID that several people share, rows that are not in `own` belong to other people
  const all = rows.filter((one) =>
    !own.some(({ id }) => id === one.id) && placeOf(one.items, order) >= 0 &&
    (shared === null || one.patientId !== patientId)
  );
  const others = await withoutGuesses(applied, order, all);
  if (others.length === 0) return { row };
  const isHere = (one: HospitalOrder) => one.accessionNumber === accessionNumber;
  const isAny = (one: HospitalOrder, is: (item: OrderItem) => boolean) =>
    !isForced && one.items.some((item) => isNumberOf(item, order) && is(item));
  // a change is later than a new order with the same time
  const isAfter = (ms = -Infinity) => ms > eventMs || (ms === eventMs && !isChange);
  const isLate = (one: HospitalOrder) =>
    isAny(one, (item) => isAfter(isHere(one) || isChange ? item.changeMs : item.movedMs));
  const here = others.filter(isHere), elsewhere = others.filter((one) => !isHere(one));
  const isSeparate = elsewhere.length === 0 || await isGroup(applied, order);
  const late = (isSeparate ? here : others).filter(isLate);
  for (const one of late) await fillGaps(applied, order, one);
  if (late.length > 0) return "older";
  if (!isChange) return { row };
  // an order that a later message placed or cancelled where it is stays there
  const isLater = (one: HospitalOrder) => isAny(one, ({ ms }) => ms > eventMs);
  const taken: Taken = { row };
  const [former, ...more] = elsewhere, isAlone = former !== undefined && more.length === 0;
  if (isAlone && !isSeparate && here.length === 0 && !isLater(former)) {
    if (await sharedIdAmong(tx, former.patientId) !== null) return taken;
    taken.former = former;
    applied.accessionNumbers.add(former.accessionNumber);
    await removeItem(tx, former, order);
  }
  for (const other of here.filter((one) => !isLater(one))) {
    if (taken.row === undefined && other.items.every((item) => isNumberOf(item, order))) {
      const nobody = { patientName: "", birthDate: null, sex: null };
      taken.row = { ...other, ...nobody, patientId, eventMs: -Infinity };
    } else await removeItem(tx, other, order);
  }
  return taken;
}
