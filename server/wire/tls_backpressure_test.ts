import assert from "node:assert/strict";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:tls";
import { stopWithReader } from "@/server/wire/tls_backpressure.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { until } from "@/tests/sites/until.ts";

/** Sent in all, and at most taken from the network by a socket that is paused, bytes. */
const SENT = 64 << 20, MAX_TAKEN = 1 << 20;

Deno.test("stopWithReader(): a paused TLS socket takes nothing, and all bytes after it goes on", async () => {
  const server = createServer({ cert: CERTIFICATE, key: KEY });
  const opened = Promise.withResolvers<{ socket: Socket; under: Socket }>();
  let under: Socket;
  server.on("connection", (socket: Socket) => under = socket);
  server.on("secureConnection", (socket) => {
    stopWithReader(socket, under);
    opened.resolve({ socket, under });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  client.write(new Uint8Array(SENT));
  const { socket, under: line } = await opened.promise;
  let read = 0;
  socket.on("data", ({ length }: Uint8Array) => read += length);
  for (const share of [0.1, 0.5]) {
    await until(() => read > share * SENT);
    socket.pause();
    const before = line.bytesRead;
    await new Promise((resolve) => setTimeout(resolve, 500));
    const taken = line.bytesRead - before;
    assert.ok(taken < MAX_TAKEN, `${taken} bytes were taken by a paused socket`);
    socket.resume();
  }
  await until(() => read === SENT);
  // an end is noticed as well
  const ended = new Promise((resolve) => socket.once("end", resolve));
  client.end();
  await ended;
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
