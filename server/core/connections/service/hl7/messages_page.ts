/** HL7 messages and patient merges for administrators, with the actions on both. */
import { AppError } from "@/model/errors.ts";
import type {
  Hl7MessageRow,
  MergesPage,
  MergesQuery,
  MessagesPage,
  MessagesQuery,
  PatientMergeRow,
} from "@/model/schema/connections/connections.ts";
import { Hl7Error } from "@/model/hl7/message.ts";
import { idDoubtOf, identifierText } from "@/model/hl7/uncertain_ids.ts";
import {
  dropMessage as writeDropped,
  findMessage,
  isConfirmable,
  listMessages,
  MERGE_UNDONE,
  renewMessage,
  type StoredMessage,
} from "@/server/core/connections/storage/hl7_messages.ts";
import { listMerges, undoneMerge } from "@/server/core/connections/storage/patient_merges.ts";
import { readStored } from "@/server/core/connections/service/hl7/apply_message.ts";
import { confirmationOf } from "@/server/core/connections/service/hl7/confirmed_records.ts";
import { UNDO_DAYS, undoRefusal } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { knownPeers } from "@/server/core/connections/service/known_peers.ts";
import type { Database } from "@/server/core/database/database.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

const DAY_MS = 86_400_000;

const isOpen = ({ state }: Pick<Hl7MessageRow, "state">): boolean =>
  state === "waiting" || state === "failed";

/** Patient IDs of a message that does not identify a patient; undefined if it is unreadable. */
async function uncertainIds(
  db: Database,
  stored: StoredMessage,
): Promise<Hl7MessageRow["uncertain"]> {
  try {
    const { adt } = await readStored(db, stored);
    const { identifiers } = adt.patient, prior = adt.kind === "merge" ? adt.prior : [];
    const peer = (await knownPeers(db)).find(({ name }) => name === stored.system);
    return {
      ids: identifiers.map(identifierText),
      prior_ids: prior.map(identifierText),
      doubt: idDoubtOf(identifiers, prior, peer?.config.id_authority ?? ""),
    };
  } catch (error) {
    if (error instanceof Hl7Error) return undefined;
    throw error;
  }
}

/** User and time of the undo for which a merge waits; undefined if it was confirmed since. */
async function undoOf(
  db: Database,
  { priorId, patientId }: StoredMessage,
): Promise<Hl7MessageRow["undone"]> {
  const undo = await undoneMerge(db, [priorId, patientId]);
  return undo === null ? undefined : { by: undo.by, at: undo.at };
}

/** A page of HL7 messages; all waiting and failed messages are listed before the others. */
export async function messageRows(
  db: Database,
  { after, limit }: MessagesQuery,
): Promise<MessagesPage> {
  const [part, id] = (after ?? "").split("-");
  const position = id === undefined ? null : { part: part as "open" | "ended", id: Number(id) };
  // reads one row more than the page has, to detect whether there is a next page
  const stored = await listMessages(db, limit + 1, position);
  const messages: Hl7MessageRow[] = [];
  for (const one of stored.slice(0, limit)) {
    const uncertain = one.reason === "id_uncertain" ? await uncertainIds(db, one) : undefined;
    const undone = one.reason === MERGE_UNDONE ? await undoOf(db, one) : undefined;
    messages.push({
      id: one.id,
      system: one.system,
      event: one.event,
      control_id: one.controlId,
      patient_id: one.patientId,
      prior_id: one.priorId,
      received_at: one.receivedAt,
      state: one.state,
      reason: one.reason,
      ...one.state === "failed" && isConfirmable(one.reason) && { needs_confirmation: true },
      ...uncertain && { uncertain },
      ...undone && { undone },
    });
  }
  const last = stored.length > limit ? messages.at(-1)! : null;
  return { messages, next: last && `${isOpen(last) ? "open" : "ended"}-${last.id}` };
}

/** A page of patient merges, newest first, each with the reason if no undo is possible. */
export async function mergeRows(
  db: Database,
  { after, limit }: MergesQuery,
): Promise<MergesPage> {
  const stored = await listMerges(db, limit + 1, after === undefined ? undefined : Number(after));
  const merges: PatientMergeRow[] = [];
  for (const merge of stored.slice(0, limit)) {
    const refusal = await undoRefusal(db, merge);
    const until = Date.parse(merge.mergedAt) + UNDO_DAYS * DAY_MS;
    merges.push({
      id: merge.id,
      system: merge.system,
      prior_id: merge.priorId,
      patient_id: merge.patientId,
      merged_at: merge.mergedAt,
      pids: merge.moved.filter(({ before }) => before.patientId !== merge.patientId)
        .map(({ pid }) => pid),
      state: merge.state,
      undo_until: refusal === null ? new Date(until).toISOString() : null,
      refusal: refusal === "too_old" || refusal === "merged_later" ? refusal : null,
    });
  }
  return { merges, next: stored.length > limit ? String(merges.at(-1)!.id) : null };
}

/** A page of HL7 messages, for administrators. @throws {AppError} `access.forbidden`. */
export async function getMessages({ db }: ServiceContext, query: MessagesQuery, caller: Caller) {
  await checkMaintenance(db, caller);
  return await messageRows(db, query);
}

/** A page of patient merges, for administrators. @throws {AppError} `access.forbidden`. */
export async function getMerges({ db }: ServiceContext, query: MergesQuery, caller: Caller) {
  await checkMaintenance(db, caller);
  return await mergeRows(db, query);
}

const notThere = () =>
  new AppError("entity.not_found", "Cannot find the message: it does not wait any more");

/**
 * Details of an audit entry about a message, by which the message list shows it. Patient IDs are
 * not in the audit log.
 */
const auditDetailsOf = (
  { id, controlId, event }: StoredMessage,
): Record<string, string | number> => ({
  message: id,
  control_id: controlId,
  type: event,
});

/**
 * Applies an HL7 message again with the current settings.
 * @param confirmed Digest of the identities that the user has compared, for a message that waits
 * for this decision: it is applied despite the doubt if the records are still the same.
 * @throws {AppError} `access.forbidden`, `entity.not_found`, `message.unconfirmed`.
 */
export async function repeatMessage(
  { db }: ServiceContext,
  id: number,
  caller: Caller,
  confirmed?: string,
): Promise<Record<string, string | number>> {
  await checkMaintenance(db, caller);
  return await db.transaction().execute(async (tx) => {
    const message = await findMessage(tx, id);
    if (message?.state !== "failed") throw notThere();
    const seen = await confirmationOf(tx, message), isDecision = isConfirmable(message.reason);
    if (isDecision && confirmed !== seen.confirmed) {
      throw new AppError(
        "message.unconfirmed",
        `Cannot apply message ${id}: not confirmed as it is`,
      );
    }
    const confirmedState = isDecision ? seen.state : null;
    if (!await renewMessage(tx, id, { ...seen.ids, confirmedState })) throw notThere();
    return auditDetailsOf(message);
  });
}

/**
 * Closes an HL7 message without applying it.
 * @returns audit details
 * @throws {AppError} as {@link repeatMessage}
 */
export async function dropMessage(
  { db }: ServiceContext,
  id: number,
  caller: Caller,
): Promise<Record<string, string | number>> {
  await checkMaintenance(db, caller);
  const message = await findMessage(db, id);
  if (!message || !await writeDropped(db, id, nowIso())) throw notThere();
  return auditDetailsOf(message);
}
