import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Exchange, MAX_DISCARDED_BYTES } from "@/server/edge/web/http_exchange.ts";
import { type Refusal, refusalOf } from "@/server/edge/web/refusal.ts";
import { openWebSocket, type SocketOptions } from "@/server/edge/web/web_socket.ts";
import { stopWithReader } from "@/server/wire/tls_backpressure.ts";

/** Limits for the connections of a server; times in ms. */
export interface ConnectionLimits {
  /** maximum number of simultaneous connections; WebSockets have a separate limit */
  connections: number;
  /** time limit for the headers of a request, from a connection's first byte */
  headersMs: number;
  /** time limit for the next chunk of a body, and for sending a chunk of a response */
  stallMs: number;
  /** idle time between two requests of a connection; proxies close idle connections after 60 s */
  idleMs: number;
  /**
   * time limit after a response for discarding the remaining bytes of the request's body
   * the sender may read the response only afterwards
   */
  lingerMs: number;
  /** time limit for the next chunk of a body that is discarded */
  lingerIdleMs: number;
}

/** Additional information for a handler, as from Deno's server. */
export interface RequestInfo {
  remoteAddr: Deno.NetAddr;
  /** opens the WebSocket of an upgrade request; the result must be returned as the response */
  upgrade?: (request: Request, options: SocketOptions) => Deno.WebSocketUpgrade;
}
export type RequestHandler = (request: Request, info: RequestInfo) => Response | Promise<Response>;

/** State of one connection: its requests, which are answered in order. */
interface Turns {
  /** running exchange; `null`: the connection is idle */
  exchange: Exchange | null;
  /** number of requests without a complete response */
  count: number;
  last: Promise<void>;
}
/** Maximum number of pipelined requests on a connection; browsers do not pipeline. */
const MAX_PIPELINED = 16;

/** Responses to errors of node:http's parser; all other errors give 400. */
const REFUSAL_OF_ERROR: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: "too_long",
  ERR_HTTP_REQUEST_TIMEOUT: "too_slow",
};

const placeOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/** Connections of a server: number of connections, and the requests on each. */
export class Connections {
  /** connections before the TLS handshake, by address and port */
  readonly #greeting = new Map<string, Socket>();
  /** all connections, oldest first */
  readonly #turns = new Map<Socket, Turns>();
  /** connections after a request that could not be parsed: later bytes are not parsed */
  readonly #refused = new WeakSet<Socket>();

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly handler: RequestHandler,
  ) {}

  /** Accepts a new connection, or closes it if all connections are in use. */
  add(socket: Socket, isTls: boolean): void {
    closeOnError(socket);
    if (!this.#makeRoom(socket)) return;
    if (!isTls) return this.#follow(socket);
    const place = placeOf(socket);
    this.#greeting.set(place, socket);
    socket.once(
      "close",
      () => this.#greeting.get(place) === socket && this.#greeting.delete(place),
    );
  }

  /** Registers a connection after its TLS handshake. */
  addSecured(socket: Socket): void {
    closeOnError(socket);
    const place = placeOf(socket), under = this.#greeting.get(place);
    this.#greeting.delete(place);
    if (!under) return void socket.destroy();
    stopWithReader(socket, under);
    this.#follow(socket);
  }

  /** Handles a request after all earlier requests on the same connection. */
  answer(message: IncomingMessage, response: ServerResponse): void {
    const { socket } = message, turns = this.#turns.get(socket);
    if (turns === undefined || turns.count >= MAX_PIPELINED) return void socket.destroy();
    turns.count++;
    turns.last = turns.last.then(async () => {
      if (!socket.destroyed) await this.#run(turns, message, response);
      turns.count--;
    });
  }

  /** Handles an upgrade request. @param head First bytes of the new protocol. */
  upgrade(message: IncomingMessage, socket: Socket, head: Uint8Array): void {
    const turns = this.#turns.get(socket);
    // closed: node:http supports one response, and no client asks for an upgrade during one
    if (turns === undefined || turns.count > 0) return void socket.destroy();
    const response = new ServerResponse(message);
    try {
      response.assignSocket(socket);
    } catch {
      // refused, because an earlier upgrade still owns the connection
      return void socket.destroy();
    }
    response.shouldKeepAlive = false;
    response.on("finish", () => this.#closeRead(socket));
    void this.#run(turns, message, response, head);
  }

  /** Answers a request that cannot be parsed or has late headers. @param code Error of node:http. */
  refuse(code: string | undefined, socket: Socket): void {
    if (this.#refused.has(socket) || !socket.writable) return;
    this.#refused.add(socket);
    const exchange = this.#turns.get(socket)?.exchange ?? null;
    // closes without a response: its bytes within another response would be read as that body
    if (exchange?.hasBegun) return void socket.destroy();
    socket.write(refusalOf(REFUSAL_OF_ERROR[code ?? ""] ?? "unreadable"));
    if (exchange === null) this.#closeRead(socket);
    else socket.destroySoon();
  }

  /** Closes connections on which the peer neither sends nor receives. */
  endStalled(): void {
    const nowMs = performance.now();
    for (const { exchange } of this.#turns.values()) exchange?.endIfStalled(nowMs);
  }

  /** Resolves when all running responses have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#turns.values()].map(({ exchange }) => exchange?.ended));
  }

  destroy(): void {
    for (const socket of [...this.#turns.keys(), ...this.#greeting.values()]) socket.destroy();
  }

  /**
   * Ends a connection without a parser, and reads it for a limited time.
   * A connection that is closed with unread bytes is reset, which can remove the last response.
   */
  #closeRead(socket: Socket): void {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), this.limits.lingerIdleMs);
    const before = socket.bytesRead;
    socket.once("close", () => clearTimeout(timer));
    // removes the listeners of the HTTP parser
    socket.removeAllListeners("data");
    socket.on("data", () => {
      if (socket.bytesRead - before > MAX_DISCARDED_BYTES) socket.destroy();
    });
    socket.resume();
  }

  #follow(socket: Socket): void {
    this.#turns.set(socket, { exchange: null, count: 0, last: Promise.resolve() });
    socket.once("close", () => this.#turns.delete(socket));
  }

  /**
   * Closes the oldest idle connection, or else the oldest connection that is already answered.
   * Neither of these connections may block new callers.
   */
  #makeRoom(socket: Socket): boolean {
    if (this.#turns.size + this.#greeting.size < this.limits.connections) return true;
    const turns = [...this.#turns];
    const idle = turns.find(([, { exchange }]) => exchange === null)?.[0] ??
      this.#greeting.values().next().value ??
      turns.find(([, { exchange }]) => exchange?.isDiscarding)?.[0];
    (idle ?? socket).destroy();
    if (idle !== undefined) this.#turns.delete(idle);
    return idle !== undefined;
  }

  async #run(turns: Turns, message: IncomingMessage, response: ServerResponse, head?: Uint8Array) {
    const { socket } = message, { remoteAddress, remotePort } = socket;
    const exchange = turns.exchange = new Exchange(message, response, this.limits);
    const info: RequestInfo = {
      remoteAddr: { transport: "tcp", hostname: remoteAddress ?? "", port: remotePort ?? 0 },
    };
    if (head !== undefined) {
      info.upgrade = (_request, options) =>
        openWebSocket(message, socket, head, options, () => response.detachSocket(socket));
    }
    await exchange.run((request) => this.handler(request, info));
    turns.exchange = null;
    // not counted: WebSockets have a separate limit
    if (exchange.isUpgraded) this.#turns.delete(socket);
  }
}

/**
 * Closes a connection after an error. An "error" event without a listener ends the process,
 * and node:http removes its listener from an upgraded connection.
 */
const closeOnError = (socket: Socket) => socket.on("error", () => socket.destroy());
