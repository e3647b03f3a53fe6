import { type Selectable, sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";
import type { AuditRow } from "@/server/core/database/tables.ts";

export type StoredAudit = Selectable<AuditRow>;

/**
 * Reserves the next number of the audit log, and reads the hash of the previous entry.
 * Other writers wait until the transaction ends.
 * @param tx The transaction that will insert the entry.
 */
export async function nextAudit(tx: Database): Promise<{ seq: number; previous: string }> {
  const head = await tx.updateTable("audit_head").set((e) => ({ seq: e("seq", "+", 1) }))
    .where("id", "=", 1).returning(["seq", "hash"]).executeTakeFirstOrThrow();
  return { seq: head.seq, previous: head.hash };
}

/** Inserts an audit entry after {@link nextAudit}, in the same transaction. */
export async function insertAudit(tx: Database, entry: StoredAudit): Promise<void> {
  await tx.insertInto("audit").values(entry).execute();
  await tx.updateTable("audit_head").set({ hash: entry.hash }).where("id", "=", 1).execute();
}

export async function readAuditHead(db: Database): Promise<{ seq: number; hash: string }> {
  return await db.selectFrom("audit_head").select(["seq", "hash"]).where("id", "=", 1)
    .executeTakeFirstOrThrow();
}

/** Audit entries after a number, oldest first. */
export const readAuditAfter = (db: Database, seq: number, count: number): Promise<StoredAudit[]> =>
  db.selectFrom("audit").selectAll().where("seq", ">", seq).orderBy("seq").limit(count).execute();

/** Study UID and patient ID by study number; deleted studies are left out. */
export async function readStudyIdentities(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, { studyUid: string; patientId: string }>> {
  if (pids.length === 0) return new Map();
  const rows = await db.selectFrom("patients").select(["pid", "study_uid", "patient_id"])
    .where(isAmong(db, "pid", numberList(db, [...new Set(pids)]))).execute();
  return new Map(
    rows.map((row) => [row.pid, { studyUid: row.study_uid, patientId: row.patient_id }]),
  );
}

/**
 * Study numbers as audit entries list them in the detail `study_numbers`: between spaces, so that
 * one of them is found as a part of the text.
 */
export const listedStudies = (pids: readonly number[]): string => ` ${pids.join(" ")} `;
/** Pattern of entries that list studies, or one study. */
const listing = (pid?: number) => `%"study_numbers":"%${pid === undefined ? "" : ` ${pid} %`}`;

/** Filter of audit entries; `from` is inclusive, `to` exclusive. */
export interface AuditFilter {
  from?: string;
  before?: string;
  userId?: number;
  pid?: number;
  event?: string;
  /** events that are left out */
  without?: readonly string[];
  /** text contained in event, outcome or address; users and events with names that match it */
  search?: { text: string; userIds: readonly number[]; events: readonly string[] };
}

function matching(
  db: Database,
  { from, before, userId, pid, event, without, search }: AuditFilter,
) {
  let query = db.selectFrom("audit");
  if (from !== undefined) query = query.where("at", ">=", from);
  if (before !== undefined) query = query.where("at", "<", before);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  if (pid !== undefined) {
    query = query.where((e) =>
      e.or([e("pid", "=", pid), e.and([e("pid", "is", null), e("details", "like", listing(pid))])])
    );
  }
  if (event !== undefined) query = query.where("event", "=", event);
  if (without !== undefined) query = query.where("event", "not in", [...without]);
  if (search !== undefined) {
    const like = `%${search.text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    query = query.where((e) =>
      e.or([
        ...(["event", "outcome", "address"] as const).map((column) =>
          sql<boolean>`lower(${sql.ref(column)}) LIKE ${like} ESCAPE '\\'`
        ),
        ...(search.events.length > 0 ? [e("event", "in", [...search.events])] : []),
        ...(search.userIds.length > 0 ? [e("user_id", "in", [...search.userIds])] : []),
      ])
    );
  }
  return query;
}

/**
 * One page of audit entries, newest first. @param page Number from 1. @returns entries and total.
 */
export async function listAudit(
  db: Database,
  filter: AuditFilter,
  page: number,
  perPage: number,
): Promise<{ entries: StoredAudit[]; total: number }> {
  const { n } = await matching(db, filter).select((e) => e.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  const entries = await matching(db, filter).selectAll().orderBy("seq", "desc")
    .limit(perPage).offset((page - 1) * perPage).execute();
  return { entries, total: Number(n) };
}

/** Matching entries with numbers below the given one, newest first, to read all in chunks. */
export const listAuditBefore = (
  db: Database,
  filter: AuditFilter,
  seq: number,
  count: number,
): Promise<StoredAudit[]> =>
  matching(db, filter).selectAll().where("seq", "<", seq).orderBy("seq", "desc").limit(count)
    .execute();

/** A successful event about an account. */
export interface AccountEvent {
  event: string;
  /** user who caused it; `null`: a server command */
  userId: number | null;
  at: string;
  details: Record<string, unknown>;
}

/** Successful entries of events, oldest first. Reads the whole log: for rare calls only. */
export async function listAccountEvents(
  db: Database,
  events: readonly string[],
): Promise<AccountEvent[]> {
  const rows = await db.selectFrom("audit").select(["event", "user_id", "at", "details"])
    .where("event", "in", [...events]).where("outcome", "=", "ok").orderBy("seq").execute();
  return rows.map(({ user_id: userId, details, ...row }) => ({
    ...row,
    userId,
    details: JSON.parse(details),
  }));
}

/** Time of each user's first entry about each study with any of the given events. */
export async function firstEvents(
  db: Database,
  { events, userIds, pids }: {
    events: readonly string[];
    userIds: readonly number[];
    pids: readonly number[];
  },
): Promise<{ userId: number; pid: number; at: string }[]> {
  if (userIds.length === 0 || pids.length === 0) return [];
  const rows = await db.selectFrom("audit")
    .select((e) => ["user_id", "pid", e.fn.min<string>("at").as("at")])
    .where(isAmong(db, "pid", numberList(db, pids)))
    .where("user_id", "in", [...userIds]).where("event", "in", [...events])
    .where("outcome", "=", "ok")
    .groupBy(["user_id", "pid"]).execute();
  const lists = await db.selectFrom("audit").select(["user_id", "at", "details"])
    .where("pid", "is", null).where("details", "like", listing())
    .where("user_id", "in", [...userIds]).where("event", "in", [...events])
    .where("outcome", "=", "ok").orderBy("seq").execute();
  const wanted = new Set(pids);
  const firsts = rows.map(({ user_id, pid, at }) => ({ userId: user_id!, pid: pid!, at }));
  const found = new Map(firsts.map((first) => [`${first.userId} ${first.pid}`, first]));
  for (const { user_id, at, details } of lists) {
    for (const pid of String(JSON.parse(details).study_numbers).trim().split(" ").map(Number)) {
      const key = `${user_id} ${pid}`, known = found.get(key);
      if (wanted.has(pid) && (!known || at < known.at)) {
        found.set(key, { userId: user_id!, pid, at });
      }
    }
  }
  return [...found.values()];
}
