// HTTP on a port. Deno's own server bounds neither how long a request may take to come nor how many connections there
// are: node:http does, and is given the site's one function here.
import { createServer, type IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { CoalescedRequest } from "@/server/edge/web/coalesced_request.ts";
import { Exchange } from "@/server/edge/web/http_exchange.ts";
import { noteUnhandled } from "@/server/wire/unhandled_errors.ts";
import { openWebSocket } from "@/server/edge/web/web_socket.ts";
import type { TlsPair } from "@/server/edge/web/tls/tls_files.ts";

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
  /** after an answer, for the part of a body that is not read: its sender may still want to read the answer */
  lingerMs: number;
}
export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 4000,
  headersMs: 15_000,
  stallMs: 30_000,
  idleMs: 75_000,
  lingerMs: 5_000,
};
/** Addresses with a page of study numbers are long, and so are some cookies of a hospital's network. */
const MAX_HEADER_BYTES = 32 << 10;
const CHECKS_PER_LIMIT = 5, MIN_CHECK_INTERVAL_MS = 100;

/** What a handler gets beside the request, as from Deno's own server. */
export interface RequestInfo {
  remoteAddr: Deno.NetAddr;
  /** of a request that asks for a socket: opens it. The response is only to be handed back. */
  upgrade?: (request: Request, options: Deno.UpgradeWebSocketOptions) => Deno.WebSocketUpgrade;
}
export type RequestHandler = (request: Request, info: RequestInfo) => Response | Promise<Response>;

export interface HttpServer {
  addr: Deno.NetAddr;
  /** Of a server behind TLS: connections from now on get this certificate, those that are there go on. */
  renew(pair: TlsPair): void;
  /** Listens no longer, waits for the answers under way, and ends every connection. */
  shutdown(): Promise<void>;
}

/** The requests of a connection, which are answered one after the other. */
interface Turns {
  /** under way; `null`: the connection waits for a request */
  exchange: Exchange | null;
  /** requests whose answers have not ended */
  count: number;
  last: Promise<void>;
}
/** Requests that a connection may send ahead of their answers; browsers send none. */
const MAX_PIPELINED = 16;

/** TLS 1.0 and 1.1 are deprecated (RFC 8996). */
const MIN_TLS = "TLSv1.2";

/**
 * Serves a handler on a port, HTTP/1.1, with a certificate over TLS 1.2 or newer.
 * @throws Error with the system's `code`, such as `EADDRINUSE`, when it cannot listen.
 */
export async function serveHttp(
  options: { port: number; hostname: string; limits?: ConnectionLimits; tls?: TlsPair | null },
  handler: RequestHandler,
): Promise<HttpServer> {
  const limits = options.limits ?? CONNECTION_LIMITS, tls = options.tls ?? null;
  const settings = {
    headersTimeout: limits.headersMs,
    // an upload goes on as long as bytes come
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.max(MIN_CHECK_INTERVAL_MS, limits.headersMs / CHECKS_PER_LIMIT),
    maxHeaderSize: MAX_HEADER_BYTES,
    IncomingMessage: CoalescedRequest,
  };
  const secure = tls &&
    createTlsServer({ ...settings, ...tls, minVersion: MIN_TLS, handshakeTimeout: limits.headersMs });
  const server = secure ?? createServer(settings);
  /** connections whose TLS has not begun, by address and port */
  const greeting = new Map<string, Socket>();
  /** connections by age */
  const connections = new Map<Socket, Turns>();
  const run = async (turns: Turns, message: IncomingMessage, response: ServerResponse, head?: Uint8Array) => {
    const { socket } = message, { remoteAddress, remotePort } = socket;
    const exchange = turns.exchange = new Exchange(message, response, limits);
    const info: RequestInfo = {
      remoteAddr: { transport: "tcp", hostname: remoteAddress ?? "", port: remotePort ?? 0 },
    };
    if (head !== undefined) {
      info.upgrade = (_request, { idleTimeout = 0 }) =>
        openWebSocket(message, socket, head, idleTimeout, () => response.detachSocket(socket));
    }
    await exchange.run((request) => handler(request, info));
    turns.exchange = null;
    // the site counts its sockets by itself
    if (exchange.isUpgraded) connections.delete(socket);
  };
  server.on("request", (message, response) => {
    const { socket } = message, turns = connections.get(socket);
    if (turns === undefined || turns.count >= MAX_PIPELINED) return void socket.destroy();
    turns.count++;
    turns.last = turns.last.then(async () => {
      if (!socket.destroyed) await run(turns, message, response);
      turns.count--;
    });
  });
  server.on("upgrade", (message, socket: Socket, head) => {
    const turns = connections.get(socket);
    // an answer is under way on the connection: there is no client that asks so
    if (turns === undefined || turns.count > 0) return void socket.destroy();
    const response = new ServerResponse(message);
    response.assignSocket(socket);
    // what came with it belongs to the other protocol
    response.shouldKeepAlive = false;
    response.on("finish", () => socket.end());
    void run(turns, message, response, head);
  });
  const isAdmitted = (socket: Socket): boolean => {
    if (connections.size + greeting.size < limits.connections) return true;
    // the oldest without a request gives way, so that connections alone keep no caller out
    const idle = [...connections].find(([, { exchange }]) => exchange === null)?.[0] ??
      greeting.values().next().value;
    (idle ?? socket).destroy();
    if (idle !== undefined) connections.delete(idle);
    return idle !== undefined;
  };
  const placeOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  const add = (socket: Socket) => {
    connections.set(socket, { exchange: null, count: 0, last: Promise.resolve() });
    socket.once("close", () => connections.delete(socket));
  };
  /**
   * node:http removes its own error listener from a connection that asks for another protocol, and an "error" event
   * without a listener ends the process. This one stays from the first byte to the last.
   */
  const closeOnError = (socket: Socket) => socket.on("error", () => socket.destroy());
  server.on("connection", (socket: Socket) => {
    closeOnError(socket);
    if (!isAdmitted(socket)) return;
    if (secure === null) return add(socket);
    const place = placeOf(socket);
    greeting.set(place, socket);
    socket.once("close", () => greeting.get(place) === socket && greeting.delete(place));
  });
  secure?.on("secureConnection", (socket: Socket) => {
    closeOnError(socket);
    greeting.delete(placeOf(socket));
    add(socket);
  });
  // TLS itself has answered a handshake that failed
  secure?.on("tlsClientError", (_, socket: Socket) => void socket.destroy());
  const watch = setInterval(() => {
    const now = performance.now();
    for (const { exchange } of connections.values()) exchange?.endIfStalled(now);
  }, Math.max(MIN_CHECK_INTERVAL_MS, Math.min(limits.stallMs, limits.lingerMs) / CHECKS_PER_LIMIT));

  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject).once("listening", listening.resolve);
  server.listen(options.port, options.hostname);
  try {
    await listening.promise;
  } catch (error) {
    clearInterval(watch);
    throw error;
  }
  // such as no free file descriptor: the connection is lost, the server goes on
  server.on("error", noteUnhandled);
  const { address, port } = server.address() as AddressInfo;
  return {
    addr: { transport: "tcp", hostname: address, port },
    renew: (pair) => secure?.setSecureContext({ ...pair, minVersion: MIN_TLS }),
    async shutdown() {
      server.close();
      await Promise.all([...connections.values()].map(({ exchange }) => exchange?.ended));
      clearInterval(watch);
      for (const socket of [...connections.keys(), ...greeting.values()]) socket.destroy();
    },
  };
}
