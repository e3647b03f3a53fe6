import assert from "node:assert/strict";
import { composerOf } from "@/viewer/reading/kernels_testing.ts";
import {
  isShownDifference,
  writeDifference,
  writeDifferenceColours,
} from "@/viewer/reading/difference.ts";
import { momentsOf } from "@/viewer/reading/moments.ts";
import { gridOf } from "@/viewer/grid.ts";
import { affineFromRows } from "@/model/geometry.ts";

Deno.test("writeDifference() goes over the whole volume, and sees what changed, not that one is brighter", async () => {
  const composer = composerOf([20, 10, 35], new Uint8Array(7000));
  const now = Uint8Array.from({ length: 7000 }, (_, v) => v < 2000 ? 0 : 60 + v % 90);
  const then = now.map((byte) => byte === 0 ? 0 : Math.round(byte * 1.2 + 10));
  [now[3000], now[6999]] = [240, 0];
  let pauses = 0;
  await writeDifference(() => ({ now, then, out: composer.volume("labels") }), 200, async () => {
    pauses++;
    await Promise.resolve();
  });
  const out = composer.volume("labels");
  assert.equal(pauses, 70);
  assert.ok(out[3000]! > 200 && out[6999]! < 80 && out[100] === 0);
  assert.equal(out.filter((value) => isShownDifference(value)).length, 2);
  const table = new Uint32Array(256);
  writeDifferenceColours(table);
  assert.ok((table[230]! & 255) > 200 && (table[30]! >> 16 & 255) > 200);
  composer.close();
});

Deno.test("writeDifference() sees the volumes though the memory moves meanwhile", async () => {
  const shape: [number, number, number] = [128, 128, 128], count = 128 ** 3;
  const composer = composerOf(shape, new Uint8Array(count));
  composer.volume("t1w").forEach((_, v, now) => now[v] = 60 + v % 90);
  composer.volume("flair").set(composer.volume("t1w"));
  composer.volume("t1w")[777] = 255;
  composer.volume("lesions");
  const before = composer.memory.buffer;
  await writeDifference(
    () => ({
      now: composer.volume("t1w"),
      then: composer.volume("flair"),
      out: composer.volume("lesions"),
    }),
    128 * 128,
    // another overlay is loaded in the meantime, which moves the memory
    () => Promise.resolve(void composer.volume("thickness")),
  );
  assert.notEqual(composer.memory.buffer, before);
  assert.ok(composer.volume("lesions")[777]! > 200 && composer.volume("lesions")[778] === 128);
  composer.close();
});

Deno.test("momentsOf() counts the voxels of a label wherever they lie", () => {
  const labels = new Uint8Array(6 * 5 * 40), composer = composerOf([6, 5, 40], labels);
  for (const voxel of [0, 31, 30 * 39 + 29]) composer.volume("labels")[voxel] = 9;
  const grid = gridOf([6, 5, 40], affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const sums = momentsOf(composer, grid, 9);
  assert.deepEqual([...Array.from(sums).slice(0, 4)], [3, 0 + 1 + 5, 0 + 0 + 4, 0 + 1 + 39]);
  composer.close();
});
