// Passwords of the hospital's directory (LDAP, RFC 4511): the directory is asked to bind the person.
import { Client, type Entry, Filter, InvalidCredentialsError } from "ldapts";
import { AppError } from "@/model/errors.ts";
import type { Person } from "@/core/services/identity/admission.ts";
import { type LdapSettings, roleOfGroups } from "@/core/services/identity/identity_settings.ts";
import type { ServiceContext } from "@/core/services/context.ts";

const CONNECT_TIMEOUT_MS = 3000, TIMEOUT_MS = 5000;
const MAX_LOGIN_CHARS = 254, MAX_PASSWORD_CHARS = 1024, MAX_GROUPS = 1000;

/** Part of a distinguished name (RFC 4514 §2.4). */
const escapeDn = (text: string): string =>
  text.replaceAll(/[\\,+"<>;=#\0]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, "0")}`)
    .replace(/^ | $/g, "\\20");

const fill = (template: string, name: string, value: string): string =>
  template.replaceAll(`{${name}}`, () => value);

/** Values of an attribute, as texts. */
function valuesOf(entry: Entry, name: string): string[] {
  const key = Object.keys(entry).find((each) => each.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? [] : entry[key]!;
  return (Array.isArray(value) ? value : [value]).map((each) =>
    typeof each === "string" ? each : Buffer.from(each).toString("hex")
  ).filter(Boolean);
}

/** The person of a login; `null`: none, or several. Whoever searches is bound already. */
async function findPerson(client: Client, settings: LdapSettings, login: string): Promise<Entry | null> {
  const { base, filter, groupAttribute, idAttribute } = settings;
  const { searchEntries } = await client.search(base, {
    scope: "sub",
    filter: fill(filter, "login", Filter.escape(login)),
    attributes: ["mail", "displayName", "cn", groupAttribute, idAttribute],
    sizeLimit: 2,
    timeLimit: TIMEOUT_MS / 1000,
  });
  return searchEntries.length === 1 ? searchEntries[0]! : null;
}

async function groupsOf(client: Client, settings: LdapSettings, entry: Entry): Promise<string[]> {
  const named = valuesOf(entry, settings.groupAttribute);
  if (settings.groupFilter === null) return named;
  const { searchEntries } = await client.search(settings.base, {
    scope: "sub",
    filter: fill(settings.groupFilter, "dn", Filter.escape(entry.dn)),
    attributes: ["cn"],
    sizeLimit: MAX_GROUPS,
  });
  return [...named, ...searchEntries.map(({ dn }) => dn)];
}

async function ask(
  client: Client,
  settings: LdapSettings,
  login: string,
  password: string,
): Promise<Person | null> {
  const { bindDn, bindPassword, userDn, roles, idAttribute } = settings;
  if (userDn !== null) await client.bind(fill(userDn, "login", escapeDn(login)), password);
  else if (bindDn !== null) {
    await client.bind(bindDn, bindPassword ?? "").catch((cause) => {
      throw new Error("Cannot bind as the account that searches", { cause });
    });
  }
  const entry = await findPerson(client, settings, login);
  if (entry === null) return null;
  // by the service account, which sees groups that the person may not
  const groups = await groupsOf(client, settings, entry);
  if (userDn === null) await client.bind(entry.dn, password);
  return {
    source: "ldap",
    subject: valuesOf(entry, idAttribute)[0] ?? entry.dn,
    email: valuesOf(entry, "mail")[0] ?? null,
    name: valuesOf(entry, "displayName")[0] ?? valuesOf(entry, "cn")[0] ?? null,
    role: roleOfGroups(groups, roles),
  };
}

/**
 * Asks the directory whether a password is somebody's.
 * @returns who it is; `null`: nobody, or the password is wrong, or there is no directory.
 * @throws {AppError} `auth.provider_unreachable` when it does not answer, or its certificate is not trusted.
 */
export async function askDirectory(
  { identity, log }: ServiceContext,
  login: string,
  password: string,
): Promise<Person | null> {
  const settings = identity?.ldap;
  // a bind without a password succeeds as nobody (RFC 4513 §5.1.2)
  if (!settings || login === "" || password === "" || password.length > MAX_PASSWORD_CHARS) return null;
  if (login.length > MAX_LOGIN_CHARS) return null;
  const tls = settings.ca === null ? {} : { ca: [settings.ca] };
  const { hostname } = new URL(settings.url);
  const client = new Client({
    url: settings.url,
    timeout: TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    ...(settings.url.startsWith("ldaps:") ? { tlsOptions: { ...tls, minVersion: "TLSv1.2" } } : {}),
  });
  try {
    if (settings.startTls) await client.startTLS({ ...tls, host: hostname, minVersion: "TLSv1.2" });
    return await ask(client, settings, login, password);
  } catch (cause) {
    if (cause instanceof InvalidCredentialsError) return null;
    log("error", "Cannot ask the directory", {
      error: cause instanceof Error ? `${cause.name}: ${cause.message}` : "unknown",
    });
    throw new AppError("auth.provider_unreachable", "Cannot ask the directory", {}, { cause });
  } finally {
    await client.unbind().catch(() => {});
  }
}
