/**
 * Moves stored orders when an HL7 change (XO, XX) assigns them to another patient or accession
 * number. A row of `hospital_orders` has all orders of a patient with one accession number.
 */
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

/** Row for a changed order, and the row from which the order was removed. */
interface Taken {
  /** row that is to have the order; absent if a new row must be inserted */
  row?: HospitalOrder | undefined;
  former?: HospitalOrder;
}

/** Removes an order from a row. The other orders of the row remain. */
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

/** Fills empty fields of a stored order from a message that is older than the stored values. */
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
 * Removes an order from provisional rows. A change message without an accession number files the
 * order provisionally under the filler order number. Once a message gives the accession number,
 * the provisional order is removed, and the change is re-applied after that message.
 * @returns the rows that are not provisional.
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
 * Removes a changed order from the rows of other patients with the same accession number, or from
 * the row with the former accession number if exactly one row has the order. A row that contains
 * only this order is moved to the new patient if that patient has no row with the accession
 * number; the former patient's data are then cleared.
 * @param own Rows of the new patient with the accession number of the change.
 * @param row Row of `own` that is to have the order; absent if `own` is empty.
 * @returns `"older"` if a newer change of the order has already been applied.
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
  // if several people share the patient ID, rows outside `own` belong to other people
  const all = rows.filter((one) =>
    !own.some(({ id }) => id === one.id) && placeOf(one.items, order) >= 0 &&
    (shared === null || one.patientId !== patientId)
  );
  const others = await withoutGuesses(applied, order, all);
  if (others.length === 0) return { row };
  const isHere = (one: HospitalOrder) => one.accessionNumber === accessionNumber;
  const isAny = (one: HospitalOrder, is: (item: OrderItem) => boolean) =>
    !isForced && one.items.some((item) => isNumberOf(item, order) && is(item));
  // if a change and a new order have the same time, the change counts as newer
  const isAfter = (ms = -Infinity) => ms > eventMs || (ms === eventMs && !isChange);
  const isLate = (one: HospitalOrder) =>
    isAny(one, (item) => isAfter(isHere(one) || isChange ? item.changeMs : item.movedMs));
  const here = others.filter(isHere), elsewhere = others.filter((one) => !isHere(one));
  const isSeparate = elsewhere.length === 0 || await isGroup(applied, order);
  const late = (isSeparate ? here : others).filter(isLate);
  for (const one of late) await fillGaps(applied, order, one);
  if (late.length > 0) return "older";
  if (!isChange) return { row };
  // the order stays in a row if the last message about the order in that row is newer
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
