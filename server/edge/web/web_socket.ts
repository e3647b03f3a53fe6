/// <reference path="./ws.d.ts" />
// WebSockets of browsers, programs and edges, on plain connections and behind TLS. Deno's own
// upgrade takes messages of 64 MB and plain connections alone; ws bounds the unfinished part of a
// message.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";

/** Bytes of a message: browsers and edges send a token at most. */
const MAX_MESSAGE_BYTES = 64 << 10;
/** Fragments of a message, and packets of a frame: each costs more than the bytes in it. */
const MAX_FRAGMENTS = 64, MAX_PACKETS = 512;
/** Time for the other side to answer the end of a socket, ms. */
const CLOSE_MS = 5000;
/** Time for the other side to read why a socket ended, after which its connection is cut, ms. */
const CUT_MS = 1000;
const acceptor = new WebSocketServer({
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_PACKETS,
  closeTimeout: CLOSE_MS,
  perMessageDeflate: false,
});
/** RFC 6455 §4.1: 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const PROTOCOLS = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Whether ws would accept a handshake (RFC 6455 §4.2.1); an invalid one is answered by the site
 * itself.
 */
function isWhole({ method, headers }: IncomingMessage, { readable, writable }: Duplex): boolean {
  const protocols = headers["sec-websocket-protocol"]?.split(/ *, */) ?? [];
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" &&
    KEY.test(headers["sec-websocket-key"] ?? "") && headers["sec-websocket-version"] === "13" &&
    (protocols.length === 0 || PROTOCOLS.test(protocols.join(","))) &&
    new Set(protocols).size === protocols.length && readable && writable;
}

/**
 * Opens a WebSocket on a connection, as `Deno.upgradeWebSocket` does. A side that does not answer
 * pings is cut off; a message that is too long, or no frame, ends the socket with the code of RFC
 * 6455 §7.4.1.
 * @param idleS Seconds after which silence is answered by a ping, and after as many again by the
 *   end; 0: never.
 * @param release Called before anything is written to the connection: node:http lets go of it.
 * @throws {TypeError} for an invalid handshake; nothing is written and released then.
 */
export function openWebSocket(
  message: IncomingMessage,
  connection: Duplex,
  head: Uint8Array,
  idleS: number,
  release: () => void,
): Deno.WebSocketUpgrade {
  if (!isWhole(message, connection)) throw new TypeError("The handshake is not whole");
  release();
  const opened: Deno.WebSocketUpgrade[] = [];
  acceptor.handleUpgrade(message, connection, head, (socket) => {
    // an "error" event without a listener ends the process
    socket.on("error", () => cutUnread(socket, connection));
    if (idleS > 0) cutWhenSilent(socket, idleS);
    // it is open already, and the caller sets its listeners after this call
    queueMicrotask(() => socket.emit("open"));
    opened.push({ socket, response: new Response(null, { status: 101 }) });
  });
  if (opened[0] === undefined) throw new TypeError("The handshake was refused");
  return opened[0];
}

/**
 * Ends the connection of a side that broke the protocol without reading on. ws reads and drops all
 * that comes until the socket is closed: 30 MB of each of 50 sockets made 300 MB of garbage.
 */
function cutUnread(socket: import("ws").WebSocket, connection: Duplex): void {
  // ws reads on at the next tick
  setTimeout(() => connection.pause(), 0);
  const cut = setTimeout(() => socket.terminate(), CUT_MS);
  socket.once("close", () => clearTimeout(cut));
}

function cutWhenSilent(socket: import("ws").WebSocket, idleS: number): void {
  let isSilent = false;
  socket.on("pong", () => isSilent = false);
  const beat = setInterval(() => {
    if (isSilent) return socket.terminate();
    isSilent = true;
    socket.ping();
  }, idleS * 1000);
  Deno.unrefTimer(beat as unknown as number);
  socket.once("close", () => clearInterval(beat));
}
