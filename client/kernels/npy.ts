import { npy_layout, npy_to_f32, npy_to_u32, npy_to_u8 } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import { NPY_ERRORS } from "@/client/kernels/meta.ts";

/** Maximum length of an NPY header that is read: the maximum of NPY version 1.0. */
const HEAD_BYTES = 65_536 + 12;
const UNSIGNED = "u".charCodeAt(0);

/** Position and layout of the array elements of an NPY file. */
interface NpyLayout {
  /** Number of bytes before the first element. */
  offset: number;
  /** Shape in file order, three axes; a vector is [1, 1, n]. */
  axes: readonly [number, number, number];
  /** Whether the elements are unsigned bytes in C order, usable without conversion. */
  isPlain: boolean;
}

const throwRefused = (reason: string) =>
  new AppError("engine.unsupported_input", `Cannot read NPY file: ${reason}`, { reason });

/**
 * Reads the header of an NPY file. The kernels must be started.
 *
 * @param head Beginning of the file with at least the header; `totalBytes` is the file length.
 * @throws {AppError} `engine.unsupported_input`, with the reader's error in `details.reason`.
 */
function readNpyLayout(head: Uint8Array, totalBytes: number): NpyLayout {
  const layout = npy_layout(head.subarray(0, HEAD_BYTES), totalBytes);
  if (layout[0] !== 0) throw throwRefused(NPY_ERRORS[layout[0]!] ?? "npy.header");
  const [, offset, kind, elementBytes, a, b, c, , isFortran] = layout as unknown as number[];
  return {
    offset: offset!,
    axes: [a!, b!, c!],
    isPlain: kind === UNSIGNED && elementBytes === 1 && isFortran === 0,
  };
}

/** @throws {AppError} `engine.unsupported_input` (`npy.shape`) for a file of another shape. */
function expectShape({ axes }: NpyLayout, shape: Shape): void {
  if (axes.some((n, axis) => n !== shape[2 - axis])) throw throwRefused("npy.shape");
}

/**
 * Array elements of a volume as unsigned bytes, clamped and rounded.
 * For a file of bytes in C order, the result is a view, not a copy.
 *
 * @param shape Required shape, [nx, ny, nz]; the file states it as (nz, ny, nx).
 * @throws {AppError} `engine.unsupported_input`, with the reader's error in `details.reason`.
 */
export function decodeNpy(bytes: Uint8Array<ArrayBuffer>, shape: Shape): Uint8Array<ArrayBuffer> {
  const layout = readNpyLayout(bytes, bytes.length), voxels = shape[0] * shape[1] * shape[2];
  expectShape(layout, shape);
  if (layout.isPlain) return bytes.subarray(layout.offset, layout.offset + voxels);
  return whole(npy_to_u8(bytes), voxels);
}

/**
 * Elements of an array of any shape as floats, in C order.
 *
 * @throws {AppError} As {@link decodeNpy}.
 */
export function decodeFloats(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const { axes: [a, b, c] } = readNpyLayout(bytes, bytes.length);
  return whole(npy_to_f32(bytes), a * b * c);
}

/** Elements of an array as unsigned integers. @throws {AppError} As {@link decodeNpy}. */
export function decodeIndices(bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  const { axes: [a, b, c] } = readNpyLayout(bytes, bytes.length);
  return whole(npy_to_u32(bytes), a * b * c);
}

/**
 * Checks that a kernel returned all elements. Kernels return copies, never shared views.
 * @throws {AppError} if elements are missing.
 */
function whole<A extends ArrayLike<number>>(elements: ArrayLike<number>, count: number): A {
  if (elements.length !== count) throw throwRefused("npy.too_large");
  return elements as A;
}
