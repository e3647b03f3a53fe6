import assert from "node:assert/strict";
import { readEnvironment } from "@/commands/environment.ts";

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
      adminEmail: undefined,
      adminPassword: undefined,
      workers: 2,
      modelDir: null,
      trustedProxies: [],
      userService: null,
      language: "en",
      diskLimits: { warn: 80, error: 95 },
      logLevel: "info",
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
    SULCUS_CORE_URL: "https://core",
    SULCUS_DATABASE_URL: "mysql://u:secret@host/db",
    SULCUS_MODEL_DIR: "/no/such/folder",
    SULCUS_TRUSTED_PROXIES: "10.0.0.0/8, ward",
    SULCUS_DISK_WARN: "96",
    SULCUS_VUUC_URL: "users.hospital.example",
    SULCUS_LANGUAGE: "kr",
  });
  const names = ["PROT", "PORT", "WORKERS", "LOG", "ADMIN_EMAIL", "CORE_URL", "DATABASE_URL", "MODEL_DIR"];
  assert.equal(problems.length, 12);
  assert.ok(!problems.some((line) => line.includes("secret")));
  for (const name of [...names, "TRUSTED_PROXIES", "VUUC_URL", "LANGUAGE", "DISK_WARN"]) {
    assert.equal(problems.filter((line) => line.startsWith(`SULCUS_${name} `)).length, 1, name);
  }
});

Deno.test("readEnvironment() takes no port beyond 65535 and no fraction", () => {
  for (const port of ["65536", "-1", "80.5", "0x50"]) {
    assert.equal(problemsOf({ SULCUS_PORT: port }).length, 1);
  }
});

Deno.test("readEnvironment() takes a folder as SULCUS_MODEL_DIR and no file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/file`, "");
    const result = readEnvironment({ SULCUS_MODEL_DIR: folder }, 2);
    assert.ok("environment" in result && result.environment.modelDir === folder);
    assert.equal(problemsOf({ SULCUS_MODEL_DIR: `${folder}/file` }).length, 1);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
