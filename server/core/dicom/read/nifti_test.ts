import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import { affineFromRows, rowMajor } from "@/model/geometry.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";
import { decodeNifti, encodeNifti } from "@/server/core/dicom/read/nifti.ts";

const rasFromIjk = affineFromRows<"Ras", "Ijk">([[0, 0, 2, -5], [-1, 0, 0, 7.5], [0, 1.5, 0, 3], [
  0,
  0,
  0,
  1,
]]);
const UNREADABLE = "engine.unsupported_input nifti";
const volume = (voxels: VoxelArray) => ({ voxels, shape: [2, 3, 4] as [number, number, number], rasFromIjk });

Deno.test("decodeNifti() reads back what encodeNifti() writes, every voxel type, plain and gzipped", () => {
  for (const type of [Uint8Array, Int8Array, Int16Array, Uint16Array, Int32Array, Float32Array]) {
    const voxels = new type(Array.from({ length: 24 }, (_, i) => i * 5 - 3));
    const bytes = encodeNifti(volume(voxels));
    for (const stored of [bytes, new Uint8Array(gzipSync(bytes))]) {
      const read = decodeNifti(stored);
      assert.deepEqual(read.voxels, voxels);
      assert.deepEqual(read.shape, [2, 3, 4]);
      assert.deepEqual(rowMajor(read.rasFromIjk), rowMajor(rasFromIjk));
    }
  }
});

Deno.test("decodeNifti() applies the scaling", () => {
  const bytes = encodeNifti(volume(Int16Array.from({ length: 24 }, (_, i) => i)));
  const view = new DataView(bytes.buffer);
  view.setFloat32(112, 2, true);
  view.setFloat32(116, -1, true);
  assert.deepEqual(decodeNifti(bytes).voxels, Float32Array.from({ length: 24 }, (_, i) => 2 * i - 1));
});

Deno.test("decodeNifti() takes the qform when there is no sform", () => {
  const bytes = encodeNifti(volume(new Uint8Array(24))), view = new DataView(bytes.buffer);
  view.setInt16(254, 0, true);
  view.setInt16(252, 1, true);
  [0, 0, 1].forEach((q, i) => view.setFloat32(256 + 4 * i, q, true)); // half a turn about z
  [10, 20, 30].forEach((q, i) => view.setFloat32(268 + 4 * i, q, true));
  assert.deepEqual(
    rowMajor(decodeNifti(bytes).rasFromIjk).map((x) => x + 0),
    [-1, 0, 0, 10, 0, -1.5, 0, 20, 0, 0, 2, 30, 0, 0, 0, 1],
  );
});

Deno.test("decodeNifti() refuses what it cannot read with a typed error", () => {
  const good = encodeNifti(volume(new Uint8Array(24)));
  const changed = (at: number, value: number) => {
    const bytes = good.slice();
    new DataView(bytes.buffer).setInt16(at, value, true);
    return bytes;
  };
  const bad = [
    new Uint8Array(10),
    new Uint8Array(500),
    good.subarray(0, 360),
    changed(40, 2),
    changed(70, 128),
    changed(42, -4),
    changed(254, 0),
    Uint8Array.of(0x1f, 0x8b, 1, 2, 3),
  ];
  for (const bytes of bad) {
    assert.throws(
      () => decodeNifti(bytes),
      (e) => e instanceof AppError && e.code === "engine.unsupported_input",
    );
  }
});

// covers: S-78
Deno.test("decodeNifti() never unpacks more than the header says", () => {
  const good = encodeNifti(volume(new Uint8Array(24)));
  const bomb = Buffer.concat([gzipSync(good), gzipSync(new Uint8Array(1 << 25))]);
  assert.throws(
    () => decodeNifti(new Uint8Array(bomb)),
    (e) => e instanceof AppError && e.message.endsWith("more data than its header says"),
  );
});

Deno.test("decodeNifti() refuses two negative dimensions, ANALYZE files, voxels no head has and affines of NaN", () => {
  const good = encodeNifti(volume(new Uint8Array(24)));
  const failure = (edit: (view: DataView) => void) => {
    const bytes = good.slice();
    edit(new DataView(bytes.buffer));
    try {
      decodeNifti(bytes);
    } catch (error) {
      assert.ok(error instanceof AppError);
      return `${error.code} ${error.details.reason ?? ""}`.trim();
    }
  };
  assert.equal(failure((v) => [-2, -3].forEach((n, i) => v.setInt16(42 + 2 * i, n, true))), UNREADABLE);
  assert.equal(failure((v) => v.setUint32(344, 0)), UNREADABLE);
  const large = (side: number, datatype: number) =>
    failure((v) => {
      [side, side, side].forEach((n, i) => v.setInt16(42 + 2 * i, n, true));
      v.setInt16(70, datatype, true);
    });
  assert.equal(large(640, 2), "engine.unsupported_input volume size");
  assert.equal(large(512, 16), "engine.unsupported_input volume size");
  assert.equal(large(512, 4), UNREADABLE); // only cut off
  assert.equal(failure((v) => v.setFloat32(108, NaN, true)), UNREADABLE);
  assert.equal(failure((v) => v.setFloat32(280 + 8, 400, true)), "engine.unsupported_input voxel size");
  assert.equal(failure((v) => v.setFloat32(280 + 12, NaN, true)), "volume.affine_singular");
  assert.equal(failure((v) => v.setFloat32(280 + 8, 0, true)), "volume.affine_singular");
});
