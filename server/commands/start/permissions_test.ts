// covers: S-21
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Environment, readEnvironment } from "@/server/commands/start/environment.ts";
import {
  converterFlags,
  edgeFlags,
  gateFlags,
  plainVariables,
  readerFlags,
  serverFlags,
} from "@/server/commands/start/permissions.ts";
import { newPostgres, postgresTest } from "@/tests/sites/databases.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

function environmentOf(variables: Record<string, string>): Environment {
  const result = readEnvironment(variables, 1);
  assert.ok("environment" in result, JSON.stringify(result));
  return result.environment;
}

const listOf = (flags: readonly string[], name: string) =>
  flags.find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1).split(",") ?? [];

// covers: S-84
Deno.test("serverFlags() allows what the settings name and nothing else", () => {
  const environment = environmentOf({
    SULCUS_DATA_DIR: "/srv/sulcus",
    SULCUS_DATABASE_URL: "postgres://u@db.hospital.example/site?sslrootcert=/etc/ca.pem",
    SULCUS_HOST: "::1",
    SULCUS_PORT: "8136",
    SULCUS_VUUC_URL: "https://users.hospital.example",
  });
  const flags = serverFlags(
    environment,
    "/opt/sulcus",
    ["/run/c.sock"],
    (name) => name === "HOME" ? "/home/s" : "",
  );
  assert.deepEqual(listOf(flags, "--allow-net"), [
    "[::1]:8136",
    "users.hospital.example:443",
    "unix:/run/c.sock",
    "db.hospital.example:5432",
  ]);
  assert.deepEqual(listOf(flags, "--allow-write"), [
    "/srv/sulcus",
    "/srv/sulcus/blobs",
    "/srv/sulcus/exports",
    "/run/c.sock",
  ]);
  assert.deepEqual(listOf(flags, "--allow-read").filter((path) => !path.startsWith("/srv/")), [
    "/opt/sulcus",
    "/proc/thread-self",
    "/run/c.sock",
    "/etc/ca.pem",
    "/home/s/.pgpass",
  ]);
  for (const flag of flags) {
    assert.ok(!/^(-A|--allow-(all|run|ffi|import|scripts))\b/.test(flag), flag);
    assert.ok(!/^--allow-(net|read|write|env)$/.test(flag), `${flag} has no list`);
  }
  assert.ok(["--deny-run", "--deny-ffi", "--deny-import"].every((flag) => flags.includes(flag)));
  const odd = environmentOf({ SULCUS_DATA_DIR: "/srv/a,b" });
  assert.throws(() => serverFlags(odd, "/opt", []), RangeError);
});

// covers: S-84
Deno.test("edgeFlags() allows an edge its core, its own address and its data folder", () => {
  const environment = environmentOf({
    SULCUS_DATA_DIR: "/srv/edge",
    SULCUS_CORE_URL: "https://core.hospital.example/root",
    SULCUS_PORT: "8137",
  });
  const flags = edgeFlags(
    environment,
    "/opt/sulcus",
    (name) => name === "DENO_CERT" ? "/etc/ca.pem" : "",
  );
  assert.deepEqual(listOf(flags, "--allow-net"), ["127.0.0.1:8137", "core.hospital.example:443"]);
  assert.deepEqual(listOf(flags, "--allow-read"), ["/opt/sulcus", "/etc/ca.pem", "/srv/edge"]);
  assert.deepEqual(listOf(flags, "--allow-write"), ["/srv/edge"]);
  assert.ok(["--deny-run", "--deny-ffi", "--deny-import"].every((flag) => flags.includes(flag)));
  assert.ok(
    !flags.some((flag) =>
      /^(-A|--allow-(all|run|ffi))\b|^--allow-(net|read|write|env)$/.test(flag)
    ),
  );
});

/** What the probe could do under the server's flags. */
async function probe(databaseUrl: string): Promise<Record<string, string>> {
  const folder = await Deno.makeTempDir(),
    dataDir = `${folder}/data`,
    outside = `${folder}/outside`;
  for (const path of [dataDir, outside]) await Deno.mkdir(path);
  await Deno.symlink("/", `${outside}/link`);
  const listener = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("x"),
  );
  try {
    const environment = environmentOf({
      SULCUS_DATA_DIR: dataDir,
      ...(databaseUrl === "" ? {} : { SULCUS_DATABASE_URL: databaseUrl }),
    });
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--no-check",
        ...serverFlags(environment, ROOT, []),
        `${ROOT}server/commands/start/permissions_probe_fixture.ts`,
        dataDir,
        outside,
        String(listener.addr.port),
        databaseUrl,
      ],
      env: { PROBE_SECRET: "1" },
    }).output();
    const text = new TextDecoder().decode(stdout);
    assert.ok(text.startsWith("{"), new TextDecoder().decode(stderr));
    return JSON.parse(text);
  } finally {
    await listener.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

const NEEDED = ["ownFiles", "ownData", "ownDatabase", "ownVariable", "database"];

// covers: S-84
Deno.test("the server's process cannot start programs, leave its folders, or call whom it was not told of", async () => {
  const outcome = await probe("");
  const worked = Object.keys(outcome).filter((name) => outcome[name] === "ok");
  assert.deepEqual(worked, NEEDED, JSON.stringify(outcome));
});

postgresTest("the server's process reaches the PostgreSQL it was told of", async () => {
  const outcome = await probe(await newPostgres());
  assert.equal(outcome.database, "ok", JSON.stringify(outcome));
});

// covers: S-107
Deno.test("converter and reader see what arrives, and neither database, keys, stored files nor variables", async () => {
  const dataDir = await Deno.makeTempDir(), incoming = `${dataDir}/blobs/incoming`;
  try {
    for (const path of [incoming, `${dataDir}/audit`, `${dataDir}/blobs/ab`]) {
      await Deno.mkdir(path, { recursive: true });
    }
    const names = ["core.sqlite", "audit/key", "blobs/ab/stored", "blobs/incoming/file"];
    for (const name of names) await Deno.writeTextFile(`${dataDir}/${name}`, "");
    const variables = {
      SULCUS_CORE_KEY: "secret",
      HOME: Deno.env.get("HOME") ?? "/",
      TZ: "Asia/Seoul",
    };
    const kinds = [
      [converterFlags(dataDir, ROOT, `${incoming}/converter.sock`), ["ownFile", "ownVolume"]],
      [readerFlags(dataDir, ROOT, `${incoming}/reader.sock`), ["ownFile"]],
    ] as const;
    for (const [flags, allowed] of kinds) {
      const probe = `${ROOT}server/commands/start/converter_probe_fixture.ts`;
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--no-prompt", "--no-check", ...flags, probe, dataDir, incoming],
        env: plainVariables((name) => variables[name as keyof typeof variables]),
        clearEnv: true,
      }).output();
      const text = new TextDecoder().decode(stdout);
      assert.ok(text.startsWith("{"), new TextDecoder().decode(stderr));
      const outcome = JSON.parse(text) as Record<string, string>;
      const worked = Object.keys(outcome).filter((name) => outcome[name] === "ok");
      assert.deepEqual(worked, allowed, text);
    }
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("plainVariables() gives a child the hospital's authority, no setting of the site and no secret", () => {
  const all = (name: string) => `value of ${name}`;
  // the gate calls DICOMweb and FHIR of the hospital by HTTPS, the watch its address for alarms
  assert.equal(plainVariables(all).DENO_CERT, "value of DENO_CERT");
  assert.deepEqual(
    Object.keys(plainVariables(all)).filter((name) => /SULCUS|PG|PASS|KEY|TOKEN/.test(name)),
    [],
  );
});

Deno.test("deno task start and its steps ask for named rights, and start programs that they name", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`)) as {
    tasks: Record<string, string>;
  };
  const steps = tasks.start!.match(/deno run .+?(?= && |$)/g) ?? [];
  assert.equal(steps.length >= 3, true, tasks.start);
  for (const step of steps) {
    assert.doesNotMatch(step, / (-A|--allow-all|--allow-run|--allow-net)(?= |$)/, step);
  }
});

// covers: S-120
Deno.test("gateFlags() allows the network, the inbox, its socket and the certificates, and nothing else", () => {
  const flags = gateFlags({
    inbox: "/srv/sulcus/inbox",
    socket: "/run/g.sock",
    tls: ["/etc/tls/gate.pem"],
  });
  assert.deepEqual(
    flags.filter((flag) => flag.startsWith("--allow-")).map((flag) => flag.split("=")[0]),
    [
      "--allow-net",
      "--allow-read",
      "--allow-write",
    ],
  );
  assert.deepEqual(listOf(flags, "--allow-write"), ["/srv/sulcus/inbox", "/run/g.sock"]);
  assert.deepEqual(listOf(flags, "--allow-read"), [
    "/srv/sulcus/inbox",
    "/run/g.sock",
    "/etc/tls/gate.pem",
  ]);
  const denied = ["--deny-run", "--deny-ffi", "--deny-import", "--deny-env", "--deny-sys"];
  assert.deepEqual(denied.filter((flag) => !flags.includes(flag)), []);
});
