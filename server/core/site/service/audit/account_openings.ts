// Who has been able to sign in to whose account, by the audit log.
import type { auditEventText } from "@/model/text/site/audit_events.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listUsers, type StoredUser } from "@/server/core/accounts/storage/users.ts";
import { type AccountEvent, listAccountEvents } from "@/server/core/site/storage/audit.ts";

type Event = keyof typeof auditEventText;

/** Calls that show an account's new password to the user who makes them. */
const SETS_PASSWORD: readonly string[] = ["user.add", "user.reset_password"] satisfies Event[];
/** Calls that change an account, and show no password. */
const CHANGES: readonly string[] = ["user.change", "user.reset_code"] satisfies Event[];
/** Event: a user has entered the former password of the own account, and has chosen another one. */
const OWN_PASSWORD = "password.change" satisfies Event;
/**
 * Server commands that end the validity of a password. They are run by the operator of the server,
 * who is no user of the site.
 */
const RENEWS_ACCESS: readonly string[] = ["admin.user.reset-password", "admin.user.link"];
const LINKS = "admin.user.link";

/** All audit events that are read here. */
const EVENTS = [...SETS_PASSWORD, ...CHANGES, OWN_PASSWORD, ...RENEWS_ACCESS];

/** Opening: user `by` has had the password of user `of`, or has changed the account of `of`. */
interface Opening {
  by: number;
  of: number;
  /**
   * `password`: the user has known the account's password, and may have chosen its present one in
   * the owner's name; `change`: has changed the role, the state or the one-time codes
   */
  kind: "password" | "change";
  /** time at which the opening ended, ISO 8601; `null`: still open */
  ended: string | null;
}

/** Account that an event is about; `null`: unknown, or an event without effect on access. */
function accountOf(
  { event, userId, details }: AccountEvent,
  users: readonly StoredUser[],
): StoredUser | null {
  const find = (isSame: (user: StoredUser) => boolean) => users.find(isSame) ?? null;
  if (event === OWN_PASSWORD) return find(({ id }) => id === userId);
  if (!RENEWS_ACCESS.includes(event)) return find(({ id }) => id === details["user"]);
  const email = String(details["subject"] ?? "").trim().toLowerCase();
  return find((user) => user.email.toLowerCase() === email);
}

/** Whether an event changes more than the name of the account. */
const isChange = ({ event, details }: AccountEvent): boolean =>
  event !== "user.change" || details["role"] !== undefined || details["state"] !== undefined;

/** All openings of accounts (see {@link Opening}), in the order of the audit log. */
function openingsFrom(events: readonly AccountEvent[], users: readonly StoredUser[]): Opening[] {
  const openings: Opening[] = [];
  const end = (of: number, kinds: readonly Opening["kind"][], at: string) => {
    for (const opening of openings) {
      if (opening.of === of && opening.ended === null && kinds.includes(opening.kind)) {
        opening.ended = at;
      }
    }
  };
  for (const entry of events) {
    const { event, userId, at } = entry, user = accountOf(entry, users);
    if (user === null) continue;
    const of = user.id, isLocal = user.source === "local";
    if (RENEWS_ACCESS.includes(event)) {
      // an account that was linked back has its former password again
      if (event !== LINKS || !isLocal) end(of, ["password", "change"], at);
    } else if (event === OWN_PASSWORD) end(of, ["change"], at);
    else if (userId === null || userId === of) continue;
    else if (SETS_PASSWORD.includes(event)) {
      end(of, ["password"], at);
      openings.push({ by: userId, of, kind: "password", ended: null });
    } else if (isLocal && isChange(entry)) {
      openings.push({ by: userId, of, kind: "change", ended: null });
    }
  }
  return openings;
}

/** Users who may have acted in a user's name: the user, and those with the password, in chains. */
function actorsOf(userId: number, openings: readonly Opening[]): Set<number> {
  const actors = new Set([userId]);
  // a set also yields the members that are added during the loop
  for (const each of actors) {
    for (const { by, of, kind } of openings) if (kind === "password" && of === each) actors.add(by);
  }
  return actors;
}

/**
 * Whether one person may have signed for two users: one has had the other's password or has changed
 * its account, or a third user has had both passwords. This ends when the operator of the server
 * resets the password or links the account to the hospital's sign-in; for a change, also when the
 * owner chooses another password. A password that the maker of an account has set does not end it,
 * as the first one who chooses a new password may be the maker.
 *
 * @param first Its account counts as it was at any time since `since`.
 * @param secondId Its account counts as it is now.
 */
export async function mayBeOnePerson(
  db: Database,
  first: { userId: number; since: string },
  secondId: number,
): Promise<boolean> {
  const openings = openingsFrom(await listAccountEvents(db, EVENTS), await listUsers(db));
  const present = openings.filter(({ ended }) => ended === null);
  const sinceFirst = openings.filter(({ ended }) => ended === null || ended >= first.since);
  const firstActors = actorsOf(first.userId, sinceFirst),
    secondActors = actorsOf(secondId, present);
  if (!firstActors.isDisjointFrom(secondActors)) return true;
  return sinceFirst.some((opening) =>
    opening.of === first.userId && secondActors.has(opening.by)
  ) || present.some(({ by, of }) => of === secondId && firstActors.has(by));
}
