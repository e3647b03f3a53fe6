/** Joins orders of the hospital with the studies that were made for them. */
import type { SharedId } from "@/model/patient/shared_id.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import {
  type HospitalOrder,
  personOf,
  procedureOf,
  updateOrder,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import {
  accessionsOf,
  type AccessionStudy,
  ordersOfAccessions,
  setAccession,
  setOrdered,
  studiesOfAccessions,
} from "@/server/core/studies/storage/hospital/ordered_studies.ts";
import { areOnePerson, sharedIdAmong } from "@/server/core/studies/service/orders/shared_ids.ts";

/** Patient IDs that several people may share, with the reason; `null` if one person has the ID. */
type SharedIds = ReadonlyMap<string, SharedId | null>;

/** Maximum length of a study's accession number, in characters. */
const MAX_NUMBER = 64;

/** Changes made by joining orders with studies, or by separating them. */
export interface OrderMatch {
  /** numbers of the changed studies */
  changed: number[];
  isOrderChanged: boolean;
}

/**
 * Whether images are of an order's patient. An equal accession number alone never suffices.
 * A patient ID that several people share does not suffice either.
 */
const isFor = (order: HospitalOrder, study: AccessionStudy, shared: SharedIds): boolean =>
  order.patientId !== "" && order.patientId === study.patientId &&
  areOnePerson(personOf(order), study.person, shared.get(order.patientId) ?? null);

/** Reasons why patient IDs are shared, for IDs that both orders and studies have. */
async function sharedIdsOf(
  tx: Database,
  orders: readonly HospitalOrder[],
  studies: readonly AccessionStudy[],
): Promise<SharedIds> {
  const ofStudies = new Set(studies.map(({ patientId }) => patientId)), shared = new Map();
  for (const id of new Set(orders.map(({ patientId }) => patientId))) {
    if (ofStudies.has(id)) shared.set(id, await sharedIdAmong(tx, id));
  }
  return shared;
}

/** Studies and orders with the same accession number. */
interface Numbered {
  studies: readonly AccessionStudy[];
  before: readonly HospitalOrder[];
  shared: SharedIds;
}

/** An order joined with its study, or separated if the study now belongs to another patient. */
function matched(
  order: HospitalOrder,
  studies: readonly AccessionStudy[],
  shared: SharedIds,
): HospitalOrder {
  const own = studies.filter((study) => isFor(order, study, shared)).map(({ pid }) => pid);
  if (own.length > 0) {
    const pid = order.pid !== null && own.includes(order.pid) ? order.pid : own[0]!;
    return { ...order, state: "arrived", pid };
  }
  const isLost = order.state === "arrived" && studies.some(({ pid }) => pid === order.pid);
  if (!isLost) return order;
  const isInForce = order.items.some((item) => item.isInForce);
  return { ...order, state: isInForce ? "ordered" : "cancelled", pid: null };
}

/**
 * Joins the orders under an accession number with studies of the same patient.
 * The studies get procedure and referring physician; the orders lose their worklist row.
 * Call this in the transaction that changes an order, or the patient or number of a study.
 */
export const matchAccession = (tx: Database, accessionNumber: string): Promise<OrderMatch> =>
  matchAccessions(tx, [accessionNumber]);

/** Joins orders and studies as {@link matchAccession}, for several accession numbers. */
async function matchAccessions(
  tx: Database,
  accessionNumbers: readonly string[],
): Promise<OrderMatch> {
  const changed: number[] = [];
  let isOrderChanged = false;
  const numbers = [...new Set(accessionNumbers)].filter(Boolean);
  const all = await studiesOfAccessions(tx, numbers);
  if (all.length === 0) return { changed, isOrderChanged };
  const orders = await ordersOfAccessions(tx, numbers);
  const shared = await sharedIdsOf(tx, orders, all);
  const byNumber = Map.groupBy(orders, (order) => order.accessionNumber);
  for (const [number, studies] of Map.groupBy(all, (study) => study.accessionNumber)) {
    const match = await matchNumber(tx, { studies, before: byNumber.get(number) ?? [], shared });
    changed.push(...match.changed);
    isOrderChanged ||= match.isOrderChanged;
  }
  return { changed, isOrderChanged };
}

async function matchNumber(
  tx: Database,
  { studies, before, shared }: Numbered,
): Promise<OrderMatch> {
  const changed: number[] = [];
  let isOrderChanged = false;
  const after = before.map((order) => matched(order, studies, shared));
  for (const [i, order] of after.entries()) {
    const { state, pid } = before[i]!;
    if (order.state === state && order.pid === pid) continue;
    await updateOrder(tx, order);
    isOrderChanged = true;
  }
  for (const study of studies) {
    const own = after.filter((order) => isFor(order, study, shared));
    // a study that no longer has an order of its patient loses procedure and physician of the order
    const isDetached = own.length === 0 && before.some(({ pid }) => pid === study.pid);
    if (own.length === 0 && !isDetached) continue;
    const joined = (texts: string[]) => [...new Set(texts)].filter(Boolean).join(" / ") || null;
    const procedure = joined(own.map(procedureOf)),
      referrer = joined(own.map(({ referrer }) => referrer));
    if (procedure === study.procedure && referrer === study.referrer) continue;
    await setOrdered(tx, study.pid, { procedure, referrer });
    changed.push(study.pid);
  }
  return { changed, isOrderChanged };
}

/**
 * Joins orders and studies under the accession numbers of changed studies.
 * @param others Accession numbers of changed orders.
 */
export const matchStudies = async (
  tx: Database,
  pids: readonly number[],
  others: readonly string[] = [],
): Promise<OrderMatch> => matchAccessions(tx, [...await accessionsOf(tx, pids), ...others]);

/**
 * Writes the accession number of a study that has none, and joins the study with its orders.
 * Only this function may write the number. Call it in a transaction.
 * @param found Accession number; empty if images and modality worklist have none.
 */
export async function noteAccession(
  tx: Database,
  pid: number,
  found: string,
): Promise<OrderMatch> {
  const accessionNumber = found.trim().slice(0, MAX_NUMBER);
  return await setAccession(tx, pid, accessionNumber)
    ? await matchAccession(tx, accessionNumber)
    : { changed: [], isOrderChanged: false };
}

/** Notifies open worklists of joined orders. Call this function after the transaction. */
export function announceMatch(
  publish: ServiceContext["publish"],
  { changed, isOrderChanged }: OrderMatch,
): void {
  for (const pid of changed) publish({ event: "study_update", pid, uid: 0 });
  if (isOrderChanged) publish({ event: "study_orders" });
}
