import { setTimeout as pause } from "node:timers/promises";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { stopWithReader } from "@/server/wire/tls_backpressure.ts";

/** Byte stream of a network connection, plain or TLS. */
export interface Wire {
  /** network address of the remote system, without port */
  readonly address: string;
  /** @returns the next bytes, `null` at the end. @throws when the connection was lost. */
  read(): Promise<Uint8Array | null>;
  /** Sends bytes. @throws when the connection was lost. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes the network connection, if it is open. */
  close(): void;
}

const READ_BYTES = 65_536;
/**
 * Maximum time of work on one connection, ms, before other connections are served.
 * Bytes that have already arrived are otherwise read without returning to the event loop.
 */
const TURN_MS = 5;

/** Byte stream of a TCP or TLS connection of Deno. */
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
 * Byte stream of a TLS socket of Node, the only server that requests client certificates.
 * @param under TCP socket below the TLS socket.
 */
export function tlsWire(socket: TLSSocket, under: Socket): Wire {
  const chunks = socket[Symbol.asyncIterator]();
  stopWithReader(socket, under);
  // read() and write() report the same error
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

/** Error: the remote system exceeded a time limit. */
export class WireTimeout extends Error {
  override name = "WireTimeout";
}
/** Error: the remote system closed the connection too early. */
export class WireEnd extends Error {
  override name = "WireEnd";
}

/**
 * Reads a byte stream in the units of a network protocol.
 * Holds at most one chunk in memory, regardless of the lengths that the remote system declares.
 */
export class WireReader {
  #chunk: Uint8Array = new Uint8Array(0);
  #deadline = Infinity;
  #turnEndMs = performance.now() + TURN_MS;

  constructor(private readonly wire: Wire) {}

  /** Sets the time limit of all following reads, after which they throw {@link WireTimeout}. */
  setDeadline(ms: number): void {
    this.#deadline = performance.now() + ms;
  }

  async #fill(): Promise<boolean> {
    if (performance.now() >= this.#turnEndMs) {
      // a timer, because setImmediate would not let other timers and sockets run
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
   * Bytes that have arrived, up to and including the byte `sign`; valid until the next call.
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
