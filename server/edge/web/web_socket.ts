/// <reference path="../../wire/ws.d.ts" />
// WebSockets of browsers, programs and edges, over plain connections and TLS, by the package ws.
// Deno's own upgrade accepts messages of 64 MB, and only plain connections.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";

/** Maximum message size: browsers and edges send at most a token. */
const MAX_MESSAGE_BYTES = 64 << 10;
/** Maximum fragments per message, and packets per frame, because each costs more than its bytes. */
const MAX_FRAGMENTS = 64, MAX_PACKETS = 512;
/**
 * Maximum messages, pings and unrequested pongs per window, because the site looks up the token of
 * each message. A page sends one message in 15 minutes, when its token was renewed, and none while
 * its viewer is used: all 50 sockets of a session together send 50.
 */
const MAX_MESSAGES = 100, WINDOW_MS = 10_000;
/** Time limit for the other side to answer a close frame, ms. */
const CLOSE_MS = 5000;
/** Time for the other side to read the close reason before the connection is cut, ms. */
const CUT_MS = 1000;
const acceptor = new WebSocketServer({
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_PACKETS,
  closeTimeout: CLOSE_MS,
  perMessageDeflate: false,
});

/** Counts messages by owner in windows of time. */
export class MessageBudget<Owner = undefined> {
  readonly #used = new Map<Owner, { count: number; sinceMs: number }>();

  /** @param nowMs Monotonic clock, ms. */
  constructor(
    private readonly messages = MAX_MESSAGES,
    private readonly windowMs = WINDOW_MS,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Counts a message. @returns `false` if the owner has sent too many, so that it is refused. */
  take(owner: Owner): boolean {
    const used = this.#current(owner);
    used.count++;
    return used.count <= this.messages;
  }

  /** Time until an owner may send the next message, s; 0: at once. */
  secondsUntilRoom(owner: Owner): number {
    const { count, sinceMs } = this.#current(owner);
    if (count < this.messages) return 0;
    return Math.max(1, Math.ceil((sinceMs + this.windowMs - this.nowMs()) / 1000));
  }

  #current(owner: Owner): { count: number; sinceMs: number } {
    const used = this.#used.get(owner), nowMs = this.nowMs();
    if (used && nowMs - used.sinceMs <= this.windowMs) return used;
    const begun = { count: 0, sinceMs: nowMs };
    this.#used.set(owner, begun);
    return begun;
  }
}

/** Options of a socket that is opened. */
export interface SocketOptions {
  /** idle seconds before a ping, and again before disconnection; 0: never */
  idleTimeout?: number;
  /** counts a message, ping or unrequested pong; `false` refuses it and closes the socket */
  mayReceive?: () => boolean;
}

/** Pattern of Sec-WebSocket-Key, RFC 6455 §4.1: 16 bytes in base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const PROTOCOL = /^[\t ]*[\w!#$%&'*+.^`|~-]+[\t ]*$/;

/**
 * Whether the package ws would accept a handshake (RFC 6455 §4.2.1).
 * The site itself responds to an invalid handshake.
 */
function isWhole({ method, headers }: IncomingMessage, { readable, writable }: Duplex): boolean {
  const protocols = headers["sec-websocket-protocol"]?.split(",") ?? [];
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" &&
    KEY.test(headers["sec-websocket-key"] ?? "") && headers["sec-websocket-version"] === "13" &&
    protocols.every((protocol) => PROTOCOL.test(protocol)) &&
    new Set(protocols.map((protocol) => protocol.trim())).size === protocols.length && readable &&
    writable;
}

/**
 * Opens a WebSocket on a connection, like `Deno.upgradeWebSocket`. A peer that does not answer
 * pings is disconnected. A too long message, an invalid frame, or more messages than a page sends
 * close the socket with the code of RFC 6455 §7.4.1.
 * @param release Called before any byte is written: node:http then releases the connection.
 * @throws {TypeError} for an invalid handshake, before any byte is written.
 */
export function openWebSocket(
  message: IncomingMessage,
  connection: Duplex,
  head: Uint8Array,
  options: SocketOptions,
  release: () => void,
): Deno.WebSocketUpgrade {
  if (!isWhole(message, connection)) throw new TypeError("The handshake is not whole");
  release();
  const opened: Deno.WebSocketUpgrade[] = [];
  acceptor.handleUpgrade(message, connection, head, (socket) => {
    // an "error" event without a listener ends the process
    socket.on("error", () => cutUnread(socket, connection));
    limitMessages(socket, connection, options);
    // emitted later: the socket is already open, but the caller sets its listeners after this call
    queueMicrotask(() => socket.emit("open"));
    opened.push({ socket, response: new Response(null, { status: 101 }) });
  });
  if (opened[0] === undefined) throw new TypeError("The handshake was refused");
  return opened[0];
}

/** Pings an idle socket, and closes a silent one and one that sends too many messages. */
function limitMessages(
  socket: import("ws").WebSocket,
  connection: Duplex,
  { idleTimeout = 0, mayReceive = ownBudget() }: SocketOptions,
): void {
  let isSilent = false, isRefused = false;
  const take = () => {
    if (isRefused || mayReceive()) return;
    isRefused = true;
    socket.close(1008, "too many messages");
    // at once: timers wait while bytes arrive
    socket.pause();
    cutUnread(socket, connection);
  };
  // added before the listeners of the caller, which find a socket that is closed already
  socket.on("message", take).on("ping", take).on("pong", () => {
    if (isSilent) isSilent = false;
    else take();
  });
  if (idleTimeout === 0) return;
  const beat = setInterval(() => {
    if (isSilent) return socket.terminate();
    isSilent = true;
    socket.ping();
  }, idleTimeout * 1000);
  Deno.unrefTimer(beat as unknown as number);
  socket.once("close", () => clearInterval(beat));
}

/** A budget for one socket alone, as of an edge. */
function ownBudget(): () => boolean {
  const budget = new MessageBudget();
  return () => budget.take(undefined);
}

/**
 * Closes the connection of a peer that violated the protocol, without reading further bytes.
 * ws would read and discard all bytes until the close: 30 MB on each of 50 sockets.
 */
function cutUnread(socket: import("ws").WebSocket, connection: Duplex): void {
  // stops ws, which would continue reading at the next tick
  setTimeout(() => connection.pause(), 0);
  const cut = setTimeout(() => socket.terminate(), CUT_MS);
  socket.once("close", () => clearTimeout(cut));
}
