/**
 * Messages with binary data between processes of one machine: JSON, followed by the bytes in order.
 */
import type { Codec } from "@/server/wire/line_socket.ts";

const HEAD_BYTES = 8, MAX_JSON_BYTES = 64 << 20, MAX_PAYLOAD_BYTES = 1 << 30;
/** Key of a JSON object that replaces a byte array; the value is the number of bytes. */
const COUNT = "$bytes";

async function readExactly(
  connection: Deno.UnixConn,
  count: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const read = await connection.read(bytes.subarray(at)).catch(() => null);
    if (read === null) return null;
    at += read;
  }
  return bytes;
}

async function writeAll(connection: Deno.UnixConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

/**
 * Format: a header with both lengths, the JSON, the bytes. A Buffer is returned as Uint8Array,
 * `undefined` is omitted. `write` throws a TypeError for a number that JSON converts to `null`.
 */
export const BYTE_MESSAGES: Codec = {
  async write(connection, value) {
    const payload: Uint8Array[] = [];
    const text = JSON.stringify(value, function (this: Record<string, unknown>, key, given) {
      // toJSON has already converted a Buffer; the original is in the parent object
      const holderValue = this[key];
      if (typeof holderValue === "number" && !Number.isFinite(holderValue)) {
        throw new TypeError(`${key} is ${holderValue}`);
      }
      if (!(holderValue instanceof Uint8Array)) return given;
      payload.push(holderValue);
      return { [COUNT]: holderValue.length };
    });
    const json = new TextEncoder().encode(text), head = new DataView(new ArrayBuffer(HEAD_BYTES));
    head.setUint32(0, json.length);
    head.setUint32(4, payload.reduce((sum, { length }) => sum + length, 0));
    await writeAll(connection, new Uint8Array(head.buffer));
    await writeAll(connection, json);
    for (const bytes of payload) await writeAll(connection, bytes);
  },

  async read<T>(connection: Deno.UnixConn) {
    const head = await readExactly(connection, HEAD_BYTES);
    if (head === null) return null;
    const view = new DataView(head.buffer), sizes = [view.getUint32(0), view.getUint32(4)] as const;
    if (sizes[0] > MAX_JSON_BYTES || sizes[1] > MAX_PAYLOAD_BYTES) return null;
    const json = await readExactly(connection, sizes[0]),
      payload = await readExactly(connection, sizes[1]);
    if (json === null || payload === null) return null;
    let at = 0;
    // JSON.parse visits byte arrays in the order in which JSON.stringify wrote them
    return JSON.parse(new TextDecoder().decode(json), (_, one) => {
      const count = one?.[COUNT];
      if (typeof count !== "number") return one;
      const bytes = at === 0 && count === payload.length ? payload : payload.slice(at, at + count);
      at += count;
      return bytes;
    }) as T;
  },
};
