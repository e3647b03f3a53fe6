import type { Database } from "@/server/core/database/database.ts";
import type { Role } from "@/model/accounts/roles.ts";
import type { TokenKind, UserSource, UserState } from "@/server/core/database/tables.ts";

/** A token with its session and user. Times are in ms since 1970. */
export interface StoredToken {
  kind: TokenKind;
  expiresMs: number;
  usedMs: number | null;
  sid: string;
  userId: number;
  userState: UserState;
  role: Role;
  createdMs: number;
  lastUsedMs: number;
  revokedMs: number | null;
  /** 1: the user must set a new password before any other request */
  mustChangePassword: number;
  userSource: UserSource;
  /** permanent identifier of the person at the hospital's provider or directory */
  subject: string | null;
  /** time at which the hospital last confirmed the person, ms; `null`: not since the sign-in */
  checkedMs: number | null;
  /** time at which the person was last to be checked again, ms */
  triedMs: number | null;
  /** reference with which the person is checked again; `null`: not possible */
  providerRef: string | null;
  /** set when the user has confirmed a second factor; `null` otherwise */
  hasSecondFactor: string | null;
}

export async function insertSession(
  db: Database,
  session: {
    sid: string;
    userId: number;
    nowMs: number;
    idToken?: string | null;
    providerRef?: string | null;
  },
): Promise<void> {
  await db.insertInto("sessions").values({
    sid: session.sid,
    user_id: session.userId,
    created_ms: session.nowMs,
    last_used_ms: session.nowMs,
    revoked_ms: null,
    ...(session.idToken ? { id_token: session.idToken } : {}),
    ...(session.providerRef ? { provider_ref: session.providerRef } : {}),
  }).execute();
}

/** @param token.hash SHA-256 of the token, which itself is never stored. */
export async function insertToken(
  db: Database,
  token: { hash: string; sid: string; kind: TokenKind; expiresMs: number },
): Promise<void> {
  await db.insertInto("tokens").values({
    hash: token.hash,
    sid: token.sid,
    kind: token.kind,
    expires_ms: token.expiresMs,
    used_ms: null,
  }).execute();
}

const tokenByHash = (db: Database, hash: string) =>
  db.selectFrom("tokens")
    .innerJoin("sessions", "sessions.sid", "tokens.sid")
    .innerJoin("users", "users.id", "sessions.user_id")
    .leftJoin("second_factors", "second_factors.user_id", "users.id")
    .select([
      "tokens.kind",
      "tokens.expires_ms as expiresMs",
      "tokens.used_ms as usedMs",
      "sessions.sid",
      "sessions.user_id as userId",
      "sessions.created_ms as createdMs",
      "sessions.last_used_ms as lastUsedMs",
      "sessions.revoked_ms as revokedMs",
      "sessions.checked_ms as checkedMs",
      "sessions.tried_ms as triedMs",
      "sessions.provider_ref as providerRef",
      "users.subject as subject",
      "users.state as userState",
      "users.role as role",
      "users.source as userSource",
      "second_factors.confirmed_at as hasSecondFactor",
      "users.must_change_password as mustChangePassword",
    ])
    .where("tokens.hash", "=", hash).execute();

export const findToken = async (db: Database, hash: string): Promise<StoredToken | null> =>
  (await tokenByHash(db, hash))[0] ?? null;

/** Times of a session, and state of its user; `null` if the session does not exist. */
export async function findSession(
  db: Database,
  sid: string,
): Promise<Pick<StoredToken, "createdMs" | "lastUsedMs" | "revokedMs" | "userState"> | null> {
  const row = await db.selectFrom("sessions").innerJoin("users", "users.id", "sessions.user_id")
    .select([
      "sessions.created_ms as createdMs",
      "sessions.last_used_ms as lastUsedMs",
      "sessions.revoked_ms as revokedMs",
      "users.state as userState",
    ]).where("sessions.sid", "=", sid).executeTakeFirst();
  return row ?? null;
}

/** ID token of a session, with which the user is signed out at the OpenID provider. */
export async function idTokenOf(db: Database, sid: string): Promise<string | null> {
  const row = await db.selectFrom("sessions").select("id_token").where("sid", "=", sid)
    .executeTakeFirst();
  return row?.id_token ?? null;
}

/** Marks a single-use token as used. @returns false if it was used before. */
export async function useToken(db: Database, hash: string, nowMs: number): Promise<boolean> {
  const result = await db.updateTable("tokens").set({ used_ms: nowMs })
    .where("hash", "=", hash).where("used_ms", "is", null).executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Revokes all tokens of a session except one access token and its refresh token. */
export async function deleteOtherTokens(db: Database, sid: string, hash: string): Promise<void> {
  await db.deleteFrom("tokens").where("sid", "=", sid).where("hash", "<>", hash)
    .where((e) => e.or([e("kind", "<>", "refresh"), e("used_ms", "is not", null)])).execute();
}

export async function touchSession(db: Database, sid: string, nowMs: number): Promise<void> {
  await db.updateTable("sessions").set({ last_used_ms: nowMs }).where("sid", "=", sid).execute();
}

/**
 * Claims the next check of a person. @returns false if another process claimed it after `triedMs`.
 */
export async function claimCheck(
  db: Database,
  sid: string,
  triedMs: number | null,
  nowMs: number,
): Promise<boolean> {
  const result = await db.updateTable("sessions").set({ tried_ms: nowMs }).where("sid", "=", sid)
    .where("tried_ms", triedMs === null ? "is" : "=", triedMs).executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** Records the time at which the hospital confirmed the person of a session. */
export async function setChecked(
  db: Database,
  sid: string,
  nowMs: number,
  providerRef: string | null,
): Promise<void> {
  await db.updateTable("sessions").set({ checked_ms: nowMs, provider_ref: providerRef })
    .where("sid", "=", sid).execute();
}

export async function revokeSession(db: Database, sid: string, nowMs: number): Promise<void> {
  await db.updateTable("sessions").set({ revoked_ms: nowMs })
    .where("sid", "=", sid).where("revoked_ms", "is", null).execute();
}

/** Ends all sessions of a user except one. @returns ids of the ended sessions. */
export async function revokeSessionsOf(
  db: Database,
  userId: number,
  nowMs: number,
  exceptSid = "",
): Promise<string[]> {
  const rows = await db.updateTable("sessions").set({ revoked_ms: nowMs })
    .where("user_id", "=", userId).where("revoked_ms", "is", null).where("sid", "<>", exceptSid)
    .returning("sid").execute();
  return rows.map((row) => row.sid);
}

/** Deletes sessions older than `beforeMs` with their tokens, and tokens that expired before it. */
export async function deleteOldSessions(db: Database, beforeMs: number): Promise<void> {
  await db.deleteFrom("sessions").where("created_ms", "<", beforeMs).execute();
  await db.deleteFrom("tokens").where("expires_ms", "<", beforeMs).execute();
}
