// Decoding NPY files that arrive in pieces, against a copy of the same bytes by one `set()` call.
// For files in Fortran order the copy also transposes. A copy of the single pieces is another row,
// for comparison.
import { addNative, addRow, type Kit, timed } from "@/bench/kernel_runs/kernel_kit.ts";
import type { Shape } from "@/model/geometry.ts";
import { VolumeDecoder } from "@/wasm/pkg/kernels/bind_browser.js";

/** Number of array sets per file: a copy's speed varies by a third with their memory position. */
const PLACES = 5;
/** Size of the pieces that arrive from the network, bytes. */
const PIECE = 1 << 16;
/** Maximum duration relative to a copy, for bytes: images and label maps are bytes. */
const MOST = 1 / 0.8;
/** Shapes with as many bytes as 256³ voxels, more than the processor's fast caches hold. */
const shapeOf = (size: number): Shape => [256, 256, 256 / size];

/** Values of a file: default (signed bytes: 0..127, as in label maps), or others. */
type Values = "" | "half negative" | "not only 0 and 1";

const TYPES: readonly [descr: string, isFortran: boolean, values: Values][] = [
  ["|u1", false, ""],
  ["|i1", false, ""],
  ["|i1", false, "half negative"],
  ["|b1", false, ""],
  ["|b1", false, "not only 0 and 1"],
  ["<u2", false, ""],
  ["<i2", false, ""],
  [">i2", false, ""],
  ["<u4", false, ""],
  ["<i4", false, ""],
  ["<f4", false, ""],
  [">f4", false, ""],
  ["<f8", false, ""],
  [">f8", false, ""],
  ["|u1", true, ""],
];

/** Value of element n of a file, as unsigned; native_times.rs has the same values. */
function valueOf(n: number, descr: string, values: Values): number {
  const value = n * 31 % 251;
  if (values !== "" || descr[2] !== "1" || descr[1] === "u") return value;
  return descr[1] === "b" ? value & 1 : value & 127;
}

function npyHead(descr: string, isFortran: boolean, shape: Shape): Uint8Array {
  const dictionary = `{'descr': '${descr}', 'fortran_order': ${isFortran ? "True" : "False"}, ` +
    `'shape': (${shape.toReversed().join(", ")}), }`;
  // NumPy pads its headers to a multiple of 64 bytes
  const text = dictionary.padEnd(128 - 11) + "\n";
  const version = `NUMPY\x01\x00${String.fromCharCode(text.length)}\x00`;
  return Uint8Array.of(0x93, ...new TextEncoder().encode(version + text));
}

function npy(descr: string, isFortran: boolean, values: Values): Uint8Array<ArrayBuffer> {
  const size = Number(descr[2]), shape = shapeOf(size), count = shape[0] * shape[1] * shape[2];
  const head = npyHead(descr, isFortran, shape);
  const out = new Uint8Array(head.length + count * size),
    view = new DataView(out.buffer, head.length);
  out.set(head);
  const isLittle = descr[0] !== ">";
  for (let n = 0; n < count; n++) {
    const value = valueOf(n, descr, values);
    if (descr[1] === "f") {
      size === 4
        ? view.setFloat32(n * 4, value, isLittle)
        : view.setFloat64(n * 8, value, isLittle);
    } else if (size === 1) view.setUint8(n, value);
    else if (size === 2) view.setUint16(n * 2, value, isLittle);
    else view.setUint32(n * 4, value, isLittle);
  }
  return out;
}

/** Decodes a file; `read` is called before the decoder is freed. @returns its result. */
function decode<T>(
  memory: WebAssembly.Memory,
  file: Uint8Array,
  shape: Shape,
  read: (decoder: VolumeDecoder) => T,
): T {
  const decoder = VolumeDecoder.create(0, ...shape)!;
  for (let start = 0; start < file.length; start += PIECE) {
    const piece = file.subarray(start, start + PIECE);
    for (let at = 0; at < piece.length;) {
      const length = Math.min(decoder.input_bytes(), piece.length - at);
      if (length === 0) break;
      new Uint8Array(memory.buffer, decoder.input_address(), length).set(
        piece.subarray(at, at + length),
      );
      if (decoder.advance(length) !== 0) throw new Error("refused");
      at += length;
    }
  }
  if (decoder.finish() !== 0) throw new Error("refused");
  const result = read(decoder);
  decoder.free();
  return result;
}

function isDecoded(
  voxels: Uint8Array,
  [nx, ny, nz]: Shape,
  [descr, isFortran, values]: (typeof TYPES)[number],
): boolean {
  return voxels.every((voxel, v) => {
    const i = v % nx, j = Math.floor(v / nx) % ny, k = Math.floor(v / (nx * ny));
    const value = valueOf(isFortran ? k + nz * (j + ny * i) : v, descr, values);
    if (descr === "|b1") return voxel === (value > 0 ? 1 : 0);
    return voxel === (descr === "|i1" && value > 127 ? 0 : value);
  });
}

/** Side of the blocks in which plain JavaScript transposes fastest, elements. */
const SQUARE = 32;

/** Copies bytes in Fortran order (i slowest), after `head` header bytes, to i-fastest order. */
function turnedCopy(file: Uint8Array, head: number, [nx, ny, nz]: Shape, out: Uint8Array): void {
  for (let j = 0; j < ny; j++) {
    for (let k0 = 0; k0 < nz; k0 += SQUARE) {
      const k1 = Math.min(k0 + SQUARE, nz);
      for (let i0 = 0; i0 < nx; i0 += SQUARE) {
        const i1 = Math.min(i0 + SQUARE, nx);
        for (let k = k0; k < k1; k++) {
          for (let i = i0, to = (k * ny + j) * nx + i; i < i1; i++) {
            out[to++] = file[head + k + nz * (j + ny * i)]!;
          }
        }
      }
    }
  }
}

/** Copies a file piece by piece, as it arrives. */
function copyOfPieces(file: Uint8Array, out: Uint8Array): void {
  for (let start = 0; start < file.length; start += PIECE) {
    out.set(file.subarray(start, start + PIECE), start);
  }
}

/** A decoder that occupies memory for `count` voxels, so that the next volume is elsewhere. */
function held(memory: WebAssembly.Memory, count: number): VolumeDecoder {
  const decoder = VolumeDecoder.create(0, count, 1, 1)!;
  const head = npyHead("|u1", false, [count, 1, 1]);
  for (let at = 0; at < head.length;) {
    const length = Math.min(decoder.input_bytes(), head.length - at);
    new Uint8Array(memory.buffer, decoder.input_address(), length).set(
      head.subarray(at, at + length),
    );
    if (decoder.advance(length) !== 0) throw new Error("refused");
    at += length;
  }
  return decoder;
}

export async function rows(kit: Kit): Promise<void> {
  const { memory } = kit.composer;
  for (const type of TYPES) {
    const [descr, isFortran, values] = type;
    const shape = shapeOf(Number(descr[2])), count = shape[0] * shape[1] * shape[2];
    const arrays: Uint8Array[] = [], holders: VolumeDecoder[] = [];
    // times of decoding, of one copy, and of a copy of the pieces
    const ms: number[] = [], copyMs: number[] = [], piecesMs: number[] = [];
    let decodeLast = () => {};
    const original = npy(descr, isFortran, values);
    const head = original.length - count * Number(descr[2]);
    for (let place = 0; place < PLACES; place++) {
      const file = original.slice(), copy = new Uint8Array(file.length);
      // kept alive, so that the next arrays get other positions
      arrays.push(file, copy);
      holders.push(held(memory, 9973 * (place + 1)));
      decodeLast = () => decode(memory, file, shape, () => {});
      const calls = [
        decodeLast,
        () => isFortran ? turnedCopy(file, head, shape, copy) : copy.set(file),
        () => copyOfPieces(file, copy),
      ];
      const rounds = timed(calls, 1);
      for (const [n, all] of [ms, copyMs, piecesMs].entries()) all.push(...rounds[n]!);
    }
    const isRight = decode(memory, arrays[0]!, shape, (decoder) => {
      return isDecoded(new Uint8Array(memory.buffer, decoder.volume(), count), shape, type);
    });
    const name = `NPY ${descr}${isFortran ? " Fortran order" : ""}${values && ` ${values}`}`;
    const against = isFortran ? "a copy that turns it" : "a copy of the file";
    const bar = "right answer, ≥ 0.8 × the speed of a copy";
    // other types are also checked, transposed or rounded, so their ratio is shown without a limit
    const most = descr === "|u1" ? MOST : null;
    addRow(kit, `${name}, against ${against}`, ms, copyMs, { most, bar, isRight });
    if (!isFortran) {
      addRow(kit, `${name}, against a copy of its pieces`, ms, piecesMs, {});
    }
    await addNative(kit, name, decodeLast);
    for (const holder of holders) holder.free();
  }
}
