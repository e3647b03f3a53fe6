// covers: D2-3.4
import assert from "node:assert/strict";
import { decodeSurface } from "@/client/kernels/surface.ts";
import { encodeArray } from "@/server/core/analyses/service/files/npy.ts";
import type { AppError } from "@/model/errors.ts";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";

const wasm = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
initSync({ module: await Deno.readFile(wasm) });

const POSITIONS = Float32Array.from([0, 0, 0, 1.5, 0, 0, 0, -2, 0, 0, 0, 3]);
const FACES = Uint32Array.from([0, 1, 2, 0, 2, 3]);
const files = () => ({
  verts: encodeArray(POSITIONS, [4, 3]),
  faces: encodeArray(FACES, [2, 3]),
  normals: encodeArray(POSITIONS, [4, 3]),
  values: encodeArray(Float32Array.from([0, 1, 2.5, 5]), [4]),
});

const reasonOf = (part: Partial<ReturnType<typeof files>>): unknown => {
  try {
    decodeSurface({ ...files(), ...part });
  } catch (error) {
    assert.equal((error as AppError).code, "engine.unsupported_input");
    return (error as AppError).details.reason;
  }
};

Deno.test("decodeSurface() reads the four arrays", () => {
  const { positions, faces, normals, values } = decodeSurface(files());
  assert.deepEqual([positions, normals], [POSITIONS, POSITIONS]);
  assert.deepEqual(faces, FACES);
  assert.deepEqual([...values], [0, 1, 2.5, 5]);
});

Deno.test("decodeSurface() names what does not belong together", () => {
  assert.equal(
    reasonOf({ faces: encodeArray(Uint32Array.from([0, 1, 4]), [1, 3]) }),
    "surface.index",
  );
  assert.equal(reasonOf({ values: encodeArray(new Float32Array(5), [5]) }), "surface.length");
  assert.equal(reasonOf({ normals: encodeArray(new Float32Array(6), [2, 3]) }), "surface.length");
  assert.equal(reasonOf({ verts: encodeArray(POSITIONS, [3, 4]) }), "npy.shape");
  assert.equal(reasonOf({ values: encodeArray(POSITIONS, [4, 3]) }), "npy.shape");
  assert.equal(reasonOf({ faces: files().faces.subarray(0, -4) }), "npy.truncated");
  assert.equal(reasonOf({ verts: new TextEncoder().encode("<!doctype html>") }), "npy.not_npy");
});
