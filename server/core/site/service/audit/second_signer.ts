// The rule of two people: both signers are active, and no user has had power over both accounts.
// Limit: the operator of the server itself, who can open every account, may be either of them.
import { AppError, type ErrorCode } from "@/model/errors.ts";
import type { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import { mayDo } from "@/model/accounts/roles.ts";
import { findUser } from "@/server/core/accounts/storage/users.ts";
import { mayBeOnePerson } from "@/server/core/site/service/audit/account_openings.ts";
import type { Caller } from "@/server/core/site/service/context.ts";

/** Actions that need a second signer: audit event, and error if the first signer tries it. */
export const COUNTERSIGNED = {
  acceptance: { event: "acceptance.countersign", samePerson: "acceptance.same_person" },
  /** restart of control charts */
  chart: { event: "drift.agree", samePerson: "chart.same_person" },
  /** local norms, norms of routine studies, and imported tables of norms */
  norm: { event: "norm.accept", samePerson: "norm.same_person" },
  stop: { event: "stop.agree", samePerson: "stop.same_person" },
} as const satisfies Record<
  string,
  { event: keyof typeof auditEventText; samePerson: ErrorCode }
>;

/** Whether a user may still sign: an administrator whose account is active. */
async function isActive(db: Database, id: number): Promise<boolean> {
  const user = await findUser(db, id);
  return user !== null && user.state === "active" && user.removedAt === null &&
    mayDo(user.role, "administer");
}

/**
 * Checks that a second signature comes from another person, and that the first one still counts.
 *
 * @param action  Action that is signed, see {@link COUNTERSIGNED}.
 * @param first   User who signed or proposed first, and a time at or before that signature; `null`:
 * a server command, which has no user.
 * @throws {AppError} the action's `same_person`; `signature.signer_inactive` if the first signer is
 * no longer an active administrator; `signature.not_independent` if one person may have used both
 * accounts, see {@link mayBeOnePerson}.
 */
export async function checkSecondSigner(
  db: Database,
  action: keyof typeof COUNTERSIGNED,
  { userId, since }: { userId: number | null; since: string },
  caller: Pick<Caller, "uid">,
): Promise<void> {
  if (userId === null) return;
  if (userId === caller.uid) {
    throw new AppError(
      COUNTERSIGNED[action].samePerson,
      "Cannot sign for a second time: the caller signed or proposed first",
    );
  }
  if (!await isActive(db, userId)) {
    throw new AppError(
      "signature.signer_inactive",
      "Cannot sign for a second time: the first signer is no longer an active administrator",
    );
  }
  if (await mayBeOnePerson(db, { userId, since }, caller.uid)) {
    throw new AppError(
      "signature.not_independent",
      "Cannot sign for a second time: one person may have used the accounts of both signers",
    );
  }
}
