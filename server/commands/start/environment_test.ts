// covers: D1-1.1
import assert from "node:assert/strict";
import { RECHECK } from "@/server/core/accounts/service/identity_settings.ts";
import { readEnvironment } from "@/server/commands/start/environment.ts";
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
      syslogForm: { isDicom: false, enterprise: 32473 },
      tls: null,
      identity: { oidc: null, ldap: null, secondFactor: "optional", recheck: RECHECK },
      identityReach: { net: [], read: [] },
      contextHub: null,
      contextReach: { net: [], read: [] },
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

Deno.test("the audit log goes out as messages of DICOM over TLS alone, with the site's number", () => {
  const formOf = (more: Record<string, string>) => {
    const read = readEnvironment({ SULCUS_SYSLOG: "tls://siem:6514", ...more }, 2);
    return "problems" in read ? read.problems : read.environment.syslogForm;
  };
  assert.deepEqual(formOf({}), { isDicom: false, enterprise: 32473 });
  assert.deepEqual(
    formOf({ SULCUS_SYSLOG_DICOM: "on", SULCUS_SYSLOG_ENTERPRISE: "60123" }),
    { isDicom: true, enterprise: 60123 },
  );
  const faulty: Record<string, string>[] = [
    { SULCUS_SYSLOG: "tcp://siem:601", SULCUS_SYSLOG_DICOM: "on" },
    { SULCUS_SYSLOG: "", SULCUS_SYSLOG_DICOM: "on" },
    { SULCUS_SYSLOG_DICOM: "yes" },
    { SULCUS_SYSLOG_ENTERPRISE: "0" },
    { SULCUS_SYSLOG_ENTERPRISE: "4294967296" },
    { SULCUS_SYSLOG_ENTERPRISE: "1.3" },
  ];
  for (const more of faulty) {
    const problems = formOf(more);
    assert.ok(Array.isArray(problems) && problems.length === 1, JSON.stringify(more));
  }
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
    /is a setting of the core server/,
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
