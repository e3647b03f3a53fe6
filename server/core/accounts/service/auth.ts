import { createHash, randomBytes } from "node:crypto";
import { AppError, cannotWrite, type ErrorCode } from "@/model/errors.ts";
import { TICKET_PREFIX } from "@/model/schema/accounts/auth.ts";
import type {
  LoginRequest,
  LoginResponse,
  RefreshResponse,
  WsTicket,
} from "@/model/schema/accounts/auth.ts";
import { MAINTENANCE } from "@/model/accounts/roles.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deleteOldSessions,
  findSession,
  findToken,
  insertSession,
  insertToken,
  revokeSession,
  revokeSessionsOf,
  type StoredToken,
  touchSession,
  useToken,
} from "@/server/core/accounts/storage/sessions.ts";
import {
  findUser,
  findUserByEmail,
  type StoredUser,
} from "@/server/core/accounts/storage/users.ts";
import { isPassword } from "@/server/core/accounts/service/password.ts";
import {
  type Attempt,
  countSignIn,
  forgive,
  type Origin,
} from "@/server/core/accounts/service/sign_in_delay.ts";
import { askDirectory } from "@/server/core/accounts/service/directory.ts";
import { admitPerson } from "@/server/core/accounts/service/admission.ts";
import { admittedAs } from "@/server/core/accounts/service/recheck.ts";
import { checkSecondFactor, mustEnrol } from "@/server/core/accounts/service/second_factor.ts";
import { isAllowedAddress } from "@/server/core/accounts/service/allowed_networks.ts";
import { appendAudit, noteAudit } from "@/server/core/site/service/audit/audit.ts";
import { isFirstIn } from "@/server/core/site/service/audit/grouping.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const MINUTE_MS = 60_000;
export const ACCESS_MS = 15 * MINUTE_MS;
const REFRESH_MS = 12 * 60 * MINUTE_MS;
export const IDLE_MS = 30 * MINUTE_MS;
export const TICKET_MS = MINUTE_MS;
/**
 * Time in ms from the first use of a refresh token in which a second use is only refused, as a
 * duplicate request. A later second use means that the token was stolen, and ends the session.
 */
const REUSE_GRACE_MS = 10_000;
/** Minimum interval between updates of a session's time of last use, ms. */
const TOUCH_INTERVAL_MS = MINUTE_MS;

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** Errors for inactive accounts; returned only after the correct password. */
const REFUSALS: Partial<Record<StoredUser["state"], ErrorCode>> = {
  suspended: "auth.suspended",
  waiting: "auth.waiting_approval",
  device: "auth.device_account",
};

/** Reason to refuse a sign-in although the password is correct; `null`: none. */
async function refusalOf(
  db: Database,
  user: StoredUser,
  address: string | null,
): Promise<ErrorCode | null> {
  if (user.removedAt !== null) return "auth.not_found";
  const refusal = REFUSALS[user.state];
  if (refusal) return refusal;
  return await isAllowedAddress(db, address) ? null : "auth.ip_denied";
}

/** Creates a token of a session; only the token's hash is stored. */
async function issue(
  db: Database,
  sid: string,
  kind: StoredToken["kind"],
  expiresMs: number,
): Promise<string> {
  const token = (kind === "ticket" ? TICKET_PREFIX : "") + randomBytes(32).toString("base64url");
  await insertToken(db, { hash: hashOf(token), sid, kind, expiresMs });
  return token;
}

/**
 * Interval at which refusals that anyone can cause are logged, so that they do not fill the log.
 */
const NOTE_EVERY_MS = MINUTE_MS;

/**
 * Signs a user in, and ends the user's earlier session (`auth_multi_login` notifies its pages).
 *
 * @param from Client address, `null` if unknown; or address and device secret together.
 * @throws {AppError} `auth.invalid`, `auth.too_many_attempts` with `details.seconds`.
 * If the password is correct: `auth.suspended`, `auth.waiting_approval`, `auth.device_account`,
 * `auth.not_found`, `auth.ip_denied`, `auth.code_needed`, `auth.code_wrong`. From the directory:
 * `auth.no_role`, `auth.no_email`, `auth.account_exists`, `auth.provider_unreachable`.
 */
export async function login(
  services: ServiceContext,
  request: LoginRequest,
  from: string | null | Origin,
  nowMs = Date.now(),
): Promise<LoginResponse> {
  const origin = typeof from === "string" || from === null ? { address: from } : from,
    { address } = origin;
  const signedIn: { uid: number | null } = { uid: null };
  const record = (outcome: string) =>
    noteAudit(services, { event: "auth.login", userId: signedIn.uid, address, outcome });
  try {
    const answer = await openSession(services, request, { origin, nowMs, known: signedIn });
    await record("ok");
    return answer;
  } catch (error) {
    if (error instanceof AppError) {
      const { code } = error, group = `auth.login ${code} ${signedIn.uid} ${address}`;
      const isFlood = code === "auth.too_many_attempts";
      if (!isFlood || isFirstIn(services.db, group, NOTE_EVERY_MS, nowMs)) await record(code);
    }
    throw error;
  }
}

/** @param known Receives the account with the e-mail address, for the audit log only. */
async function openSession(
  services: ServiceContext,
  request: LoginRequest,
  { origin, nowMs, known }: { origin: Origin; nowMs: number; known: { uid: number | null } },
): Promise<LoginResponse> {
  const { db } = services;
  const email = request.email.trim(), found = await findUserByEmail(db, email);
  known.uid = found?.id ?? null;
  const attempt = await countSignIn(db, { email, user: found, origin, nowMs });
  const isOfSite = found?.source === "local" || (found === null && !services.identity?.ldap);
  // also for unknown accounts, so that the response time does not reveal which accounts exist
  const person = isOfSite ? null : await askDirectory(services, email, request.password);
  const isRight = person !== null ||
    await isPassword(request.password, found?.source === "local" ? found.passwordHash : null);
  if (!isRight || (found === null && person === null)) {
    throw new AppError("auth.invalid", "Cannot sign in: wrong e-mail address or password");
  }
  const user = person === null ? found! : await admitPerson(services, person),
    reference = person?.reference;
  known.uid = user.id;
  const refusal = await refusalOf(db, user, origin.address);
  if (refusal !== null) throw new AppError(refusal, `Cannot sign in: ${refusal}`);
  await checkSecondFactor(db, user.id, request.code, nowMs);
  return await startSession(services, user, { origin, nowMs, attempt, reference });
}

/**
 * Signs in a person whom the hospital's provider has authenticated.
 * @throws {AppError} as {@link login} after the correct password.
 */
export async function loginWithProvider(
  services: ServiceContext,
  user: StoredUser,
  { idToken, reference }: { idToken: string | null; reference: string | null },
  origin: Origin,
  nowMs = Date.now(),
): Promise<LoginResponse> {
  const refusal = await refusalOf(services.db, user, origin.address);
  const entry = { event: "auth.login", userId: user.id, address: origin.address };
  if (refusal !== null) {
    await noteAudit(services, { ...entry, outcome: refusal });
    throw new AppError(refusal, `Cannot sign in: ${refusal}`);
  }
  const answer = await startSession(services, user, {
    origin,
    nowMs,
    attempt: null,
    idToken,
    reference,
  });
  await noteAudit(services, { ...entry, outcome: "ok" });
  return answer;
}

/** Starts a session, and ends the user's earlier session. */
async function startSession(
  { db, publish, log }: ServiceContext,
  user: StoredUser,
  { origin, nowMs, attempt, idToken = null, reference = null }: {
    origin: Origin;
    nowMs: number;
    /** password attempt that was counted; `null`: sign-in without a password */
    attempt: Attempt | null;
    idToken?: string | null;
    /** reference with which the person is checked again at the hospital */
    reference?: string | null;
  },
): Promise<LoginResponse> {
  const sid = randomBytes(16).toString("base64url");
  const { ended, access, refresh } = await db.transaction().execute(async (tx) => {
    if (attempt !== null) await forgive(tx, attempt, { userId: user.id, origin, nowMs });
    await deleteOldSessions(tx, nowMs - 2 * REFRESH_MS);
    const ended = await revokeSessionsOf(tx, user.id, nowMs);
    await insertSession(tx, { sid, userId: user.id, nowMs, idToken, providerRef: reference });
    return {
      ended,
      access: await issue(tx, sid, "access", nowMs + ACCESS_MS),
      refresh: await issue(tx, sid, "refresh", nowMs + REFRESH_MS),
    };
  });
  for (const old of ended) {
    publish({ event: "auth_multi_login", uid: user.id, sid: old }, { uid: user.id });
  }
  log("info", "Signed in", { uid: user.id });
  return {
    access_token: access,
    refresh_token: refresh,
    token_type: "bearer",
    expires_in: ACCESS_MS / 1000,
  };
}

/** Whether a session was last used in the future: the clock was set back, so its age is unknown. */
const isAhead = (
  { createdMs, lastUsedMs }: Pick<StoredToken, "createdMs" | "lastUsedMs">,
  nowMs: number,
): boolean => Math.max(createdMs, lastUsedMs) > latestCredible(nowMs);

const expired = () => new AppError("token.expired", "Cannot use token: expired");
const revoked = () => new AppError("token.revoked", "Cannot use token: revoked or unknown");

async function checkToken(
  db: Database,
  token: string,
  kinds: readonly StoredToken["kind"][],
  nowMs: number,
): Promise<StoredToken> {
  const stored = await findToken(db, hashOf(token));
  if (
    !stored || !kinds.includes(stored.kind) || stored.revokedMs !== null ||
    stored.userState !== "active"
  ) {
    throw revoked();
  }
  if (
    isAhead(stored, nowMs) || stored.expiresMs <= nowMs || stored.lastUsedMs + IDLE_MS <= nowMs ||
    stored.createdMs + REFRESH_MS <= nowMs
  ) {
    throw expired();
  }
  return stored;
}

/**
 * User of an access token; updates the session's time of last use.
 * @throws {AppError} `token.expired`, `token.revoked`.
 */
export async function authenticate(
  services: ServiceContext,
  accessToken: string,
  nowMs = Date.now(),
): Promise<Caller> {
  const { db, identity } = services, found = await checkToken(db, accessToken, ["access"], nowMs);
  const role = await admittedAs(services, found, nowMs);
  if (role === null) throw revoked();
  if (nowMs - found.lastUsedMs > TOUCH_INTERVAL_MS) {
    await touchSession(db, found.sid, nowMs).catch((error) => {
      // ignored: a full or read-only disk must not lock physicians out of stored studies
      if (!cannotWrite(error)) throw error;
    });
  }
  const caller = { uid: found.userId, sid: found.sid, role };
  return {
    ...caller,
    ...(found.mustChangePassword === 1 ? { mustChangePassword: true } : {}),
    ...(found.hasSecondFactor === null && mustEnrol(identity, role, found.userSource)
      ? { mustEnrol: true }
      : {}),
    tokenHash: hashOf(accessToken),
  };
}

/**
 * Exchanges a refresh token for a new pair of tokens. Of several concurrent calls one
 * succeeds. If the token is used again later, it counts as stolen, and the session ends.
 * @throws {AppError} `token.expired`, `token.revoked`.
 */
export async function refreshTokens(
  services: ServiceContext,
  refreshToken: string,
  nowMs = Date.now(),
  address: string | null = null,
): Promise<RefreshResponse> {
  const tokenOwner: { uid: number | null } = { uid: null };
  const record = (outcome: string) =>
    noteAudit(services, { event: "auth.refresh", userId: tokenOwner.uid, address, outcome });
  try {
    const answer = await renewTokens(services, refreshToken, { nowMs, known: tokenOwner });
    await record("ok");
    return answer;
  } catch (error) {
    if (error instanceof AppError) {
      const group = `auth.refresh ${error.code} ${tokenOwner.uid} ${address}`;
      if (isFirstIn(services.db, group, NOTE_EVERY_MS, nowMs)) await record(error.code);
    }
    throw error;
  }
}

/** @param known Receives the session's user, for the audit log only. */
async function renewTokens(
  services: ServiceContext,
  refreshToken: string,
  { nowMs, known }: { nowMs: number; known: { uid: number | null } },
): Promise<RefreshResponse> {
  const { db } = services;
  known.uid = (await findToken(db, hashOf(refreshToken)))?.userId ?? null;
  const stored = await checkToken(db, refreshToken, ["refresh"], nowMs);
  if (await admittedAs(services, stored, nowMs) === null) throw revoked();
  return await db.transaction().execute(async (tx) => {
    // of concurrent calls with one token, a single call marks the token as used
    if (!await useToken(tx, hashOf(refreshToken), nowMs)) return null;
    await touchSession(tx, stored.sid, nowMs);
    return {
      access_token: await issue(tx, stored.sid, "access", nowMs + ACCESS_MS),
      refresh_token: await issue(tx, stored.sid, "refresh", stored.createdMs + REFRESH_MS),
      expires_in: ACCESS_MS / 1000,
    };
  }) ?? await refuseUsed(services, stored, hashOf(refreshToken), nowMs);
}

/**
 * Refuses a refresh token that was used before. A stolen token ends the session.
 * @throws always.
 */
async function refuseUsed(
  { db, log, publish }: ServiceContext,
  { sid, userId }: StoredToken,
  hash: string,
  nowMs: number,
): Promise<never> {
  const usedMs = (await findToken(db, hash))?.usedMs ?? nowMs;
  if (nowMs - usedMs > REUSE_GRACE_MS) {
    await revokeSession(db, sid, nowMs);
    publish({ event: "auth_multi_login", uid: userId, sid }, { uid: userId });
    log("warn", "Ended session: refresh token used twice", { uid: userId });
  }
  throw revoked();
}

/** Ends the session of an access or refresh token, unless it has ended. */
export async function logout(
  { db, log }: ServiceContext,
  token: string,
  nowMs = Date.now(),
): Promise<void> {
  const stored = await findToken(db, hashOf(token));
  if (!stored || stored.revokedMs !== null || stored.kind === "ticket") return;
  await revokeSession(db, stored.sid, nowMs);
  await appendAudit(db, { event: "auth.logout", userId: stored.userId });
  log("info", "Signed out", { uid: stored.userId });
}

/**
 * Whether a session continues: not ended, not expired. Checked because a socket stays open longer
 * than the token is valid with which it was opened.
 */
export async function isSessionOpen(
  { db }: ServiceContext,
  sid: string,
  nowMs = Date.now(),
): Promise<boolean> {
  const session = await findSession(db, sid);
  return session !== null && session.revokedMs === null && session.userState === "active" &&
    !isAhead(session, nowMs) && session.lastUsedMs + IDLE_MS > nowMs &&
    session.createdMs + REFRESH_MS > nowMs;
}

/** Single-use ticket to open a WebSocket, so that its URL contains no long-lived token. */
export async function issueTicket(
  { db }: ServiceContext,
  caller: Caller,
  nowMs = Date.now(),
): Promise<WsTicket> {
  const ticket = await issue(db, caller.sid, "ticket", nowMs + TICKET_MS);
  return { ticket, expires_in: TICKET_MS / 1000 };
}

/** Another access token of the caller's session, for calls under `/vuuc`. */
export const issueAccessToken = (
  { db }: ServiceContext,
  caller: Caller,
  nowMs = Date.now(),
): Promise<string> => issue(db, caller.sid, "access", nowMs + ACCESS_MS);

/**
 * User of a WebSocket, by an access token, or by a ticket that becomes invalid; `null` if invalid.
 */
export async function verifyToken(
  { db }: ServiceContext,
  token: string,
  nowMs = Date.now(),
): Promise<Caller | null> {
  try {
    const stored = await checkToken(db, token, ["access", "ticket"], nowMs);
    if (stored.kind === "ticket" && !await useToken(db, hashOf(token), nowMs)) return null;
    return { uid: stored.userId, sid: stored.sid };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Account of the calling user. @throws {AppError} `auth.not_found`. */
export async function getUser({ db }: ServiceContext, caller: Caller): Promise<User> {
  const user = await findUser(db, caller.uid);
  if (!user) throw new AppError("auth.not_found", "Cannot find the user: deleted");
  return {
    user_id: user.id,
    permission_list: user.role === "administrator" ? [MAINTENANCE] : [],
    role: user.role,
    email: user.email,
    ...(user.name === null ? {} : { name: user.name }),
    ...(user.mustChangePassword ? { must_change_password: true } : {}),
    ...(caller.mustEnrol ? { must_enrol: true } : {}),
    ...(user.source === "local" ? {} : { source: user.source }),
  };
}
