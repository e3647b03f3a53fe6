import assert from "node:assert/strict";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { serveHttp } from "@/server/edge/web/http_server.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { until } from "@/tests/sites/until.ts";

for (const isTls of [false, true]) {
  Deno.test(`openWebSocket() closes a socket that sends more messages than a page${isTls ? ", over TLS" : ""}`, async () => {
    let received = 0;
    const server = await serveHttp(
      { port: 0, hostname: "127.0.0.1", tls: isTls ? { cert: CERTIFICATE, key: KEY } : null },
      (request, { upgrade }) => {
        const { socket, response } = upgrade!(request, { idleTimeout: 30 });
        socket.onmessage = () => void (socket.readyState === WebSocket.OPEN && received++);
        return response;
      },
    );
    // text messages, pings and pongs of one byte
    for (const head of [0x81, 0x89, 0x8a]) {
      const to = { port: server.addr.port, host: "127.0.0.1", rejectUnauthorized: false };
      const line = isTls ? connectTls(to) : connect(to);
      let isOpen = true, heard = "";
      line.on("error", () => {}).on("close", () => isOpen = false);
      line.on("data", (bytes) => heard += bytes.toString("latin1"));
      line.write(
        "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
          "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      );
      await until(() => heard.includes(" 101 "));
      for (let n = 0; isOpen && n < 5000; n++) {
        line.write(Uint8Array.of(head, 0x81, 0, 0, 0, 0, 49));
      }
      await until(() => !isOpen);
      if (head === 0x81) assert.ok(heard.includes("\x03\xf0too many messages"));
    }
    assert.ok(received <= 100, `${received} messages were handled`);
    await server.shutdown();
  });
}

/** First line of the answer to a handshake that asks for these protocols. */
async function answerTo(port: number, protocols: string): Promise<string> {
  const line = connect(port, "127.0.0.1"), answer = Promise.withResolvers<string>();
  line.on("error", () => {}).once("data", (bytes) => answer.resolve(bytes.toString("latin1")));
  line.write(
    "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
      `sec-websocket-protocol: ${protocols}\r\n` +
      "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [first] = (await answer.promise).split("\r\n");
  line.destroy();
  return first!;
}

Deno.test("openWebSocket() reads the names of protocols in linear time", async () => {
  const server = await serveHttp({ port: 0, hostname: "127.0.0.1" }, (request, { upgrade }) => {
    try {
      return upgrade!(request, {}).response;
    } catch {
      return new Response("no", { status: 400 });
    }
  });
  const { port } = server.addr, blanks = " ".repeat(30_000), startMs = performance.now();
  for (const bad of [`a${blanks}b`, "a,,b", "a,a", "a , a", "a b", ","]) {
    assert.match(await answerTo(port, bad), /^HTTP\/1.1 400 /, bad.slice(0, 9));
  }
  for (const good of ["a", "a , b", `a,${blanks}b`]) {
    assert.match(await answerTo(port, good), /^HTTP\/1.1 101 /, good.slice(0, 9));
  }
  assert.ok(performance.now() - startMs < 5000);
  await server.shutdown();
});
