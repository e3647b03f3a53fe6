import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { networkOf } from "@/model/site/networks.ts";
import { latestCredible } from "@/model/time/stored_time.ts";
import type { SignInDelays } from "@/model/schema/accounts/sign_ins.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { FailureKind } from "@/server/core/database/tables.ts";
import {
  deleteFailures,
  deleteFailuresOf,
  deleteOldFailures,
  findFailures,
  knownPlacesOf,
  listFailures,
  putFailures,
  putKnownPlace,
  type StoredFailures,
} from "@/server/core/accounts/storage/sign_in_failures.ts";
import {
  findUserByEmail,
  listUsers,
  type StoredUser,
} from "@/server/core/accounts/storage/users.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const SECOND_MS = 1000, MINUTE_MS = 60_000, DAY_MS = 86_400_000;

/** Rule for delays after failed sign-ins: number without delay, first and longest delay, expiry. */
interface Rule {
  free: number;
  firstMs: number;
  /** longest delay, ms; each failure doubles the delay up to this */
  longestMs: number;
  /** time after which one failed sign-in is forgotten, ms */
  forgivenMs: number;
}
export const RULES: Record<FailureKind, Rule> = {
  place: { free: 5, firstMs: 5 * SECOND_MS, longestMs: 15 * MINUTE_MS, forgivenMs: 20 * MINUTE_MS },
  // for one account, against guesses from many addresses
  account: { free: 50, firstMs: 5 * SECOND_MS, longestMs: 5 * MINUTE_MS, forgivenMs: MINUTE_MS },
  // for one address, against a password tried on many accounts; lenient: a ward has one address
  address: { free: 20, firstMs: 2 * SECOND_MS, longestMs: MINUTE_MS, forgivenMs: 30 * SECOND_MS },
};
/** Time after which an unused trusted device or address of an account expires, ms. */
const KNOWN_MS = 180 * DAY_MS, MAX_PLACES = 50;
const RETENTION_MS = 2 * DAY_MS;

const hashOf = (...parts: readonly (string | number)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex");
/** IPv6 addresses are grouped by /64 network, because a user may have the whole network. */
const hashOfAddress = (address: string) => hashOf("address", networkOf(address));
const isLoopback = (address: string) => /^(127\.|::1$|::ffff:127\.)/.test(address);

/** Client address and device from which someone tries to sign in. */
export interface Origin {
  /** network address of the client; `null`: unknown */
  address: string | null;
  /** secret that identifies the client's device; `null`: unknown device */
  device?: string | null;
}

/** Number of failed sign-ins that are not forgotten yet. */
function heldAt({ kind, failures, lastMs }: StoredFailures, nowMs: number): number {
  if (lastMs > latestCredible(nowMs)) return 0;
  return Math.max(0, failures - Math.floor(Math.max(0, nowMs - lastMs) / RULES[kind].forgivenMs));
}

/** Time until which sign-ins are delayed, ms since 1970; not in the future: no delay. */
function delayedUntil(stored: StoredFailures, nowMs: number): number {
  const { free, firstMs, longestMs } = RULES[stored.kind];
  if (stored.lastMs > latestCredible(nowMs) || stored.failures < free) return 0;
  return stored.lastMs + Math.min(longestMs, firstMs * 2 ** Math.min(30, stored.failures - free));
}

interface Counted {
  id: string;
  kind: FailureKind;
  userId: number | null;
  address: string | null;
}

/**
 * Counters of failed sign-ins that apply to an attempt.
 * At a device or address at which the account has signed in before, and on the server itself,
 * failures elsewhere do not count, so that a stranger cannot lock a user out.
 */
async function countedOf(
  db: Database,
  { email, user, origin, nowMs }: {
    email: string;
    user: StoredUser | null;
    origin: Origin;
    nowMs: number;
  },
): Promise<Counted[]> {
  const { address, device = null } = origin,
    account = email.trim().toLowerCase(),
    userId = user?.id ?? null;
  const places = placesOf(origin);
  const knownPlaces = user === null
    ? new Set<string>()
    : await knownPlacesOf(db, user.id, [...places.values()], nowMs - KNOWN_MS);
  const isKnownDevice = device !== null && knownPlaces.has(places.get("device")!);
  const place = isKnownDevice ? places.get("device")! : places.get("address") ?? "";
  const counted: Counted[] = [{
    id: hashOf("place", account, place),
    kind: "place",
    userId,
    address,
  }];
  if (knownPlaces.size > 0 || (address !== null && isLoopback(address))) return counted;
  counted.push({ id: hashOf("account", account), kind: "account", userId, address: null });
  if (address !== null) {
    counted.push({ id: hashOfAddress(address), kind: "address", userId: null, address });
  }
  return counted;
}

const placesOf = ({ address, device }: Origin): Map<"device" | "address", string> =>
  new Map([
    ...device ? [["device", hashOf("device", device)] as const] : [],
    ...address ? [["address", hashOfAddress(address)] as const] : [],
  ]);

/** A sign-in attempt, which counts as failed until the password proves correct. */
export interface Attempt {
  counted: readonly Counted[];
}

/**
 * Counts a sign-in attempt as failed, before the slow comparison of the password.
 * A separate transaction, so that concurrent attempts cannot exceed the limit.
 * @throws {AppError} `auth.too_many_attempts` with `details.seconds`.
 */
async function count(db: Database, counted: readonly Counted[], nowMs: number): Promise<Attempt> {
  await db.transaction().execute(async (tx) => {
    const failures: (StoredFailures | null)[] = [];
    for (const { id } of counted) failures.push(await findFailures(tx, id));
    const untilMs = Math.max(
      0,
      ...failures.map((stored) => stored === null ? 0 : delayedUntil(stored, nowMs)),
    );
    if (untilMs > nowMs) {
      const seconds = Math.ceil((untilMs - nowMs) / SECOND_MS);
      throw new AppError(
        "auth.too_many_attempts",
        "Cannot check the password: too many failures lately",
        {
          seconds,
        },
      );
    }
    for (const [i, each] of counted.entries()) {
      const stored = failures[i] ?? null;
      await putFailures(tx, {
        ...each,
        failures: 1 + (stored === null ? 0 : heldAt(stored, nowMs)),
        lastMs: nowMs,
      });
    }
  });
  return { counted };
}

/** Counts a sign-in attempt as failed. @throws {AppError} as {@link count}. */
export const countSignIn = async (
  db: Database,
  attempt: { email: string; user: StoredUser | null; origin: Origin; nowMs: number },
): Promise<Attempt> => await count(db, await countedOf(db, attempt), attempt.nowMs);

/**
 * Counts a password entered during a session, so that sessions cannot be used to guess it.
 * @throws {AppError} as {@link count}.
 */
export const countConfirmation = async (
  db: Database,
  userId: number,
  nowMs: number,
): Promise<Attempt> =>
  await count(db, [{ id: hashOf("session", userId), kind: "place", userId, address: null }], nowMs);

/** Removes the failure of a successful attempt; device and address are now trusted. */
export async function forgive(
  tx: Database,
  { counted }: Attempt,
  known: { userId: number; origin: Origin; nowMs: number } | null,
): Promise<void> {
  for (const { id, kind } of counted) {
    const stored = kind === "place" ? null : await findFailures(tx, id);
    // the address keeps its other failures, which were attempts on other accounts
    if (stored === null || stored.failures <= 1) await deleteFailures(tx, id);
    else await putFailures(tx, { ...stored, failures: stored.failures - 1 });
  }
  if (known === null) return;
  const { userId, origin, nowMs } = known;
  for (const place of placesOf(origin).values()) {
    await putKnownPlace(tx, userId, place, nowMs, MAX_PLACES);
  }
  await deleteOldFailures(tx, nowMs - RETENTION_MS);
}

/** Accounts and addresses for which sign-ins are delayed now. */
export async function currentDelays(db: Database, nowMs = Date.now()): Promise<SignInDelays> {
  const emails = new Map((await listUsers(db)).map(({ id, email }) => [id, email]));
  const delayed = (await listFailures(db, nowMs - RETENTION_MS)).filter((row) =>
    delayedUntil(row, nowMs) > nowMs
  );
  return {
    delays: delayed.map((row) => ({
      id: row.id,
      kind: row.kind,
      email: row.userId === null ? null : emails.get(row.userId) ?? null,
      address: row.address,
      failures: row.failures,
      until: new Date(delayedUntil(row, nowMs)).toISOString(),
    })),
  };
}

/** Ends a delay of sign-ins. @throws {AppError} `entity.not_found`. */
export async function liftDelay({ db }: ServiceContext, id: string): Promise<void> {
  if (await deleteFailures(db, id)) return;
  throw new AppError("entity.not_found", "Cannot lift the delay: there is none");
}

/**
 * Ends all delays of an account and of all addresses; a command of the command line.
 * @throws {AppError} `entity.not_found`.
 */
export async function unlockAccount(db: Database, email: string): Promise<void> {
  const user = await findUserByEmail(db, email.trim());
  if (user === null) {
    throw new AppError("entity.not_found", "Cannot find the user: no such e-mail address");
  }
  await deleteFailuresOf(db, user.id);
  for (const { id, kind } of await listFailures(db, 0)) {
    if (kind === "address") await deleteFailures(db, id);
  }
}
