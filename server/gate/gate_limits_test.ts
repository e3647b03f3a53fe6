// covers: S-120
// Budgets of the gate: connections by address, silent ones, sizes of objects.
import assert from "node:assert/strict";
import { connect as connectPlain } from "node:net";
import { type GateEvent, type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { TIMEOUTS, type Timeouts } from "@/server/gate/dimse/association.ts";
import { PDU, pduOf, readRequest, requestPdu } from "@/server/gate/dimse/pdu.ts";
import { readElements } from "@/server/gate/dimse/elements.ts";
import { EXPLICIT_LE, STATUS } from "@/server/gate/dimse/uids.ts";
import { type Wire, WireReader } from "@/server/gate/dimse/wire.ts";
import { openGate } from "@/server/gate/gate.ts";
import { pdv, Peer, storeCommand } from "@/server/gate/misbehaving_peer_fixture.ts";
import { FRESH_MS, MAX_CONNECTIONS, MAX_FRESH, Places } from "@/server/gate/receive/places.ts";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";
import { OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { until } from "@/tests/sites/until.ts";

const SETTINGS: GateSettings = {
  aeTitle: "SULCUS",
  senders: [{ aeTitle: "PEER", addresses: [] }],
  isAccepting: true,
  maxAssociations: 8,
};

async function withGate(
  body: (
    site: { port: number; folder: string; ask: Awaited<ReturnType<typeof openGate>>["ask"] },
  ) => Promise<void>,
  options: { timeouts?: Partial<Timeouts>; own?: OwnCertificates; maxObjectBytes?: number } = {},
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-gate-" }), log: string[] = [];
  await Deno.writeTextFile(`${folder}/${INBOX.settings}`, JSON.stringify(SETTINGS));
  const gate = await openGate({
    host: "127.0.0.1",
    port: 0,
    folder,
    own: options.own ?? null,
    isAmong: () => false,
    isAllowed: () => true,
    log: (text) => void log.push(text),
    timeouts: { ...TIMEOUTS, ...options.timeouts },
    ...(options.maxObjectBytes === undefined ? {} : { maxObjectBytes: options.maxObjectBytes }),
  });
  try {
    await body({ port: gate.port, folder, ask: gate.ask });
    assert.deepEqual(log, []);
  } finally {
    await gate.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const namesIn = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name).sort();
const eventsIn = (folder: string) =>
  namesIn(`${folder}/${INBOX.events}`).map((name) =>
    JSON.parse(Deno.readTextFileSync(`${folder}/${INBOX.events}/${name}`)) as GateEvent
  );

/** A wire that only has an address and can be closed. */
function wireOf(address: string): Wire & { isClosed: boolean } {
  return {
    address,
    isClosed: false,
    read: () => Promise.resolve(null),
    write: () => Promise.resolve(),
    close() {
      this.isClosed = true;
    },
  };
}

/** A clock that goes on by so many milliseconds each time it is read. */
function clockOf(stepMs: number): () => number {
  let ms = 0;
  return () => ms += stepMs;
}

Deno.test("however many connections say nothing, from one address or many, one that is new has a place", () => {
  for (const addressOf of [() => "10.0.0.1", (n: number) => `10.0.${n % 40}.${n}`]) {
    for (const [stepMs, most] of [[FRESH_MS, MAX_CONNECTIONS + 1], [0, MAX_FRESH]] as const) {
      const places = new Places(clockOf(stepMs));
      for (let n = 0; n < 1000; n++) {
        assert.ok(places.admit(wireOf(addressOf(n)), false));
        assert.ok(places.size <= most);
      }
    }
  }
});

Deno.test("a connection that has just come keeps its place beside 200 silent ones of its address", () => {
  const places = new Places(clockOf(2)), sender = wireOf("10.0.0.1");
  for (let n = 0; n < 500; n++) places.admit(wireOf("10.0.0.1"), false);
  places.admit(sender, false);
  for (let n = 0; n < 200; n++) places.admit(wireOf("10.0.0.1"), false);
  assert.equal(sender.isClosed, false);
  places.advance(sender, "associated");
  for (let n = 0; n < 2000; n++) places.admit(wireOf("10.0.0.1"), false);
  assert.equal(sender.isClosed, false);
});

Deno.test("the oldest silent connection gives way, and none that has an association", () => {
  const places = new Places(clockOf(FRESH_MS)),
    all = Array.from({ length: MAX_CONNECTIONS }, (_, n) => wireOf(`10.0.0.${n}`));
  for (const wire of all) assert.ok(places.admit(wire, false));
  places.advance(all[0]!, "associated");
  places.advance(all[1]!, "asking");
  assert.ok(places.admit(wireOf("10.0.1.1"), false));
  assert.deepEqual(all.filter(({ isClosed }) => isClosed), [all[2]]);
  // all others ask: a stranger finds no place, a configured system does
  const crowd = new Places(clockOf(FRESH_MS)), asking = all.map(({ address }) => wireOf(address));
  for (const wire of asking) {
    crowd.admit(wire, false);
    crowd.advance(wire, "asking");
  }
  assert.equal(crowd.admit(wireOf("10.0.1.1"), false), false);
  assert.ok(crowd.admit(wireOf("10.9.9.9"), true));
  assert.deepEqual(asking.filter(({ isClosed }) => isClosed), [asking[0]]);
});

Deno.test("configured systems keep their places before silent strangers", () => {
  const places = new Places(clockOf(FRESH_MS)),
    ours = Array.from({ length: 10 }, (_, n) => wireOf(`10.1.0.${n}`));
  for (const wire of ours) places.admit(wire, true);
  for (let n = 0; n < 200; n++) places.admit(wireOf(`172.16.0.${n}`), false);
  assert.ok(ours.every(({ isClosed }) => !isClosed));
});

Deno.test("one IPv6 network, of which a machine has all addresses, takes no more places than one address", () => {
  const places = new Places(clockOf(FRESH_MS));
  for (let n = 0; n < 200; n++) {
    const wire = wireOf(`2001:db8:0:7::${n.toString(16)}`);
    places.admit(wire, false);
    places.advance(wire, "asking");
  }
  assert.ok(places.size <= 10);
  assert.ok(places.admit(wireOf("2001:db8:0:8::1"), false));
});

Deno.test("a sender comes in while 64 silent connections are held and made again", () =>
  withGate(async ({ port, folder }) => {
    let isOn = true;
    const silent = Array.from({ length: 64 }, async () => {
      while (isOn) {
        const peer = await Peer.connect(port).catch(() => null);
        await peer?.wire.read().catch(() => null);
        peer?.close();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    // it has the address of the silent ones, and comes in with its first call all the same
    for (let n = 0; n < 10; n++) {
      const peer = await Peer.connect(port);
      assert.equal((await peer.associate()).type, PDU.accept);
      assert.equal(await peer.store(`1.2.${n}`, new Uint8Array(100)), STATUS.success);
      peer.close();
    }
    isOn = false;
    await until(() =>
      eventsIn(folder).some((event) => event.type === "rejected" && event.reason === "silent")
    );
    // they end by themselves
    await Promise.all(silent);
  }, { timeouts: { silentMs: 1000 } }));

Deno.test("a connection that is silent, or has begun to ask and is slow, ends in seconds", () =>
  withGate(async ({ port }) => {
    for (
      const sent of [
        new Uint8Array(0),
        Uint8Array.of(PDU.request),
        Uint8Array.of(PDU.request, 0, 0, 0, 1, 0),
      ]
    ) {
      const peer = await Peer.connect(port), started = performance.now();
      await peer.send(sent);
      while (await peer.wire.read().catch(() => null));
      assert.ok(performance.now() - started < 8000);
      peer.close();
    }
    assert.ok(TIMEOUTS.silentMs <= 5000 && TIMEOUTS.associateMs <= 10_000);
  }, { timeouts: { silentMs: 300, associateMs: 300 } }));

Deno.test("an object that is too large is refused with out of resources, and leaves the disk while it still comes", () =>
  withGate(async ({ port, folder }) => {
    const peer = await Peer.connect(port);
    await peer.associate();
    assert.equal(await peer.store("1.2.1", new Uint8Array(1_000_000)), STATUS.success);
    assert.equal(await peer.store("1.2.2", new Uint8Array(1_000_001)), STATUS.outOfResources);
    assert.equal(await peer.store("1.2.3", new Uint8Array(10)), STATUS.success);
    // one without end
    await peer.data(pdv(storeCommand("1.2.4"), true, true));
    const piece = pduOf(PDU.data, pdv(new Uint8Array(100_000), false, false));
    for (let n = 0; n < 12; n++) await peer.send(piece);
    await until(() => namesIn(`${folder}/${INBOX.partial}`).length === 0);
    for (let n = 0; n < 50; n++) if (await peer.send(piece).then(() => false, () => true)) break;
    peer.close();
    const ended = await until(() => eventsIn(folder).find(({ type }) => type === "association"));
    assert.ok(ended.type === "association" && ended.end === "protocol");
    assert.deepEqual(namesIn(`${folder}/${INBOX.received}`), ["1.2.1.dcm", "1.2.3.dcm"]);
  }, { maxObjectBytes: 1_000_000 }));

Deno.test("connections that are reset in a handshake, or say nothing in it, do not end a gate with certificates", () =>
  withGate(async ({ port, ask }) => {
    const peer = { host: "127.0.0.1", port, called: "SULCUS", calling: "PEER", tls: true };
    const starts = [
      [],
      [0x16],
      [0x16, 3, 1, 0xff, 0xff],
      [0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0],
      [...new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n")],
    ];
    for (let n = 0; n < 40; n++) {
      const socket = connectPlain(port, "127.0.0.1");
      socket.on("error", () => {});
      await new Promise((resolve) => socket.once("connect", resolve));
      socket.write(Uint8Array.from(starts[n % starts.length]!));
      await new Promise((resolve) => setTimeout(resolve, n % 5));
      socket.resetAndDestroy();
    }
    const silent = connectPlain(port, "127.0.0.1"), started = performance.now();
    silent.on("error", () => {});
    const closed = new Promise((resolve) => silent.once("close", resolve));
    assert.ok((await ask({ kind: "echo", peer })).error === undefined);
    silent.resume();
    await closed;
    assert.ok(performance.now() - started < 15_000);
  }, { own: OWN }));

Deno.test("a message of parts without bytes does not go on for ever: its association is aborted", async () => {
  const none = new Uint8Array(0), count = 1000;
  const command = pdv(storeCommand("1.2.3"), true, true);
  const floods = [
    [pduOf(PDU.data, none)],
    [pduOf(PDU.data, pdv(none, true, false))],
    [pduOf(PDU.data, command), pduOf(PDU.data, pdv(none, false, false))],
  ];
  await withGate(async ({ port, folder }) => {
    for (const [first, ...more] of floods) {
      const peer = await Peer.connect(port);
      await peer.associate();
      await peer.send(first!);
      const repeated = more[0] ?? first!;
      const sent = (async () => {
        for (let n = 0; n < count; n++) await peer.send(repeated);
      })().catch(() => {}); // the gate has closed the connection
      await peer.next();
      await sent;
      peer.close();
    }
    const ended = () => eventsIn(folder).filter(({ type }) => type === "association");
    await until(() => ended().length === floods.length);
    assert.deepEqual(ended().map((event) => "end" in event && event.end), [
      "protocol",
      "protocol",
      "protocol",
    ]);
  }, { timeouts: { idleMs: 600_000 } });
});

Deno.test("a connection that always has bytes lets timers and other connections run", async () => {
  const bytes = new Uint8Array(65_536), wire = { ...wireOf("10.0.0.1") };
  const reader = new WireReader({ ...wire, read: () => Promise.resolve(bytes) });
  let hasRun = false;
  const timer = setTimeout(() => hasRun = true, 0);
  for (let n = 0; n < 1_000_000 && !hasRun; n++) await reader.some(1);
  clearTimeout(timer);
  assert.ok(hasRun);
});

Deno.test("names of many blanks are read in linear time: no association delays other senders", () =>
  withGate(async ({ port }) => {
    const blanks = `1${" ".repeat(60_000)}2`, startMs = performance.now();
    const request = {
      called: "SULCUS",
      calling: "PEER",
      maxPduBytes: 16_384,
      roles: [],
      contexts: [1, 3, 5, 7].map((id) => ({
        id,
        abstractSyntax: blanks,
        transferSyntaxes: [EXPLICIT_LE],
      })),
    };
    const hostile = await Peer.connect(port), peer = await Peer.connect(port);
    await hostile.send(requestPdu(request));
    assert.equal((await peer.associate()).type, PDU.accept);
    // a pattern took minutes, on the one thread of the gate
    assert.ok(performance.now() - startMs < 5000);
    for (const each of [hostile, peer]) each.close();
    const element = new TextEncoder().encode(`\x10\x00\x10\x00LO\x00\x00${blanks}`);
    new DataView(element.buffer).setUint16(6, element.length - 8, true);
    assert.equal(readElements(element, true)["00100010"]?.Value?.[0], blanks);
    assert.equal(readRequest(requestPdu(request).subarray(6)).contexts[0]?.abstractSyntax, blanks);
    assert.ok(performance.now() - startMs < 5000);
  }));
