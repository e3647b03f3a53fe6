// Passwords in the hospital's directory (LDAP, RFC 4511), which are checked by a bind as the user.
import { Client, type Entry, Filter, InvalidCredentialsError, NoSuchObjectError } from "ldapts";
import { AppError } from "@/model/errors.ts";
import type { Person } from "@/server/core/accounts/service/admission.ts";
import {
  type LdapSettings,
  roleOfGroups,
} from "@/server/core/accounts/service/identity_settings.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const CONNECT_TIMEOUT_MS = 3000, TIMEOUT_MS = 5000;
const MAX_LOGIN_CHARS = 254, MAX_PASSWORD_CHARS = 1024, MAX_GROUPS = 1000;

/** Escapes a value for use in a distinguished name (RFC 4514 §2.4). */
const escapeDn = (text: string): string =>
  text.replaceAll(
    /[\\,+"<>;=#\0]/g,
    (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )
    .replace(/^ | $/g, "\\20");

const fill = (template: string, name: string, value: string): string =>
  template.replaceAll(`{${name}}`, () => value);

/** Values of a directory attribute as strings. */
function valuesOf(entry: Entry, name: string): string[] {
  const key = Object.keys(entry).find((each) => each.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? [] : entry[key]!;
  return (Array.isArray(value) ? value : [value]).map((each) =>
    typeof each === "string" ? each : Buffer.from(each).toString("hex")
  ).filter(Boolean);
}

const attributesOf = ({ groupAttribute, idAttribute }: LdapSettings) => [
  "mail",
  "displayName",
  "cn",
  groupAttribute,
  idAttribute,
];

/** Directory entry of a login name; `null`: none or several. The client must have bound before. */
async function findPerson(
  client: Client,
  settings: LdapSettings,
  login: string,
): Promise<Entry | null> {
  const { base, filter } = settings;
  const { searchEntries } = await client.search(base, {
    scope: "sub",
    filter: fill(filter, "login", Filter.escape(login)),
    attributes: attributesOf(settings),
    sizeLimit: 2,
    timeLimit: TIMEOUT_MS / 1000,
  });
  return searchEntries.length === 1 ? searchEntries[0]! : null;
}

async function groupsOf(client: Client, settings: LdapSettings, entry: Entry): Promise<string[]> {
  const memberOf = valuesOf(entry, settings.groupAttribute);
  if (settings.groupFilter === null) return memberOf;
  const { searchEntries } = await client.search(settings.base, {
    scope: "sub",
    filter: fill(settings.groupFilter, "dn", Filter.escape(entry.dn)),
    attributes: ["cn"],
    sizeLimit: MAX_GROUPS,
  });
  return [...memberOf, ...searchEntries.map(({ dn }) => dn)];
}

async function ask(
  client: Client,
  settings: LdapSettings,
  login: string,
  password: string,
): Promise<Person | null> {
  const { bindDn, bindPassword, userDn } = settings;
  if (userDn !== null) await client.bind(fill(userDn, "login", escapeDn(login)), password);
  else if (bindDn !== null) {
    await client.bind(bindDn, bindPassword ?? "").catch((cause) => {
      throw new Error("Cannot bind as the account that searches", { cause });
    });
  }
  const entry = await findPerson(client, settings, login);
  if (entry === null) return null;
  // searched by the service account, because users may not be allowed to read groups
  const groups = await groupsOf(client, settings, entry);
  if (userDn === null) await client.bind(entry.dn, password);
  return personOf(entry, groups, settings);
}

/** Converts a directory entry to a person. */
function personOf(
  entry: Entry,
  groups: readonly string[],
  { idAttribute, roles }: LdapSettings,
): Person {
  return {
    source: "ldap",
    subject: valuesOf(entry, idAttribute)[0] ?? entry.dn,
    email: valuesOf(entry, "mail")[0] ?? null,
    // counts as confirmed: the hospital enters addresses, not the person
    isEmailConfirmed: true,
    name: valuesOf(entry, "displayName")[0] ?? valuesOf(entry, "cn")[0] ?? null,
    role: roleOfGroups(groups, roles),
    reference: entry.dn,
  };
}

/** Directory entry with a name; `null`: none, or it does not match the person filter any more. */
async function askAgain(
  client: Client,
  settings: LdapSettings,
  dn: string,
): Promise<Person | null> {
  const { bindDn, bindPassword, filter } = settings;
  await client.bind(bindDn!, bindPassword ?? "");
  const { searchEntries: [entry] } = await client.search(dn, {
    scope: "base",
    filter: fill(filter, "login", "*"),
    attributes: attributesOf(settings),
    sizeLimit: 1,
    timeLimit: TIMEOUT_MS / 1000,
  });
  return entry === undefined
    ? null
    : personOf(entry, await groupsOf(client, settings, entry), settings);
}

/**
 * Looks up a person who has signed in before, by the stored distinguished name.
 * @returns the person; `null` if the person is not in the directory any more;
 * `undefined` if a lookup would need the person's password.
 * @throws {AppError} `auth.provider_unreachable`.
 */
export async function askDirectoryAgain(
  services: ServiceContext,
  dn: string,
): Promise<Person | null | undefined> {
  const settings = services.identity?.ldap;
  if (!settings || settings.bindDn === null) return undefined;
  return await withClient(
    services,
    settings,
    (client) => askAgain(client, settings, dn),
    NoSuchObjectError,
  );
}

/**
 * Checks a login name and password with the directory.
 * @returns the person; `null` for an unknown login, a wrong password, or a site without directory.
 * @throws {AppError} `auth.provider_unreachable` if there is no response or trusted certificate.
 */
export async function askDirectory(
  services: ServiceContext,
  login: string,
  password: string,
): Promise<Person | null> {
  const settings = services.identity?.ldap;
  // refused, because a bind with an empty password succeeds as anonymous (RFC 4513 §5.1.2)
  if (!settings || login === "" || password === "" || password.length > MAX_PASSWORD_CHARS) {
    return null;
  }
  if (login.length > MAX_LOGIN_CHARS) return null;
  return await withClient(
    services,
    settings,
    (client) => ask(client, settings, login, password),
    InvalidCredentialsError,
  );
}

/** LDAP client before connecting, and the certificates that it trusts. */
function clientOf({ url, ca }: LdapSettings): { client: Client; tls: { ca?: string[] } } {
  const tls = ca === null ? {} : { ca: [ca] };
  const client = new Client({
    url,
    timeout: TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(url.startsWith("ldaps:") ? { tlsOptions: { ...tls, minVersion: "TLSv1.2" } } : {}),
  });
  return { client, tls };
}

const startTls = ({ url }: LdapSettings, client: Client, tls: { ca?: string[] }): Promise<void> =>
  client.startTLS({ ...tls, host: new URL(url).hostname, minVersion: "TLSv1.2" });

/**
 * Connects to the directory as a sign-in does; a service account also binds and searches.
 * @throws {Error} if connection, certificate, account or search base do not work.
 */
export async function probeDirectory(settings: LdapSettings): Promise<void> {
  const { client, tls } = clientOf(settings), { bindDn, bindPassword, base } = settings;
  try {
    if (settings.startTls) await startTls(settings, client, tls);
    if (bindDn !== null) await client.bind(bindDn, bindPassword ?? "");
    // without a service account, only the entry about the directory server itself can be read
    await client.search(bindDn === null ? "" : base, {
      scope: "base",
      filter: "(objectClass=*)",
      attributes: ["1.1"],
      timeLimit: TIMEOUT_MS / 1000,
    });
  } finally {
    await client.unbind().catch(() => {});
  }
}

/**
 * Connects to the directory, runs the queries, and disconnects.
 * @param absentError Class of the directory's error for a person who does not exist.
 * @returns the result of the queries; `null` for this error.
 * @throws {AppError} `auth.provider_unreachable`.
 */
async function withClient(
  { log }: ServiceContext,
  settings: LdapSettings,
  run: (client: Client) => Promise<Person | null>,
  absentError: typeof InvalidCredentialsError | typeof NoSuchObjectError,
): Promise<Person | null> {
  const { client, tls } = clientOf(settings);
  try {
    if (settings.startTls) await startTls(settings, client, tls);
    return await run(client);
  } catch (cause) {
    if (cause instanceof absentError) return null;
    log("error", "Cannot ask the directory", {
      error: cause instanceof Error ? `${cause.name}: ${cause.message}` : "unknown",
    });
    throw new AppError("auth.provider_unreachable", "Cannot ask the directory", {}, { cause });
  } finally {
    await client.unbind().catch(() => {});
  }
}
