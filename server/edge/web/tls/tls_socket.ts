/// <reference path="../ws.d.ts" />
// Deno hands over connections to a WebSocket only when they are TCP: those that TLS stands between go through ws.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";

/** Messages of browsers and edges are short. */
const MAX_MESSAGE_BYTES = 1 << 20;
const acceptor = new WebSocketServer({
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  perMessageDeflate: false,
});

/**
 * Opens a WebSocket on a connection behind TLS, as `Deno.upgradeWebSocket` does on one without. A side that does not
 * answer pings is cut off.
 * @param idleS Seconds after which silence is asked about, and after as many again cut off.
 * @throws {TypeError} for half a handshake, which has been answered.
 */
export function openTlsSocket(
  message: IncomingMessage,
  connection: Duplex,
  head: Uint8Array,
  idleS: number,
): Deno.WebSocketUpgrade {
  const opened: Deno.WebSocketUpgrade[] = [];
  acceptor.handleUpgrade(message, connection, head, (socket) => {
    let isSilent = false;
    socket.on("pong", () => isSilent = false);
    const beat = setInterval(() => {
      if (isSilent) return socket.terminate();
      isSilent = true;
      socket.ping();
    }, idleS * 1000);
    Deno.unrefTimer(beat as unknown as number);
    socket.once("close", () => clearInterval(beat));
    // it is open already, and whoever gets it listens from the next moment on
    queueMicrotask(() => socket.emit("open"));
    opened.push({ socket, response: new Response(null, { status: 101 }) });
  });
  if (opened[0] === undefined) throw new TypeError("The handshake is not whole");
  return opened[0];
}
