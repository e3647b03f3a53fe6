/** The identities that an administrator compares before an HL7 message is applied. */
import { AppError } from "@/model/errors.ts";
import { Hl7Error } from "@/model/hl7/message.ts";
import type { MessageConfirmation } from "@/model/schema/connections/connections.ts";
import {
  findMessage,
  isConfirmable,
  type StoredMessage,
} from "@/server/core/connections/storage/hl7_messages.ts";
import {
  type ReadMessage,
  readStored,
} from "@/server/core/connections/service/hl7/apply_message.ts";
import {
  concernedRecords,
  digestOf,
} from "@/server/core/connections/service/hl7/concerned_records.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";

/** Patient in a failed message, read with the current settings; empty if it is unreadable now. */
async function patientIn(db: Database, message: StoredMessage) {
  const read: ReadMessage | null = await readStored(db, message).catch((error) => {
    if (error instanceof Hl7Error) return null;
    throw error;
  });
  const ids = { patientId: read?.patientId ?? "", priorId: read?.priorId ?? "" };
  return { ids, patient: read === null ? null : read.adt.patient };
}

/** A failed message with its patient IDs as read now, and the digest that a confirmation states. */
export async function confirmationOf(db: Database, message: StoredMessage) {
  const { ids, patient } = await patientIn(db, message);
  const { recorded, state } = await concernedRecords(db, ids);
  // includes the reason, so that a confirmation for one reason is not valid for another one
  return { ids, patient, recorded, state, confirmed: digestOf([message.reason, state]) };
}

/**
 * Both identities of a message that waits for a person's decision: as recorded and in the message.
 * @throws {AppError} `access.forbidden`, `entity.not_found`.
 */
export async function getConfirmation(
  { db }: ServiceContext,
  id: number,
  caller: Caller,
): Promise<MessageConfirmation> {
  await checkMaintenance(db, caller);
  return await db.transaction().execute(async (tx) => {
    const message = await findMessage(tx, id);
    if (message?.state !== "failed" || !isConfirmable(message.reason)) {
      throw new AppError("entity.not_found", "Cannot show a message: it needs no confirmation");
    }
    const { ids, patient, recorded, confirmed } = await confirmationOf(tx, message);
    return {
      reason: message.reason!,
      confirmed,
      recorded,
      given: {
        patient_id: ids.patientId,
        prior_id: ids.priorId,
        name: patient?.name ? displayName(patient.name) : "",
        birth_date: patient?.birthDate ?? patient?.birthPart ?? null,
        sex: patient?.sex ?? null,
      },
    };
  });
}
