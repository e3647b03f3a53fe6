import { type Affine, affineFromRows, type Shape, type Vec3 } from "@/model/geometry.ts";

/** Geometry of a DICOM stack in patient space. */
export interface Grid {
  /** shape of the stack: [columns, rows, slices] */
  shape: Shape;
  /** centre of the stack, RAS mm */
  centreRasMm: Vec3;
  /** unit vectors of increasing column, row and slice index, RAS; the slice is ± row × column */
  directions: readonly [Vec3, Vec3, Vec3];
  /** spacing of columns, rows and slices, mm */
  spacingMm: Vec3;
}

const AXIS: Readonly<Record<string, Vec3>> = {
  R: [1, 0, 0],
  L: [-1, 0, 0],
  A: [0, 1, 0],
  P: [0, -1, 0],
  S: [0, 0, 1],
  I: [0, 0, -1],
};

/**
 * Makes axis directions from three letters, each the direction in which an index increases.
 * "LPS": column index to the patient's left, row index to posterior, slice index to superior.
 */
export function axes(letters: string): [Vec3, Vec3, Vec3] {
  const directions = [...letters].map((l) => AXIS[l]);
  if (directions.length !== 3 || directions.some((v) => v === undefined)) {
    throw new RangeError(`No axes: ${letters}`);
  }
  return directions as [Vec3, Vec3, Vec3];
}

const OPPOSITE: Readonly<Record<string, string>> = { R: "L", A: "P", S: "I" };

/** All 48 ways to store a volume: permutations of three axes, each in either direction. */
export const ORIENTATIONS: readonly string[] = ["RAS", "RSA", "ARS", "ASR", "SRA", "SAR"].flatMap((
  order,
) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((flips) =>
    [...order].map((l, axis) => (flips >> axis) & 1 ? OPPOSITE[l]! : l).join("")
  )
);

/** Axial, coronal and sagittal planes as scanners store them. */
export const PLANES = { axial: "LPS", coronal: "LIP", sagittal: "PIL" } as const;

/** Rotates directions about the patient's x, y and z axis, degrees: an oblique stack. */
export function tilted(
  directions: readonly [Vec3, Vec3, Vec3],
  deg: Readonly<Vec3>,
): [Vec3, Vec3, Vec3] {
  let out = directions.map((d) => [...d] as Vec3);
  for (const [axis, angle] of deg.entries()) {
    const [a, b] = [(axis + 1) % 3, (axis + 2) % 3], c = Math.cos(angle * Math.PI / 180);
    const s = Math.sin(angle * Math.PI / 180);
    out = out.map((d) => {
      const turned: Vec3 = [...d];
      turned[a] = c * d[a]! - s * d[b]!;
      turned[b] = s * d[a]! + c * d[b]!;
      return turned;
    });
  }
  return out as [Vec3, Vec3, Vec3];
}

/** RAS mm from [column, row, slice]. */
export function rasFromGrid(grid: Grid): Affine<"Ras", "Ijk"> {
  const { shape, centreRasMm, directions, spacingMm } = grid;
  return affineFromRows([
    ...[0, 1, 2].map((r) => {
      const columns = directions.map((d, c) => d[r]! * spacingMm[c]!);
      return [
        ...columns,
        centreRasMm[r]! - columns.reduce((s, v, c) => s + v * (shape[c]! - 1) / 2, 0),
      ];
    }),
    [0, 0, 0, 1],
  ]);
}
