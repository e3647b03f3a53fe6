/** Requeues earlier order messages after a message shows which order they concern. */
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import { headerOf, Hl7Error, readMessage } from "@/model/hl7/message.ts";
import type { Order } from "@/model/hl7/order.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  findOrderMessages,
  NOT_FOUND,
  queueAgain,
  type StoredMessage,
} from "@/server/core/connections/storage/hl7_messages.ts";
import type { Applied } from "@/server/core/connections/service/hl7/order_context.ts";
import { isNumberOf } from "@/server/core/connections/service/hl7/order_numbers.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";

type Encoding = Parameters<typeof readMessage>[1];

/** Orders in a stored message; empty if the message can no longer be read. */
function ordersIn(bytes: Uint8Array, encoding: Encoding): Order[] {
  try {
    const hl7 = readMessage(bytes, encoding), message = readHospitalMessage(hl7, headerOf(hl7));
    return message.kind === "order" ? message.orders : [];
  } catch (error) {
    if (error instanceof Hl7Error) return [];
    throw error;
  }
}

/**
 * Requeues messages that matched no stored order. If an order was filed under a wrong accession
 * number, also requeues messages about this order with a different accession number. The messages
 * are re-applied in the order of arrival, and compared with stored values by message time.
 *
 * @returns ids of the messages, oldest first.
 */
export async function renewMessages(
  tx: Database,
  message: StoredMessage,
  renewed: Applied["renewed"],
): Promise<number[]> {
  const ids = new Set<number>();
  for (const { order, areAll } of renewed) {
    for (const text of [order.placer, order.filler].filter(Boolean)) {
      const messages = await findOrderMessages(tx, { message, text, areAll });
      if (messages.length === 0) continue;
      const encoding = encodingTerm((await groupSettings(tx)).dicom_encoding_id);
      for (const one of messages) {
        const isMeant = ordersIn(one.message, encoding).some((other) =>
          isNumberOf(other, order) && (one.reason === NOT_FOUND ||
            !["", order.accessionNumber].includes(other.accessionNumber))
        );
        if (isMeant) ids.add(one.id);
      }
    }
  }
  const sorted = [...ids].sort((a, b) => a - b);
  await queueAgain(tx, sorted);
  return sorted;
}
