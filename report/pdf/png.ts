import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length), view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = type.charCodeAt(i);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** Encodes 8-bit RGB as PNG. @param rgb 3·width·height bytes, row by row from the top. */
export function encodePng(rgb: Uint8Array, width: number, height: number): Uint8Array<ArrayBuffer> {
  const stride = 3 * width;
  const raw = new Uint8Array(height * (stride + 1));
  for (let row = 0; row < height; row++) {
    // PNG filter 2 ("up") compresses best here, because neighbouring rows are similar
    const out = row * (stride + 1);
    raw[out] = 2;
    for (let x = 0; x < stride; x++) {
      raw[out + 1 + x] = rgb[row * stride + x]! - (row === 0 ? 0 : rgb[(row - 1) * stride + x]!);
    }
  }
  const header = new Uint8Array(13), view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 8;
  header[9] = 2;
  const parts = [
    new Uint8Array(SIGNATURE),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(raw, { level: 6 })),
    chunk("IEND", new Uint8Array()),
  ];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) bytes.set(part, at), at += part.length;
  return bytes;
}
