import type { Socket } from "node:net";
import { createServer } from "node:tls";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";
import { plainWire, tlsWire, type Wire } from "@/server/gate/dimse/wire.ts";
import { hostAndPort } from "@/model/site/networks.ts";

/** Time limit of a TLS handshake. With too many handshakes, the oldest connection is closed. */
const HANDSHAKE_MS = 5000, MAX_HANDSHAKES = 64;

/**
 * Connections until the end of the TLS handshake.
 * Deno's `handshakeTimeout` only reports the timeout, and does not close the connection (2.9).
 */
class Handshakes {
  /** TCP connections by remote address and port, in order of arrival */
  readonly #open = new Map<string, { socket: Socket; timer: ReturnType<typeof setTimeout> }>();

  begin(socket: Socket): void {
    // the TLS server handles socket errors only after the handshake
    socket.on("error", () => {});
    const key = keyOf(socket),
      end = () => {
        socket.destroy();
        this.end(key);
      };
    socket.once("close", () => this.end(key));
    this.end(key);
    this.#open.set(key, { socket, timer: setTimeout(end, HANDSHAKE_MS) });
    const [oldest] = this.#open;
    if (this.#open.size <= MAX_HANDSHAKES || !oldest) return;
    oldest[1].socket.destroy();
    this.end(oldest[0]);
  }

  /** Ends the observation of a handshake. @returns the TCP socket, unless it has been closed. */
  end(key: string): Socket | undefined {
    const ended = this.#open.get(key);
    clearTimeout(ended?.timer);
    this.#open.delete(key);
    return ended?.socket;
  }

  close(): void {
    for (const [key, { socket }] of this.#open) {
      socket.destroy();
      this.end(key);
    }
  }
}

const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/** An open port that accepts connections. */
interface Listening {
  port: number;
  close(): void;
}

/** Error: the port is in use or not permitted, or the address belongs to another machine. */
export class PortError extends Error {
  constructor(hostname: string, port: number, cause: unknown) {
    const code = cause instanceof Error && "code" in cause ? cause.code : "";
    const reason = code === "EADDRINUSE"
      ? "another program uses the port"
      : code === "EACCES"
      ? "this user may not use the port"
      : cause instanceof Error
      ? cause.message
      : String(cause);
    super(`Cannot listen on ${hostAndPort(hostname, port)}: ${reason}`, { cause });
  }
}

/**
 * Listens for DICOM associations, with TLS if certificates are given.
 * With TLS, only clients with a certificate signed by the hospital's authority are accepted.
 * @throws PortError
 */
export async function listen(
  hostname: string,
  port: number,
  own: OwnCertificates | null,
  serve: (wire: Wire) => void,
): Promise<Listening> {
  try {
    return await listenAt(hostname, port, own, serve);
  } catch (error) {
    throw new PortError(hostname, port, error);
  }
}

async function listenAt(
  hostname: string,
  port: number,
  own: OwnCertificates | null,
  serve: (wire: Wire) => void,
): Promise<Listening> {
  if (own === null) {
    const listener = Deno.listen({ hostname, port });
    void (async () => {
      for (;;) {
        try {
          const connection = await listener.accept();
          connection.setNoDelay(true);
          serve(plainWire(connection));
        } catch (error) {
          if (
            error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted
          ) return;
          // no file descriptor is free, or the client has gone: go on accepting later connections
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    })();
    return { port: listener.addr.port, close: () => listener.close() };
  }
  const { cert, key, ca } = own;
  const options = {
    cert,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2" as const,
  };
  const handshakes = new Handshakes();
  const server = createServer(options, (socket) => {
    const under = handshakes.end(keyOf(socket));
    socket.setNoDelay(true);
    if (!socket.authorized || !under) return void socket.destroy();
    serve(tlsWire(socket, under));
  });
  // ignored: a client connected without a certificate, or without TLS
  server.on("tlsClientError", () => {});
  server.on("connection", (socket) => handshakes.begin(socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, resolve);
  });
  // ignored: no file descriptor was free; later connections are accepted
  server.on("error", () => {});
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close() {
      server.close();
      handshakes.close();
    },
  };
}
