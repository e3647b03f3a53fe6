// covers: S-128
import assert from "node:assert/strict";
import { readEnvironment } from "@/server/commands/start/environment.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import {
  checkCertificate,
  checkClock,
  checkDatabase,
  checkDicomPort,
  checkFolder,
  checkMemory,
  checkPort,
  checkReach,
  type Finding,
} from "@/server/commands/doctor/checks.ts";
import { createCore } from "@/server/core/mod.ts";

function environmentOf(variables: Record<string, string>) {
  const result = readEnvironment(variables, 1);
  assert.ok("environment" in result, JSON.stringify(result));
  return result.environment;
}
/** What is to be done is said wherever something is to be done, and only there. */
function stateOf(finding: Finding): string {
  assert.equal(finding.advice !== undefined, finding.state !== "good", finding.text);
  return finding.state;
}

Deno.test("doctor: a free port is good, a stranger's is bad, and so is a PACS that nobody answers for", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), { port } = listener.addr;
  const environment = environmentOf({ SULCUS_PORT: String(port) });
  const accepting = (async () => {
    for await (const connection of listener) connection.close();
  })();
  assert.equal(stateOf(await checkPort(environment)), "bad");
  assert.equal(stateOf(await checkReach("PACS", "127.0.0.1", port, "Is it started?")), "good");
  listener.close();
  await accepting.catch(() => {});
  assert.equal(stateOf(await checkPort(environment)), "good");
  assert.equal(stateOf(await checkReach("PACS", "127.0.0.1", port, "Is it started?")), "bad");
});

Deno.test("doctor: a site with its own certificate is recognized, though it does not name 127.0.0.1", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, cert: CERTIFICATE, key: KEY },
    ({ url }) =>
      url.endsWith("/status") ? Response.json({ disk_usage: 0.5 }) : new Response("ready\n"),
  );
  const { port } = server.addr;
  const finding = await checkPort(environmentOf({ SULCUS_PORT: String(port) }));
  assert.equal(stateOf(finding), "good");
  assert.match(finding.text, /: ready$/);
  await server.shutdown();
});

Deno.test("doctor: the gate's port, where the site has one", () => {
  assert.deepEqual(checkDicomPort(environmentOf({})), []);
  const at = (host: string, port: number) => {
    const [finding, ...others] = checkDicomPort(
      environmentOf({ SULCUS_DICOM_HOST: host, SULCUS_DICOM_PORT: String(port) }),
    );
    assert.deepEqual(others, []);
    return finding!;
  };
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), { port } = listener.addr;
  assert.match(at("127.0.0.1", port).text, /in use/);
  listener.close();
  assert.equal(stateOf(at("127.0.0.1", port)), "good");
  // an address for documents, which no machine has
  assert.equal(stateOf(at("192.0.2.1", port)), "bad");
});

Deno.test("doctor: a folder that others may enter, a clock that was set back, a database that is cut short", async () => {
  const dataDir = await Deno.makeTempDir(),
    environment = environmentOf({ SULCUS_DATA_DIR: dataDir });
  const states = async () =>
    Object.fromEntries((await checkFolder(environment)).map((one) => [one.name, stateOf(one)]));
  try {
    assert.equal((await states()).Rights, "good");
    await Deno.chmod(dataDir, 0o755);
    assert.equal((await states()).Rights, "warning");
    assert.equal(stateOf(await checkDatabase(environment)), "warning");
    await (await createCore({ dataDir, workers: 0 })).close();
    assert.equal(stateOf(await checkDatabase(environment)), "good");
    assert.equal(stateOf(await checkClock(environment)), "good");
    assert.equal(stateOf(await checkClock(environment, Date.now() - 3_600_000)), "bad");
    await Deno.truncate(`${dataDir}/core.sqlite`, 5000);
    assert.equal(stateOf(await checkDatabase(environment)), "bad");
    const away = environmentOf({ SULCUS_DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" });
    assert.equal(stateOf(await checkDatabase(away)), "bad");
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("doctor: memory for an analysis, and a certificate before it ends", async () => {
  assert.deepEqual([2e9, 4e9, 8.1e9].map((total) => stateOf(checkMemory(total, 1e9))), [
    "bad",
    "warning",
    "good",
  ]);
  assert.equal(stateOf(await checkCertificate(undefined)), "good");
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, CERTIFICATE);
    assert.equal(stateOf(await checkCertificate(path, Date.parse("1999-01-01"))), "good");
    assert.equal(stateOf(await checkCertificate(path, Date.parse("2999-01-01"))), "bad");
    await Deno.writeTextFile(path, "no certificate");
    assert.equal(stateOf(await checkCertificate(path)), "bad");
  } finally {
    await Deno.remove(path);
  }
});
