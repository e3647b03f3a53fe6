// The rule of two people: the second signer is another person than the first, and has an account
// that the first signer did not make, and has not been able to open lately.
import { AppError, type ErrorCode } from "@/model/errors.ts";
import type { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import { eventsOfUser } from "@/server/core/site/storage/audit.ts";
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

/** Audit event of an account that was made: its maker has known its password or its address. */
const MAKES_ACCOUNT: keyof typeof auditEventText = "user.add";
/** Audit events after which the user who caused them can sign in to another user's account. */
const OPENS_ACCOUNT: readonly (keyof typeof auditEventText)[] = [
  "user.change",
  "user.reset_code",
  "user.reset_password",
];
/** Time before a signature in which such an event counts, ms: the eve of a test is no better. */
const OPENED_WITHIN_MS = 30 * 86_400_000;

/**
 * Checks that a second signature comes from another person.
 *
 * @param action  Action that is signed, see {@link COUNTERSIGNED}.
 * @param first   User who signed or proposed first, and the time at which that began; `null`: a
 * server command, which has no user.
 * @throws {AppError} the action's `same_person`; `signature.not_independent` if the first signer
 * has ever made the caller's account, or has changed it or reset its password or codes from 30 days
 * before the beginning on.
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
  const from = new Date(Date.parse(since) - OPENED_WITHIN_MS).toISOString();
  const changes = [
    ...await eventsOfUser(db, { events: [MAKES_ACCOUNT], userId, since: "" }),
    ...await eventsOfUser(db, { events: OPENS_ACCOUNT, userId, since: from }),
  ];
  if (changes.some((details) => details["user"] === caller.uid)) {
    throw new AppError(
      "signature.not_independent",
      "Cannot sign for a second time: the first signer made or has changed the caller's account",
    );
  }
}
