import type { Role } from "@/model/accounts/roles.ts";

/** Role at this site for each group; for a person in several groups, the first entry decides. */
export type GroupRoles = readonly { group: string; role: Role }[];

/** Settings of sign-in at the hospital's OpenID provider. */
export interface OidcSettings {
  /** provider name on the sign-in page: "Sign in with …" */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  scope: string;
  /** claim of the ID token with the person's groups */
  groupsClaim: string;
  /** whether an e-mail address without the claim `email_verified` counts as confirmed */
  trustsEmail: boolean;
  roles: GroupRoles;
  /** origin (scheme and host) of this site, to which the provider redirects the browser */
  publicUrl: string;
}

/** Settings of sign-in with the hospital's directory (LDAP). */
export interface LdapSettings {
  /** URL of the directory: `ldaps://host:636`, or `ldap://host:389` */
  url: string;
  /** whether `ldap:` connections use StartTLS before anything else is sent */
  startTls: boolean;
  /** additional certificate authorities to trust, PEM */
  ca: string | null;
  base: string;
  /** search filter for a person, in which `{login}` is replaced by the escaped login name */
  filter: string;
  /** service account for searches; `null`: each user binds, with a name made by `userDn` */
  bindDn: string | null;
  bindPassword: string | null;
  /** name of a user, such as `uid={login},ou=people,dc=hospital`; `null`: searched by the filter */
  userDn: string | null;
  /** attribute of a person's entry with the groups */
  groupAttribute: string;
  /**
   * search filter for the groups of a person, in which `{dn}` is the person's name;
   * `null`: groups are read only from the attribute
   */
  groupFilter: string | null;
  /** attribute with the person's permanent identifier */
  idAttribute: string;
  roles: GroupRoles;
}

/** Accounts that must use one-time codes: none, administrators, or all that have a password. */
export type SecondFactorRule = "optional" | "administrators" | "everybody";

/** Ways of signing in at the hospital instead of with an account of this site. */
export interface IdentitySettings {
  oidc: OidcSettings | null;
  ldap: LdapSettings | null;
  secondFactor: SecondFactorRule;
  recheck?: RecheckRule;
}

/** How often the hospital's directory is asked whether signed-in people still have access. */
export interface RecheckRule {
  /** interval of asking the directory whether a person still has access, ms */
  everyMs: number;
  /** maximum time for which a session continues if the check is not possible, ms */
  uncheckedMs: number;
}
/** Default: hospital accounts are checked every 15 min; 4 h without a check end a session. */
export const RECHECK: RecheckRule = { everyMs: 15 * 60_000, uncheckedMs: 4 * 3_600_000 };

/** Short name of a group: the value of the first part of its distinguished name. */
const shortName = (group: string): string => /^\w+=([^,]+)/.exec(group)?.[1]?.trim() ?? group;

/** Role at this site for the given groups; `null`: none. The case of group names is ignored. */
export function roleOfGroups(groups: readonly string[], roles: GroupRoles): Role | null {
  const names = new Set(
    groups.flatMap((group) => [group, shortName(group)]).map((name) => name.toLowerCase()),
  );
  return roles.find(({ group }) => names.has(group.toLowerCase()))?.role ?? null;
}
