import assert from "node:assert/strict";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { affineFromRows, rowMajor } from "@/model/geometry.ts";
import { originalAt, readOriginal } from "@/viewer/reading/original_volume.ts";

const AFFINE = affineFromRows<"Ras", "Ijk">([[-2, 0, 0, 10], [0, 3, 0, -5], [0, 0, 1, 0]]);

Deno.test("readOriginal() gives the values of the file, rescaled, at their places", () => {
  const voxels = Int16Array.from({ length: 4 * 3 * 2 }, (_, n) => n * 100 - 50);
  const file = encodeNifti({ voxels, shape: [4, 3, 2], rasFromIjk: AFFINE });
  const read = (bytes: Uint8Array) =>
    readOriginal(bytes.slice().buffer, [4, 3, 2], rowMajor(AFFINE));
  const volume = read(file)!;
  // voxel [1, 2, 1] is at [8, 1, 1], RAS mm
  assert.equal(originalAt(volume, [8, 1, 1]), (1 + 4 * (2 + 3)) * 100 - 50);
  assert.equal(originalAt(volume, [8.9, 2.4, 0.6]), (1 + 4 * (2 + 3)) * 100 - 50);
  assert.ok(Number.isNaN(originalAt(volume, [12, 1, 1])));
  const scaled = file.slice();
  new DataView(scaled.buffer).setFloat32(112, 2, true);
  new DataView(scaled.buffer).setFloat32(116, -10, true);
  assert.equal(originalAt(read(scaled)!, [10, -5, 0]), -50 * 2 - 10);
  assert.equal(read(file.subarray(0, 360)), null);
  assert.equal(readOriginal(file.slice().buffer, [4, 3, 3], rowMajor(AFFINE)), null);
});
