import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { decodePng } from "@/report/pdf/decode_png.ts";
import { encodePng } from "@/report/pdf/png.ts";

/** Encodes a PNG in the simplest way; its rows use the five filters in turn. */
function filteredPng(
  pixels: Uint8Array,
  width: number,
  height: number,
  type: number,
  samples: number,
) {
  const stride = width * samples,
    at = (row: number, x: number) => row < 0 || x < 0 ? 0 : pixels[row * stride + x]!;
  const rows = Array.from({ length: height }, (_, row) => {
    const guess = (x: number) => {
      const left = at(row, x - samples),
        up = at(row - 1, x),
        corner = x < samples ? 0 : at(row - 1, x - samples);
      const p = left + up - corner;
      const nearest = [left, up, corner].reduce((a, b) =>
        Math.abs(p - b) < Math.abs(p - a) ? b : a
      );
      return [0, left, up, (left + up) >> 1, nearest][row % 5]!;
    };
    return [row % 5, ...Array.from({ length: stride }, (_, x) => (at(row, x) - guess(x)) & 255)];
  });
  const plain = encodePng(new Uint8Array(3 * width * height), width, height),
    head = plain.slice(0, 33);
  head[25] = type;
  const packed = deflateSync(Uint8Array.from(rows.flat())), length = new Uint8Array(8);
  new DataView(length.buffer).setUint32(0, packed.length);
  length.set(new TextEncoder().encode("IDAT"), 4);
  return new Uint8Array([...head, ...length, ...packed, 0, 0, 0, 0, ...plain.slice(-12)]);
}

Deno.test("decodePng() reads every filter and kind of pixel that browsers write", () => {
  const width = 7, height = 11;
  for (const [type, samples] of [[0, 1], [2, 3], [4, 2], [6, 4]] as const) {
    const pixels = Uint8Array.from(
      { length: width * height * samples },
      (_, v) => (v * 89 + v * v * 7) & 255,
    );
    if (samples % 2 === 0) {
      for (let v = samples - 1; v < pixels.length; v += samples) pixels[v] = 255;
    }
    const found = decodePng(filteredPng(pixels, width, height, type, samples))!;
    assert.deepEqual([found.width, found.height], [width, height]);
    const wanted = Array.from(
      { length: width * height },
      (_, v) => [0, 1, 2].map((colour) => pixels[v * samples + (samples < 3 ? 0 : colour)]!),
    ).flat();
    assert.deepEqual([...found.rgb], wanted, `colour type ${type}`);
  }
});

Deno.test("decodePng() refuses palettes, other depths, too much, and what is damaged", () => {
  const good = encodePng(new Uint8Array(300).fill(9), 10, 10);
  const changed = (at: number, value: number) => decodePng(good.with(at, value));
  assert.ok(decodePng(good));
  assert.deepEqual(
    [changed(24, 16), changed(25, 3), changed(28, 1), changed(16, 99), changed(23, 11)],
    Array(5).fill(null),
  );
  assert.equal(decodePng(good.subarray(0, 50)), null);
  assert.equal(decodePng(new Uint8Array(20)), null);
});
