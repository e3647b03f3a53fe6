import type { GateAnswer, GateTask } from "@/server/gate/link/tasks.ts";
import { plainWire, WireReader } from "@/server/gate/dimse/wire.ts";
import { connect, type OwnCertificates } from "@/server/gate/send/requestor.ts";

/** Characters that delimit an HL7 version 2 message (minimal lower layer protocol, MLLP). */
const START = 0x0b, END = 0x1c, CR = 0x0d;
const ANSWER_MS = 30_000;
const MAX_ANSWER_BYTES = 65_536;

/** Sends one HL7 message and waits for the acknowledgement. */
export async function mllp(
  { host, port, tls, message }: GateTask & { kind: "mllp" },
  own: OwnCertificates | null,
): Promise<GateAnswer> {
  // refused: a message with these characters would end the frame too early
  if ([START, END].some((sign) => message.includes(String.fromCharCode(sign)))) {
    throw new TypeError("Cannot send: a frame's own sign is in the message");
  }
  const connection = await connect(host, port, tls ? own ?? "system" : null);
  const wire = plainWire(connection);
  try {
    const text = new TextEncoder().encode(message), frame = new Uint8Array(text.length + 3);
    frame[0] = START;
    frame.set(text, 1);
    frame.set([END, CR], text.length + 1);
    await wire.write(frame);
    const reader = new WireReader(wire), answer: number[] = [];
    reader.setDeadline(ANSWER_MS);
    for (;;) {
      const byte = (await reader.some(1))[0]!;
      if (byte === END) break;
      if (byte !== START) answer.push(byte);
      if (answer.length > MAX_ANSWER_BYTES) {
        throw new TypeError("Cannot read the acknowledgement: too long");
      }
    }
    return { body: new TextDecoder().decode(Uint8Array.from(answer)) };
  } finally {
    wire.close();
  }
}

/** Opens a connection and closes it without sending any byte. */
export async function reach(
  { host, port, tls }: GateTask & { kind: "connect" },
  own: OwnCertificates | null,
): Promise<GateAnswer> {
  (await connect(host, port, tls ? own ?? "system" : null)).close();
  return { status: 0 };
}
