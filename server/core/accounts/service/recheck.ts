// Asks the hospital at intervals whether a signed-in person is still authorised,
// because the person's groups in the directory can change during a session.
import { AppError, cannotWrite } from "@/model/errors.ts";
import type { Role } from "@/model/accounts/roles.ts";
import {
  claimCheck,
  revokeSession,
  setChecked,
  type StoredToken,
} from "@/server/core/accounts/storage/sessions.ts";
import { updateUser } from "@/server/core/accounts/storage/users.ts";
import { noteAudit } from "@/server/core/site/service/audit/audit.ts";
import type { Person } from "@/server/core/accounts/service/admission.ts";
import { askDirectoryAgain } from "@/server/core/accounts/service/directory.ts";
import { RECHECK } from "@/server/core/accounts/service/identity_settings.ts";
import { askProviderAgain } from "@/server/core/accounts/service/oidc_provider.ts";
import { PROVIDER_TOKEN, seal, unseal } from "@/server/core/accounts/service/sealed_secret.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Delay before the next check if the provider did not respond, ms. */
const RETRY_MS = 60_000;

/**
 * @returns `null`: the hospital does not list the person any more; `undefined`: not checkable.
 * @throws {AppError} `auth.provider_unreachable`.
 */
async function askAgain(
  services: ServiceContext,
  { userSource, providerRef, subject }: StoredToken,
  nowMs: number,
): Promise<Person | null | undefined> {
  if (providerRef === null || subject === null) return undefined;
  if (userSource === "ldap") return await askDirectoryAgain(services, providerRef);
  return await askProviderAgain(
    services,
    await unseal(services.db, providerRef, PROVIDER_TOKEN),
    subject,
    nowMs,
  );
}

/** Ends a session, and records the reason in the audit log. */
async function end(
  services: ServiceContext,
  { sid, userId }: StoredToken,
  why: string,
  nowMs: number,
): Promise<null> {
  await revokeSession(services.db, sid, nowMs);
  await noteAudit(services, { event: "auth.recheck", userId, outcome: why });
  services.log("info", "Ended a session: the hospital does not vouch for it any more", {
    uid: userId,
    why,
  });
  return null;
}

async function check(
  services: ServiceContext,
  session: StoredToken,
  isLate: boolean,
  nowMs: number,
): Promise<Role | null> {
  const { db } = services;
  const person = await askAgain(services, session, nowMs).catch((error) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (person === undefined) {
    return isLate ? await end(services, session, "auth.provider_unreachable", nowMs) : session.role;
  }
  if (person === null || person.role === null || person.subject !== session.subject) {
    return await end(services, session, "auth.no_role", nowMs);
  }
  const isOidc = session.userSource === "oidc", { reference, role } = person;
  await setChecked(
    db,
    session.sid,
    nowMs,
    isOidc ? await seal(db, reference!, PROVIDER_TOKEN) : reference,
  );
  if (role !== session.role) {
    await updateUser(db, session.userId, { role });
    services.log("info", "Changed a role with the hospital's groups", {
      uid: session.userId,
      role,
    });
  }
  return role;
}

/**
 * Asks the hospital, at intervals, whether the person of a session is still authorised.
 * A changed role is applied. Of concurrent calls only one asks; the others continue immediately.
 * If the hospital cannot be reached, the session continues for a limited time.
 * @returns the person's role now; `null` if the session was ended.
 */
export async function admittedAs(
  services: ServiceContext,
  session: StoredToken,
  nowMs: number,
): Promise<Role | null> {
  const { role, triedMs } = session;
  if (session.userSource === "local") return role;
  const { everyMs, uncheckedMs } = services.identity?.recheck ?? RECHECK;
  const checkedMs = session.checkedMs ?? session.createdMs, ageMs = nowMs - checkedMs;
  const isLate = ageMs >= uncheckedMs, hasFailed = triedMs !== null && triedMs > checkedMs;
  if (ageMs < everyMs || (!isLate && hasFailed && nowMs - triedMs < RETRY_MS)) return role;
  try {
    if (!await claimCheck(services.db, session.sid, triedMs, nowMs)) return role;
    return await check(services, session, isLate, nowMs);
  } catch (error) {
    // ignored: a full or read-only disk must not lock physicians out of stored studies
    if (cannotWrite(error)) return role;
    throw error;
  }
}
