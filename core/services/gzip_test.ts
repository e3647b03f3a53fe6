import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import { gunzipPieces, gzipPieces } from "@/core/services/gzip.ts";

const noise = (size: number) => {
  const bytes = new Uint8Array(size);
  for (let i = 0, x = 1; i < size; i++) bytes[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >> 18;
  return bytes;
};
const gathered = async (chunks: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(chunks));

Deno.test("gzipPieces() and gunzipPieces() give the same bytes back, whatever their number", async () => {
  for (const size of [0, 1, 1 << 18, 3_000_001]) {
    const bytes = noise(size), packed = await gathered(gzipPieces(bytes, 6));
    assert.deepEqual(new Uint8Array(gunzipSync(packed)), bytes);
    assert.deepEqual(new Uint8Array(await gunzipPieces(packed)), bytes);
  }
});

Deno.test("gunzipPieces() rejects damaged and cut off data", async () => {
  const packed = gzipSync(noise(500_000));
  await assert.rejects(gunzipPieces(packed.subarray(0, packed.length - 100)));
  await assert.rejects(gunzipPieces(packed.fill(7, 1000, 2000)));
});

Deno.test("gzipPieces() lets others work in between", async () => {
  const bytes = noise(20_000_000);
  let longestMs = 0, last = performance.now();
  const beat = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 1);
  const started = performance.now();
  await gathered(gzipPieces(bytes, 6));
  clearInterval(beat);
  const tookMs = performance.now() - started;
  assert.ok(longestMs < Math.max(100, tookMs / 3), `${longestMs} ms of ${tookMs} ms without a turn`);
});
