import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type { Shape } from "@/model/geometry.ts";
import { Random } from "@/model/random.ts";
import { slabsOf } from "@/model/viewer/slab_plan.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { send, sentFile, sentVolume } from "@/bench/viewer/sent_file.ts";

const SHAPE: Shape = [120, 110, 50], SLICE = 120 * 110;
const voxels = (() => {
  const random = new Random(239);
  return Uint8Array.from({ length: SLICE * 50 }, () => random.bits() & 255);
})();

const ask = (search: string, headers: Record<string, string> = {}) =>
  new Request(`http://bench/file${search}`, { headers });

Deno.test("send() gives each slab of a volume, compressed and plain, with the product's header", async () => {
  const file = await sentVolume(SHAPE, voxels), slabs = slabsOf(SHAPE);
  assert.ok(slabs.length > 1);
  for (const { first, last } of slabs) {
    const truth = voxels.subarray(first * SLICE, (last + 1) * SLICE);
    for (const encoding of ["gzip", "identity"]) {
      const answer = await send(
        ask(`?slices=${first}-${last}`, { "accept-encoding": encoding }),
        file,
      );
      assert.equal(answer.headers.get("slices"), `${first}-${last}/50`);
      const body = await answer.bytes(), isGzip = answer.headers.get("content-encoding") === "gzip";
      assert.equal(isGzip, encoding === "gzip");
      assert.deepEqual(
        npyVoxels(isGzip ? new Uint8Array(gunzipSync(body)) : body),
        new Uint8Array(truth),
      );
    }
  }
});

Deno.test("send() gives the whole where no slices are asked for, or the file is no volume", async () => {
  const file = await sentVolume(SHAPE, voxels);
  const whole = await (await send(ask("", { "accept-encoding": "gzip" }), file)).bytes();
  assert.deepEqual(npyVoxels(new Uint8Array(gunzipSync(whole))), voxels);
  const other = sentFile(new Uint8Array([1, 2, 3])), answer = await send(ask("?slices=0-1"), other);
  assert.equal(answer.headers.get("slices"), null);
  assert.deepEqual([...await answer.bytes()], [1, 2, 3]);
});
