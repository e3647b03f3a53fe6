// Systems of other people's choice: a password stays with its address, addresses of this machine are
// not called, and a test says nothing that the other side has said.
// covers: S-121
import assert from "node:assert/strict";
import { getConnections, savePeer, testPeer } from "@/client/api/connections/connections.ts";
import type { PeerPut } from "@/model/schema/connections/connections.ts";
import type { GateTask } from "@/server/gate/link/tasks.ts";
import { openGate } from "@/server/gate/gate.ts";
import { withCore } from "@/tests/sites/core_site.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";

const web = (url: string, more: Partial<PeerPut> = {}): PeerPut => ({
  name: "Archive",
  kind: "dicomweb",
  config: { url, user: "sulcus" },
  ...more,
});
/** Refused for this field and reason. */
const refused = (field: string, reason: string) => (error: unknown) => {
  const { code, details } = error as { code?: string; details?: Record<string, unknown> };
  assert.deepEqual([code, details?.field, details?.reason], ["input.invalid", field, reason]);
  return true;
};

/** A web server of this machine that says more than it should. */
async function withServer(
  answer: (request: Request) => Response,
  body: (port: number) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, answer);
  try {
    await body(server.addr.port);
  } finally {
    await server.shutdown();
  }
}

Deno.test("a stored password does not follow a system to another address", () =>
  withCore(async ({ api }) => {
    const id = await savePeer(
      api,
      null,
      web("https://pacs.hospital.test/web", { secret: "s3cret" }),
    );
    const hasSecret = async () =>
      (await getConnections(api)).peers.find((peer) => peer.id === id)!.has_secret;
    // the same place: path, user, name and its port written out
    await savePeer(api, id, web("https://pacs.hospital.test:443/other", { name: "Renamed" }));
    assert.equal(await hasSecret(), true);
    const elsewhere = [
      "https://evil.test/web",
      "https://pacs.hospital.test:8443/web",
      "http://pacs.hospital.test/web",
      "https://pacs.hospital.test.evil.test/web",
      "https://pacs.hospital.test@evil.test/web",
    ];
    for (const url of elsewhere) {
      await assert.rejects(savePeer(api, id, web(url)), refused("secret", "address_changed"));
    }
    assert.equal(await hasSecret(), true);
    await savePeer(api, id, web("https://new.hospital.test", { secret: "other" }));
    assert.equal(await hasSecret(), true);
    await savePeer(api, id, web("https://third.hospital.test", { secret: null }));
    assert.equal(await hasSecret(), false);
    // nor by way of a kind that has none
    await savePeer(api, id, web("https://pacs.hospital.test", { secret: "s3cret" }));
    const hl7 = { host: "10.0.0.9", port: 2575 };
    await savePeer(api, id, { name: "Archive", kind: "hl7", config: hl7 });
    await savePeer(api, id, web("https://evil.test"));
    assert.equal(await hasSecret(), false);
  }));

const LOCAL_HOSTS = [
  "127.0.0.1",
  "localhost",
  "127.1",
  "0x7f.0.0.1",
  "2130706433",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "169.254.169.254",
  "[fe80::1]",
  "0.0.0.0",
];

Deno.test("the gate calls no address of this machine, and says the same of open and closed ports", async () => {
  const folder = await Deno.makeTempDir(), log = () => {};
  const options = { host: "127.0.0.1", port: 0, folder, own: null, isAmong: () => false, log };
  const gate = await openGate(options);
  let calls = 0;
  const answer = () => {
    calls++;
    return new Response("secret of another server");
  };
  try {
    await withServer(answer, async (open) => {
      const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 }),
        { port: closedPort } = closed.addr;
      closed.close();
      for (const host of LOCAL_HOSTS) {
        for (const port of [open, closedPort]) {
          const bare = host.replace(/[[\]]/g, ""), called = { called: "A", calling: "B" };
          const tasks: GateTask[] = [false, true].flatMap((tls): GateTask[] => [
            {
              kind: "http",
              method: "GET",
              url: `http${tls ? "s" : ""}://${host}:${port}/`,
              headers: {},
            },
            { kind: "connect", host: bare, port, tls },
            { kind: "mllp", host: bare, port, tls, message: "MSH" },
            { kind: "echo", peer: { host: bare, port, tls, ...called } },
          ]);
          for (const task of tasks) {
            const error = { failure: "not_allowed", text: "The address is not allowed" };
            assert.deepEqual(await gate.ask(task), { error }, `${task.kind} of ${host}:${port}`);
          }
        }
      }
      assert.equal(calls, 0);
    });
  } finally {
    await gate.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the gate calls a name by the address that was looked at, under its name, and follows no redirect", async () => {
  const folder = await Deno.makeTempDir(), log = () => {};
  const options = { host: "127.0.0.1", port: 0, folder, own: null, isAmong: () => false, log };
  const gate = await openGate({ ...options, isAllowed: (address) => address.startsWith("127.") });
  const hosts: (string | null)[] = [];
  const answer = (request: Request) => {
    hosts.push(request.headers.get("host"));
    return Response.redirect("http://169.254.169.254/latest/meta-data", 302);
  };
  try {
    await withServer(answer, async (port) => {
      const url = `http://127.1:${port}/metadata`, named = `http://localhost:${port}/metadata`;
      for (const each of [url, named]) {
        const { status, error } = await gate.ask({
          kind: "http",
          method: "GET",
          url: each,
          headers: {},
        });
        // where localhost is ::1 too, one address of the name is refused
        if (error === undefined) assert.equal(status, 302);
        else assert.equal(error.failure, "not_allowed");
      }
      assert.ok(
        hosts.length > 0 && hosts.every((host) => /^(127\.0\.0\.1|localhost):\d+$/.test(host!)),
      );
      if (hosts.length === 2) assert.match(hosts[1]!, /^localhost:/);
    });
  } finally {
    await gate.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a site refuses addresses of this machine unless SULCUS_DICOM_REACH has them", async () => {
  const gate = { ask: new LateGate().ask, aeTitle: "SULCUS" };
  const save = (test: { api: Parameters<typeof savePeer>[0] }, host: string) =>
    savePeer(test.api, null, web(`http://${host}:8042`, { name: host }));
  await withCore(async (test) => {
    for (const host of LOCAL_HOSTS) {
      await assert.rejects(save(test, host), refused("url", "not_allowed"), host);
    }
    const config = { ae_title: "PACS", host: "127.0.0.1", port: 104 };
    await assert.rejects(
      savePeer(test.api, null, { name: "P", kind: "dicom", config }),
      refused("host", "not_allowed"),
    );
    await save(test, "10.0.0.1");
  }, { gate: { ...gate, reach: [] } });
  await withCore(async (test) => {
    await save(test, "127.0.0.1");
    await assert.rejects(save(test, "169.254.169.254"), { code: "input.invalid" });
  }, { gate: { ...gate, reach: ["127.0.0.0/8"] } });
});

Deno.test("a test of a system answers in this program's words alone", async () => {
  const gate = new LateGate(), foreign = "root:x:0:0 internal page";
  await withCore(async ({ api, dataDir }) => {
    const opened = await gate.open(dataDir);
    try {
      for (const status of [200, 302, 401, 404, 500]) {
        const answer = () =>
          new Response(foreign, {
            status,
            headers: { "x-secret": foreign, location: "http://10.0.0.1" },
          });
        await withServer(answer, async (port) => {
          const id = await savePeer(
            api,
            null,
            web(`http://127.0.0.1:${port}`, { name: `S-${status}` }),
          );
          const result = await testPeer(api, id), isOk = status === 200;
          const text = isOk ? "" : String(status);
          assert.deepEqual(result, { is_ok: isOk, failure: isOk ? null : "http", text });
        });
      }
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const serving = (async () => {
        for await (const connection of listener) {
          await connection.write(new TextEncoder().encode(`220 ${foreign}\r\n`));
          connection.close();
        }
      })();
      const dicom = { ae_title: "PACS", host: "127.0.0.1", port: listener.addr.port };
      const id = await savePeer(api, null, { name: "Mail", kind: "dicom", config: dicom });
      const { is_ok, text } = await testPeer(api, id);
      assert.deepEqual({ is_ok, text }, { is_ok: false, text: "" });
      listener.close();
      await serving.catch(() => {});
      const shown = JSON.stringify(await getConnections(api));
      assert.ok(!shown.includes("root:x") && !shown.includes("internal page"), shown);
    } finally {
      await opened.close();
    }
  }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
});
