// covers: S-143
import assert from "node:assert/strict";
import { type GateEvent, type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { openGate } from "@/server/gate/gate.ts";
import { MAX_OF_ADDRESS } from "@/server/gate/receive/message_receiver.ts";
import { MAX_QUEUED } from "@/server/gate/receive/message_writer.ts";
import { MAX_MESSAGE_BYTES } from "@/model/hl7/message.ts";
import { mllp } from "@/server/gate/send/mllp.ts";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";
import { EXPIRED, FOREIGN, OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { networkList } from "@/model/site/networks.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { Hl7Sender } from "@/tests/sites/connections/hl7_sender.ts";
import { until } from "@/tests/sites/until.ts";

interface Site {
  port: number;
  folder: string;
  /** messages in the inbox, in their order */
  stored(): string[];
  refusals(): string[];
}

async function withReceiver(
  body: (site: Site) => Promise<void>,
  settings: Partial<GateSettings> = {},
  own: OwnCertificates | null = null,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-hl7-" });
  const all: GateSettings = {
    aeTitle: "SULCUS",
    senders: [],
    isAccepting: true,
    maxAssociations: 8,
    hl7: { senders: [{ name: "HIS", addresses: ["127.0.0.1"] }], encoding: "ISO_IR 192" },
    ...settings,
  };
  await Deno.writeTextFile(`${folder}/${INBOX.settings}`, JSON.stringify(all));
  const log: string[] = [];
  const gate = await openGate({
    host: "127.0.0.1",
    port: 0,
    hl7: { port: 0, isTls: own !== null },
    folder,
    own,
    isAmong: (address, networks) => networkList(networks).has(address),
    log: (text) => void log.push(text),
  });
  const inFolder = (name: string) =>
    [...Deno.readDirSync(`${folder}/${name}`)].map((entry) => `${folder}/${name}/${entry.name}`)
      .sort();
  try {
    await body({
      port: gate.hl7Port!,
      folder,
      stored: () => inFolder(INBOX.messages).map((path) => Deno.readTextFileSync(path)),
      refusals: () =>
        inFolder(INBOX.events).map((path) => JSON.parse(Deno.readTextFileSync(path)) as GateEvent)
          .flatMap((event) => event.type === "message_refused" ? [event.reason] : []),
    });
    assert.deepEqual(log, []);
  } finally {
    await gate.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const update = (control: string) => adt({ event: "A08", id: "4711", control, name: "Doe^Jane" });

Deno.test("a message is in the inbox when AA comes, with its sender; what is not taken is answered and stored nowhere", () =>
  withReceiver(async ({ port, stored, refusals }) => {
    const sender = await Hl7Sender.connect(port);
    try {
      assert.equal(await sender.send(update("1")), "AA");
      const [first] = stored(), [head, message] = first!.split("\n");
      assert.deepEqual([JSON.parse(head!).system, JSON.parse(head!).address], ["HIS", "127.0.0.1"]);
      assert.equal(message, update("1"));
      const answers: [string, string][] = [
        [update("2").replace("ADT^A08", "ADT^A34"), "AR 201"],
        [update("3").replace("ADT^A08", "MDM^T02"), "AR 200"],
        [update("4").replace("|P|2.5|", "|D|2.5|"), "AR 202"],
        [update("5").replace("|4711|", "||"), "AE 101"],
        [update("6").replace("Doe", "D\ufffd"), "AE 102"],
        ["nothing of the kind", "AR 100"],
        [adt({ event: "A03", id: "", control: "7" }), "AA"],
        [adt({ event: "A40", id: "2", prior: "1", control: "8" }), "AA"],
      ];
      for (const [text, expected] of answers) assert.equal(await sender.send(text), expected, text);
      assert.equal(stored().length, 3);
      await until(() => refusals().length === 6);
      assert.ok(refusals().includes("101 PID^1^3"));
    } finally {
      sender.close();
    }
  }));

Deno.test("frames that are none, or without end, end their connection and no other one", () =>
  withReceiver(async ({ port, stored, refusals }) => {
    const good = await Hl7Sender.connect(port),
      bytes = (text: string) => new TextEncoder().encode(text);
    const odd: [string, Uint8Array][] = [
      ["no start", bytes("MSH|^~\\&|")],
      ["a start inside", bytes("\x0bMSH|\x0bMSH|\x1c\r")],
      ["an end without 0x0D", bytes("\x0bMSH|\x1cx")],
      ["ends of lines without end", bytes("\r\n".repeat(40))],
      ["too long", bytes("\x0b" + update("long") + "A".repeat(MAX_MESSAGE_BYTES))],
    ];
    for (const [name, frame] of odd) {
      const sender = await Hl7Sender.connect(port);
      await sender.write(frame).catch(() => {});
      const answer = await sender.read();
      assert.equal(
        answer === null ? null : /MSA\|AE\|long\rERR\|\|MSH\|207.*too long/.test(answer),
        name === "too long" || null,
      );
      assert.equal(answer === null ? null : await sender.read(), null, name);
      sender.close();
    }
    // two frames in one packet, and one in single bytes
    const two = bytes(`\x0b${update("a")}\x1c\r\r\n\x0b${update("b")}\x1c\r`);
    await good.write(two);
    assert.ok(
      (await good.read())!.includes("MSA|AA|a") && (await good.read())!.includes("MSA|AA|b"),
    );
    for (const byte of bytes(`\x0b${update("c")}\x1c\r`)) await good.write(Uint8Array.of(byte));
    assert.ok((await good.read())!.includes("MSA|AA|c"));
    good.close();
    assert.equal(stored().length, 3);
    await until(() => refusals().includes("too_long"));
  }));

Deno.test("addresses of no system are not answered, a full disk and a full inbox say AE, many connections give way", async () => {
  const hl7 = { senders: [{ name: "HIS", addresses: ["10.0.0.0/8"] }], encoding: "ISO_IR 192" };
  await withReceiver(async ({ port, stored, refusals }) => {
    const sender = await Hl7Sender.connect(port);
    assert.equal(await sender.send(update("1")).catch(() => null), null);
    sender.close();
    await until(() => refusals().includes("address_unknown"));
    assert.deepEqual(stored(), []);
  }, { hl7 });
  await withReceiver(async ({ port, stored }) => {
    const sender = await Hl7Sender.connect(port);
    assert.equal(await sender.send(update("1")), "AE 207");
    sender.close();
    assert.deepEqual(stored(), []);
  }, { isAccepting: false });
  await withReceiver(async ({ port, folder }) => {
    for (let n = 0; n < MAX_QUEUED; n++) {
      Deno.writeTextFileSync(`${folder}/${INBOX.messages}/${String(n).padStart(12, "0")}.hl7`, "");
    }
    const sender = await Hl7Sender.connect(port);
    await until(async () => await sender.send(update("1")) === "AE 207");
    // the server has fetched some
    for (let n = 0; n < 2000; n++) {
      Deno.removeSync(`${folder}/${INBOX.messages}/${String(n).padStart(12, "0")}.hl7`);
    }
    await until(async () => await sender.send(update("2")) === "AA");
    sender.close();
    const all: Hl7Sender[] = [];
    for (let n = 0; n <= MAX_OF_ADDRESS; n++) {
      const one = await Hl7Sender.connect(port);
      assert.equal(await one.send(update(`c${n}`)), "AA");
      all.push(one);
    }
    // the one that was silent for longest has made room
    assert.equal(await all[0]!.read(), null);
    assert.equal(await all[1]!.send(update("last")), "AA");
    // reported once, with the address and system
    await until(() => closedConnections(folder).length > 0);
    const [closed, ...others] = closedConnections(folder);
    assert.deepEqual([closed.address, closed.count, others.length], ["127.0.0.1", 1, 0]);
    for (const one of all) one.close();
  });
});

Deno.test("by TLS a message is taken from a certificate of our authority, and from no other or none", () =>
  withReceiver(
    async ({ port, stored }) => {
      const send = (own: OwnCertificates | null, tls = true) => {
        const message = update(`t${stored().length}`);
        return mllp({ kind: "mllp", host: "127.0.0.1", port, tls, message }, own).then(
          ({ body = "" }) => body.includes("MSA|AA|"),
          () => false,
        );
      };
      assert.ok(await send(OWN));
      for (const own of [EXPIRED, FOREIGN]) assert.equal(await send(own), false);
      assert.equal(await send(null, false), false);
      assert.ok(await send(OWN));
      assert.equal(stored().length, 2);
    },
    {},
    OWN,
  ));

/** Events of the gate about HL7 connections that it closed. */
const closedConnections = (folder: string) =>
  [...Deno.readDirSync(`${folder}/${INBOX.events}`)].filter(({ name }) => name.endsWith(".json"))
    .map(({ name }) => JSON.parse(Deno.readTextFileSync(`${folder}/${INBOX.events}/${name}`)))
    .filter(({ type }) => type === "hl7_closed");

const FRAMES = Number(Deno.env.get("SULCUS_TEST_FRAMES") ?? 3000);

Deno.test(`${FRAMES} malformed frames store nothing that is none, crash nothing, and leave memory flat`, () =>
  withReceiver(async ({ port, stored }) => {
    const random = randomOf(11), whole = new TextEncoder().encode(`\x0b${update("f")}\x1c\r`);
    const frame = () => {
      const bytes = whole.slice(0, random(3) ? whole.length : random(whole.length));
      for (let n = random(8); n > 0 && bytes.length > 0; n--) {
        bytes[random(bytes.length)] = random(4)
          ? random(256)
          : [0x0b, 0x1c, 0x0d, 0x7c][random(4)]!;
      }
      return bytes;
    };
    let sent = 0, closed = 0, early = 0;
    while (sent < FRAMES) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      // read to the end, so that neither side waits for the other
      const answers = connection.readable.pipeTo(new WritableStream()).catch(() => {});
      const writer = connection.writable.getWriter();
      try {
        for (let n = 1 + random(20); n > 0 && sent < FRAMES; n--, sent++) {
          await writer.write(frame());
        }
        await writer.close();
      } catch {
        closed++;
      }
      await answers;
      // after everything has been used once
      if (sent < FRAMES / 3) early = Math.max(early, Deno.memoryUsage().rss);
    }
    const grown = Deno.memoryUsage().rss - early;
    assert.ok(grown < 64 << 20, `grown by ${grown >> 20} MB, ${closed} closed`);
    for (const text of stored()) assert.ok(text.includes("\nMSH|"), text);
    const sender = await Hl7Sender.connect(port);
    assert.equal(await sender.send(update("after")), "AA");
    sender.close();
  }));
