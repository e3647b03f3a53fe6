import assert from "node:assert/strict";
import { serveHttp } from "@/server/edge/web/http_server.ts";
import { OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { until } from "@/tests/sites/until.ts";

/** Sent at most, and at most taken before the body is read, bytes. */
const MOST = 200 << 20, MOST_TAKEN = 64 << 20, PIECE = 1 << 18;

for (const tls of [null, OWN]) {
  Deno.test(`a body that is read slowly is taken slowly (${tls ? "TLS" : "plain"})`, async () => {
    const begun = Promise.withResolvers<void>(), mayRead = Promise.withResolvers<void>();
    let read = 0;
    const server = await serveHttp(
      { port: 0, hostname: "127.0.0.1", ...tls ? { tls } : {} },
      async (request) => {
        begun.resolve();
        await mayRead.promise;
        for await (const piece of request.body!) read += piece.length;
        return new Response("read");
      },
    );
    const to = { hostname: "127.0.0.1", port: server.addr.port };
    const connection = tls
      ? await Deno.connectTls({ ...to, caCerts: [tls.ca] })
      : await Deno.connect(to);
    const write = async (bytes: Uint8Array) => {
      for (let done = 0; done < bytes.length;) {
        done += await connection.write(bytes.subarray(done));
      }
    };
    const head = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${MOST}\r\n\r\n`;
    await write(new TextEncoder().encode(head));
    await begun.promise;
    let sent = 0;
    const sending = (async () => {
      for (const piece = new Uint8Array(PIECE); sent < MOST; sent += PIECE) await write(piece);
    })();
    await until(async () => {
      const before = sent;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return sent === before;
    });
    const taken = sent;
    mayRead.resolve();
    await sending;
    await until(() => read === MOST);
    const answer = new Uint8Array(1000), count = await connection.read(answer);
    assert.match(new TextDecoder().decode(answer.subarray(0, count!)), /^HTTP\/1.1 200 /);
    connection.close();
    await server.shutdown();
    assert.ok(taken < MOST_TAKEN, `${taken} bytes were taken`);
  });
}
