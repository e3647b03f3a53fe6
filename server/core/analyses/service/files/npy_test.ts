import assert from "node:assert/strict";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";

Deno.test("encodeNpy() writes the header NumPy writes: (nz, ny, nx), data at a multiple of 64", () => {
  const file = encodeNpy(new Uint8Array([1, 2, 3, 4, 5, 6]), [3, 2, 1]);
  const length = file[8]! + 256 * file[9]!;
  assert.equal((10 + length) % 64, 0);
  assert.deepEqual([...file.subarray(0, 8)], [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  const header = new TextDecoder().decode(file.subarray(10, 10 + length));
  assert.match(header, /^\{'descr': '\|u1', 'fortran_order': False, 'shape': \(1, 2, 3\), \} *\n$/);
  assert.deepEqual([...file.subarray(10 + length)], [1, 2, 3, 4, 5, 6]);
});

Deno.test("encodeNpy() refuses a shape that does not fit", () => {
  assert.throws(() => encodeNpy(new Uint8Array(5), [3, 2, 1]), RangeError);
});
