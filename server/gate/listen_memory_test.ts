import assert from "node:assert/strict";
import { listen } from "@/server/gate/listen.ts";
import type { Wire } from "@/server/gate/dimse/wire.ts";
import { OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { until } from "@/tests/sites/until.ts";

/** Sent at most, and at most taken before anything is read, bytes. */
const MOST = 200 << 20, MOST_TAKEN = 64 << 20, PIECE = 1 << 18;

for (const own of [null, OWN]) {
  Deno.test(`a sender that is faster than its reader waits (${own ? "TLS" : "plain"})`, async () => {
    const served = Promise.withResolvers<Wire>();
    const listening = await listen("127.0.0.1", 0, own, served.resolve);
    const to = { hostname: "127.0.0.1", port: listening.port };
    const connection = own
      ? await Deno.connectTls({ ...to, caCerts: [own.ca], cert: own.cert, key: own.key })
      : await Deno.connect(to);
    let sent = 0, isOver = false;
    const piece = new Uint8Array(PIECE).map((_, at) => at % 251);
    const sending = (async () => {
      while (!isOver && sent < MOST) {
        for (let done = 0; done < PIECE;) {
          done += await connection.write(piece.subarray(done));
        }
        sent += PIECE;
      }
    })();
    const wire = await served.promise;
    await until(async () => {
      const before = sent;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return sent === before;
    });
    assert.ok(sent < MOST_TAKEN, `${sent} bytes were taken`);
    isOver = true;
    // all arrive in order once they are read
    let read = 0, isEqual = true, isSent = false;
    void sending.then(() => isSent = true);
    while (!isSent || read < sent) {
      const bytes = (await wire.read())!;
      for (let at = 0; at < bytes.length; at += 101) {
        isEqual &&= bytes[at] === ((read + at) % PIECE) % 251;
      }
      read += bytes.length;
    }
    assert.deepEqual([read, isEqual], [sent, true]);
    connection.close();
    wire.close();
    listening.close();
  });
}
