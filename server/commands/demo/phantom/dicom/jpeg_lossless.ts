/**
 * JPEG lossless encoder, first-order prediction (ITU-T T.81 annex H, process 14, selection value
 * 1), 16 bits, one component. All difference categories use five-bit codes: simple, not compact.
 */
export function losslessJpeg(
  pixels: Int16Array | Uint16Array,
  columns: number,
  rows: number,
): Uint8Array {
  const out: number[] = [0xff, 0xd8]; // SOI: start of the image
  const u16 = (n: number) => [n >> 8, n & 255];
  out.push(0xff, 0xc3, ...u16(11), 16, ...u16(rows), ...u16(columns), 1, 1, 0x11, 0); // SOF3
  const lengths = Array.from({ length: 16 }, (_, i) => i === 4 ? 17 : 0);
  out.push(
    0xff,
    0xc4,
    ...u16(19 + 17),
    0x00,
    ...lengths,
    ...Array.from({ length: 17 }, (_, i) => i),
  ); // DHT: definition of the Huffman table
  out.push(0xff, 0xda, ...u16(8), 1, 1, 0x00, 1, 0, 0); // SOS: predictor 1 (left)
  let bits = 0, count = 0;
  const put = (value: number, length: number) => {
    for (let b = length - 1; b >= 0; b--) {
      bits = (bits << 1) | ((value >> b) & 1);
      if (++count < 8) continue;
      out.push(bits);
      if (bits === 0xff) out.push(0); // byte stuffing
      bits = count = 0;
    }
  };
  const at = (p: number) => pixels[p]! & 0xffff;
  for (let row = 0, p = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, p++) {
      const predicted = column > 0 ? at(p - 1) : row > 0 ? at(p - columns) : 0x8000;
      let difference = (at(p) - predicted) & 0xffff; // difference modulo 2^16
      if (difference >= 0x8000) difference -= 0x10000;
      if (difference === -0x8000) {
        put(16, 5);
        continue;
      }
      const category = difference === 0 ? 0 : 32 - Math.clz32(Math.abs(difference));
      put(category, 5);
      put(difference < 0 ? difference + (1 << category) - 1 : difference, category);
    }
  }
  while (count !== 0) put(1, 1);
  out.push(0xff, 0xd9); // EOI: end of the image
  return Uint8Array.from(out);
}
