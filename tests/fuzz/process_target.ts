import { fileURLToPath } from "node:url";
import { gateFlags } from "@/server/commands/start/permissions.ts";
import { gateAt } from "@/server/gate/link/link.ts";
import { type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { COMMAND, writeCommand } from "@/server/gate/dimse/command.ts";
import { writeElements } from "@/server/gate/dimse/elements.ts";
import {
  abortPdu,
  concat,
  PDU,
  pduOf,
  releaseRequestPdu,
  requestPdu,
} from "@/server/gate/dimse/pdu.ts";
import { EXPLICIT_LE, STORAGE_COMMITMENT, VERIFICATION } from "@/server/gate/dimse/uids.ts";
import { MR, pdv, storeCommand } from "@/server/gate/misbehaving_peer_fixture.ts";
import { part10Head } from "@/server/gate/receive/part10.ts";
import type { Random } from "@/server/commands/demo/phantom/random.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";
import { pick, type Target } from "@/tests/fuzz/targets.ts";
import { until } from "@/tests/sites/until.ts";

const GATE = fileURLToPath(new URL("../../server/commands/start/gate.ts", import.meta.url));
/** Number of cases after which the process must respond to a valid request. */
const CHECK_EVERY = 20;
/** Time without a response after which a case ends, ms. */
const ANSWER_MS = 15;
const encoder = new TextEncoder();
const SETTINGS: GateSettings = {
  aeTitle: "SULCUS",
  senders: [{ aeTitle: "FUZZ", addresses: [] }],
  isAccepting: true,
  maxAssociations: 8,
};

const request = requestPdu({
  called: "SULCUS",
  calling: "FUZZ",
  maxPduBytes: 16_384,
  roles: [],
  contexts: [MR, VERIFICATION, STORAGE_COMMITMENT].map((abstractSyntax, n) => ({
    id: 2 * n + 1,
    abstractSyntax,
    transferSyntaxes: [EXPLICIT_LE],
  })),
});
const reference = {
  "00081150": { vr: "UI", Value: [MR] },
  "00081155": { vr: "UI", Value: ["1.2.3"] },
};
const commitment = writeElements({
  "00081195": { vr: "UI", Value: ["1.2.9"] },
  "00081199": { vr: "SQ", Value: [reference] },
});

/** The PDUs of one association in order; each may be damaged, omitted or repeated. */
function association(random: Random): Uint8Array[] {
  const data = (...values: Uint8Array[]) => pduOf(PDU.data, concat(values));
  const bytes = new Uint8Array(1 + Math.floor(3000 * random.uniform())).map(() => random.bits());
  const action = writeCommand({
    requestedClassUid: STORAGE_COMMITMENT,
    field: pick(random, [COMMAND.action, COMMAND.eventReport]),
    messageId: 3,
    actionTypeId: 1,
    dataSetType: 1,
  });
  const ofContext = (id: number, value: Uint8Array) => {
    value[4] = id;
    return value;
  };
  const messages: (() => Uint8Array)[] = [
    () => data(pdv(storeCommand(`1.2.${random.bits() & 7}`), true, true), pdv(bytes, false, true)),
    () =>
      data(
        ofContext(
          3,
          pdv(writeCommand({ field: COMMAND.echo, messageId: 2, dataSetType: 257 }), true, true),
        ),
      ),
    () => data(ofContext(5, pdv(action, true, true)), ofContext(5, pdv(commitment, false, true))),
    () => releaseRequestPdu(),
    () => abortPdu(0, 0),
  ];
  const all = [
    request,
    ...Array.from({ length: 1 + (random.bits() & 3) }, () => pick(random, messages)()),
  ];
  return all.flatMap((pdu) => {
    const at = random.uniform();
    return at < 0.35 ? [mutate(pdu, random)] : at < 0.4 ? [] : at < 0.45 ? [pdu, pdu] : [pdu];
  });
}

/** Response of a called peer: HL7 acknowledgement, multipart WADO-RS response, or association. */
function answerOf(kind: "mllp" | "http" | "dimse", random: Random): Uint8Array {
  if (kind === "mllp") {
    const text = "\x0bMSH|^~\\&|A|B|C|D|20260101||ACK|1|P|2.5\rMSA|AA|1|fine\r\x1c\r";
    return mutate(encoder.encode(text), random);
  }
  if (kind === "dimse") {
    return mutate(concat([pduOf(PDU.accept, request.subarray(6)), releaseRequestPdu()]), random);
  }
  const meta = {
    sopClassUid: MR,
    sopInstanceUid: "1.2.5",
    transferSyntax: EXPLICIT_LE,
    sender: "WADO",
  };
  const part = concat([part10Head(meta), commitment]);
  const damaged = random.uniform() < 0.7 ? mutate(part, random) : part;
  const body = concat([
    encoder.encode("--b\r\ncontent-type: application/dicom\r\n\r\n"),
    damaged,
    encoder.encode("\r\n--b--\r\n"),
  ]);
  const head =
    `HTTP/1.1 200 OK\r\ncontent-type: multipart/related; type="application/dicom"; boundary=b\r\n` +
    `content-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  const whole = concat([encoder.encode(head), body]);
  return random.uniform() < 0.3 ? mutate(whole, random) : whole;
}

/** Sends bytes in one or several pieces, and ends the connection in a random way. */
async function speak(port: number, pieces: readonly Uint8Array[], random: Random): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const buffer = new Uint8Array(4096);
  for (const piece of pieces) {
    const cut = random.uniform() < 0.2 ? Math.floor(piece.length * random.uniform()) : piece.length;
    for (const part of [piece.subarray(0, cut), piece.subarray(cut)]) {
      if (part.length > 0 && !await connection.write(part).then(() => true, () => false)) return;
    }
  }
  if (random.uniform() < 0.5) await connection.closeWrite().catch(() => {});
  const timer = setTimeout(() => connection.close(), ANSWER_MS);
  try {
    // closing a connection with unread data resets it
    if (random.uniform() < 0.7) { while (await connection.read(buffer) !== null); }
  } catch {
    /* the connection failed, or was closed here */
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A gate process as started by a site, and all of its inputs from outside: calls of peers, and
 * responses of called peers (DICOM, HL7, WADO-RS). It must keep running and respond to a valid
 * request after each.
 */
export async function processTarget(): Promise<{ target: Target; end: () => Promise<void> }> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "sulcus-fuzz-" }));
  const socket = `${folder}/gate.sock`,
    inbox = `${folder}/inbox`,
    free = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = free.addr;
  free.close();
  await Deno.mkdir(inbox);
  await Deno.writeTextFile(`${inbox}/${INBOX.settings}`, JSON.stringify(SETTINGS));
  const settings = { host: "127.0.0.1", port, inbox, socket, tls: null, reach: ["127.0.0.0/8"] };
  const flags = gateFlags({ inbox, socket, tls: [] });
  const args = ["run", "--no-prompt", "--no-check", ...flags, GATE, JSON.stringify(settings)];
  const gate = new Deno.Command(Deno.execPath(), {
    args,
    stdin: "piped",
    stderr: "piped",
    stdout: "null",
  })
    .spawn();
  let ended: number | null = null, said = "";
  const status = gate.status.then(({ code }) => ended = code);
  const hearing = gate.stderr.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (said = (said + text).slice(-4000)) }),
  );
  const ask = gateAt(socket),
    peer = { host: "127.0.0.1", port, called: "SULCUS", calling: "FUZZ", tls: false };
  const check = async () => {
    const answer = ended === null ? await ask({ kind: "echo", peer }) : null;
    // the maximum number of associations may still be reached by an aborted one
    if (answer?.status !== 0 && answer?.error?.failure !== "rejected") {
      throw new Error(`The gate does not answer (${ended ?? answer?.error?.text}): ${said}`);
    }
    if (/uncaught|unhandled|panicked/i.test(said)) {
      throw new Error(`The gate met an error that nothing handles: ${said}`);
    }
  };
  await until(async () => (await ask({ kind: "echo", peer })).status === 0);
  let cases = 0;
  const target: Target = async (random) => {
    const kind = random.uniform() < 0.75
      ? "peer"
      : pick(random, ["mllp", "http", "dimse"] as const);
    if (kind === "peer") await speak(port, association(random), random).catch(() => {});
    else {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }),
        host = "127.0.0.1",
        to = listener.addr.port;
      const answering = listener.accept().then(async (connection) => {
        await connection.read(new Uint8Array(65_536)).catch(() => null);
        await connection.write(answerOf(kind, random)).catch(() => {});
        connection.close();
      }, () => {});
      const headers = { accept: "multipart/related" }, url = `http://${host}:${to}/studies/1`;
      await ask(
        kind === "mllp"
          ? { kind, host, port: to, tls: false, message: "MSH|^~\\&|S\r" }
          : kind === "http"
          ? { kind, method: "GET", url, headers, intoInboxAs: "WADO" }
          : { kind: "echo", peer: { ...peer, port: to } },
      );
      listener.close();
      await answering;
    }
    if (++cases % CHECK_EVERY === 0) await check();
  };
  const end = async () => {
    await gate.stdin.close();
    await status;
    await hearing.catch(() => {});
    await Deno.remove(folder, { recursive: true });
  };
  return { target, end };
}
