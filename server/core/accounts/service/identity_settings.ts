import type { Role } from "@/model/accounts/roles.ts";

/** Role of each group; for a person in several groups, the first matching entry decides. */
export type GroupRoles = readonly { group: string; role: Role }[];

/** Settings of the hospital's OpenID provider. */
export interface OidcSettings {
  /** display name: "Sign in with …" */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  scope: string;
  /** claim of the ID token that lists a person's groups */
  groupsClaim: string;
  /** an address without the claim `email_verified` counts as confirmed */
  trustsEmail: boolean;
  roles: GroupRoles;
  /** origin of this site, to which the provider redirects */
  publicUrl: string;
}

/** Settings of the hospital's directory (LDAP). */
export interface LdapSettings {
  /** address of the directory: `ldaps://host:636`, or `ldap://host:389` */
  url: string;
  /** upgrade plain connections by StartTLS before sending anything */
  startTls: boolean;
  /** additional trusted certificate authorities, PEM */
  ca: string | null;
  base: string;
  /** search filter for a person; `{login}` is replaced by the escaped login name */
  filter: string;
  /** service account for searches; `null`: bind as the user, with a DN made from `userDn` */
  bindDn: string | null;
  bindPassword: string | null;
  /** DN template `uid={login},ou=people,dc=hospital`; `null`: the DN is searched for */
  userDn: string | null;
  /** attribute of a person that lists groups */
  groupAttribute: string;
  /**
   * search filter for groups by member, `{dn}` is the person's DN;
   * `null`: only the attribute is used
   */
  groupFilter: string | null;
  /** attribute with a permanent identifier */
  idAttribute: string;
  roles: GroupRoles;
}

/** Accounts that require one-time codes: none, administrators, or all with a password. */
export type SecondFactorRule = "optional" | "administrators" | "everybody";

/** External sign-in methods of the site. */
export interface IdentitySettings {
  oidc: OidcSettings | null;
  ldap: LdapSettings | null;
  secondFactor: SecondFactorRule;
  recheck?: RecheckRule;
}

/** Intervals for rechecking whether signed-in people are still authorised. */
export interface RecheckRule {
  /** time after which a confirmed person is checked again */
  everyMs: number;
  /** maximum time that a session continues while the check is impossible */
  uncheckedMs: number;
}
/** Default intervals for checking signed-in people again. */
export const RECHECK: RecheckRule = { everyMs: 15 * 60_000, uncheckedMs: 4 * 3_600_000 };

/** Short name of a group: first part of its distinguished name. */
const shortName = (group: string): string => /^\w+=([^,]+)/.exec(group)?.[1]?.trim() ?? group;

/** Role for these groups; `null`: none matches. Names are case-insensitive. */
export function roleOfGroups(groups: readonly string[], roles: GroupRoles): Role | null {
  const names = new Set(
    groups.flatMap((group) => [group, shortName(group)]).map((name) => name.toLowerCase()),
  );
  return roles.find(({ group }) => names.has(group.toLowerCase()))?.role ?? null;
}
