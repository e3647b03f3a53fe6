// imports gl-matrix file by file, so that esbuild bundles only the functions in use
import * as mat4 from "gl-matrix/esm/mat4.js";
import * as vec3 from "gl-matrix/esm/vec3.js";
import { AppError } from "@/model/errors.ts";

/**
 * Coordinate frames. `Ras` and `Lps` are patient millimetres; `Ijk` and `SourceIjk` voxel indices.
 */
type Frame = "Ras" | "Lps" | "Ijk" | "SourceIjk";

declare const toFrame: unique symbol;
declare const fromFrame: unique symbol;

/**
 * Homogeneous 4×4 affine, column-major, f64, read destination-from-source:
 * `rasFromIjk: Affine<"Ras", "Ijk">` maps a voxel index to mm (+right, +anterior, +superior).
 * A wrong composition does not compile.
 */
export type Affine<To extends Frame, From extends Frame> = Float64Array & {
  readonly [toFrame]: To;
  readonly [fromFrame]: From;
};

export type Vec3 = [number, number, number];
/** [nx, ny, nz]; i is fastest in memory. */
export type Shape = [number, number, number];

/** Builds an affine from four rows of four numbers (as NIfTI headers and NumPy print it). */
export function affineFromRows<To extends Frame, From extends Frame>(
  rows: readonly (readonly number[])[],
): Affine<To, From> {
  const out = new Float64Array(16);
  for (let r = 0; r < 4; r++) {
    for (let c = 0; c < 4; c++) out[c * 4 + r] = rows[r]?.[c] ?? (r === c ? 1 : 0);
  }
  return out as Affine<To, From>;
}

/** Affine as 16 numbers row by row, the form in `GET /patients/{pid}/volume`. */
export function rowMajor(affine: Affine<Frame, Frame>): number[] {
  return Array.from({ length: 16 }, (_, k) => affine[(k % 4) * 4 + Math.floor(k / 4)]!);
}

/** Makes an affine from 16 row-major numbers, the inverse of {@link rowMajor}. */
export function affineFromRowMajor<To extends Frame, From extends Frame>(
  values: readonly number[],
): Affine<To, From> {
  if (values.length !== 16) {
    throw new RangeError(`Cannot read affine: ${values.length} numbers instead of 16`);
  }
  return affineFromRows<To, From>([0, 1, 2, 3].map((r) => values.slice(r * 4, r * 4 + 4)));
}

/** `a` after `b`: (a ∘ b)(x) = a(b(x)). */
export const compose = <A extends Frame, B extends Frame, C extends Frame>(
  a: Affine<A, B>,
  b: Affine<NoInfer<B>, C>,
): Affine<A, C> => mat4.multiply(new Float64Array(16), a, b) as Affine<A, C>;

/** Applies an affine to a point. */
export const applyAffine = (affine: Affine<Frame, Frame>, p: Readonly<Vec3>): Vec3 =>
  vec3.transformMat4([0, 0, 0], p, affine);

/**
 * Determinant of the 3×3 part, mm³ per voxel for an affine from ijk to mm.
 * Negative for a left-handed grid.
 */
export const determinant = (a: Affine<Frame, Frame>): number => mat4.determinant(a);

/**
 * Computes the inverse of an affine.
 * @throws {AppError} `volume.affine_singular` if the 3×3 part has no inverse.
 */
export function invert<To extends Frame, From extends Frame>(
  a: Affine<To, From>,
): Affine<From, To> {
  const d = determinant(a);
  if (!Number.isFinite(d) || Math.abs(d) < 1e-12) {
    throw new AppError("volume.affine_singular", `Cannot invert affine: determinant is ${d}`);
  }
  return mat4.invert(new Float64Array(16), a) as Affine<From, To>;
}

export const add = (a: Readonly<Vec3>, b: Readonly<Vec3>): Vec3 => vec3.add([0, 0, 0], a, b);

export const subtract = (a: Readonly<Vec3>, b: Readonly<Vec3>): Vec3 =>
  vec3.subtract([0, 0, 0], a, b);

/** Unit vector in the direction of a vector; the zero vector stays 0, 0, 0. */
export const unit = (a: Readonly<Vec3>): Vec3 => vec3.normalize([0, 0, 0], a);

/** Computes the scalar product of two vectors. */
export const dot = (a: Readonly<Vec3>, b: Readonly<Vec3>): number => vec3.dot(a, b);

/** Computes the vector product of two vectors. */
export const cross = (a: Readonly<Vec3>, b: Readonly<Vec3>): Vec3 => vec3.cross([0, 0, 0], a, b);

/** Voxel size per axis in mm: the lengths of the affine's columns. */
export function spacingMm(rasFromIjk: Affine<Frame, Frame>): Vec3 {
  const length = (c: number) =>
    Math.hypot(rasFromIjk[c * 4]!, rasFromIjk[c * 4 + 1]!, rasFromIjk[c * 4 + 2]!);
  return [length(0), length(1), length(2)];
}
