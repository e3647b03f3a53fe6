import assert from "node:assert/strict";
import { affineFromRows, applyAffine, type Shape, type Vec3 } from "@/model/geometry.ts";
import { Random } from "@/model/random.ts";
import {
  coveredVoxels,
  type LabelMap,
  LesionPlaces,
  lobeOfRegion,
  TOUCH_MM,
} from "@/model/regions/lesion_site.ts";
import { isCortex, regionOf, REGIONS } from "@/model/regions/regions.ts";

// covers: S-134
const WHITE = [1, 2], STEM = 31, CEREBELLUM = 5, CALLOSUM = 34, THALAMUS = 8;
const [FRONTAL_L, FRONTAL_R, PARIETAL_R, INSULA_L] = [39, 40, 60, 103];
const [ANTERIOR_CINGULATE_L, POSTERIOR_CINGULATE_L, VENTRICLE_L] = [97, 99, 15];

/** A box of a physical size: voxels of 1 × 1.2 × 2.5 mm, left of the middle of x first. */
const SIZE: Shape = [40, 20, 12], SPACING: Vec3 = [1, 1.2, 2.5];
const at = (i: number, j: number, k: number) => i + SIZE[0] * (j + SIZE[1] * k);

/** A label map of white matter with labelled boxes in it; first and last voxel of each box. */
function headOf(boxes: readonly [label: number, low: Vec3, high: Vec3][]): Uint8Array {
  const labels = new Uint8Array(SIZE[0] * SIZE[1] * SIZE[2]);
  for (let v = 0; v < labels.length; v++) labels[v] = WHITE[v % SIZE[0] < SIZE[0] / 2 ? 0 : 1]!;
  for (const [label, low, high] of boxes) {
    for (let k = low[2]; k <= high[2]; k++) {
      for (let j = low[1]; j <= high[1]; j++) {
        for (let i = low[0]; i <= high[0]; i++) labels[at(i, j, k)] = label;
      }
    }
  }
  return labels;
}

const boxOf = (low: Vec3, high: Vec3): number[] => {
  const voxels = [];
  for (let k = low[2]; k <= high[2]; k++) {
    for (let j = low[1]; j <= high[1]; j++) {
      for (let i = low[0]; i <= high[0]; i++) voxels.push(at(i, j, k));
    }
  }
  return voxels;
};

const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] as const;

/** The same head stored in another order, with some axes backwards, and turned in space. */
function storedAs(
  labels: Uint8Array,
  voxels: readonly number[],
  order: (typeof ORDERS)[number],
  flips: number,
): [map: LabelMap, voxels: number[]] {
  const shape = order.map((axis) => SIZE[axis]!) as Shape;
  const to = (v: number) => {
    const ijk = [v % SIZE[0], Math.floor(v / SIZE[0]) % SIZE[1], Math.floor(v / SIZE[0] / SIZE[1])];
    const [x, y, z] = order.map((axis) =>
      flips >> axis & 1 ? SIZE[axis]! - 1 - ijk[axis]! : ijk[axis]!
    ) as Vec3;
    return x + shape[0] * (y + shape[1] * z);
  };
  const stored = new Uint8Array(labels.length);
  for (let v = 0; v < labels.length; v++) stored[to(v)] = labels[v]!;
  // turned by 0.3 about z and 0.2 about x
  const [c, s, d, t] = [Math.cos(0.3), Math.sin(0.3), Math.cos(0.2), Math.sin(0.2)];
  const turned = [[c, -s * d, s * t], [s, c * d, -c * t], [0, t, d]];
  const rows = turned.map((row) => [
    ...order.map((axis) => row[axis]! * SPACING[axis]! * (flips >> axis & 1 ? -1 : 1)),
    7,
  ]);
  const map = {
    labels: stored,
    shape,
    rasFromIjk: affineFromRows<"Ras", "Ijk">(rows as [number[], number[], number[]]),
  };
  return [map, voxels.map(to)];
}

const EVERY_ORDER = ORDERS.flatMap((order) =>
  Array.from({ length: 8 }, (_, n) => [order, n] as const)
);

/** Cortex of both sides, a ventricle of each, and nothing else. */
const CORTEX_AND_VENTRICLES: [number, Vec3, Vec3][] = [
  [FRONTAL_L, [0, 0, 0], [1, 19, 11]],
  [PARIETAL_R, [38, 0, 0], [39, 19, 11]],
  [VENTRICLE_L, [16, 5, 3], [18, 14, 8]],
  [16, [21, 5, 3], [23, 14, 8]],
];

const CASES: [name: string, more: [number, Vec3, Vec3][], lesion: number[], place: unknown][] = [
  [
    "a lesion that touches the ventricle is periventricular",
    [],
    boxOf([12, 8, 5], [15, 10, 6]),
    { site: "periventricular", lobe: "frontal", side: "L" },
  ],
  [
    "also across a voxel of 1 mm",
    [],
    boxOf([12, 8, 5], [14, 10, 6]),
    { site: "periventricular", lobe: "frontal", side: "L" },
  ],
  [
    "not across two of them",
    [],
    boxOf([11, 8, 5], [13, 10, 6]),
    { site: "deep_white", lobe: "frontal", side: "L" },
  ],
  [
    "nor across one of 2.5 mm",
    [],
    boxOf([16, 8, 10], [18, 9, 11]),
    { site: "deep_white", lobe: "frontal", side: "L" },
  ],
  [
    "a lesion that touches the cortex is juxtacortical and named after that",
    [[FRONTAL_R, [30, 0, 0], [31, 19, 11]]],
    boxOf([35, 8, 5], [37, 9, 5]),
    { site: "juxtacortical", lobe: "parietal", side: "R" },
  ],
  [
    "a lesion inside the cortex as well",
    [],
    boxOf([0, 8, 5], [0, 9, 5]),
    { site: "juxtacortical", lobe: "frontal", side: "L" },
  ],
  [
    "a lesion from ventricle to cortex counts as periventricular",
    [],
    boxOf([2, 8, 5], [15, 9, 5]),
    { site: "periventricular", lobe: "frontal", side: "L", is_at_both: true },
  ],
  [
    "the white matter beside the anterior cingulate is the frontal lobe's",
    [[ANTERIOR_CINGULATE_L, [14, 0, 0], [17, 1, 11]], [FRONTAL_L, [0, 0, 0], [1, 0, 0]]],
    boxOf([16, 3, 5], [18, 4, 5]),
    { site: "periventricular", lobe: "frontal", side: "L" },
  ],
  [
    "that beside the posterior cingulate is the parietal lobe's",
    [[POSTERIOR_CINGULATE_L, [14, 0, 0], [17, 1, 11]]],
    boxOf([16, 3, 5], [18, 4, 5]),
    { site: "periventricular", lobe: "parietal", side: "L" },
  ],
  [
    "no white matter is the insula's unless it touches it",
    [[INSULA_L, [8, 0, 0], [9, 19, 11]]],
    boxOf([12, 8, 10], [12, 9, 10]),
    { site: "deep_white", lobe: "frontal", side: "L" },
  ],
  [
    "a lesion at the insula is the insula's",
    [[INSULA_L, [8, 0, 0], [9, 19, 11]]],
    boxOf([10, 8, 10], [11, 9, 10]),
    { site: "juxtacortical", lobe: "insula", side: "L" },
  ],
  [
    "a lesion of both hemispheres is of both",
    [[CALLOSUM, [18, 16, 3], [21, 17, 8]]],
    boxOf([18, 16, 4], [21, 17, 6]),
    { site: "deep_white", lobe: "corpus callosum", side: "both" },
  ],
  [
    "one that reaches over by a tenth is of its side",
    [],
    boxOf([11, 17, 10], [20, 18, 10]),
    { site: "deep_white", lobe: "frontal", side: "L" },
  ],
  [
    "a lesion in the thalamus beside the ventricle is of the deep grey matter",
    [[THALAMUS, [24, 5, 3], [27, 14, 8]]],
    boxOf([24, 8, 5], [26, 9, 5]),
    { site: "deep_grey", lobe: "deep grey", side: "R" },
  ],
  [
    "brain stem and cerebellum are infratentorial, also at the cortex",
    [[STEM, [18, 0, 0], [21, 3, 2]]],
    boxOf([20, 1, 0], [21, 2, 1]),
    { site: "infratentorial", lobe: "brain stem", side: "R" },
  ],
  [
    "so is the cerebellum",
    [[CEREBELLUM, [2, 0, 0], [6, 3, 2]]],
    boxOf([2, 1, 0], [4, 2, 1]),
    { site: "infratentorial", lobe: "cerebellum", side: "L" },
  ],
];

Deno.test("placeOf() names known places in every storage order of an oblique grid", () => {
  for (const [name, more, lesion, place] of CASES) {
    const labels = headOf([...CORTEX_AND_VENTRICLES, ...more]);
    for (const [order, flips] of EVERY_ORDER) {
      const [map, voxels] = storedAs(labels, lesion, order, flips);
      assert.deepEqual(new LesionPlaces(map).placeOf(voxels), place, `${name}: ${order}, ${flips}`);
    }
  }
});

Deno.test("placeOf() is null without voxels, and where no brain is near", () => {
  const [map, voxels] = storedAs(headOf([]).fill(0), boxOf([3, 3, 3], [5, 5, 5]), [0, 1, 2], 0);
  assert.equal(new LesionPlaces(map).placeOf(voxels), null);
  assert.equal(new LesionPlaces(map).placeOf([]), null);
});

/** Corners of a voxel in mm of its own axes, as intervals; the gap of two boxes. */
function gapMm(one: number, other: number): number {
  const ijk = (
    v: number,
  ) => [v % SIZE[0], Math.floor(v / SIZE[0]) % SIZE[1], Math.floor(v / SIZE[0] / SIZE[1])];
  const [a, b] = [ijk(one), ijk(other)];
  return Math.hypot(...SPACING.map((mm, axis) => {
    const [low, high] = a[axis]! < b[axis]! ? [a[axis]!, b[axis]!] : [b[axis]!, a[axis]!];
    return Math.max(0, (low + 0.5) * mm < (high - 0.5) * mm ? (high - low - 1) * mm : 0);
  }));
}

Deno.test("placeOf() finds contact and the nearest lobe as all pairs of voxels do", () => {
  const random = new Random(11), any = (n: number) => Math.floor(random.between(0, n));
  const sites = new Set<string>();
  for (let n = 0; n < 60; n++) {
    const labels = headOf([]);
    const drawn = Array.from({ length: 4 + any(12) }, () => {
      const label = random.uniform() < 0.4 ? 15 + any(4) : 37 + any(68);
      labels[any(labels.length)] = label;
      return label;
    });
    assert.ok(drawn.length > 3);
    const low: Vec3 = [any(36), any(18), any(11)];
    const voxels = boxOf(low, [low[0] + any(4), low[1] + any(2), low[2] + any(1)]);
    const [map] = storedAs(labels, voxels, [0, 1, 2], 0);
    const others = [...labels.keys()].filter((v) => labels[v]! > 2);
    const touched = others.filter((other) => voxels.some((v) => gapMm(v, other) <= TOUCH_MM));
    const hasVentricle = touched.some((v) => labels[v]! <= 18);
    const hasCortex = touched.some((v) => isCortex(labels[v]!));
    const found = new LesionPlaces(map).placeOf(voxels)!;
    sites.add(found.site);
    assert.equal(
      found.site,
      hasVentricle ? "periventricular" : hasCortex ? "juxtacortical" : "deep_white",
    );
    assert.equal(found.is_at_both ?? false, hasVentricle && hasCortex);
    if (found.site === "juxtacortical") continue;
    const mm = (v: number) =>
      applyAffine(map.rasFromIjk, [
        v % SIZE[0],
        Math.floor(v / SIZE[0]) % SIZE[1],
        Math.floor(v / SIZE[0] / SIZE[1]),
      ]);
    const lobes = others.filter((v) => {
      const lobe = isCortex(labels[v]!) && lobeOfRegion(regionOf(labels[v]!)!);
      return lobe && lobe !== "insula";
    });
    const nearestLobes = voxels.flatMap((v) => {
      const [x, y, z] = mm(v);
      const away = (w: number) => {
        const [a, b, c] = mm(w);
        return Math.hypot(a - x, b - y, c - z);
      };
      const least = Math.min(...lobes.map(away));
      return lobes.filter((w) => away(w) < least + 1e-6 && least < 45).map((w) =>
        lobeOfRegion(regionOf(labels[w]!)!)
      );
    });
    const counts = Map.groupBy(nearestLobes, (lobe) => lobe);
    const most = Math.max(0, ...[...counts.values()].map((of) => of.length));
    const best = [...counts].filter(([, of]) => of.length === most).map(([lobe]) => lobe);
    assert.ok(best.includes(found.lobe) || best.length === 0 && found.lobe === null, `${n}`);
  }
  assert.deepEqual([...sites].sort(), ["deep_white", "juxtacortical", "periventricular"]);
});

Deno.test("every labelled part but white matter and fluid has a lobe or a name of its own", () => {
  for (const region of REGIONS) {
    const isNone = region.group === "white matter" || region.group === "ventricle";
    assert.equal(lobeOfRegion(region) === null, isNone, region.name);
  }
});

Deno.test("coveredVoxels() are those whose middles, and more, a thick slice covers", () => {
  // slices of 3 mm across voxels of 1 mm, shifted and turned by a quarter
  const toMap = ([i, j, k]: Vec3): Vec3 => [j + 2, 8 - i, 3 * k + 1];
  const voxels = coveredVoxels([0 + 4 * (1 + 4 * 1)], [4, 4, 2], toMap, [12, 12, 12], [
    [1, 1, 3],
    [1, 1, 1],
  ]);
  const expected = [3, 4, 5].map((z) => 3 + 12 * (8 + 12 * z));
  assert.deepEqual(voxels, expected);
  assert.deepEqual(
    coveredVoxels([0], [4, 4, 2], () => [-5, 0, 0], [12, 12, 12], [[1, 1, 1], [1, 1, 1]]),
    [],
  );
});
