import assert from "node:assert/strict";

/** An array as NumPy would read it, independent of the product's code. */
export interface NpyArray {
  descr: string;
  shape: number[];
  values: Uint8Array | Uint32Array | Float32Array;
}

const TYPES = { "|u1": Uint8Array, "<u4": Uint32Array, "<f4": Float32Array } as const;

/** Reads an NPY v1.0 file. @throws unless it is aligned, in C order, and of the stated length. */
export function readNpy(bytes: Uint8Array): NpyArray {
  assert.deepEqual([...bytes.subarray(0, 8)], [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  const start = 10 + bytes[8]! + 256 * bytes[9]!;
  const header = new TextDecoder().decode(bytes.subarray(10, start));
  const found = /^\{'descr': '(\S+)', 'fortran_order': False, 'shape': \(([\d, ]+)\), \} *\n$/.exec(
    header,
  );
  assert.ok(found, header);
  const shape = found[2]!.split(",").filter((part) => part.trim() !== "").map(Number);
  const Type = TYPES[found[1] as keyof typeof TYPES];
  assert.ok(Type && start % 64 === 0, header);
  const values = new Type(bytes.slice(start).buffer);
  assert.equal(values.length, shape.reduce((product, size) => product * size, 1));
  return { descr: found[1]!, shape, values };
}
