// HTTP server on a port, by node:http, which calls the site's function.
// Deno's own server limits neither the duration of requests nor the number of connections.
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { CoalescedRequest } from "@/server/edge/web/coalesced_request.ts";
import {
  type ConnectionLimits,
  Connections,
  type RequestHandler,
} from "@/server/edge/web/connections.ts";
import { noteUnhandled } from "@/server/wire/unhandled_errors.ts";
import type { TlsPair } from "@/server/edge/web/tls/tls_files.ts";

export const CONNECTION_LIMITS: ConnectionLimits = {
  connections: 4000,
  headersMs: 15_000,
  stallMs: 30_000,
  idleMs: 75_000,
  lingerMs: 30_000,
  lingerIdleMs: 5_000,
};
/**
 * Maximum header size: addresses with many study numbers are long.
 * Cookies of some hospital networks are long too.
 */
const MAX_HEADER_BYTES = 32 << 10;
const CHECKS_PER_LIMIT = 5, MIN_CHECK_INTERVAL_MS = 100;

export interface HttpServer {
  addr: Deno.NetAddr;
  /** Replaces the TLS certificate for new connections; existing connections are not affected. */
  renew(pair: TlsPair): void;
  /** Stops listening, waits for running responses, and closes all connections. */
  shutdown(): Promise<void>;
}

/** Minimum TLS version: TLS 1.0 and 1.1 are deprecated (RFC 8996). */
const MIN_TLS = "TLSv1.2";

/**
 * Serves a handler on a port, HTTP/1.1, with a certificate over TLS 1.2 or newer.
 * @throws Error with the system's `code`, such as `EADDRINUSE`, if the port cannot be used.
 */
export async function serveHttp(
  options: { port: number; hostname: string; limits?: ConnectionLimits; tls?: TlsPair | null },
  handler: RequestHandler,
): Promise<HttpServer> {
  const limits = options.limits ?? CONNECTION_LIMITS, tls = options.tls ?? null;
  const settings = {
    headersTimeout: limits.headersMs,
    // no time limit for a whole request: an upload may continue as long as bytes arrive
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.max(
      MIN_CHECK_INTERVAL_MS,
      limits.headersMs / CHECKS_PER_LIMIT,
    ),
    maxHeaderSize: MAX_HEADER_BYTES,
    IncomingMessage: CoalescedRequest,
  };
  const secure = tls &&
    createTlsServer({
      ...settings,
      ...tls,
      minVersion: MIN_TLS,
      handshakeTimeout: limits.headersMs,
    });
  const server = secure ?? createServer(settings);
  const connections = new Connections(limits, handler);
  server.on("connection", (socket: Socket) => connections.add(socket, secure !== null));
  secure?.on("secureConnection", (socket: Socket) => connections.addSecured(socket));
  // nothing to do: the TLS library has already responded to a failed handshake
  secure?.on("tlsClientError", (_, socket: Socket) => void socket.destroy());
  server.on(
    "clientError",
    (error: { code?: string }, socket: Socket) => connections.refuse(error.code, socket),
  );
  server.on("request", (message, response) => connections.answer(message, response));
  server.on(
    "upgrade",
    (message, socket: Socket, head) => connections.upgrade(message, socket, head),
  );
  const intervalMs = Math.max(
    MIN_CHECK_INTERVAL_MS,
    Math.min(limits.stallMs, limits.lingerIdleMs) / CHECKS_PER_LIMIT,
  );
  let checkedAt = performance.now(), hasSkipped = false;
  const watch = setInterval(() => {
    const now = performance.now();
    // after a blocked event loop, reads the bytes that arrived meanwhile before the next check
    hasSkipped = now - checkedAt > 2 * intervalMs && !hasSkipped;
    checkedAt = now;
    if (!hasSkipped) connections.endStalled();
  }, intervalMs);

  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject).once("listening", listening.resolve);
  server.listen(options.port, options.hostname);
  try {
    await listening.promise;
  } catch (error) {
    clearInterval(watch);
    throw error;
  }
  // for example no free file descriptor: only this connection is lost, and the server continues
  server.on("error", noteUnhandled);
  const { address, port } = server.address() as AddressInfo;
  return {
    addr: { transport: "tcp", hostname: address, port },
    renew: (pair) => secure?.setSecureContext({ ...pair, minVersion: MIN_TLS }),
    async shutdown() {
      server.close();
      await connections.ended();
      clearInterval(watch);
      connections.destroy();
    },
  };
}
