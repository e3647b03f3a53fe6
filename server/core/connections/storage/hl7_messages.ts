import { sql, type SqlBool } from "kysely";
import type { GivenIdentity } from "@/model/hl7/adt.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, isPostgres, numberList } from "@/server/core/database/postgres.ts";
import type { Hl7MessageRow, MessageState } from "@/server/core/database/tables.ts";

/** A received HL7 message that is not yet in the database. */
export interface NewMessage {
  system: string;
  sender: string;
  controlId: string;
  digest: string;
  event: string;
  patientId: string;
  priorId: string;
  eventMs: number;
  receivedAt: string;
  message: Uint8Array;
}

/** An HL7 message in the database. */
export interface StoredMessage extends NewMessage {
  id: number;
  state: MessageState;
  reason: string | null;
  isForced: boolean;
  /** whether an administrator has confirmed that the message is about the person in the records */
  isPersonConfirmed: boolean;
  /** whether an administrator has applied the message as of its arrival: its own time is wrong */
  isTimeConfirmed: boolean;
  /** digest of the records that the administrator saw who confirmed the message */
  confirmedState: string | null;
}

type Selected =
  & Omit<
    Hl7MessageRow,
    | "id"
    | "not_before_ms"
    | "is_forced"
    | "attempts"
    | "identity"
    | "is_person_confirmed"
    | "is_time_confirmed"
    | "confirmed_state"
  >
  & {
    id: number;
    is_forced: number;
    is_person_confirmed: number;
    is_time_confirmed: number;
    confirmed_state: string | null;
  };

const messageOf = (row: Selected): StoredMessage => ({
  id: row.id,
  system: row.system,
  sender: row.sender,
  controlId: row.control_id,
  digest: row.digest,
  event: row.event,
  patientId: row.patient_id,
  priorId: row.prior_id,
  eventMs: Number(row.event_ms),
  receivedAt: row.received_at,
  message: row.message,
  state: row.state,
  reason: row.reason,
  isForced: row.is_forced === 1,
  isPersonConfirmed: row.is_person_confirmed === 1,
  isTimeConfirmed: row.is_time_confirmed === 1,
  confirmedState: row.confirmed_state,
});

/** Stores HL7 messages in order. A message that is already stored was sent again and is ignored. */
export async function insertMessages(db: Database, messages: readonly NewMessage[]): Promise<void> {
  for (const one of messages) {
    await db.insertInto("hl7_messages").values({
      system: one.system,
      sender: one.sender,
      control_id: one.controlId,
      digest: one.digest,
      event: one.event,
      patient_id: one.patientId,
      prior_id: one.priorId,
      event_ms: one.eventMs,
      received_at: one.receivedAt,
      state: "waiting",
      reason: null,
      ended_at: null,
      message: one.message,
    }).onConflict((conflict) => conflict.columns(["sender", "control_id", "digest"]).doNothing())
      .execute();
  }
}

export async function findMessage(db: Database, id: number): Promise<StoredMessage | null> {
  const row = await db.selectFrom("hl7_messages").selectAll().where("id", "=", id)
    .executeTakeFirst();
  return row ? messageOf(row) : null;
}

/** A waiting HL7 message and the patient IDs in it; no patient IDs if these are uncertain. */
export interface DueMessage {
  id: number;
  patientIds: string[];
}

/**
 * Time of a query for due messages, ms since the epoch.
 * `longestMs`: maximum delay; a message with a longer delay is due: the clock was set back.
 */
interface DueTime {
  nowMs: number;
  longestMs: number;
}

const isDue = ({ nowMs, longestMs }: DueTime) =>
  sql<SqlBool>`(not_before_ms <= ${nowMs} OR not_before_ms > ${latestCredible(nowMs, longestMs)})`;

/**
 * Id of the first message with an attempt that another server has not ended, or that ended the
 * process. Later messages wait, also of other patients, because orders of several patients may have
 * the same numbers.
 */
async function openAttempt(db: Database, time: DueTime): Promise<number> {
  const row = await db.selectFrom("hl7_messages").select("id").where("state", "=", "waiting")
    .where("attempts", ">", 0).where("reason", "is", null).where((e) => e.not(isDue(time)))
    .orderBy("id").limit(1).executeTakeFirst();
  return row?.id ?? Number.MAX_SAFE_INTEGER;
}

/**
 * HL7 messages that may be applied now, in order of arrival.
 * @param afterId Only messages that arrived after this one.
 */
export async function dueMessages(
  db: Database,
  { most, afterId, ...time }: DueTime & { most: number; afterId: number },
): Promise<DueMessage[]> {
  const rows = await db.selectFrom("hl7_messages").select(["id", "patient_id", "prior_id"])
    .where("state", "=", "waiting").where("id", ">", afterId).where(isDue(time))
    .where("id", "<", await openAttempt(db, time)).orderBy("id").limit(most).execute();
  return rows.map(({ id, patient_id, prior_id }) => ({
    id,
    patientIds: [patient_id, prior_id].filter((one) => one !== ""),
  }));
}

/**
 * Counts an attempt to apply a message before it begins, since the attempt may end the process.
 * Until the longest pause has passed, other servers and restarts make no further attempt.
 * @returns number of attempts including this one; `null` if the message is not due any more.
 */
export async function beginAttempt(
  db: Database,
  id: number,
  time: DueTime,
): Promise<number | null> {
  const row = await db.updateTable("hl7_messages").set((e) => ({
    attempts: e("attempts", "+", 1),
    reason: null,
    not_before_ms: time.nowMs + time.longestMs,
  })).where("id", "=", id).where("state", "=", "waiting").where(isDue(time))
    .returning("attempts").executeTakeFirst();
  return row === undefined ? null : Number(row.attempts);
}

/** Whether an earlier HL7 message about one of these patients is still waiting. */
export async function hasEarlier(
  db: Database,
  id: number,
  patientIds: readonly string[],
): Promise<boolean> {
  const row = await db.selectFrom("hl7_messages").select("id").where("state", "=", "waiting")
    .where("id", "<", id)
    .where((e) => e.or([e("patient_id", "in", patientIds), e("prior_id", "in", patientIds)]))
    .limit(1).executeTakeFirst();
  return row !== undefined;
}

/**
 * Patient administration messages with a current patient ID that gave the patient's identity.
 * Merges that were undone later are left out, also if they were sent several times.
 */
const identityMessages = (db: Database, patientId: string) =>
  db.selectFrom("hl7_messages").where("patient_id", "=", patientId).where("event", "like", "ADT^%")
    .where((e) =>
      e.or([
        e("state", "=", "applied"),
        e.and([e("state", "=", "ignored"), e("reason", "=", "no_study")]),
      ])
    ).where((e) =>
      e.not(e.exists(
        e.selectFrom("patient_merges as undone").select("undone.id")
          .where("undone.state", "=", "undone")
          .whereRef("undone.prior_id", "=", "hl7_messages.prior_id")
          .whereRef("undone.patient_id", "=", "hl7_messages.patient_id")
          .whereRef("undone.undone_at", ">=", "hl7_messages.ended_at"),
      ))
    );

/**
 * Recording time of the last patient administration message with this current patient ID,
 * ms since the epoch. Order messages are ignored, because they repeat unchanged patient data.
 */
export async function lastEventMs(db: Database, patientId: string): Promise<number> {
  const { ms } = await identityMessages(db, patientId)
    .select((e) => e.fn.max("event_ms").as("ms")).executeTakeFirstOrThrow();
  return ms === null ? -Infinity : Number(ms);
}

/** A message that gave a patient's identity. */
export interface IdentityMessage {
  message: Uint8Array;
  /** patient data as they were applied; `null` if an earlier version applied the message */
  identity: GivenIdentity | null;
  eventMs: number;
  endedAt: string;
}

/**
 * The last patient administration messages with this current patient ID, newest first.
 * @param afterMs Only messages with a later time, ms since the epoch.
 */
export async function lastMessages(
  db: Database,
  patientId: string,
  most: number,
  afterMs = Number.MIN_SAFE_INTEGER,
): Promise<IdentityMessage[]> {
  const rows = await identityMessages(db, patientId)
    .select(["message", "identity", "event_ms", "ended_at"]).where("event_ms", ">", afterMs)
    .orderBy("event_ms", "desc").orderBy("id", "desc").limit(most).execute();
  return rows.map(({ message, identity, event_ms, ended_at }) => ({
    message,
    identity: identity === null ? null : JSON.parse(identity) as GivenIdentity,
    eventMs: Number(event_ms),
    endedAt: ended_at ?? "",
  }));
}

/**
 * Sets the state of a waiting HL7 message: the message is closed, or postponed to a later attempt.
 * A message that another server or an administrator closed meanwhile is not changed.
 */
export async function writeState(
  db: Database,
  id: number,
  { state, reason, notBeforeMs = 0, endedAt, identity, isError = false }: {
    state: MessageState;
    reason: string | null;
    notBeforeMs?: number;
    endedAt: string | null;
    /** patient data in the message, as this attempt has read them */
    identity?: GivenIdentity | undefined;
    /** whether the attempt ended with an unexpected error, so that it counts */
    isError?: boolean;
  },
): Promise<void> {
  await db.updateTable("hl7_messages").set({
    state,
    reason,
    not_before_ms: notBeforeMs,
    ended_at: endedAt,
    ...identity && { identity: identityText(identity) },
    ...isError ? {} : { attempts: 0 },
  }).where("id", "=", id).where("state", "=", "waiting").execute();
}

const identityText = ({ name, birthDate, sex }: GivenIdentity): string =>
  JSON.stringify({ name, birthDate, sex });

/** Reason code of a message that could not be applied because of an unexpected error. */
export const NOT_APPLIED = "not_applied";

/** Reason code: the message and the stored records may be about two different people. */
export const OTHER_PERSON = "other_person";

/** Reason code: an administrator has undone the last merge of the two patient IDs. */
export const MERGE_UNDONE = "merge_undone";

/** Reason code: newer messages contradict a merge. */
export const OLDER_MERGE = "older_merge";

/** Reason code: a patient ID in the message was merged earlier. */
export const MERGED_ID = "merged_id";

/** Reason code: the time of the message is an error, so its order among others is unknown. */
export const FUTURE_TIME = "future_time";

/** Reasons with which a message of patient administration is applied despite other messages. */
const OVERRULING: readonly string[] = [MERGE_UNDONE, OLDER_MERGE, MERGED_ID];

/**
 * Whether the repetition of a message that failed for this reason is a person's decision about the
 * patients in it: only someone who has compared the two identities may repeat it.
 */
export const isConfirmable = (reason: string | null): boolean =>
  reason !== null && [...OVERRULING, OTHER_PERSON, FUTURE_TIME].includes(reason);

/**
 * Requeues a failed HL7 message. One that other messages contradicted is applied despite these, by
 * the administrator's decision. Newer messages take precedence over a message that failed by an
 * unexpected error, had an impossible time (replaced by the time of arrival), or contradicted a
 * record's birth date or sex (it corrects the record). After any other failure, newer messages take
 * precedence over one of patient administration, but not over an order.
 * @returns whether the message had failed.
 */
export async function renewMessage(
  db: Database,
  id: number,
  { patientId, priorId, confirmedState }: {
    patientId: string;
    priorId: string;
    /** digest of the records that the administrator saw; `null` for a retry */
    confirmedState: string | null;
  },
): Promise<boolean> {
  const result = await db.updateTable("hl7_messages").set((e) => ({
    state: "waiting",
    reason: null,
    not_before_ms: 0,
    ended_at: null,
    is_forced: e.case().when("reason", "=", NOT_APPLIED).then(0)
      .when("reason", "in", OVERRULING).then(1)
      .when("event", "like", "ADT^%").then(e.ref("is_forced"))
      .when("reason", "in", [OTHER_PERSON, FUTURE_TIME]).then(e.ref("is_forced")).else(1).end(),
    is_person_confirmed: e.case().when("reason", "=", OTHER_PERSON).then(1)
      .else(e.ref("is_person_confirmed")).end(),
    is_time_confirmed: e.case().when("reason", "=", FUTURE_TIME).then(1)
      .else(e.ref("is_time_confirmed")).end(),
    attempts: 0,
    confirmed_state: confirmedState ?? e.ref("confirmed_state"),
    patient_id: patientId,
    prior_id: priorId,
  })).where("id", "=", id).where("state", "=", "failed").executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Reason code of an order message with an order number that no stored order has. */
export const NOT_FOUND = "order_not_found";

/**
 * Order messages that contain the bytes of `text`, from the system of `message`, without `message`;
 * oldest first. Only messages that matched no stored order or, if `areAll`, also messages that were
 * applied or had no effect.
 */
export async function findOrderMessages(
  db: Database,
  { message: { id, system }, text, areAll }: {
    message: Pick<StoredMessage, "id" | "system">;
    text: string;
    areAll: boolean;
  },
): Promise<Pick<StoredMessage, "id" | "reason" | "message">[]> {
  const bytes = new TextEncoder().encode(text);
  return await db.selectFrom("hl7_messages").select(["id", "reason", "message"])
    .where("system", "=", system).where("id", "!=", id).where("event", "not like", "ADT^%")
    .where((e) =>
      e.or([
        e.and([e("state", "=", "failed"), e("reason", "=", NOT_FOUND)]),
        ...areAll
          ? [
            e("state", "=", "applied"),
            e.and([e("state", "=", "ignored"), e("reason", "in", ["older", "no_order"])]),
          ]
          : [],
      ])
    ).where(
      isPostgres(db)
        ? sql<SqlBool>`position(${bytes}::bytea in message) > 0`
        : sql<SqlBool>`instr(message, ${bytes}) > 0`,
    ).orderBy("id").execute();
}

/** Requeues HL7 messages; a message that is older than the stored values does not replace them. */
export async function queueAgain(db: Database, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable("hl7_messages")
    .set({
      state: "waiting",
      reason: null,
      not_before_ms: 0,
      ended_at: null,
      is_forced: 0,
      attempts: 0,
    })
    .where(isAmong(db, "id", numberList(db, ids))).execute();
}

/** Closes a waiting or failed HL7 message. @returns whether the message was waiting or failed. */
export async function dropMessage(db: Database, id: number, at: string): Promise<boolean> {
  const result = await db.updateTable("hl7_messages").set({ state: "dropped", ended_at: at })
    .where("id", "=", id).where("state", "in", ["waiting", "failed"]).executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/**
 * Page cursor in the list of messages: id of the last message on the previous page, and the part of
 * the list with this message. `open`: waiting and failed messages; `ended`: all other messages.
 */
export interface MessagePosition {
  part: "open" | "ended";
  id: number;
}

/** States of HL7 messages in the first part of the list. */
const OPEN: readonly MessageState[] = ["failed", "waiting"];

/**
 * Waiting and failed HL7 messages, oldest first, then all other messages, newest first.
 * One statement reads both parts: a message that changes its state meanwhile is in one of them.
 */
export async function listMessages(
  db: Database,
  most: number,
  after: MessagePosition | null = null,
): Promise<StoredMessage[]> {
  const isPastOpen = after?.part === "ended";
  const messages = db.selectFrom("hl7_messages").selectAll();
  const open = messages.where("state", "in", OPEN)
    .where("id", ">", isPastOpen ? Number.MAX_SAFE_INTEGER : after?.id ?? 0)
    .orderBy("id").limit(most);
  const ended = messages.where("state", "not in", OPEN)
    .where("id", "<", isPastOpen ? after.id : Number.MAX_SAFE_INTEGER)
    .orderBy("id", "desc").limit(most);
  const rows = await db.selectFrom(open.as("open")).selectAll()
    .unionAll(db.selectFrom(ended.as("ended")).selectAll()).execute();
  const isOpen = ({ state }: Selected) => OPEN.includes(state);
  return [
    ...rows.filter(isOpen).sort((a, b) => a.id - b.id),
    ...rows.filter((row) => !isOpen(row)).sort((a, b) => b.id - a.id),
  ].slice(0, most).map(messageOf);
}

/** Number of HL7 messages in each state, with the time of the oldest. */
export async function countMessages(
  db: Database,
): Promise<{ state: MessageState; count: number; oldestAt: string }[]> {
  const rows = await db.selectFrom("hl7_messages")
    .select((e) => ["state", e.fn.countAll<number>().as("n"), e.fn.min("received_at").as("at")])
    .groupBy("state").execute();
  return rows.map(({ state, n, at }) => ({ state, count: Number(n), oldestAt: String(at) }));
}

/**
 * Deletes HL7 messages that were closed long ago. A patient's newest identity is kept as long as an
 * older message about the patient: otherwise the older message would count as the newest.
 */
export async function forgetMessages(db: Database, before: string): Promise<void> {
  const remains = sql<
    SqlBool
  >`(older.state IN ('waiting', 'failed') OR older.ended_at >= ${before})`;
  await db.deleteFrom("hl7_messages").where("state", "not in", ["waiting", "failed"])
    .where("ended_at", "<", before)
    .where((e) =>
      e.and((["older.patient_id", "older.prior_id"] as const).map((id) =>
        e.not(e.exists(
          e.selectFrom("hl7_messages as older").select("older.id")
            .whereRef(id, "=", "hl7_messages.patient_id")
            .whereRef("older.event_ms", "<=", "hl7_messages.event_ms")
            .whereRef("older.id", "!=", "hl7_messages.id")
            .where("hl7_messages.event", "like", "ADT^%").where("hl7_messages.patient_id", "!=", "")
            .where(remains),
        ))
      ))
    ).execute();
}
