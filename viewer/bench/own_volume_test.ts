import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Shape } from "@/model/geometry.ts";
import { Random } from "@/model/random.ts";
import { npyHead, plainDecoder, readOwnVolume } from "@/viewer/bench/own_volume.ts";
import { measureKernels } from "@/viewer/bench/suite.ts";

const wasm = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const SHAPE: Shape = [21, 18, 15], COUNT = 21 * 18 * 15;
const WRITERS: Record<
  string,
  (view: DataView, at: number, value: number, little: boolean) => void
> = {
  u1: (view, at, value) => view.setUint8(at, value),
  i1: (view, at, value) => view.setInt8(at, value),
  u2: (view, at, value, little) => view.setUint16(at, value, little),
  i2: (view, at, value, little) => view.setInt16(at, value, little),
  u4: (view, at, value, little) => view.setUint32(at, value, little),
  i4: (view, at, value, little) => view.setInt32(at, value, little),
  f4: (view, at, value, little) => view.setFloat32(at, value, little),
  f8: (view, at, value, little) => view.setFloat64(at, value, little),
};
const NIFTI: Record<string, number> = {
  u1: 2,
  i2: 4,
  i4: 8,
  f4: 16,
  f8: 64,
  i1: 256,
  u2: 512,
  u4: 768,
};

/** Voxels of a type: negative for signed types, above 255 for wide types, fractions, and NaN. */
function voxelsOf(type: string, isLittle: boolean) {
  const random = new Random(47), size = Number(type[1]), isFloat = type[0] === "f";
  const low = type[0] === "u" ? 0 : -100, high = size === 1 ? (low < 0 ? 127 : 255) : 400;
  const values = Array.from({ length: COUNT }, (_, v) => {
    if (isFloat) return v % 97 === 0 ? NaN : random.between(low, high);
    return Math.floor(random.between(low, high));
  });
  const bytes = new Uint8Array(COUNT * size), view = new DataView(bytes.buffer);
  for (const [v, value] of values.entries()) WRITERS[type]!(view, v * size, value, isLittle);
  return { values, bytes };
}

function niftiOf(type: string, isLittle: boolean, voxels: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(352 + voxels.length), view = new DataView(out.buffer);
  view.setInt32(0, 348, isLittle);
  [3, ...SHAPE, 1, 1, 1, 1].forEach((n, at) => view.setInt16(40 + 2 * at, n, isLittle));
  view.setInt16(70, NIFTI[type]!, isLittle);
  view.setFloat32(108, 352, isLittle);
  out.set(new TextEncoder().encode("n+1"), 344);
  out.set(voxels, 352);
  return out;
}

function npyOf(type: string, isLittle: boolean, voxels: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = npyHead(`${type[1] === "1" ? "|" : isLittle ? "<" : ">"}${type}`, SHAPE);
  return new Uint8Array([...head, ...voxels]);
}

const clamped = (value: number) =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(Math.round(value), 0), 255);

Deno.test("readOwnVolume() reads every type of voxel of NumPy and NIfTI, compressed or not", async () => {
  for (const type of Object.keys(NIFTI)) {
    for (const isLittle of [true, false]) {
      const { values, bytes } = voxelsOf(type, isLittle);
      for (const file of [npyOf(type, isLittle, bytes), niftiOf(type, isLittle, bytes)]) {
        for (const stored of [file, new Uint8Array(gzipSync(file))]) {
          const own = await readOwnVolume(new Blob([stored]));
          assert.deepEqual([own.shape, own.dtype.slice(1)], [SHAPE, type]);
          const out = new Uint8ClampedArray(COUNT);
          plainDecoder(own, out)();
          assert.ok(out.every((value, v) => Math.abs(value - clamped(values[v]!)) <= 0.5), type);
        }
      }
    }
  }
});

Deno.test("measureKernels() measures a volume of the user's own, and finds every result right", async () => {
  const module = await WebAssembly.compile(await Deno.readFile(wasm));
  for (const [type, isLittle] of [["u1", true], ["i2", false], ["f4", true]] as const) {
    const { bytes } = voxelsOf(type, isLittle);
    const own = await readOwnVolume(new Blob([niftiOf(type, isLittle, bytes)]));
    const names = ["axial", "sagittal", "slice", "decode"] as const;
    const results = await Array.fromAsync(measureKernels(module, 3, names, { own, pane: 256 }));
    assert.deepEqual(
      results.map(({ name, isRight }) => [name, isRight]),
      names.map((name) => [name, true]),
      type,
    );
  }
});

Deno.test("readOwnVolume() refuses files that are no volume, are cut, or say what they are not", async () => {
  const { bytes } = voxelsOf("i2", true),
    npy = npyOf("i2", true, bytes),
    nifti = niftiOf("i2", true, bytes);
  const changed = (at: number, ...values: number[]) => {
    const file = nifti.slice();
    file.set(values, at);
    return file;
  };
  const text = (header: string) => {
    const head = new TextEncoder().encode(header.padEnd(117) + "\n");
    return new Uint8Array([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, 118, 0, ...head]);
  };
  const refused: Record<string, Uint8Array<ArrayBuffer>> = {
    empty: new Uint8Array(),
    "six bytes": npy.slice(0, 6),
    "half a header": npy.slice(0, 40),
    "cut NumPy": npy.slice(0, -1),
    "longer NumPy": new Uint8Array([...npy, 0]),
    "cut NIfTI": nifti.slice(0, -1),
    "cut gzip": new Uint8Array(gzipSync(nifti)).slice(0, 500),
    "another file": new Uint8Array(4000),
    "four volumes": changed(40, 4, 0, 21, 0, 18, 0, 15, 0, 4, 0),
    "a side below 0": changed(42, 255, 255),
    "a side of 0": changed(44, 0, 0),
    "complex numbers": changed(70, 32, 0),
    "voxels within the header": changed(108, 0, 0, 128, 63),
    "a start that is NaN": changed(108, 0, 0, 192, 127),
    "Fortran order": text("{'descr': '<i2', 'fortran_order': True, 'shape': (15, 18, 21), }"),
    "two axes": text("{'descr': '<i2', 'fortran_order': False, 'shape': (15, 18), }"),
    "integers of 64 bits": text(
      "{'descr': '<i8', 'fortran_order': False, 'shape': (15, 18, 21), }",
    ),
    "a huge shape": text(
      "{'descr': '|u1', 'fortran_order': False, 'shape': (99999, 99999, 99999), }",
    ),
    "a zero shape": text("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 0, 0), }"),
  };
  for (const [name, file] of Object.entries(refused)) {
    await assert.rejects(
      readOwnVolume(new Blob([file])),
      { code: "input.invalid" },
      name,
    );
  }
});
