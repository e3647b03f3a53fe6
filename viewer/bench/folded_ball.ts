import type { SurfaceMesh } from "@/viewer/surface/kernel.ts";

/**
 * Makes a ball with folds, 70 × 85 × 65 mm: an icosahedron with repeatedly subdivided triangles.
 * The surface has 20 · 4^times triangles.
 */
export function foldedBall(times: number): SurfaceMesh {
  const g = (1 + Math.sqrt(5)) / 2;
  let points: number[][] = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0]]
    .flatMap(([a, b, c]) => [[a!, b!, c!], [c!, a!, b!], [b!, c!, a!]]);
  // adjacent vertices of this icosahedron have a distance of 2
  const near = (a: number[], b: number[]) =>
    Math.abs(Math.hypot(...a.map((v, k) => v - b[k]!)) - 2) < 1e-6;
  let faces: number[][] = [];
  for (let a = 0; a < 12; a++) {
    for (let b = a + 1; b < 12; b++) {
      for (let c = b + 1; c < 12; c++) {
        const [p, q, r] = [points[a]!, points[b]!, points[c]!];
        if (!near(p, q) || !near(q, r) || !near(r, p)) continue;
        const turn = p[0]! * (q[1]! * r[2]! - q[2]! * r[1]!) +
          p[1]! * (q[2]! * r[0]! - q[0]! * r[2]!) +
          p[2]! * (q[0]! * r[1]! - q[1]! * r[0]!);
        faces.push(turn > 0 ? [a, b, c] : [a, c, b]);
      }
    }
  }
  for (let time = 0; time < times; time++) {
    const middles = new Map<number, number>(), finer: number[][] = [];
    const middle = (a: number, b: number) => {
      const key = Math.min(a, b) * 2 ** 24 + Math.max(a, b);
      let at = middles.get(key);
      if (at === undefined) {
        at = points.push(points[a]!.map((v, k) => v + points[b]![k]!)) - 1;
        middles.set(key, at);
      }
      return at;
    };
    for (const [a, b, c] of faces as [number, number, number][]) {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      finer.push([a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]);
    }
    faces = finer;
    points = points.map((p) => p.map((v) => v / Math.hypot(...p)));
  }
  const positions = new Float32Array(points.length * 3),
    normals = new Float32Array(points.length * 3);
  for (const [n, [x, y, z]] of (points as [number, number, number][]).entries()) {
    const fold = 1 +
      0.03 * Math.sin(14 * x + 3 * Math.sin(9 * y)) * Math.cos(13 * z + 2 * Math.sin(11 * x));
    positions.set([70 * x * fold, 85 * y * fold, 65 * z * fold], n * 3);
  }
  for (const [a, b, c] of faces as [number, number, number][]) {
    const edge = (from: number, to: number, k: number) =>
      positions[to * 3 + k]! - positions[from * 3 + k]!;
    for (let k = 0; k < 3; k++) {
      const i = (k + 1) % 3, j = (k + 2) % 3;
      const part = edge(a, b, i) * edge(a, c, j) - edge(a, b, j) * edge(a, c, i);
      for (const v of [a, b, c]) normals[v * 3 + k]! += part;
    }
  }
  for (let n = 0; n < normals.length; n += 3) {
    const length = Math.hypot(normals[n]!, normals[n + 1]!, normals[n + 2]!);
    for (let k = 0; k < 3; k++) normals[n + k]! /= length;
  }
  return {
    positions,
    normals,
    faces: Uint32Array.from(faces.flat()),
    values: new Float32Array(points.length),
  };
}
