import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import { gunzipPieces, gzipPieces } from "@/server/core/analyses/service/files/gzip.ts";

const noise = (size: number) => {
  const bytes = new Uint8Array(size);
  for (let i = 0, x = 1; i < size; i++) {
    bytes[i] = (x = (x * 1103515245 + 12345) & 0x7fffffff) >> 18;
  }
  return bytes;
};
const gathered = async (chunks: AsyncIterable<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(chunks));

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
  let turns = 0;
  const beat = setInterval(() => turns++, 1);
  await gathered(gzipPieces(bytes, 6));
  clearInterval(beat);
  assert.ok(turns > 20, `${turns} turns`);
});
