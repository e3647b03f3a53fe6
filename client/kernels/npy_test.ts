import assert from "node:assert/strict";
import { NPY_ERRORS } from "@/client/kernels/meta.ts";
import { decodeFloats, decodeIndices, decodeNpy } from "@/client/kernels/npy.ts";
import type { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";

const root = new URL("../../", import.meta.url);
initSync({ module: await Deno.readFile(new URL("wasm/pkg/kernels/bind_browser_bg.wasm", root)) });

const SHAPE: Shape = [4, 3, 2];

function npy(
  elements: Uint8Array,
  header: Partial<Record<"descr" | "order" | "shape", string>> = {},
) {
  const { descr = "|u1", order = "False", shape = "(2, 3, 4)" } = header;
  const text = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`;
  return Uint8Array.from([
    0x93,
    ...new TextEncoder().encode("NUMPY"),
    1,
    0,
    text.length,
    0,
    ...new TextEncoder().encode(text),
    ...elements,
  ]);
}

const reasonOf = (bytes: Uint8Array<ArrayBuffer>): unknown => {
  try {
    decodeNpy(bytes, SHAPE);
  } catch (error) {
    assert.equal((error as AppError).code, "engine.unsupported_input");
    return (error as AppError).details.reason;
  }
};

Deno.test("decodeNpy() gives the elements as a view of the file", () => {
  const elements = Uint8Array.from({ length: 24 }, (_, n) => n * 3), file = npy(elements);
  const voxels = decodeNpy(file, SHAPE);
  assert.deepEqual(voxels, elements);
  assert.equal(voxels.buffer, file.buffer);
});

Deno.test("decodeNpy() names what is wrong with a file", () => {
  const elements = new Uint8Array(24);
  assert.equal(reasonOf(npy(elements.subarray(1))), "npy.truncated");
  assert.equal(reasonOf(npy(elements, { order: "Maybe" })), "npy.header");
  assert.equal(reasonOf(npy(elements, { shape: "(4, 3, 2)" })), "npy.shape");
  assert.equal(reasonOf(npy(elements, { descr: "<f2" })), "npy.element_type");
  assert.equal(reasonOf(npy(elements, { descr: "<f8" })), "npy.truncated");
  const other = npy(elements);
  other[6] = 4;
  assert.equal(reasonOf(other), "npy.version");
  assert.equal(reasonOf(npy(elements, { shape: "(65536, 65536, 1)" })), "npy.too_large");
  assert.equal(reasonOf(npy(elements, { shape: "(2, 3, 4" })), "npy.header");
  assert.equal(reasonOf(new TextEncoder().encode("<!doctype html>")), "npy.not_npy");
  assert.equal(reasonOf(new Uint8Array(0)), "npy.not_npy");
});

Deno.test("decodeNpy() turns files of the other order, whole squares and what is left beside them", () => {
  const [nx, ny, nz]: Shape = [67, 3, 131];
  const columns = Uint8Array.from({ length: nx * ny * nz }, (_, n) => n * 31 % 251);
  const voxels = decodeNpy(npy(columns, { order: "True", shape: `(${nz}, ${ny}, ${nx})` }), [
    nx,
    ny,
    nz,
  ]);
  for (let n = 0; n < voxels.length; n++) {
    const i = n % nx, j = Math.floor(n / nx) % ny, k = Math.floor(n / (nx * ny));
    assert.equal(voxels[n], columns[k + nz * (j + ny * i)]);
  }
});

Deno.test("decodeNpy() reads other types and orders as bytes, decodeFloats() and decodeIndices() as such", () => {
  const floats = Float32Array.from({ length: 24 }, (_, n) => 20 * n - 30);
  const file = npy(new Uint8Array(floats.buffer), { descr: "<f4" });
  assert.deepEqual(
    [...decodeNpy(file, SHAPE)],
    [...floats].map((v) => Math.min(Math.max(v, 0), 255)),
  );
  assert.deepEqual(decodeFloats(file), floats);
  assert.deepEqual([...decodeIndices(file)], [...floats].map((v) => Math.max(v, 0)));
  const columns = npy(Uint8Array.from({ length: 24 }, (_, n) => n), { order: "True" });
  // in column-major order, element (z, y, x) of a (2, 3, 4) file has the index z + 2·(y + 3·x)
  const at = (n: number) => Math.floor(n / 12) + 2 * (Math.floor(n / 4) % 3 + 3 * (n % 4));
  assert.deepEqual([...decodeNpy(columns, SHAPE)], Array.from({ length: 24 }, (_, n) => at(n)));
});

Deno.test("NPY_ERRORS are the kernels' errors", async () => {
  const rust = await Deno.readTextFile(new URL("wasm/kernels/src/npy.rs", root));
  const numbers = [...rust.matchAll(/^ {4}(\w+) = (\d+),$/gm)].map((m) =>
    [m[1], Number(m[2])] as const
  );
  const codes = new Map(
    [...rust.matchAll(/NpyError::(\w+) => "(npy\.\w+)"/g)].map((m) => [m[1], m[2]]),
  );
  assert.deepEqual(
    numbers.map(([name, n]) => [n, codes.get(name)]),
    [...NPY_ERRORS.entries()].slice(1),
  );
});
