/** State of an HL7 order message that is being applied, and the stored form of the orders in it. */
import { areOtherPeople, type SharedId } from "@/model/patient/shared_id.ts";
import type { Order } from "@/model/hl7/order.ts";
import type { HospitalPatient } from "@/model/hl7/adt.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import { placeOf } from "@/server/core/connections/service/hl7/order_numbers.ts";
import { given } from "@/server/core/connections/service/hl7/patient_orders.ts";
import {
  type HospitalOrder,
  type OrderItem,
  personOf,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

const DAY_MS = 86_400_000;
/** Days that an order is kept after its last message, or after its planned day. */
const ORDER_DAYS = 30;
/** Maximum time until the planned day of an order; a later day is taken for a mistake. */
const MAX_PLANNED_MS = 400 * DAY_MS;
/** Maximum number of order numbers under one accession number of a patient. */
export const MAX_ITEMS = 20;

/** Reason codes for refusing a message about a patient ID that several people share. */
export const SHARED_REASONS: Readonly<Record<SharedId, string>> = {
  placeholder: "placeholder_id",
  several_people: "shared_id",
};

/** An order message that is being applied, and the current data of the patient. */
export interface Applied {
  tx: Database;
  message: StoredMessage;
  orders: readonly Order[];
  /** patient in the message, or newer data about the same person */
  patient: HospitalPatient;
  /** patient in the message */
  sent: HospitalPatient;
  /** patient ID that is valid today, after all merges of the ID in the message */
  patientId: string;
  /** reason why `patientId` does not identify one person; `null` if the ID does */
  shared: SharedId | null;
  at: string;
  /** ids of order rows that this message inserted, or moved from another patient */
  inserted: Set<number>;
  /** accession numbers of all orders that this message changes, for matching with studies */
  accessionNumbers: Set<string>;
  /**
   * orders in this message; earlier messages with their order numbers must be re-applied:
   * messages that matched no order and, if `areAll`, messages with another accession number
   */
  renewed: { order: Order; areAll: boolean }[];
}

/** Time at which an order expires and is deleted, ISO 8601. */
export function expiryOf(at: string, plannedOn: string | null): string {
  const now = Date.parse(at), planned = plannedOn === null ? now : Date.parse(plannedOn);
  const from = planned - now > MAX_PLANNED_MS ? now : Math.max(now, planned);
  return new Date(from + ORDER_DAYS * DAY_MS).toISOString();
}

type NewItem = OrderItem & { placer: string; filler: string };

/** Converts an order of a message to the form of a stored order that is in force. */
export const itemOf = (
  { number, placer, authority, filler, procedure, isChange }: Order,
  ms: number,
): NewItem => ({
  number,
  placer,
  filler,
  ...authority !== "" && { authority },
  procedure,
  ms,
  isInForce: true,
  ...isChange && { changeMs: ms, movedMs: ms },
});

/**
 * Whether a stored order belongs to the patient in a message. If several people share the patient
 * ID, the order numbers must agree, and birth date, sex and name must not contradict each other.
 */
export function isOfPatient(
  { patient, patientId, shared }: Pick<Applied, "patient" | "patientId" | "shared">,
  row: HospitalOrder,
  order: Order,
): boolean {
  if (shared === null) return true;
  const person = personOf({ ...given(patient), patientId }), ordered = personOf(row);
  const isNumbered = order.number !== "" && placeOf(row.items, order) >= 0;
  return isNumbered && !areOtherPeople(ordered, person);
}
