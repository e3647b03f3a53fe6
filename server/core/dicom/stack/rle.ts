/**
 * RLE Lossless decoder (PS3.5 annex G):
 * one PackBits segment per byte of the pixels, high byte first.
 */

const MAX_SEGMENTS = 15, HEADER_BYTES = 64;

function unpackSegment(packed: Uint8Array, out: Uint8Array): void {
  let from = 0, to = 0;
  while (to < out.length && from < packed.length) {
    const control = packed[from++]!;
    if (control < 128) {
      const count = Math.min(control + 1, out.length - to, packed.length - from);
      out.set(packed.subarray(from, from + count), to);
      from += control + 1;
      to += count;
    } else if (control > 128) {
      const count = Math.min(257 - control, out.length - to);
      out.fill(packed[from++] ?? 0, to, to + count);
      to += count;
    }
  }
  if (to < out.length) throw new Error(`RLE segment ends after ${to} of ${out.length} bytes`);
}

/**
 * Stored values of a frame of `count` pixels. @param bytesPerPixel 1 or 2.
 * @throws if segments are missing or too short.
 */
export function decodeRle(
  packed: Uint8Array,
  count: number,
  bytesPerPixel: 1 | 2,
): Uint8Array | Uint16Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const segments = packed.length < HEADER_BYTES ? 0 : view.getUint32(0, true);
  if (segments !== bytesPerPixel || segments > MAX_SEGMENTS) {
    throw new Error(`RLE has ${segments} segments, not ${bytesPerPixel}`);
  }
  const starts = Array.from({ length: segments }, (_, n) => view.getUint32(4 + 4 * n, true));
  const planes = starts.map((start, n) => {
    const plane = new Uint8Array(count);
    unpackSegment(packed.subarray(start, starts[n + 1] ?? packed.length), plane);
    return plane;
  });
  if (bytesPerPixel === 1) return planes[0]!;
  const values = new Uint16Array(count), [high, low] = planes as [Uint8Array, Uint8Array];
  for (let at = 0; at < count; at++) values[at] = high[at]! << 8 | low[at]!;
  return values;
}
