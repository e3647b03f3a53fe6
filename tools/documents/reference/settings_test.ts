// covers: S-200
import assert from "node:assert/strict";
import { KNOWN_VARIABLES, readEnvironment } from "@/server/commands/start/environment.ts";
import { NUMBER_SETTINGS } from "@/server/commands/start/number_settings.ts";
import { type Setting, SETTINGS } from "@/tools/documents/reference/setting_table.ts";
import { settingsPage } from "@/tools/documents/reference/settings.ts";

const ROWS: [name: string, setting: Setting][] = Object.values(SETTINGS).flatMap((group) =>
  Object.entries(group)
);
const CORES = 2;

const read = (variables: Record<string, string>) =>
  readEnvironment(variables, CORES, () => "content of a file");
function problemsOf(variables: Record<string, string>): string[] {
  const result = read(variables);
  return "problems" in result ? result.problems : [];
}

/** Other settings that must be set while a setting is tested, by pattern of its name. */
const CONTEXTS: readonly (readonly [names: RegExp, variables: Record<string, string>])[] = [
  [/^SULCUS_TLS_/, { SULCUS_TLS_CERT: "/cert.pem", SULCUS_TLS_KEY: "/key.pem" }],
  [/^SULCUS_(DICOM|HL7)_/, {
    SULCUS_DICOM_PORT: "11112",
    SULCUS_HL7_PORT: "2575",
    SULCUS_DICOM_TLS_CERT: "/cert.pem",
    SULCUS_DICOM_TLS_KEY: "/key.pem",
    SULCUS_DICOM_TLS_CA: "/ca.pem",
  }],
  [/^SULCUS_(OIDC_|PUBLIC_URL)/, {
    SULCUS_OIDC_ISSUER: "https://login.hospital.test",
    SULCUS_PUBLIC_URL: "https://sulcus.hospital.test",
    SULCUS_OIDC_CLIENT_ID: "sulcus",
    SULCUS_OIDC_ROLES: "neuro=physician",
  }],
  [/^SULCUS_LDAP_/, {
    SULCUS_LDAP_URL: "ldaps://directory.hospital.test",
    SULCUS_LDAP_BASE: "dc=hospital,dc=test",
    SULCUS_LDAP_USER_DN: "uid={login},dc=hospital,dc=test",
    SULCUS_LDAP_ROLES: "neuro=physician",
  }],
  [/^SULCUS_FHIRCAST_/, { SULCUS_FHIRCAST_URL: "https://hub.hospital.test/fhircast" }],
  [/^SULCUS_SYSLOG_/, { SULCUS_SYSLOG: "tls://siem.hospital.test:6514" }],
  [/^SULCUS_BACKUP_AT$/, { SULCUS_BACKUP_DIR: "/var/backups/sulcus" }],
  [/^SULCUS_SMTP$/, { SULCUS_ALARM_MAIL: "it@hospital.test" }],
];
const contextOf = (name: string): Record<string, string> =>
  CONTEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? {};

Deno.test("the page of settings has every variable that is read, once and no other, and the package's file names known ones", async () => {
  assert.deepEqual(ROWS.map(([name]) => name).sort(), [...KNOWN_VARIABLES].sort());
  const listed = [...settingsPage().matchAll(/^\| `(SULCUS_\w+)` \|/gm)].map(([, name]) => name!);
  assert.deepEqual(listed.sort(), [...KNOWN_VARIABLES].sort());
  const known = new Set<string>(KNOWN_VARIABLES);
  const file = new URL("../../../tools/release/debian/sulcus.env", import.meta.url);
  const settings = [...(await Deno.readTextFile(file)).matchAll(/^#?([A-Z]\w+)=/gm)];
  assert.ok(settings.length >= 5);
  for (const [, name] of settings) assert.ok(known.has(name!), name);
});

Deno.test("defaults on the page of settings are those of the program", () => {
  let compared = 0;
  for (const [name, { fallback, isWords }] of ROWS) {
    if (isWords || fallback === undefined) continue;
    const context = contextOf(name);
    assert.deepEqual(
      read({ ...context, [name]: fallback }),
      read(context),
      `${name} is ${fallback} on the page`,
    );
    compared++;
  }
  assert.ok(compared >= 15, `${compared} defaults`);
});

Deno.test("settings that the page calls required stop the start when they are missing", () => {
  const required = ROWS.filter(([, { requiredWith }]) => requiredWith !== undefined);
  assert.ok(required.length >= 8);
  for (const [name, { requiredWith }] of required) {
    const { [name]: _, ...others } = contextOf(name);
    assert.ok(others[requiredWith!] !== undefined, name);
    assert.ok(problemsOf(others).some((line) => line.includes(name)), name);
    assert.deepEqual(problemsOf(contextOf(name)), [], name);
  }
});

Deno.test("settings that the page says need another one change nothing without it, or stop the start", () => {
  const bound = ROWS.filter(([, { needs }]) => needs !== undefined);
  assert.ok(bound.length >= 15);
  for (const [name, { needs, fallback, isWords }] of bound) {
    // a valid number, the default, or any text: an ignored setting is not validated
    const value = name in NUMBER_SETTINGS ? "1" : isWords ? "x" : fallback ?? "x";
    const result = read({ [name]: value });
    if ("problems" in result) {
      assert.ok(result.problems.some((line) => line.includes(name)), `${name}: ${result.problems}`);
    } else assert.deepEqual(result, read({}), `${name} does not need ${needs}`);
  }
});

Deno.test("the page of settings shows the range of every number", () => {
  const page = settingsPage();
  for (const [name, { low, high }] of Object.entries(NUMBER_SETTINGS)) {
    const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    assert.ok(row?.includes(` ${low} to ${high} `), name);
  }
});
