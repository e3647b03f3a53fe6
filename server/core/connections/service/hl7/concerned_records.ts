/** The records that an HL7 message concerns, and whether they have changed since a confirmation. */
import { createHash } from "node:crypto";
import type { MessageConfirmation } from "@/model/schema/connections/connections.ts";
import type { StoredMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import { mergesFrom, undoneMerge } from "@/server/core/connections/storage/patient_merges.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";
import {
  ordersOfPatient,
  personOf,
} from "@/server/core/studies/storage/hospital/hospital_orders.ts";

type Identity = MessageConfirmation["recorded"][number];
type Ids = Pick<StoredMessage, "patientId" | "priorId">;

export const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** IDs that a message changes: former ID, ID, and the valid IDs after earlier merges of both. */
async function idsOf(db: Database, { patientId, priorId }: Ids): Promise<string[]> {
  const ids = [priorId, patientId].filter((one) => one !== "");
  const ends: string[] = [];
  for (const id of ids) ends.push((await mergesFrom(db, id)).at(-1)?.patientId ?? id);
  return [...new Set([...ids, ...ends])];
}

/**
 * Distinct identities recorded for the patient IDs of a message, and a digest of all their records
 * and of the merges of these IDs.
 */
export async function concernedRecords(
  db: Database,
  ids: Ids,
): Promise<{ recorded: Identity[]; state: string }> {
  const recorded: Identity[] = [], all: unknown[] = [];
  for (const patientId of await idsOf(db, ids)) {
    const studies = await listRecords(db, patientId), orders = await ordersOfPatient(db, patientId);
    const merges = (await mergesFrom(db, patientId)).map(({ id }) => id);
    const people = orders.map((order) => ({ id: order.id, ...personOf(order) }));
    all.push([patientId, studies, people, merges]);
    const identities = Map.groupBy(
      [...studies, ...people],
      (one) => JSON.stringify([one.patient_name, one.patient_birthdate, one.patient_sex]),
    );
    for (const group of identities.values()) {
      const { patient_name = "", patient_birthdate, patient_sex } = group[0]!;
      const count = group.filter((one) => "study_uid" in one).length;
      recorded.push({
        patient_id: patientId,
        name: patient_name,
        birth_date: patient_birthdate,
        sex: patient_sex,
        studies: count,
        orders: group.length - count,
      });
    }
    const isNew = identities.size === 0 && [ids.patientId, ids.priorId].includes(patientId);
    const nobody = { name: "", birth_date: null, sex: null, studies: 0, orders: 0 };
    if (isNew) recorded.push({ patient_id: patientId, ...nobody });
  }
  const undone = ids.priorId === "" ? null : await undoneMerge(db, [ids.priorId, ids.patientId]);
  return { recorded, state: digestOf([all, undone?.id ?? null]) };
}

/** A message without its confirmations if the records have changed since these were given. */
export async function withValidConfirmation(
  tx: Database,
  message: StoredMessage,
): Promise<StoredMessage> {
  if (message.confirmedState === null) return message;
  const { state } = await concernedRecords(tx, message);
  if (state === message.confirmedState) return message;
  return { ...message, isForced: false, isPersonConfirmed: false, isTimeConfirmed: false };
}
