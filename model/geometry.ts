import { AppError } from "@/model/errors.ts";

/**
 * Coordinate frames. `Ras` and `Lps` are patient millimetres; the others are voxel indices of one
 * grid.
 */
type Frame = "Ras" | "Lps" | "Ijk" | "SourceIjk";

declare const toFrame: unique symbol;
declare const fromFrame: unique symbol;

/**
 * Homogeneous 4×4 affine, column-major, f64, read destination-from-source: `rasFromIjk:
 * Affine<"Ras", "Ijk">` maps a voxel index to patient mm (+right, +anterior, +superior). A wrong
 * composition does not compile.
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

/** 16 numbers row-major, the form of `GET /patients/{pid}/volume`. */
export function rowMajor(affine: Affine<Frame, Frame>): number[] {
  return Array.from({ length: 16 }, (_, k) => affine[(k % 4) * 4 + Math.floor(k / 4)]!);
}

/** Inverse of {@link rowMajor}. */
export function affineFromRowMajor<To extends Frame, From extends Frame>(
  values: readonly number[],
): Affine<To, From> {
  if (values.length !== 16) {
    throw new RangeError(`Cannot read affine: ${values.length} numbers instead of 16`);
  }
  return affineFromRows<To, From>([0, 1, 2, 3].map((r) => values.slice(r * 4, r * 4 + 4)));
}

/** `a` after `b`: (a ∘ b)(x) = a(b(x)). */
export function compose<A extends Frame, B extends Frame, C extends Frame>(
  a: Affine<A, B>,
  b: Affine<NoInfer<B>, C>,
): Affine<A, C> {
  const out = new Float64Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + r]! * b[c * 4 + k]!;
      out[c * 4 + r] = sum;
    }
  }
  return out as Affine<A, C>;
}

/** Applies an affine to a point. */
export function applyAffine(affine: Affine<Frame, Frame>, p: Readonly<Vec3>): Vec3 {
  const at = (r: number) =>
    affine[r]! * p[0] + affine[4 + r]! * p[1] + affine[8 + r]! * p[2] + affine[12 + r]!;
  return [at(0), at(1), at(2)];
}

/**
 * Determinant of the 3×3 part, mm³ per voxel when mapping ijk to mm; negative for a left-handed
 * grid.
 */
export function determinant(a: Affine<Frame, Frame>): number {
  return a[0]! * (a[5]! * a[10]! - a[9]! * a[6]!) - a[4]! * (a[1]! * a[10]! - a[9]! * a[2]!) +
    a[8]! * (a[1]! * a[6]! - a[5]! * a[2]!);
}

/**
 * Inverse affine.
 * @throws {AppError} `volume.affine_singular` if the 3×3 part has no inverse.
 */
export function invert<To extends Frame, From extends Frame>(
  a: Affine<To, From>,
): Affine<From, To> {
  const d = determinant(a);
  if (!Number.isFinite(d) || Math.abs(d) < 1e-12) {
    throw new AppError("volume.affine_singular", `Cannot invert affine: determinant is ${d}`);
  }
  const m = (r: number, c: number) => a[c * 4 + r]!;
  const out = new Float64Array(16);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) {
      const [r1, r2, c1, c2] = [(c + 1) % 3, (c + 2) % 3, (r + 1) % 3, (r + 2) % 3];
      out[c * 4 + r] = (m(r1, c1) * m(r2, c2) - m(r1, c2) * m(r2, c1)) / d;
    }
  }
  for (let r = 0; r < 3; r++) {
    out[12 + r] = -(out[r]! * a[12]! + out[4 + r]! * a[13]! + out[8 + r]! * a[14]!);
  }
  out[15] = 1;
  return out as Affine<From, To>;
}

/** Voxel size per axis in mm: the lengths of the affine's columns. */
export function spacingMm(rasFromIjk: Affine<Frame, Frame>): Vec3 {
  const length = (c: number) =>
    Math.hypot(rasFromIjk[c * 4]!, rasFromIjk[c * 4 + 1]!, rasFromIjk[c * 4 + 2]!);
  return [length(0), length(1), length(2)];
}
