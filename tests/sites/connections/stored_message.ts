import { createHash } from "node:crypto";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { headerOf, readMessage } from "@/model/hl7/message.ts";
import { eventTime, readStored } from "@/server/core/connections/service/hl7/apply_message.ts";
import { insertMessages } from "@/server/core/connections/storage/hl7_messages.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import type { Database } from "@/server/core/database/database.ts";

/**
 * Stores a message as the worker does.
 * @param arrivedMs Time of arrival, which limits the message time; absent: now, without a limit.
 * @returns id of the stored message; `null` if the message was already stored.
 */
export async function storeMessage(
  db: Database,
  text: string | Uint8Array,
  arrivedMs?: number,
): Promise<number | null> {
  const message = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  const header = headerOf(readMessage(message, encoding));
  const { adt, patientId, priorId } = await readStored(db, { system: "HIS", message });
  const last = async () =>
    (await db.selectFrom("hl7_messages").select((e) => e.fn.max("id").as("id"))
      .executeTakeFirstOrThrow()).id ?? 0;
  const before = await last();
  await insertMessages(db, [{
    system: "HIS",
    sender: header.sender,
    controlId: header.controlId,
    digest: createHash("sha256").update(message).digest("hex"),
    event: `${header.type}^${header.event}`,
    patientId,
    priorId,
    eventMs: arrivedMs === undefined ? adt.eventMs! : eventTime(adt.eventMs, arrivedMs),
    receivedAt: new Date(arrivedMs ?? Date.now()).toISOString(),
    message,
  }]);
  const after = await last();
  return after === before ? null : after;
}
