// covers: S-109
import assert from "node:assert/strict";
import { RECHECK } from "@/server/core/accounts/service/identity_settings.ts";
import { readIdentity } from "@/server/commands/start/identity_environment.ts";

const read = (values: Record<string, string>) => {
  const problems: string[] = [];
  const files: Record<string, string> = {
    "/client": "secret-1\n",
    "/bind": "secret-2\n",
    "/ca": "PEM\n",
  };
  const { settings, reach } = readIdentity((name) => values[name], problems, (path) => {
    if (files[path] === undefined) throw new Error("no such file");
    return files[path];
  });
  return { settings, reach, problems };
};
const OIDC = {
  SULCUS_PUBLIC_URL: "https://sulcus.hospital.example",
  SULCUS_OIDC_ISSUER: "https://login.hospital.example/realm",
  SULCUS_OIDC_CLIENT_ID: "sulcus",
  SULCUS_OIDC_CLIENT_SECRET_FILE: "/client",
  SULCUS_OIDC_ROLES: "cn=it,ou=groups,dc=h=administrator; neuro = physician",
};
const LDAP = {
  SULCUS_LDAP_URL: "ldaps://directory.hospital.example",
  SULCUS_LDAP_CA: "/ca",
  SULCUS_LDAP_BASE: "dc=h",
  SULCUS_LDAP_BIND_DN: "cn=search,dc=h",
  SULCUS_LDAP_BIND_PASSWORD_FILE: "/bind",
  SULCUS_LDAP_ROLES: "neuro=reader",
};

Deno.test("the hospital's sign-in is read whole, with secrets from files, and what the server must reach", () => {
  const { settings: { oidc, ldap, secondFactor }, reach, problems } = read({ ...OIDC, ...LDAP });
  assert.deepEqual(problems, []);
  assert.deepEqual([oidc!.clientSecret, ldap!.bindPassword, ldap!.ca], [
    "secret-1",
    "secret-2",
    "PEM",
  ]);
  assert.deepEqual(oidc!.roles, [
    { group: "cn=it,ou=groups,dc=h", role: "administrator" },
    { group: "neuro", role: "physician" },
  ]);
  assert.equal(secondFactor, "optional");
  const trusting = read({ ...OIDC, SULCUS_OIDC_TRUST_EMAIL: "1" }).settings.oidc!;
  assert.deepEqual([oidc!.trustsEmail, trusting.trustsEmail], [false, true]);
  assert.deepEqual(reach, {
    net: ["login.hospital.example:443", "directory.hospital.example:636"],
    read: ["/client", "/ca", "/bind"],
  });
  assert.deepEqual(read({}).settings, {
    oidc: null,
    ldap: null,
    secondFactor: "optional",
    recheck: RECHECK,
  });
  const rules = { SULCUS_RECHECK_MINUTES: "5", SULCUS_UNCHECKED_HOURS: "1" };
  assert.deepEqual(read(rules).settings.recheck, { everyMs: 300_000, uncheckedMs: 3_600_000 });
  for (const name of ["SULCUS_RECHECK_MINUTES", "SULCUS_UNCHECKED_HOURS"]) {
    for (const value of ["0", "61", "-1", "x"]) {
      assert.equal(read({ [name]: value }).problems.length, 1, value);
    }
  }
});

Deno.test("a setting of the hospital's sign-in that is wrong or missing is one line", () => {
  const cases: [Record<string, string>, RegExp][] = [
    [
      { ...OIDC, SULCUS_OIDC_ISSUER: "http://login.hospital.example" },
      /^SULCUS_OIDC_ISSUER must be an https address$/,
    ],
    [{ ...OIDC, SULCUS_OIDC_ROLES: "neuro=surgeon" }, /^SULCUS_OIDC_ROLES must state which group/],
    [{ ...OIDC, SULCUS_OIDC_TRUST_EMAIL: "yes" }, /^SULCUS_OIDC_TRUST_EMAIL must be 0 or 1$/],
    [{ ...OIDC, SULCUS_OIDC_ROLES: "" }, /^SULCUS_OIDC_ROLES/],
    [{ ...OIDC, SULCUS_PUBLIC_URL: "" }, /^SULCUS_PUBLIC_URL/],
    [
      { ...OIDC, SULCUS_OIDC_CLIENT_SECRET_FILE: "/none" },
      /^SULCUS_OIDC_CLIENT_SECRET_FILE cannot be read/,
    ],
    [{ ...LDAP, SULCUS_LDAP_URL: "ldap://directory.hospital.example" }, /in the clear/],
    [{ ...LDAP, SULCUS_LDAP_URL: "https://directory" }, /^SULCUS_LDAP_URL must be ldaps/],
    [{ ...LDAP, SULCUS_LDAP_FILTER: "(mail=*)" }, /must contain \{login\}/],
    [
      { SULCUS_SECOND_FACTOR: "all" },
      /^SULCUS_SECOND_FACTOR must be optional, administrators, everybody$/,
    ],
  ];
  for (const [values, line] of cases) {
    const { problems } = read(values);
    assert.equal(problems.length, 1, JSON.stringify(problems));
    assert.match(problems[0]!, line);
    assert.equal(/secret-/.test(problems[0]!), false);
  }
});
