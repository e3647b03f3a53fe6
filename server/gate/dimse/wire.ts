import { setTimeout as pause } from "node:timers/promises";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { stopWithReader } from "@/server/wire/tls_backpressure.ts";

/** Byte stream of a connection, plain or TLS. */
export interface Wire {
  /** address of the other side, without port */
  readonly address: string;
  /** @returns the next bytes, `null` at the end. @throws when the connection was lost. */
  read(): Promise<Uint8Array | null>;
  /** @throws when the connection was lost. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes the connection, if it is open. */
  close(): void;
}

const READ_BYTES = 65_536;
/**
 * Maximum time of work on one connection, ms, before other connections are served.
 * Bytes that have already arrived are read without returning to the event loop.
 */
const TURN_MS = 5;

/** Wire of a Deno connection. */
export function plainWire(connection: Deno.Conn): Wire {
  const buffer = new Uint8Array(READ_BYTES);
  const { remoteAddr } = connection;
  return {
    address: "hostname" in remoteAddr ? remoteAddr.hostname : "",
    async read() {
      const count = await connection.read(buffer);
      return count === null ? null : buffer.subarray(0, count);
    },
    async write(bytes) {
      for (let done = 0; done < bytes.length;) done += await connection.write(bytes.subarray(done));
    },
    close() {
      try {
        connection.close();
      } catch { /* it has ended */ }
    },
  };
}

/**
 * Wire of a socket of Node's TLS server, the only server that requests client certificates.
 * @param under TCP socket below the TLS socket.
 */
export function tlsWire(socket: TLSSocket, under: Socket): Wire {
  const chunks = socket[Symbol.asyncIterator]();
  stopWithReader(socket, under);
  // read and write report the error
  socket.on("error", () => {});
  return {
    address: socket.remoteAddress ?? "",
    async read() {
      const { value, done } = await chunks.next();
      return done ? null : value as Uint8Array;
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => error ? reject(error) : resolve());
      }),
    close: () => socket.destroy(),
  };
}

/** The other side exceeded a time limit. */
export class WireTimeout extends Error {
  override name = "WireTimeout";
}
/** Error: the peer disconnected. */
export class WireEnd extends Error {
  override name = "WireEnd";
}

/**
 * Reads a wire in the units of a protocol.
 * Holds at most one chunk, regardless of the lengths that the peer declares.
 */
export class WireReader {
  #chunk: Uint8Array = new Uint8Array(0);
  #deadline = Infinity;
  #turnEndMs = performance.now() + TURN_MS;

  constructor(private readonly wire: Wire) {}

  /** Time limit for the following reads, after which they throw {@link WireTimeout}. */
  setDeadline(ms: number): void {
    this.#deadline = performance.now() + ms;
  }

  async #fill(): Promise<boolean> {
    if (performance.now() >= this.#turnEndMs) {
      // setImmediate would not let timers and sockets run
      await pause(0);
      this.#turnEndMs = performance.now() + TURN_MS;
    }
    if (this.#chunk.length > 0) return true;
    const remainingMs = this.#deadline - performance.now();
    if (remainingMs <= 0) throw new WireTimeout("Cannot read: the other side is too slow");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      if (remainingMs !== Infinity) {
        timer = setTimeout(
          () => reject(new WireTimeout("Cannot read: the other side says nothing")),
          remainingMs,
        );
      }
    });
    try {
      const chunk = await Promise.race([
        this.wire.read().catch((cause) => {
          throw new WireEnd("Cannot read: the connection broke", { cause });
        }),
        late,
      ]);
      if (chunk === null) return false;
      this.#chunk = chunk;
      return chunk.length > 0 || await this.#fill();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether more bytes follow; `false` at an orderly end. @throws {WireEnd} {@link WireTimeout} */
  hasMore(): Promise<boolean> {
    return this.#fill();
  }

  /** Reads 1 to `most` bytes, valid until the next call. @throws {WireEnd} {@link WireTimeout} */
  async some(most: number): Promise<Uint8Array> {
    if (!await this.#fill()) throw new WireEnd("Cannot read: the connection ended early");
    const piece = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(piece.length);
    return piece;
  }

  /**
   * Bytes that have arrived, up to and including a sign; valid until the next call.
   * @throws {WireEnd} {@link WireTimeout}
   */
  async upTo(sign: number): Promise<Uint8Array> {
    if (!await this.#fill()) throw new WireEnd("Cannot read: the connection ended early");
    const at = this.#chunk.indexOf(sign);
    return await this.some(at < 0 ? this.#chunk.length : at + 1);
  }

  /**
   * Reads exactly `count` bytes into a copy; the caller limits `count`.
   * @throws {WireEnd} {@link WireTimeout}
   */
  async exactly(count: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const piece = await this.some(count - at);
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }
}
