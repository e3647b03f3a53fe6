// covers: S-100
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { RequestHandler } from "@/server/edge/web/connections.ts";
import { serveHttp } from "@/server/edge/web/http_server.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";

const ROUNDS = 100, SEED = 20261127;
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
/** A masked text frame of two letters, and the beginning of a frame of 1 GB. */
const FRAME = "\x81\x82\x01\x02\x03\x04ik", HUGE_FRAME = "\x82\xff\x00\x00\x00\x00\x40\x00\x00\x00";
const REQUESTS = [
  "",
  "GET / HT",
  "GET /late HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /throw HTTP/1.1\r\nHost: x\r\n\r\n",
  "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc",
  "POST /late HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
  "GET /late HTTP/1.1\r\nHost: x\r\n\r\nGET /late HTTP/1.1\r\nHost: x\r\n\r\n",
  ...["/", "/late", "/stream", "/throw", "/socket", "/late-socket"].map((path) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${UPGRADE}`
  ),
  `GET /socket HTTP/1.1\r\nHost: x\r\n${UPGRADE}${FRAME}`,
  `GET /socket HTTP/1.1\r\nHost: x\r\n${UPGRADE}${HUGE_FRAME}`,
  `GET /chatty HTTP/1.1\r\nHost: x\r\n${UPGRADE}`,
  // a handshake without its key
  "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
  "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const handler: RequestHandler = async (request, { upgrade }) => {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/late")) await pause(10);
  if (pathname === "/throw") throw new Error("A handler that fails");
  if (pathname === "/read") await request.text();
  if (pathname === "/stream") {
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await pause(1);
          controller.enqueue(new Uint8Array(100_000));
        },
      }),
    );
  }
  if (upgrade && /socket|chatty/.test(pathname)) {
    const { socket, response } = upgrade(request, { idleTimeout: 1 });
    socket.onerror = () => {};
    if (pathname === "/chatty") {
      socket.onopen = () => {
        const timer = setInterval(() => {
          if (socket.readyState === WebSocket.OPEN) socket.send("x".repeat(10_000));
          else clearInterval(timer);
        }, 1);
      };
    }
    return response;
  }
  return new Response("ok");
};

/** Numbers in [0, 1) from a seed (Park and Miller 1988). */
function randomNumbers(seed: number) {
  let state = seed % 2147483647;
  return () => (state = state * 48271 % 2147483647) / 2147483647;
}

/** One connection that sends a text and is reset after a delay, over TLS or below it. */
function resetAfter(port: number, text: string, delayMs: number, isTls: boolean): Promise<void> {
  return new Promise((resolve) => {
    const tcp: Socket = connect(port, "127.0.0.1", () => {
      if (!isTls) tcp.write(text, "latin1");
      setTimeout(() => tcp.resetAndDestroy(), delayMs);
    });
    tcp.on("error", () => {}).on("close", () => resolve());
    if (isTls) {
      const secure = connectTls({ socket: tcp, rejectUnauthorized: false });
      secure.on("error", () => {}).on("secureConnect", () => secure.write(text, "latin1"));
    }
  });
}

for (const isTls of [false, true]) {
  Deno.test(`serveHttp() survives a reset in every phase of a connection${isTls ? ", over TLS" : ""}`, async () => {
    const random = randomNumbers(SEED);
    const server = await serveHttp(
      { port: 0, hostname: "127.0.0.1", tls: isTls ? { cert: CERTIFICATE, key: KEY } : null },
      handler,
    );
    const { port } = server.addr;
    for (let round = 0; round < ROUNDS; round++) {
      const tries = Array.from({ length: 8 }, () => {
        const text = REQUESTS[Math.floor(random() * REQUESTS.length)]!;
        return resetAfter(port, text, Math.floor(random() * 25), isTls && random() < 0.9);
      });
      await Promise.all(tries);
    }
    const client = Deno.createHttpClient({ caCerts: [CERTIFICATE] });
    const answer = await fetch(`http${isTls ? "s" : ""}://127.0.0.1:${port}/`, { client });
    assert.equal(await answer.text(), "ok");
    client.close();
    await server.shutdown();
  });
}
