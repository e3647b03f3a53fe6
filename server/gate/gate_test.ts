// covers: S-120
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type GateEvent, type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { TIMEOUTS } from "@/server/gate/dimse/association.ts";
import { concat, PDU, pduOf } from "@/server/gate/dimse/pdu.ts";
import { STATUS, STORAGE_COMMITMENT, STORAGE_SYNTAXES } from "@/server/gate/dimse/uids.ts";
import { type OpenGate, openGate } from "@/server/gate/gate.ts";
import { MR, pdv, Peer, storeCommand } from "@/server/gate/misbehaving_peer_fixture.ts";
import { headBytesOf } from "@/server/gate/receive/part10.ts";
import { gateOf } from "@/server/gate/run_task.ts";
import { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";
import { EXPIRED, FOREIGN, OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { networkList } from "@/model/site/networks.ts";
import { until } from "@/tests/sites/until.ts";

interface Site {
  gate: OpenGate;
  folder: string;
  names(folder: keyof typeof INBOX): string[];
  events(): GateEvent[];
}

const SETTINGS: GateSettings = {
  aeTitle: "SULCUS",
  senders: [{ aeTitle: "PEER", addresses: [] }, { aeTitle: "FAR", addresses: ["10.9.0.0/16"] }],
  isAccepting: true,
  maxAssociations: 8,
};
const isAmong = (address: string, networks: readonly string[]) =>
  networkList(networks).has(address);

async function withGate(
  body: (site: Site) => Promise<void>,
  { settings = {}, timeouts = {}, own = null }: {
    settings?: Partial<GateSettings>;
    timeouts?: Partial<typeof TIMEOUTS>;
    own?: OwnCertificates | null;
  } = {},
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-gate-" });
  await Deno.writeTextFile(
    `${folder}/${INBOX.settings}`,
    JSON.stringify({ ...SETTINGS, ...settings }),
  );
  const log: string[] = [];
  const gate = await openGate({
    host: "127.0.0.1",
    port: 0,
    folder,
    own,
    isAmong,
    isAllowed: () => true,
    log: (text) => void log.push(text),
    timeouts: { ...TIMEOUTS, ...timeouts },
  });
  const names = (name: keyof typeof INBOX) =>
    [...Deno.readDirSync(`${folder}/${INBOX[name]}`)].map((entry) => entry.name).sort();
  const events = () =>
    names("events").map((name) =>
      JSON.parse(Deno.readTextFileSync(`${folder}/${INBOX.events}/${name}`)) as GateEvent
    );
  try {
    await body({ gate, folder, names, events });
    assert.deepEqual(log, []);
  } finally {
    await gate.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const bytesOf = (size: number, seed = 1) =>
  Uint8Array.from({ length: size }, (_, i) => (i * 7 + seed) & 255);

/** The association of an event, once it has ended. */
const association = (site: Site) =>
  until(() => site.events().find((event) => event.type === "association"));

Deno.test("a stored data set lies in the inbox with every byte that was sent, and survives a second delivery", () =>
  withGate(async (site) => {
    const dataSet = bytesOf(300_001), peer = await Peer.connect(site.gate.port);
    assert.equal((await peer.associate()).type, PDU.accept);
    assert.equal(await peer.store("1.2.3", dataSet), STATUS.success);
    assert.deepEqual(site.names("received"), ["1.2.3.dcm"]);
    const stored = await Deno.readFile(`${site.folder}/${INBOX.received}/1.2.3.dcm`);
    // not deepEqual: the difference of 300,001 bytes takes gigabytes to print
    assert.ok(Buffer.from(dataSet).equals(stored.subarray(headBytesOf(stored)!)));
    assert.equal(await peer.store("1.2.3", dataSet), STATUS.success);
    assert.equal(await peer.store("1.2.3", bytesOf(300_001, 2)), STATUS.duplicate);
    assert.equal(await peer.store("../../etc/passwd", dataSet), STATUS.invalidInstance);
    assert.equal(
      await peer.store("1.2.4", dataSet, "1.2.840.10008.5.1.4.1.1.2"),
      STATUS.classNotSupported,
    );
    assert.deepEqual(site.names("partial"), []);
    await peer.send(pduOf(PDU.releaseRequest, new Uint8Array(4)));
    assert.equal(await peer.next(), PDU.release);
    peer.close();
    const event = await association(site);
    assert.ok(event.type === "association");
    const { end, stored: count, refused, bytes, calling } = event;
    assert.deepEqual({ end, count, refused, bytes, calling }, {
      end: "released",
      count: 2,
      refused: 3,
      bytes: 600_002,
      calling: "PEER",
    });
  }));

Deno.test("who is not known, or calls another, is rejected with the standard's reason, and told of", () =>
  withGate(async (site) => {
    const rejected = async (names: Parameters<Peer["associate"]>[0]) => {
      const peer = await Peer.connect(site.gate.port);
      const { type, body } = await peer.associate(names);
      peer.close();
      return [type, ...body.subarray(1)];
    };
    assert.deepEqual(await rejected({ called: "OTHER" }), [PDU.reject, 1, 1, 7]);
    assert.deepEqual(await rejected({ calling: "STRANGER" }), [PDU.reject, 1, 1, 3]);
    assert.deepEqual(await rejected({ calling: "FAR" }), [PDU.reject, 1, 1, 3]);
    for (let i = 0; i < 20; i++) await rejected({ calling: "STRANGER" });
    await until(() => site.events().length === 3);
    const reasons = site.events().map((event) => event.type === "rejected" ? event.reason : "");
    assert.deepEqual(reasons.sort(), ["address_unknown", "called_unknown", "calling_unknown"]);
  }));

Deno.test("a transfer syntax or class that nobody knows is refused by itself, every known one is taken", () =>
  withGate(async (site) => {
    const resultOf = async (syntax: string, abstractSyntax = MR) => {
      const peer = await Peer.connect(site.gate.port);
      const { type, body } = await peer.associate({ syntax, abstractSyntax });
      peer.close();
      assert.equal(type, PDU.accept);
      // application context (4 + 21 bytes) after the fixed part of 68; then the context's header, id, 0, result
      return body[68 + 25 + 6];
    };
    for (const syntax of Object.keys(STORAGE_SYNTAXES)) {
      assert.equal(await resultOf(syntax), 0, syntax);
    }
    // CT, enhanced MR, a class that is younger than this program, one of Philips
    const classes = ["1.1.2", "1.1.4.1", "1.1.999.9"].map((end) => `1.2.840.10008.5.1.4.${end}`);
    for (const uid of [...classes, "1.3.46.670589.11.0.0.12.1"]) {
      assert.equal(await resultOf("1.2.840.10008.1.2.1", uid), 0, uid);
    }
    assert.equal(await resultOf("1.2.840.10008.1.2.4.999"), 4);
    assert.equal(await resultOf("1.2.840.10008.1.2.1", "1.2.840.10008.5.1.4.1.2.2.1"), 3);
  }));

for (
  const [name, cut] of Object.entries<(peer: Peer) => Promise<void>>({
    "before the association": () => Promise.resolve(),
    "inside the association": (peer) => peer.send(Uint8Array.of(1, 0, 0, 0, 1, 0, 0, 1)),
    "after the association": async (peer) => void await peer.associate(),
    "inside a command": async (peer) => {
      await peer.associate();
      await peer.data(pdv(storeCommand("1.2.9").subarray(0, 30), true, false));
    },
    "after a command": async (peer) => {
      await peer.associate();
      await peer.data(pdv(storeCommand("1.2.9"), true, true));
    },
    "inside a data set": async (peer) => {
      await peer.associate();
      await peer.data(pdv(storeCommand("1.2.9"), true, true));
      await peer.data(pdv(bytesOf(9000), false, false));
    },
    "inside a message part": async (peer) => {
      await peer.associate();
      await peer.data(pdv(storeCommand("1.2.9"), true, true));
      await peer.send(pduOf(PDU.data, pdv(bytesOf(9000), false, true)).subarray(0, 5000));
    },
  })
) {
  for (const isAbort of [false, true]) {
    Deno.test(`a connection that is ${isAbort ? "aborted" : "cut"} ${name} leaves nothing behind`, () =>
      withGate(async (site) => {
        const peer = await Peer.connect(site.gate.port);
        await cut(peer);
        if (isAbort) await peer.abort();
        peer.close();
        const next = await Peer.connect(site.gate.port);
        assert.equal((await next.associate()).type, PDU.accept);
        assert.equal(await next.store("1.2.10", bytesOf(10)), STATUS.success);
        next.close();
        await until(() => site.names("partial").length === 0);
        assert.deepEqual(site.names("received"), ["1.2.10.dcm"]);
      }));
  }
}

Deno.test("fragments of any size and several values in one PDU make the same file", () =>
  withGate(async (site) => {
    const dataSet = bytesOf(20_000), peer = await Peer.connect(site.gate.port);
    await peer.associate();
    const command = storeCommand("1.2.11");
    const pieces = Array.from(
      { length: 20 },
      (_, i) => pdv(dataSet.subarray(1000 * i, 1000 * i + 1000), false, i === 19),
    );
    await peer.data(pdv(command.subarray(0, 11), true, false));
    const rest = concat([pdv(command.subarray(11), true, true), ...pieces]),
      whole = pduOf(PDU.data, rest);
    for (let at = 0; at < whole.length; at += 7) await peer.send(whole.subarray(at, at + 7));
    assert.equal((await peer.stream.next(10_000))?.command.status, STATUS.success);
    peer.close();
    const stored = await Deno.readFile(`${site.folder}/${INBOX.received}/1.2.11.dcm`);
    assert.deepEqual(stored.subarray(headBytesOf(stored)!), dataSet);
  }));

Deno.test("a PDU that declares 2 GB is aborted before its first byte is kept", () =>
  withGate(async (site) => {
    const before = Deno.memoryUsage().rss;
    const peer = await Peer.connect(site.gate.port);
    await peer.associate();
    await peer.send(Uint8Array.of(PDU.data, 0, 0x7f, 0xff, 0xff, 0xff));
    assert.equal(await peer.next(), PDU.abort);
    const piece = new Uint8Array(1 << 20);
    // the gate has ended the connection: what is sent on is not read
    for (let i = 0; i < 200; i++) if (await peer.send(piece).then(() => false, () => true)) break;
    peer.close();
    const first = await Peer.connect(site.gate.port);
    await first.send(Uint8Array.of(PDU.request, 0, 0x7f, 0xff, 0xff, 0xff));
    assert.equal(await first.next(), PDU.abort);
    first.close();
    const event = await association(site);
    assert.ok(event.type === "association" && event.end === "protocol");
    assert.ok(Deno.memoryUsage().rss - before < 100e6);
  }));

Deno.test("garbage, values that end outside of their message, and a context of nobody are aborted", () =>
  withGate(async (site) => {
    const answerTo = async (...sent: Uint8Array[]) => {
      const peer = await Peer.connect(site.gate.port);
      if (sent.length > 1) await peer.associate();
      await peer.send(sent.at(-1)!);
      const type = await peer.next();
      peer.close();
      return type;
    };
    const http = new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50));
    assert.equal(await answerTo(http), PDU.abort);
    assert.equal(await answerTo(pduOf(PDU.request, bytesOf(400))), PDU.abort);
    assert.equal(await answerTo(http, http), PDU.abort);
    const outside = pdv(bytesOf(10), true, true);
    outside[3] = 200;
    assert.equal(await answerTo(outside, pduOf(PDU.data, outside)), PDU.abort);
    assert.equal(await answerTo(outside, pduOf(PDU.data, pdv(bytesOf(64), true, true))), PDU.abort);
    const other = pdv(storeCommand("1.2.3"), true, true);
    other[4] = 99;
    assert.equal(await answerTo(other, pduOf(PDU.data, other)), PDU.abort);
    assert.deepEqual(site.names("received"), []);
  }));

Deno.test("more associations than may be are told to come later, and come in when there is room", () =>
  withGate(async (site) => {
    const open = [await Peer.connect(site.gate.port), await Peer.connect(site.gate.port)];
    for (const peer of open) assert.equal((await peer.associate()).type, PDU.accept);
    for (let i = 0; i < 40; i++) {
      const late = await Peer.connect(site.gate.port), { type, body } = await late.associate();
      late.close();
      // beyond the connections that are looked at there is no answer at all
      if (type !== 0) assert.deepEqual([type, ...body.subarray(1)], [PDU.reject, 2, 3, 2]);
    }
    for (const peer of open) peer.close();
    const next = await until(async () => {
      const peer = await Peer.connect(site.gate.port);
      if ((await peer.associate()).type === PDU.accept) return peer;
      peer.close();
    });
    next.close();
  }, { settings: { maxAssociations: 2 } }));

Deno.test("one that says nothing, or dribbles, is ended and leaves nothing", () =>
  withGate(async (site) => {
    const silent = await Peer.connect(site.gate.port);
    assert.equal(await silent.next(), 0);
    silent.close();
    const idle = await Peer.connect(site.gate.port);
    await idle.associate();
    assert.equal(await idle.next(), PDU.abort);
    idle.close();
    const slow = await Peer.connect(site.gate.port);
    await slow.associate();
    await slow.data(pdv(storeCommand("1.2.12"), true, true));
    const part = pduOf(PDU.data, pdv(bytesOf(9000), false, true));
    const dribbling = (async () => {
      for (let at = 0; at < part.length; at++) {
        await slow.send(part.subarray(at, at + 1));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })().catch(() => {});
    assert.equal(await slow.next(), PDU.abort);
    slow.close();
    await dribbling;
    await until(() => site.names("partial").length === 0);
    assert.deepEqual(site.names("received"), []);
  }, { timeouts: { silentMs: 200, associateMs: 200, idleMs: 200, pduMs: 300 } }));

Deno.test("with no room on the disk the answer is out of resources, after all of it was read", () =>
  withGate(async (site) => {
    const peer = await Peer.connect(site.gate.port);
    await peer.associate();
    assert.equal(await peer.store("1.2.13", bytesOf(300_000)), STATUS.outOfResources);
    assert.equal(await peer.store("1.2.14", bytesOf(10)), STATUS.outOfResources);
    peer.close();
    assert.deepEqual(site.names("received"), []);
  }, { settings: { isAccepting: false } }));

Deno.test("a request for storage commitment is on disk before it is acknowledged", () =>
  withGate(async (site) => {
    const peer = {
      host: "127.0.0.1",
      port: site.gate.port,
      called: "SULCUS",
      calling: "PEER",
      tls: false,
    };
    const answer = await site.gate.ask({
      kind: "commit",
      peer,
      transactionUid: "1.2.99",
      instances: [{ sopClassUid: MR, sopInstanceUid: "1.2.3" }],
    });
    assert.deepEqual(answer.status, STATUS.success);
    const result = await site.gate.ask({
      kind: "commit_result",
      peer,
      transactionUid: "1.2.98",
      committed: [{ sopClassUid: MR, sopInstanceUid: "1.2.3" }],
      failed: [{ sopClassUid: MR, sopInstanceUid: "1.2.4", reason: STATUS.noSuchInstance }],
    });
    assert.equal(result.status, STATUS.success);
    const [request, told] = site.events().filter(({ type }) => type.startsWith("commit"));
    assert.ok(request?.type === "commit_request" && told?.type === "commit_result");
    assert.deepEqual(request.instances, [{ sopClassUid: MR, sopInstanceUid: "1.2.3" }]);
    assert.deepEqual([told.committed, told.failed], [["1.2.3"], ["1.2.4"]]);
    assert.equal(STORAGE_COMMITMENT, "1.2.840.10008.1.20.1");
  }));

Deno.test("a task that cannot be done says why", () =>
  withGate(async (site) => {
    const peer = {
      host: "127.0.0.1",
      port: site.gate.port,
      called: "SULCUS",
      calling: "PEER",
      tls: false,
    };
    assert.equal((await site.gate.ask({ kind: "echo", peer })).status, STATUS.success);
    const failure = async (change: Partial<typeof peer>) =>
      (await site.gate.ask({ kind: "echo", peer: { ...peer, ...change } })).error?.failure;
    assert.equal(await failure({ called: "OTHER" }), "rejected");
    assert.equal(await failure({ port: 1 }), "unreachable");
    assert.equal(await failure({ tls: true }), "tls");
    const found = await site.gate.ask({ kind: "find", peer, model: "study", query: {}, most: 1 });
    assert.equal(found.error?.failure, "not_supported");
    const file = {
      path: "/etc/passwd",
      sopClassUid: MR,
      sopInstanceUid: "1.2",
      transferSyntax: "1.2.840.10008.1.2.1",
    };
    assert.equal(
      (await site.gate.ask({ kind: "store", peer, files: [file] })).error?.failure,
      "internal",
    );
  }));

Deno.test("with certificates only a client whose certificate our authority signed, and that lasts, comes in", () =>
  withGate(async (site) => {
    const peer = {
      host: "127.0.0.1",
      port: site.gate.port,
      called: "SULCUS",
      calling: "PEER",
      tls: true,
    };
    const echoAs = async (own: OwnCertificates | null, tls = true) => {
      const ask = gateOf(new InboxWriter(site.folder), site.folder, own, () => true);
      return await ask({ kind: "echo", peer: { ...peer, tls } });
    };
    assert.equal((await echoAs(OWN)).status, STATUS.success);
    for (const certificates of [EXPIRED, FOREIGN]) assert.ok((await echoAs(certificates)).error);
    assert.ok((await echoAs(null, false)).error);
    assert.equal((await echoAs(OWN)).status, STATUS.success);
  }, { own: OWN }));
