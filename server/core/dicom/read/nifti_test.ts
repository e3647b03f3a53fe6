import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import { affineFromRows, rowMajor } from "@/model/geometry.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";
import { decodeNifti, encodeNifti, readNiftiGrid } from "@/server/core/dicom/read/nifti.ts";

const rasFromIjk = affineFromRows<"Ras", "Ijk">([[0, 0, 2, -5], [-1, 0, 0, 7.5], [0, 1.5, 0, 3], [
  0,
  0,
  0,
  1,
]]);
const UNREADABLE = "engine.unsupported_input nifti";
const volume = (voxels: VoxelArray) => ({
  voxels,
  shape: [2, 3, 4] as [number, number, number],
  rasFromIjk,
});

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
  assert.deepEqual(
    decodeNifti(bytes).voxels,
    Float32Array.from({ length: 24 }, (_, i) => 2 * i - 1),
  );
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

Deno.test("decodeNifti() refuses a qform that is no rotation with positive voxel sizes", () => {
  const withQform = (change: (view: DataView) => void, sform = 0) => {
    const bytes = encodeNifti(volume(new Uint8Array(24))), view = new DataView(bytes.buffer);
    view.setInt16(254, sform, true);
    view.setInt16(252, 1, true);
    change(view);
    return bytes;
  };
  // a negative width would exchange left and right
  const mirrored = (view: DataView) => view.setFloat32(80, -1, true);
  const skewed = (view: DataView) =>
    [0.9, 0.9, 0].forEach((q, i) => view.setFloat32(256 + 4 * i, q, true));
  for (const change of [mirrored, skewed]) {
    assert.throws(
      () => decodeNifti(withQform(change)),
      (error: AppError) => error.code === "engine.unsupported_input",
    );
  }
  // the sform is used, so a skewed qform of the same handedness has no effect
  const besideSform = (view: DataView) => {
    skewed(view);
    view.setFloat32(76, -1, true);
  };
  assert.equal(decodeNifti(withQform(besideSform, 1)).shape.length, 3);
  // a quaternion of half a turn, rounded to single precision
  const [b, c] = [Math.fround(0.6000001), Math.fround(0.8000001)];
  const rounded = decodeNifti(withQform((view) => {
    [b, c, 0].forEach((q, i) => view.setFloat32(256 + 4 * i, q!, true));
  }));
  const side = Math.hypot(...rounded.rasFromIjk.slice(0, 3));
  assert.ok(Math.abs(side - 1) < 1e-6, `${side}`);
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
  assert.equal(
    failure((v) => [-2, -3].forEach((n, i) => v.setInt16(42 + 2 * i, n, true))),
    UNREADABLE,
  );
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
  assert.equal(
    failure((v) => {
      v.setFloat32(280 + 8, 400, true);
      v.setFloat32(76 + 12, 0, true);
    }),
    "engine.unsupported_input voxel size",
  );
  assert.equal(failure((v) => v.setFloat32(280 + 12, NaN, true)), "volume.affine_singular");
  assert.equal(failure((v) => v.setFloat32(280 + 8, 0, true)), "volume.affine_singular");
});

/** A NIfTI file, written field by field at the offsets in nifti1.h and nifti2.h. */
function written(
  version: 1 | 2,
  little: boolean,
  datatype: number,
  values: readonly number[],
): Uint8Array {
  const wide = [64, 1024, 1280].includes(datatype), bytesPerVoxel = wide ? 8 : 2;
  const start = version === 1 ? 352 : 544,
    bytes = new Uint8Array(start + values.length * bytesPerVoxel);
  const view = new DataView(bytes.buffer);
  const rows = [[0, 0, 2, -5], [-1, 0, 0, 7.5], [0, 1.5, 0, 3]];
  const shape = [3, 2, 3, 4, 1, 1, 1, 1];
  if (version === 1) {
    view.setInt32(0, 348, little);
    shape.forEach((n, at) => view.setInt16(40 + 2 * at, n, little));
    view.setInt16(70, datatype, little);
    view.setFloat32(108, start, little);
    view.setFloat32(112, 2, little);
    view.setFloat32(116, -1, little);
    view.setInt16(254, 1, little);
    rows.flat().forEach((x, at) => view.setFloat32(280 + 4 * at, x, little));
    bytes.set([0x6e, 0x2b, 0x31, 0], 344);
  } else {
    view.setInt32(0, 540, little);
    bytes.set([0x6e, 0x2b, 0x32, 0, 0x0d, 0x0a, 0x1a, 0x0a], 4);
    view.setInt16(12, datatype, little);
    shape.forEach((n, at) => view.setBigInt64(16 + 8 * at, BigInt(n), little));
    view.setBigInt64(168, BigInt(start), little);
    view.setFloat64(176, 2, little);
    view.setFloat64(184, -1, little);
    view.setInt32(348, 1, little);
    rows.flat().forEach((x, at) => view.setFloat64(400 + 8 * at, x, little));
  }
  values.forEach((value, n) => {
    const at = start + n * bytesPerVoxel;
    if (datatype === 64) view.setFloat64(at, value, little);
    else if (datatype === 1024) view.setBigInt64(at, BigInt(value), little);
    else if (datatype === 1280) view.setBigUint64(at, BigInt(value), little);
    else view.setInt16(at, value, little);
  });
  return bytes;
}

Deno.test("decodeNifti() reads both versions, either byte order and 64-bit integers, plain and gzipped", () => {
  const values = Array.from({ length: 24 }, (_, n) => n * 37);
  for (const version of [1, 2] as const) {
    for (const little of [true, false]) {
      for (const datatype of [4, 64, 1024, 1280]) {
        const bytes = written(version, little, datatype, values);
        for (const stored of [bytes, new Uint8Array(gzipSync(bytes))]) {
          const read = decodeNifti(stored), grid = readNiftiGrid(stored);
          assert.deepEqual(read.voxels, Float32Array.from(values, (value) => 2 * value - 1));
          assert.deepEqual([read.shape, rowMajor(read.rasFromIjk)], [
            [2, 3, 4],
            rowMajor(rasFromIjk),
          ]);
          assert.deepEqual(grid, { shape: read.shape, rasFromIjk: read.rasFromIjk });
        }
      }
    }
  }
  const negative = decodeNifti(written(2, true, 1024, values.map((value) => -value)));
  assert.equal(negative.voxels[5], 2 * -185 - 1);
  const cut = written(2, true, 1024, values);
  assert.throws(() => decodeNifti(cut.subarray(0, cut.length - 1)), /voxels are cut off/);
  const damagedMagic = written(2, true, 1024, values);
  damagedMagic[8] = 0x0a;
  assert.throws(() => decodeNifti(damagedMagic), /not a single NIfTI file/);
  new DataView(cut.buffer).setBigInt64(24, 1n << 60n, true);
  assert.throws(
    () => decodeNifti(cut),
    (e) => e instanceof AppError && e.details.reason === "volume size",
  );
});

Deno.test("decodeNifti() refuses a file whose two affines are mirror images, and names both", () => {
  const bytes = encodeNifti({
    ...volume(new Uint8Array(24)),
    rasFromIjk: affineFromRows([[-1, 0, 0, 9], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
  });
  const view = new DataView(bytes.buffer);
  view.setInt16(252, 1, true);
  // a qform without rotation, all axes along RAS
  assert.throws(() => decodeNifti(bytes), /mirror images.*sform LAS, qform RAS/);
  assert.throws(() => readNiftiGrid(bytes), /mirror images/);
  // the qform of the same left-handed grid: turned about the second axis, third axis reversed
  view.setFloat32(76, -1, true);
  view.setFloat32(260, 1, true);
  assert.equal(decodeNifti(bytes).rasFromIjk[0], -1);
});

/** File with an sform of 1.15 times the voxel sizes, as a registration with scaling leaves it. */
function scaledBy(factors: readonly [number, number, number], pixdim = 0.88): Uint8Array {
  const [x, y, z] = factors.map((factor) => factor * 0.88) as [number, number, number];
  const bytes = encodeNifti({
    ...volume(new Uint8Array(24)),
    rasFromIjk: affineFromRows([[x, 0, 0, 0], [0, y, 0, 0], [0, 0, z, 0], [0, 0, 0, 1]]),
  });
  const view = new DataView(bytes.buffer);
  for (const at of [80, 84, 88]) view.setFloat32(at, pixdim, true);
  return bytes;
}

Deno.test("decodeNifti() refuses a file whose sform and pixdim state different voxel sizes", () => {
  const message = /voxels of 1\.01 × 1\.01 × 1\.01 mm \(sform\) and 0\.880 × 0\.880 × 0\.880 mm/;
  for (
    const [bytes, expected] of [
      [scaledBy([1.15, 1.15, 1.15]), message],
      [scaledBy([1, 1.03, 1]), /\(sform\)/],
      [scaledBy([1, 1, 0.97]), /\(sform\)/],
      // an image rotated by 90 degrees keeps the sizes by axis of the voxels
      [scaledBy([1, 1, 1], -0.88), null],
      [scaledBy([1.001, 1, 0.999]), null],
      // sizes that are not stated
      [scaledBy([1.15, 1.15, 1.15], 0), null],
    ] as const
  ) {
    if (!expected) {
      assert.equal(decodeNifti(bytes).shape.length, 3);
      continue;
    }
    for (const read of [decodeNifti, readNiftiGrid]) {
      assert.throws(
        () => read(bytes),
        (error: AppError) =>
          error.code === "engine.unsupported_input" && expected.test(error.message),
      );
    }
  }
});

Deno.test("decodeNifti() refuses a file whose sizes are in another unit than mm", () => {
  const bytes = scaledBy([1, 1, 1]), view = new DataView(bytes.buffer);
  for (const [code, name] of [[1, "metres"], [3, "micrometres"]] as const) {
    // bits above 0 to 2 are the unit of time
    view.setUint8(123, 8 + code);
    assert.throws(() => decodeNifti(bytes), new RegExp(`its sizes are in ${name}`));
    assert.throws(() => readNiftiGrid(bytes), new RegExp(`its sizes are in ${name}`));
  }
  for (const code of [0, 2, 10]) {
    view.setUint8(123, code);
    assert.equal(decodeNifti(bytes).shape.length, 3);
  }
});
