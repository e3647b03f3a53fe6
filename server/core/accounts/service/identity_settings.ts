import type { Role } from "@/model/accounts/roles.ts";

/**
 * Which group of the hospital gives which role; of several that a person has the first one counts.
 */
export type GroupRoles = readonly { group: string; role: Role }[];

/** The hospital's OpenID provider. */
export interface OidcSettings {
  /** as people know it: "Sign in with …" */
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  scope: string;
  /** claim of the ID token that names a person's groups */
  groupsClaim: string;
  roles: GroupRoles;
  /** origin of this site, to which the provider sends people back */
  publicUrl: string;
}

/** The hospital's directory. */
export interface LdapSettings {
  /** `ldaps://host:636`, or `ldap://host:389` */
  url: string;
  /** plain connections go over to TLS before anything is sent */
  startTls: boolean;
  /** PEM of authorities that are trusted beside the usual ones */
  ca: string | null;
  base: string;
  /** finds a person: `{login}` is the typed login, escaped */
  filter: string;
  /** account that searches; `null`: the person, with a DN made from `userDn` */
  bindDn: string | null;
  bindPassword: string | null;
  /** `uid={login},ou=people,dc=hospital`; `null`: it is searched for */
  userDn: string | null;
  /** attribute of a person that names groups */
  groupAttribute: string;
  /** finds groups by their members, `{dn}` is the person's; `null`: only the attribute counts */
  groupFilter: string | null;
  /** attribute that never changes for a person */
  idAttribute: string;
  roles: GroupRoles;
}

/** Accounts that need one-time codes: none, administrators, all with a password. */
export type SecondFactorRule = "optional" | "administrators" | "everybody";

/** How people sign in beside the site's own accounts. */
export interface IdentitySettings {
  oidc: OidcSettings | null;
  ldap: LdapSettings | null;
  secondFactor: SecondFactorRule;
  recheck?: RecheckRule;
}

/** How often the hospital is asked whether signed-in people may still be here. */
export interface RecheckRule {
  /** after this time since it last said so */
  everyMs: number;
  /** how long a session lasts when it cannot be asked */
  uncheckedMs: number;
}
/** Of a site that says nothing else. */
export const RECHECK: RecheckRule = { everyMs: 15 * 60_000, uncheckedMs: 4 * 3_600_000 };

/** Name of a group as people write it: the first part of a distinguished name. */
const shortName = (group: string): string => /^\w+=([^,]+)/.exec(group)?.[1]?.trim() ?? group;

/** The role for these groups; `null`: none of them gives one. Names ignore case. */
export function roleOfGroups(groups: readonly string[], roles: GroupRoles): Role | null {
  const names = new Set(
    groups.flatMap((group) => [group, shortName(group)]).map((name) => name.toLowerCase()),
  );
  return roles.find(({ group }) => names.has(group.toLowerCase()))?.role ?? null;
}
