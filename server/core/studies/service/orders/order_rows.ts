/** Worklist rows for orders of the hospital that have no images yet. */
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  doubtedOrders,
  type HospitalOrder,
  procedureOf,
  readOrders,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

/** Worklist row of an order: its number is negative, and it has no series and no analysis. */
const rowOf = (order: HospitalOrder, isDoubted: boolean): PatientRow => ({
  pid: -order.id,
  patient_id: order.patientId,
  patient_name: order.patientName,
  patient_age: null,
  patient_birthdate: order.birthDate,
  patient_sex: order.sex,
  study_date: null,
  label_list: [],
  is_t1_uploaded: false,
  is_t2_uploaded: false,
  t1_analysis_date: null,
  t1_analysis_status: null,
  t2_analysis_date: null,
  t2_analysis_status: null,
  history_count: 1,
  order: {
    accession_number: order.accessionNumber,
    procedure: procedureOf(order),
    referring_physician: order.referrer,
    planned_on: order.plannedOn,
  },
  ...isDoubted ? { is_accession_doubted: true } : {},
});

/** Worklist rows of orders by order number. Orders that have received images are left out. */
export async function orderRows(db: Database, ids: readonly number[]): Promise<PatientRow[]> {
  const orders = await readOrders(db, ids), doubted = await doubtedOrders(db, orders);
  return orders.map((order) => rowOf(order, doubted.has(order.id)));
}
