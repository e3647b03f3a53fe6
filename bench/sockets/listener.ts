// WebSocket client without a browser: handshake, and parsing of a server's frames (RFC 6455).
const decoder = new TextDecoder();
const TEXT = 1, CLOSE = 8, PING = 9;

/** Empty pong frame; clients must mask frames, here with a mask of zeros. */
const PONG = new Uint8Array([0x8a, 0x80, 0, 0, 0, 0]);

/** A socket that passes received texts to a function until it is closed. */
export class Listener {
  #connection: Deno.TcpConn | null = null;

  constructor(private readonly heard: (text: string) => void) {}

  /** @throws {Error} if the server does not accept the upgrade to a WebSocket. */
  async open(url: string, path: string): Promise<void> {
    const { port, host } = new URL(url);
    const connection = this.#connection = await Deno.connect({
      hostname: "127.0.0.1",
      port: Number(port),
    });
    await connection.write(new TextEncoder().encode(
      `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
        "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ));
    const buffer = new Uint8Array(4096);
    let size = 0, end = -1;
    while (end < 0) {
      const got = await connection.read(buffer.subarray(size));
      if (got === null) throw new Error("The server closed before it answered");
      size += got;
      end = decoder.decode(buffer.subarray(0, size)).indexOf("\r\n\r\n");
    }
    const status = decoder.decode(buffer.subarray(9, 12));
    if (status !== "101") {
      throw new Error(`Cannot open a socket: ${decoder.decode(buffer.subarray(0, size))}`);
    }
    void this.#read(connection, buffer, buffer.copyWithin(0, end + 4, size) && size - end - 4)
      .catch(
        () => {},
      );
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  async #read(connection: Deno.TcpConn, buffer: Uint8Array, size: number): Promise<void> {
    for (;;) {
      let at = 0;
      while (size - at >= 2) {
        const short = buffer[at + 1]! & 127;
        if (short === 126 && size - at < 4) break;
        const start = at + (short === 126 ? 4 : 2);
        const length = short === 126 ? buffer[at + 2]! << 8 | buffer[at + 3]! : short;
        if (size < start + length) break;
        const kind = buffer[at]! & 15;
        if (kind === TEXT) this.heard(decoder.decode(buffer.subarray(start, start + length)));
        else if (kind === PING) await connection.write(PONG);
        else if (kind === CLOSE) return;
        at = start + length;
      }
      buffer.copyWithin(0, at, size);
      size -= at;
      const got = await connection.read(buffer.subarray(size));
      if (got === null) return;
      size += got;
    }
  }
}
