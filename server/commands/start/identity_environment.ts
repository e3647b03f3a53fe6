// Environment settings of the hospital's sign-in. Secrets are read from files only.
import { readNumber } from "@/server/commands/start/number_settings.ts";
import { isRole } from "@/model/accounts/roles.ts";
import {
  type GroupRoles,
  type IdentitySettings,
  type LdapSettings,
  type OidcSettings,
  type RecheckRule,
  type SecondFactorRule,
} from "@/server/core/accounts/service/identity_settings.ts";

/** Variable names of the sign-in; all begin with SULCUS_. */
export const IDENTITY_VARIABLES = [
  "SULCUS_PUBLIC_URL",
  "SULCUS_OIDC_ISSUER",
  "SULCUS_OIDC_CLIENT_ID",
  "SULCUS_OIDC_CLIENT_SECRET_FILE",
  "SULCUS_OIDC_NAME",
  "SULCUS_OIDC_SCOPE",
  "SULCUS_OIDC_GROUPS_CLAIM",
  "SULCUS_OIDC_TRUST_EMAIL",
  "SULCUS_OIDC_ROLES",
  "SULCUS_OIDC_HOSTS",
  "SULCUS_LDAP_URL",
  "SULCUS_LDAP_START_TLS",
  "SULCUS_LDAP_CA",
  "SULCUS_LDAP_BASE",
  "SULCUS_LDAP_FILTER",
  "SULCUS_LDAP_BIND_DN",
  "SULCUS_LDAP_BIND_PASSWORD_FILE",
  "SULCUS_LDAP_USER_DN",
  "SULCUS_LDAP_GROUP_ATTRIBUTE",
  "SULCUS_LDAP_GROUP_FILTER",
  "SULCUS_LDAP_ID_ATTRIBUTE",
  "SULCUS_LDAP_ROLES",
  "SULCUS_SECOND_FACTOR",
  "SULCUS_RECHECK_MINUTES",
  "SULCUS_UNCHECKED_HOURS",
] as const;
type Name = (typeof IDENTITY_VARIABLES)[number];

const MINUTE_MS = 60_000, HOUR_MS = 3_600_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const RULES: readonly SecondFactorRule[] = ["optional", "administrators", "everybody"];

/** Files and servers that the hospital's sign-in needs. */
export interface IdentityReach {
  net: string[];
  read: string[];
}

interface IdentityEnvironment {
  settings: IdentitySettings;
  reach: IdentityReach;
}

const NONE: IdentityEnvironment = {
  settings: { oidc: null, ldap: null, secondFactor: "optional" },
  reach: { net: [], read: [] },
};

/**
 * Parses `group=role; other group=role`. A group name may contain commas and equal signs:
 * the role follows the last equal sign.
 */
function rolesOf(text: string): GroupRoles | null {
  const pairs = text.split(";").map((one) => one.trim()).filter(Boolean).map((one) => {
    const at = one.lastIndexOf("="),
      role = one.slice(at + 1).trim(),
      group = one.slice(0, at).trim();
    return at > 0 && group !== "" && isRole(role) ? { group, role } : null;
  });
  return pairs.length > 0 && pairs.every((pair) => pair !== null) ? pairs : null;
}

/**
 * Reads the settings of the hospital's sign-in.
 * @param read Reads a file of a secret or a certificate.
 * @param problems Receives one line per invalid value.
 */
export function readIdentity(
  text: (name: Name) => string | undefined,
  problems: string[],
  read: (path: string) => string = Deno.readTextFileSync,
): IdentityEnvironment {
  const reach: IdentityReach = { net: [], read: [] };
  const file = (name: Name): string | null => {
    const path = text(name);
    if (path === undefined) return null;
    reach.read.push(path);
    try {
      return read(path).replace(/\r?\n$/, "");
    } catch (error) {
      problems.push(`${name} cannot be read: ${error instanceof Error ? error.message : error}`);
      return null;
    }
  };
  const roles = (name: Name): GroupRoles => {
    const groupRoles = rolesOf(text(name) ?? "");
    if (groupRoles === null) {
      problems.push(
        `${name} must state which group has which role, such as neuro=physician; it=administrator`,
      );
    }
    return groupRoles ?? [];
  };
  const secondFactor = RULES.find((each) => each === (text("SULCUS_SECOND_FACTOR") ?? "optional"));
  if (secondFactor === undefined) problems.push(`SULCUS_SECOND_FACTOR must be ${RULES.join(", ")}`);

  const number = (name: "SULCUS_RECHECK_MINUTES" | "SULCUS_UNCHECKED_HOURS"): number =>
    readNumber(name, text(name), problems) ?? NaN;
  const recheck: RecheckRule = {
    everyMs: number("SULCUS_RECHECK_MINUTES") * MINUTE_MS,
    uncheckedMs: number("SULCUS_UNCHECKED_HOURS") * HOUR_MS,
  };

  const readOidc = (): OidcSettings | null => {
    const issuer = text("SULCUS_OIDC_ISSUER"),
      publicUrl = URL.parse(text("SULCUS_PUBLIC_URL") ?? "");
    if (issuer === undefined) return null;
    const url = URL.parse(issuer), clientId = text("SULCUS_OIDC_CLIENT_ID");
    const isSafe = url !== null &&
      (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname)));
    if (!isSafe) problems.push("SULCUS_OIDC_ISSUER must be an https address");
    const trust = text("SULCUS_OIDC_TRUST_EMAIL") ?? "0";
    if (!/^[01]$/.test(trust)) problems.push("SULCUS_OIDC_TRUST_EMAIL must be 0 or 1");
    if (clientId === undefined) {
      problems.push("SULCUS_OIDC_CLIENT_ID must be this site's client ID at the provider");
    }
    if (publicUrl === null || !/^https?:$/.test(publicUrl.protocol) || publicUrl.pathname !== "/") {
      problems.push(
        "SULCUS_PUBLIC_URL must be this site's own address, such as https://sulcus.hospital.example",
      );
    }
    if (isSafe) reach.net.push(hostPort(url));
    reach.net.push(
      ...(text("SULCUS_OIDC_HOSTS") ?? "").split(",").map((one) => one.trim()).filter(Boolean),
    );
    return {
      name: text("SULCUS_OIDC_NAME") ?? "OpenID",
      issuer,
      clientId: clientId ?? "",
      clientSecret: file("SULCUS_OIDC_CLIENT_SECRET_FILE"),
      scope: text("SULCUS_OIDC_SCOPE") ?? "openid profile email",
      groupsClaim: text("SULCUS_OIDC_GROUPS_CLAIM") ?? "groups",
      trustsEmail: trust === "1",
      roles: roles("SULCUS_OIDC_ROLES"),
      publicUrl: publicUrl?.origin ?? "",
    };
  };

  const readLdap = (): LdapSettings | null => {
    const address = text("SULCUS_LDAP_URL");
    if (address === undefined) return null;
    const url = URL.parse(address), startTls = text("SULCUS_LDAP_START_TLS") === "1";
    const isLdap = url !== null && /^ldaps?:$/.test(url.protocol) && url.hostname !== "";
    if (!isLdap) problems.push("SULCUS_LDAP_URL must be ldaps://host:636 or ldap://host:389");
    else {
      reach.net.push(`${url.hostname}:${url.port || (url.protocol === "ldaps:" ? 636 : 389)}`);
      if (url.protocol === "ldap:" && !startTls && !LOOPBACK.test(url.hostname)) {
        problems.push(
          "SULCUS_LDAP_URL would send passwords in the clear: use ldaps, or SULCUS_LDAP_START_TLS=1",
        );
      }
    }
    const base = text("SULCUS_LDAP_BASE");
    if (base === undefined) {
      problems.push(
        "SULCUS_LDAP_BASE must name the entry that contains the users, such as ou=people,dc=hospital,dc=example",
      );
    }
    const filter = text("SULCUS_LDAP_FILTER") ?? "(mail={login})";
    if (!filter.includes("{login}")) {
      problems.push("SULCUS_LDAP_FILTER must contain {login}, as in (mail={login})");
    }
    return {
      url: address,
      startTls,
      ca: file("SULCUS_LDAP_CA"),
      base: base ?? "",
      filter,
      bindDn: text("SULCUS_LDAP_BIND_DN") ?? null,
      bindPassword: file("SULCUS_LDAP_BIND_PASSWORD_FILE"),
      userDn: text("SULCUS_LDAP_USER_DN") ?? null,
      groupAttribute: text("SULCUS_LDAP_GROUP_ATTRIBUTE") ?? "memberOf",
      groupFilter: text("SULCUS_LDAP_GROUP_FILTER") ?? null,
      idAttribute: text("SULCUS_LDAP_ID_ATTRIBUTE") ?? "entryUUID",
      roles: roles("SULCUS_LDAP_ROLES"),
    };
  };
  const oidc = readOidc(), ldap = readLdap();
  return problems.length > 0
    ? NONE
    : { settings: { oidc, ldap, secondFactor: secondFactor!, recheck }, reach };
}

const hostPort = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
