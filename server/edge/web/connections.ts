import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Exchange } from "@/server/edge/web/http_exchange.ts";
import { openWebSocket } from "@/server/edge/web/web_socket.ts";

/** Bounds of the connections of a server; times in ms. */
export interface ConnectionLimits {
  /** at the same time, without sockets of pages, which are counted where they are opened */
  connections: number;
  /** for the headers of a request, from the first byte of a connection on */
  headersMs: number;
  /** for a part of a body to come, and for a part of an answer to be taken */
  stallMs: number;
  /** between two requests of a connection; proxies in front end theirs after 60 s */
  idleMs: number;
  /**
   * after an answer, for the part of a body that is not read: its sender may still want to read the
   * answer
   */
  lingerMs: number;
}

/** Information for a handler beside the request, as from Deno's own server. */
export interface RequestInfo {
  remoteAddr: Deno.NetAddr;
  /** of a request that asks for a socket: opens it. The response is only to be handed back. */
  upgrade?: (request: Request, options: Deno.UpgradeWebSocketOptions) => Deno.WebSocketUpgrade;
}
export type RequestHandler = (request: Request, info: RequestInfo) => Response | Promise<Response>;

/** The requests of a connection, which are answered one after the other. */
interface Turns {
  /** under way; `null`: the connection waits for a request */
  exchange: Exchange | null;
  /** requests without a complete answer */
  count: number;
  last: Promise<void>;
}
/** Requests that a connection may send ahead of their answers; browsers send none. */
const MAX_PIPELINED = 16;

const placeOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/** The connections of a server: their number, and the requests on each. */
export class Connections {
  /** those before their TLS handshake, by address and port */
  readonly #greeting = new Map<string, Socket>();
  /** by age */
  readonly #turns = new Map<Socket, Turns>();

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly handler: RequestHandler,
  ) {}

  /** Takes a new connection, or ends it when all others are in use. */
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

  /** A connection after its TLS handshake. */
  addSecured(socket: Socket): void {
    closeOnError(socket);
    this.#greeting.delete(placeOf(socket));
    this.#follow(socket);
  }

  /** Answers a request when those before it on its connection have been answered. */
  answer(message: IncomingMessage, response: ServerResponse): void {
    const { socket } = message, turns = this.#turns.get(socket);
    if (turns === undefined || turns.count >= MAX_PIPELINED) return void socket.destroy();
    turns.count++;
    turns.last = turns.last.then(async () => {
      if (!socket.destroyed) await this.#run(turns, message, response);
      turns.count--;
    });
  }

  /**
   * Answers a request for another protocol. @param head Bytes of that protocol that came with it.
   */
  upgrade(message: IncomingMessage, socket: Socket, head: Uint8Array): void {
    const turns = this.#turns.get(socket);
    // no client asks while an answer is under way, and node:http cannot put a second one on the
    // connection
    if (turns === undefined || turns.count > 0) return void socket.destroy();
    const response = new ServerResponse(message);
    try {
      response.assignSocket(socket);
    } catch {
      // the answer before it, to another upgrade, has not let the connection go
      return void socket.destroy();
    }
    response.shouldKeepAlive = false;
    response.on("finish", () => socket.end());
    void this.#run(turns, message, response, head);
  }

  /** Ends connections with a peer that neither sends nor takes anything. */
  endStalled(): void {
    const nowMs = performance.now();
    for (const { exchange } of this.#turns.values()) exchange?.endIfStalled(nowMs);
  }

  /** Resolves when the answers under way have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#turns.values()].map(({ exchange }) => exchange?.ended));
  }

  destroy(): void {
    for (const socket of [...this.#turns.keys(), ...this.#greeting.values()]) socket.destroy();
  }

  #follow(socket: Socket): void {
    this.#turns.set(socket, { exchange: null, count: 0, last: Promise.resolve() });
    socket.once("close", () => this.#turns.delete(socket));
  }

  /** The oldest without a request gives way, so that connections alone keep no caller out. */
  #makeRoom(socket: Socket): boolean {
    if (this.#turns.size + this.#greeting.size < this.limits.connections) return true;
    const idle = [...this.#turns].find(([, { exchange }]) => exchange === null)?.[0] ??
      this.#greeting.values().next().value;
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
      info.upgrade = (_request, { idleTimeout = 0 }) =>
        openWebSocket(message, socket, head, idleTimeout, () => response.detachSocket(socket));
    }
    await exchange.run((request) => this.handler(request, info));
    turns.exchange = null;
    // the site counts its sockets by itself
    if (exchange.isUpgraded) this.#turns.delete(socket);
  }
}

/**
 * node:http removes its own error listener from a connection that asks for another protocol, and an
 * "error" event without a listener ends the process. This one stays from the first byte to the
 * last.
 */
const closeOnError = (socket: Socket) => socket.on("error", () => socket.destroy());
