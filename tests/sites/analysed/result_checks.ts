// Checks of an analysis's files and results, for any place that stores them.
import { printedPercentile } from "@/model/norms/rank_format.ts";
import assert from "node:assert/strict";
import type { Vec3 } from "@/model/geometry.ts";
import { isCortex, isMeasured, LABEL_COUNT, REGIONS } from "@/model/regions/regions.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import type { SurfaceFile, ViewerFile } from "@/model/schema/studies/viewer_files.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { NpyArray } from "@/tests/npy.ts";

export const sum = (values: Iterable<number>) =>
  [...values].reduce((total, value) => total + value, 0);

export const near = (a: number, b: number, tolerance: number, what: string) =>
  assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a} and ${b}`);

/** Checks that every stage is recorded once, with time and memory. */
export function checkStages(
  stages: readonly { name: string; seconds: number; peakMb: number }[],
): void {
  for (const { name, seconds, peakMb } of stages) {
    assert.ok(
      name && seconds >= 0 && peakMb > 10 && peakMb < 1200,
      `${name} ${seconds} s, ${peakMb} MB`,
    );
  }
  assert.equal(
    new Set(stages.map(({ name }) => name)).size,
    stages.length,
    "no stage is told of twice",
  );
}

export type SurfaceArrays = Record<SurfaceFile, NpyArray>;

/** Checks a surface: closed, of a brain's size, outward normals, thickness at most vertices. */
export function checkSurface({ verts, faces, normals, values }: SurfaceArrays): void {
  const count = verts.shape[0]!, faceCount = faces.shape[0]!;
  assert.deepEqual([verts.descr, faces.descr, normals.descr, values.descr], [
    "<f4",
    "<u4",
    "<f4",
    "<f4",
  ]);
  assert.deepEqual([verts.shape, normals.shape, values.shape], [[count, 3], [count, 3], [count]]);
  assert.ok(faces.shape[1] === 3 && faceCount > 5000 && faceCount <= 40_000, String(faces.shape));
  const used = new Uint8Array(count);
  for (const vertex of faces.values) {
    assert.ok(vertex < count, `face of vertex ${vertex}`);
    used[vertex] = 1;
  }
  assert.ok(used.every((is) => is === 1), "every vertex is in a face");
  const at = ({ values }: NpyArray, i: number) =>
    values.subarray(3 * i, 3 * i + 3) as unknown as Vec3;
  let volumeMm3 = 0, agreeing = 0;
  for (let f = 0; f < faceCount; f++) {
    const [a, b, c] = at(faces, f), [p, q, r] = [at(verts, a), at(verts, b), at(verts, c)];
    const u = [q[0] - p[0], q[1] - p[1], q[2] - p[2]] as const;
    const v = [r[0] - p[0], r[1] - p[1], r[2] - p[2]] as const;
    const across = [
      u[1] * v[2] - u[2] * v[1],
      u[2] * v[0] - u[0] * v[2],
      u[0] * v[1] - u[1] * v[0],
    ] as const;
    volumeMm3 += (p[0] * across[0] + p[1] * across[1] + p[2] * across[2]) / 6;
    const n = at(normals, a);
    if (n[0] * across[0] + n[1] * across[1] + n[2] * across[2] > 0) agreeing++;
  }
  assert.ok(volumeMm3 > 8e5 && volumeMm3 < 2e6, `${volumeMm3} mm³`);
  assert.ok(agreeing > 0.95 * faceCount, `${agreeing} of ${faceCount} faces`);
  for (let i = 0; i < count; i++) {
    const n = at(normals, i);
    near(Math.hypot(n[0], n[1], n[2]), 1, 1e-3, `normal ${i}`);
  }
  assert.ok(values.values.every((mm) => mm >= 0 && mm <= 5));
  assert.ok(values.values.filter((mm) => mm > 1).length > 0.5 * count);
}

/** Printed percentile of each label, percent; 255 for no percentile. */
function percentileByLabel({ t1_result }: Patient): Float64Array {
  const np = new Float64Array(LABEL_COUNT).fill(255);
  for (
    const { part_index: [first, second], rank_volume_total, rank_volume_left, rank_volume_right }
      of t1_result!
  ) {
    const [a, b] = second === undefined
      ? [rank_volume_total, null]
      : [rank_volume_left, rank_volume_right];
    const [left, right] = [a, b].map(printedPercentile);
    if (left != null) np[first!] = Math.round(left);
    if (second !== undefined && right != null) np[second] = Math.round(right);
  }
  return np;
}

/** Checks that a viewer file has only values valid for the labels. @returns voxels by value. */
export function checkViewerFile(
  field: ViewerFile,
  { values }: NpyArray,
  labels: NpyArray,
  patient: Patient,
): Float64Array {
  const np = percentileByLabel(patient),
    counts = new Float64Array(256),
    pairs = new Float64Array(256 * 256);
  for (let i = 0; i < values.length; i++) {
    counts[values[i]!]!++;
    pairs[256 * labels.values[i]! + values[i]!]!++;
  }
  const isRight: Record<ViewerFile, (value: number, label: number) => boolean> = {
    t1w_file: () => true,
    t2w_file: () => true,
    t1w_mask_file: (value, label) => value < LABEL_COUNT && value === label,
    thick_mask_file: (value, label) => value === 0 || isCortex(label),
    t1w_np_mask_file: (value, label) => value === np[label],
    icv_mask_file: (value) => value <= 1,
    t2w_mask_file: (value) => value <= 2,
    t2w_region_mask_file: (value) => value < LABEL_COUNT,
  };
  const wrong = [...pairs.entries()].flatMap(([pair, count]) => {
    const value = pair % 256, label = Math.floor(pair / 256);
    return count > 0 && !isRight[field](value, label) ? [`${value} at label ${label}`] : [];
  });
  assert.deepEqual(wrong, [], field);
  return counts;
}

/** Checks that sums, sides and thickness of a study agree. @returns volumes by label, mL. */
export function checkFigures(
  { t1_result, t1_thick_result, aggregates }: Patient,
): Map<number, number> {
  assert.equal(t1_thick_result!.length, 34);
  const ml = new Map<number, number>();
  for (
    const { part_index: [first, second], volume_total, volume_left, volume_right } of t1_result!
  ) {
    ml.set(first!, second === undefined ? volume_total : volume_left!);
    if (second !== undefined) ml.set(second, volume_right!);
  }
  const measured = REGIONS.map(({ label }) => label).filter(isMeasured);
  assert.deepEqual([...ml.keys()].sort((a, b) => a - b), measured);
  const of = (key: string) => aggregates!.find((row) => row.key === key)!;
  for (const side of ["left", "right"] as const) {
    const volume = `volume_${side}` as const, thick = `thick_${side}` as const;
    const mine = REGIONS.filter(({ hemisphere }) => hemisphere === (side === "left" ? "L" : "R"));
    const total = (is: (region: typeof mine[number]) => boolean) =>
      sum(mine.filter(is).map(({ label }) => ml.get(label)!));
    // each region is rounded to 0.01 mL, so sums have a tolerance
    near(of("cortex")[volume], total(({ label }) => isCortex(label)), 0.2, `cortex ${side}`);
    near(
      of("white_matter")[volume],
      total(({ label }) => label <= 2),
      0.02,
      `white matter ${side}`,
    );
    for (const lobe of ["frontal", "parietal", "temporal", "occipital", "cingulate", "insula"]) {
      const isIn = (label: number) =>
        isCortex(label) && REGIONS.find((region) => region.label === label)!.group === lobe;
      near(of(lobe)[volume], total(({ label }) => isIn(label)), 0.1, `${lobe} ${side}`);
      const rows = t1_thick_result!.filter(({ part_index }) => isIn(part_index[0]!)).map((row) =>
        row[thick]
      );
      const mean = of(lobe)[thick]!;
      assert.ok(
        rows.length > 0 && mean >= Math.min(...rows) && mean <= Math.max(...rows),
        `${lobe} ${mean}`,
      );
    }
    const mean = of("cortex")[thick]!;
    assert.ok(mean > 2 && mean < 4, `mean thickness ${side}: ${mean} mm`);
    assert.ok(t1_thick_result!.every((row) => row[thick] > 1 && row[thick] < 5));
  }
  return ml;
}

/** All percentiles of a study with the ends of their intervals. */
export const percentilesOf = (
  { t1_result, t1_thick_result, aggregates }: Patient,
): (number | null)[] =>
  [t1_result!, t1_thick_result!, aggregates!].flat().flatMap((row) =>
    Object.entries(row).flatMap(([key, value]) => {
      if (key.startsWith("np_")) return [value as number | null];
      const rank = key.startsWith("rank_") ? value as PercentileRank | null : null;
      return rank ? [rank.percentile, rank.low, rank.high] : [];
    })
  );
