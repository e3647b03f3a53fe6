import { clientEvent } from "@/model/schema/site/events.ts";
import { EMAILS, hangUp, openSocket, PASSWORD, serveCore } from "@/tests/sites/edge_site.ts";
import { bodyOf } from "@/tests/fuzz/bodies.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";
import { pick, type Target } from "@/tests/fuzz/targets.ts";
import type { Random } from "@/server/commands/demo/phantom/random.ts";
import { until } from "@/tests/sites/until.ts";

const TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9;
const encoder = new TextEncoder();

/** A client's frame (RFC 6455 §5.2), masked with zeros. */
function frame(kind: number, content: Uint8Array): Uint8Array {
  const { length } = content;
  const head = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8 & 255, length & 255];
  return new Uint8Array([0x80 | kind, ...head, 0, 0, 0, 0, ...content.subarray(0, 65_535)]);
}

/** A random frame of a client: an event of the schema or bytes, valid or damaged. */
function madeFrame(random: Random): Uint8Array {
  const text = JSON.stringify(bodyOf(clientEvent, random, 0.3)) ?? "";
  const content = random.uniform() < 0.7
    ? encoder.encode(text)
    : mutate(encoder.encode(text + "x"), random);
  const whole = frame(pick(random, [TEXT, TEXT, TEXT, BINARY, PING, CLOSE, 0, 3, 15]), content);
  return random.uniform() < 0.5 ? whole : mutate(whole, random);
}

/**
 * WebSockets with arbitrary frames, against a site on a free port. After each of them, another
 * socket must still receive its event.
 * @returns the target, and the end of the site.
 */
export async function socketTarget(): Promise<{ target: Target; end: () => Promise<void> }> {
  const site = await serveCore(), { port } = new URL(site.url);
  const login = await fetch(`${site.url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: EMAILS[0], password: PASSWORD }),
  });
  const { access_token } = await login.json(),
    path = "/api/v1/ws",
    authorization = `Bearer ${access_token}`;
  const listening = openSocket(site.url + path, { authorization });
  await listening.opened;
  const hello = encoder.encode(
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      `authorization: ${authorization}\r\n` +
      "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const speak = async (random: Random) => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
    const isDamaged = random.uniform() < 0.1;
    await connection.write(isDamaged ? mutate(hello, random) : hello);
    // a partial request may get no response until the connection is closed
    if (isDamaged) await connection.closeWrite();
    const buffer = new Uint8Array(1024), size = await connection.read(buffer).catch(() => null);
    const status = new TextDecoder().decode(buffer.subarray(0, size ?? 0)).slice(9, 12);
    if (status.startsWith("5") || (status !== "101" && !isDamaged)) {
      throw new Error(`answer ${status}`);
    }
    if (isDamaged) return;
    for (let left = 1 + Math.floor(6 * random.uniform()); left > 0; left--) {
      // the site may have closed the connection already
      const isOpen = await connection.write(madeFrame(random)).then(() => true, () => false);
      if (!isOpen) return;
    }
  };
  const target: Target = async (random) => {
    await speak(random);
    const heard = listening.events.length;
    site.publish({ event: "credit_update" });
    await until(() => listening.events.length > heard);
  };
  const end = async () => {
    await hangUp(listening);
    await site[Symbol.asyncDispose]();
  };
  return { target, end };
}
