// covers: D1-1.1
import assert from "node:assert/strict";
import { RECHECK } from "@/server/core/accounts/service/identity_settings.ts";
import { KNOWN_VARIABLES, readEnvironment } from "@/server/commands/start/environment.ts";
import { readOperating } from "@/server/commands/operate/operating.ts";

const problemsOf = (variables: Record<string, string>) => {
  const result = readEnvironment(variables, 2);
  return "problems" in result ? result.problems : [];
};

Deno.test("readEnvironment() has a default for everything and leaves other programs' names alone", () => {
  assert.deepEqual(readEnvironment({ PATH: "/bin", SULCUS_PORT: "" }, 2), {
    environment: {
      port: 8000,
      host: "127.0.0.1",
      dataDir: "./data",
      databaseUrl: null,
      dicom: null,
      adminEmail: undefined,
      adminPassword: undefined,
      workers: 2,
      trustedProxies: [],
      userService: null,
      language: "en",
      coreUrl: null,
      coreKey: null,
      cacheBytes: 2_048_000_000,
      diskLimits: { warn: 80, error: 95 },
      auditDir: null,
      syslog: null,
      tls: null,
      identity: { oidc: null, ldap: null, secondFactor: "optional", recheck: RECHECK },
      identityReach: { net: [], read: [] },
      binDays: 30,
      keepHours: { exports: 24, uploads: 36 },
      backupKeyFile: null,
      storageKeyFile: null,
      callsPerMinute: 120,
      logLevel: "info",
      operating: readOperating(() => undefined, []),
    },
  });
});

Deno.test("readEnvironment() names every unknown name and every bad value, one line each", () => {
  const problems = problemsOf({
    SULCUS_PROT: "80",
    SULCUS_PORT: "eighty",
    SULCUS_WORKERS: "0",
    SULCUS_LOG: "loud",
    SULCUS_ADMIN_EMAIL: "nobody",
    SULCUS_CORE_URL: "core.hospital.example",
    SULCUS_CORE_KEY: "short secret",
    SULCUS_CACHE_MB: "-1",
    SULCUS_DATABASE_URL: "mysql://u:secret@host/db",
    SULCUS_TRUSTED_PROXIES: "10.0.0.0/8, ward",
    SULCUS_DISK_WARN: "96",
    SULCUS_VUUC_URL: "users.hospital.example",
    SULCUS_LANGUAGE: "kr",
  });
  const names = ["PROT", "PORT", "WORKERS", "LOG", "ADMIN_EMAIL", "CORE_URL", "DATABASE_URL"];
  assert.equal(problems.length, 13);
  assert.ok(!problems.some((line) => line.includes("secret")));
  for (
    const name of [
      ...names,
      "CORE_KEY",
      "CACHE_MB",
      "TRUSTED_PROXIES",
      "VUUC_URL",
      "LANGUAGE",
      "DISK_WARN",
    ]
  ) {
    assert.equal(problems.filter((line) => line.startsWith(`SULCUS_${name} `)).length, 1, name);
  }
});

Deno.test("readEnvironment() takes no port beyond 65535 and no fraction", () => {
  for (const port of ["65536", "-1", "80.5", "0x50"]) {
    assert.equal(problemsOf({ SULCUS_PORT: port }).length, 1);
  }
});

Deno.test("readEnvironment() takes a user service without a path, which calls would not keep", () => {
  for (
    const address of [
      "https://users.org/base",
      "https://users.org/?a=1",
      "https://me:pw@users.org",
      "ws://a",
    ]
  ) {
    assert.equal(problemsOf({ SULCUS_VUUC_URL: address }).length, 1, address);
  }
  for (const address of ["https://users.org", "http://users.org:8080/"]) {
    assert.deepEqual(problemsOf({ SULCUS_VUUC_URL: address }), []);
  }
});

Deno.test("readEnvironment() refuses at an edge what belongs to its core", () => {
  const core = { SULCUS_CORE_URL: "https://core.hospital.example/api-root" };
  assert.deepEqual(problemsOf(core), []);
  assert.match(
    problemsOf({ ...core, SULCUS_DATABASE_URL: "postgres://u@h/d" })[0]!,
    /belongs to the core/,
  );
  assert.equal(
    problemsOf({ ...core, SULCUS_ADMIN_EMAIL: "a@b", SULCUS_ADMIN_PASSWORD: "p" }).length,
    2,
  );
  for (const odd of ["ftp://core", "https://user:secret@core", "https://core?x=1"]) {
    const [problem, ...others] = problemsOf({ SULCUS_CORE_URL: odd });
    assert.ok(
      problem?.startsWith("SULCUS_CORE_URL ") && !problem.includes("secret") && others.length === 0,
    );
  }
});

Deno.test("readEnvironment() reads the gate's settings, which go together", () => {
  const dicom = (variables: Record<string, string>) => {
    const result = readEnvironment(variables, 1);
    return "environment" in result ? result.environment.dicom : result.problems;
  };
  assert.deepEqual(dicom({ SULCUS_DICOM_PORT: "11112" }), {
    port: 11112,
    host: "0.0.0.0",
    aeTitle: "SULCUS",
    hl7: null,
    tls: null,
    reach: [],
  });
  const hl7 = (variables: Record<string, string>) => {
    const gate = dicom({ SULCUS_DICOM_PORT: "11112", SULCUS_HL7_PORT: "2575", ...variables });
    return gate !== null && "hl7" in gate ? gate.hl7 : gate;
  };
  const tls = {
    SULCUS_DICOM_TLS_CERT: "/a",
    SULCUS_DICOM_TLS_KEY: "/b",
    SULCUS_DICOM_TLS_CA: "/c",
  };
  assert.deepEqual(hl7({}), { port: 2575, isTls: false });
  assert.deepEqual(hl7(tls), { port: 2575, isTls: true });
  assert.deepEqual(hl7({ ...tls, SULCUS_HL7_TLS: "off" }), { port: 2575, isTls: false });
  const local = dicom({ SULCUS_DICOM_PORT: "11112", SULCUS_DICOM_REACH: "127.0.0.0/8, ::1" });
  assert.ok(local !== null && "reach" in local);
  assert.deepEqual(local.reach, ["127.0.0.0/8", "::1"]);
  for (
    const odd of [
      { SULCUS_DICOM_AET: "SULCUS" },
      { SULCUS_DICOM_PORT: "x" },
      { SULCUS_HL7_PORT: "2575" },
      { SULCUS_DICOM_PORT: "104", SULCUS_HL7_PORT: "x" },
      { SULCUS_DICOM_PORT: "104", SULCUS_HL7_TLS: "on" },
      { SULCUS_DICOM_PORT: "104", SULCUS_HL7_PORT: "2575", SULCUS_HL7_TLS: "on" },
      { SULCUS_DICOM_PORT: "104", SULCUS_HL7_PORT: "2575", SULCUS_HL7_TLS: "yes" },
      { SULCUS_DICOM_PORT: "104", SULCUS_DICOM_AET: "SEVENTEEN_LETTERS" },
      { SULCUS_DICOM_PORT: "104", SULCUS_DICOM_REACH: "localhost" },
      { SULCUS_DICOM_PORT: "104", SULCUS_DICOM_TLS_CERT: "/etc/cert.pem" },
    ] as Record<string, string>[]
  ) assert.equal((dicom(odd) as string[]).length, 1);
});

Deno.test("docs/site/settings.md has every setting and no other, and the package's file of settings names known ones", async () => {
  const read = (path: string) => Deno.readTextFile(new URL(`../../../${path}`, import.meta.url));
  const rows = (await read("docs/site/settings.md")).split("\n").filter((line) =>
    line.startsWith("| `")
  );
  // a mention in another row is no row
  const first = rows.map((row) => row.split("|")[1]!).join(" ");
  const listed = new Set([...first.matchAll(/SULCUS_\w+/g)].map(([name]) => name));
  assert.deepEqual([...listed].sort(), [...KNOWN_VARIABLES].sort());
  const known = new Set<string>(KNOWN_VARIABLES);
  for (
    const [, name] of (await read("tools/release/debian/sulcus.env")).matchAll(/^#?([A-Z]\w+)=/gm)
  ) {
    assert.ok(known.has(name!), name);
  }
});

/** Settings without which others are not read. */
const CONTEXTS: readonly (readonly [names: RegExp, variables: Record<string, string>])[] = [
  [/^SULCUS_(DICOM|HL7)_/, { SULCUS_DICOM_PORT: "11112", SULCUS_HL7_PORT: "2575" }],
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
  [/^SULCUS_BACKUP_AT$/, { SULCUS_BACKUP_DIR: "/var/backups/sulcus" }],
  [/^SULCUS_SMTP$/, { SULCUS_ALARM_MAIL: "it@hospital.test" }],
];
/** Defaults that are taken where the setting is used, by name of the machine or at a first start. */
const LATER = ["SULCUS_ADMIN_EMAIL", "SULCUS_SECURITY_CONTACT"];

Deno.test("defaults of docs/site/settings.md are the code's, and what it calls required is", async () => {
  const page = await Deno.readTextFile(
    new URL("../../../docs/site/settings.md", import.meta.url),
  );
  let defaults = 0, required = 0;
  for (const row of page.split("\n").filter((line) => line.startsWith("| `"))) {
    const [, nameCell, defaultCell] = row.split("|").map((cell) => cell.trim());
    const names = [...nameCell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    // a value alone; another text describes one
    const values = /^`[^`]+`(, `[^`]+`)*$/.test(defaultCell!)
      ? defaultCell!.replaceAll("`", "").split(", ")
      : [];
    for (const [at, name] of names.entries()) {
      if (!KNOWN_VARIABLES.includes(name) || LATER.includes(name)) continue;
      const context = CONTEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? {};
      if (defaultCell === "required") {
        const { [name]: _, ...others } = context;
        assert.ok(problemsOf(others).some((line) => line.startsWith(name)), name);
        required++;
      } else if (values[at] !== undefined) {
        assert.deepEqual(
          readEnvironment({ ...context, [name]: values[at] }, 2),
          readEnvironment(context, 2),
          `${name} is ${values[at]} by docs/site/settings.md`,
        );
        defaults++;
      }
    }
  }
  assert.ok(defaults > 20 && required === 5, `${defaults} defaults, ${required} required`);
});
