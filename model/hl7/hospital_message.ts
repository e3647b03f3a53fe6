/** Messages of the hospital information system: patient administration and orders. */
import { type AdtMessage, readAdt } from "@/model/hl7/adt.ts";
import type { Hl7Header, Hl7Message } from "@/model/hl7/message.ts";
import { isOrder, type OrderMessage, readOrders } from "@/model/hl7/order.ts";

export type HospitalMessage = AdtMessage | OrderMessage;

/**
 * Parses a message.
 * @param timeZone The site's time zone, for times without one.
 * @throws {Hl7Error} for a message that no site could apply.
 */
export const readHospitalMessage = (
  message: Hl7Message,
  header: Hl7Header,
  timeZone = "UTC",
): HospitalMessage =>
  isOrder(header) ? readOrders(message, header, timeZone) : readAdt(message, header, timeZone);
