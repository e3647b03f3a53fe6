import {
  type Affine,
  affineFromRows,
  applyAffine,
  compose,
  determinant,
  invert,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { isBrain, isCortex, PARTS } from "@/model/regions/regions.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import type { Row } from "@/bench/record.ts";
import { labelsOn } from "@/bench/engine/labels_on.ts";
import { atLeast, atMost, figure, measure } from "@/bench/engine/measure.ts";
import { diceOf, diceOfSet, GROUPS, mean, median, overlapOf } from "@/bench/engine/score.ts";
import type { EngineResult } from "@/server/core/engine/result.ts";

/** Reverses each row of voxels. `isPatientKept`: also the affine, so that no sides are swapped. */
export function reversed({ voxels, shape, rasFromIjk }: Volume, isPatientKept: boolean): Volume {
  const nx = shape[0], out = voxels.slice();
  for (let row = 0; row < out.length; row += nx) out.subarray(row, row + nx).reverse();
  const flip = affineFromRows<"Ijk", "Ijk">([[-1, 0, 0, nx - 1], [0, 1, 0, 0], [0, 0, 1, 0]]);
  return { voxels: out, shape, rasFromIjk: isPatientKept ? compose(rasFromIjk, flip) : rasFromIjk };
}

/** Number of voxels added on each side before a rotation, so that nothing is cut off. */
const MARGIN = 16;

/** Rotates the head about the volume's centre and axis (1, 1, 1), resampled on a larger grid. */
export function turned({ voxels, shape, rasFromIjk }: Volume, deg: number): Volume {
  const [nx, ny, nz] = shape, [wx, wy, wz] = shape.map((n) => n + 2 * MARGIN) as Shape;
  const wider = compose(
    rasFromIjk,
    affineFromRows<"Ijk", "Ijk">([[1, 0, 0, -MARGIN], [0, 1, 0, -MARGIN], [0, 0, 1, -MARGIN]]),
  );
  const from = compose(
    invert(rasFromIjk),
    compose(invert(turnAbout(volumeCentre(shape, rasFromIjk), deg)), wider),
  );
  const out = new Float32Array(wx * wy * wz);
  const at = (i: number, j: number, k: number) => voxels[i + nx * (j + ny * k)]!;
  for (let k = 0, v = 0; k < wz; k++) {
    for (let j = 0; j < wy; j++) {
      for (let i = 0; i < wx; i++, v++) {
        const [x, y, z] = applyAffine(from, [i, j, k]);
        if (x < 0 || y < 0 || z < 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) continue;
        const a = Math.floor(x),
          b = Math.floor(y),
          d = Math.floor(z),
          p = x - a,
          q = y - b,
          r = z - d;
        const plane = (e: number) =>
          (at(a, b, e) * (1 - p) + at(a + 1, b, e) * p) * (1 - q) +
          (at(a, b + 1, e) * (1 - p) + at(a + 1, b + 1, e) * p) * q;
        out[v] = plane(d) * (1 - r) + plane(d + 1) * r;
      }
    }
  }
  return { voxels: out, shape: [wx, wy, wz], rasFromIjk: wider };
}

/** Rotates only the affine about the volume's centre: the voxels are not interpolated here. */
function tiltedBy(volume: Volume, deg: number): Volume {
  const { shape, rasFromIjk } = volume;
  return {
    ...volume,
    rasFromIjk: compose(turnAbout(volumeCentre(shape, rasFromIjk), deg), rasFromIjk),
  };
}

const volumeCentre = (shape: Shape, rasFromIjk: Affine<"Ras", "Ijk">): Vec3 =>
  applyAffine(rasFromIjk, shape.map((n) => (n - 1) / 2) as Vec3);

/** Rotation about the axis (1, 1, 1) through a point (Rodrigues' formula). */
function turnAbout(centre: Vec3, deg: number): Affine<"Ras", "Ras"> {
  const c = Math.cos(deg * Math.PI / 180),
    s = Math.sin(deg * Math.PI / 180) / Math.sqrt(3),
    t = (1 - c) / 3;
  const rows = [[c + t, t - s, t + s], [t + s, c + t, t - s], [t - s, t + s, c + t]];
  return affineFromRows(rows.map((row, r) => [
    ...row,
    centre[r]! - row.reduce((sum, v, a) => sum + v * centre[a]!, 0),
  ]));
}

/** Label of the same structure on the other side; labels without a side are unchanged. */
const OTHER_SIDE: Uint8Array = (() => {
  const other = Uint8Array.from({ length: 256 }, (_, label) => label);
  for (const { labels: [left, right] } of PARTS) {
    if (right !== undefined) [other[left], other[right]] = [right, left];
  }
  return other;
})();

/** Maps a point of a volume to its position after the rows are reversed under the same affine. */
function mirrorOf({ shape, rasFromIjk }: Volume): Affine<"Ras", "Ras"> {
  const flip = affineFromRows<"Ijk", "Ijk">([[-1, 0, 0, shape[0] - 1], [0, 1, 0, 0], [0, 0, 1, 0]]);
  return compose(rasFromIjk, compose(flip, invert(rasFromIjk)));
}

/** Tissues compared after mirroring; parcels are left out, as the atlas' sides differ in them. */
const SIDES: readonly (readonly [name: string, isOf: (label: number) => boolean])[] = [
  ["brain", isBrain],
  ["left cortex", (label) => isCortex(label) && label % 2 === 1],
  ["right cortex", (label) => isCortex(label) && label % 2 === 0],
  ["left white matter", (label) => label === 1],
  ["right white matter", (label) => label === 2],
];

const sidesRows = (name: string, a: ArrayLike<number>, b: ArrayLike<number>, bar: number): Row[] =>
  SIDES.map(([side, isOf]) => atLeast(`${name}: ${side}: Dice`, diceOfSet(a, b, isOf), "1", bar));

/** @param bar Minimum of the regions' mean Dice; `null`: no limit. */
function sameness(
  name: string,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  bar: number | null,
): Row[] {
  const overlap = overlapOf(a, b);
  const regions = [...overlap.theirs.keys()].filter((l) =>
    l > 0 && overlap.theirs[l]! + overlap.ours[l]! > 0
  );
  return [
    bar === null
      ? figure(`${name}: regions: mean Dice`, mean(regions.map((l) => diceOf(overlap, l))), "1")
      : atLeast(
        `${name}: regions: mean Dice`,
        mean(regions.map((l) => diceOf(overlap, l))),
        "1",
        bar,
      ),
    figure(
      `${name}: regions: lowest Dice`,
      Math.min(...regions.map((l) => diceOf(overlap, l))),
      "1",
    ),
    ...GROUPS.slice(0, 4).map(([group, isOf]) =>
      figure(`${name}: ${group}: Dice`, diceOfSet(a, b, isOf), "1")
    ),
  ];
}

const sameBytes = (a: ArrayBufferView, b: ArrayBufferView): boolean => {
  const [x, y] = [a, b].map((v) => new Uint8Array(v.buffer, v.byteOffset, v.byteLength)) as [
    Uint8Array,
    Uint8Array,
  ];
  return x.length === y.length && x.every((byte, at) => byte === y[at]);
};

const isSame = (a: EngineResult, b: EngineResult): boolean =>
  sameBytes(a.labels, b.labels) && sameBytes(a.intensities, b.intensities) &&
  sameBytes(a.thickness!.map, b.thickness!.map) &&
  sameBytes(a.surface.vertices, b.surface.vertices) &&
  sameBytes(a.surface.faces, b.surface.faces) && sameBytes(a.surface.values, b.surface.values) &&
  [a.volumesMm3, a.thickness!.meanMm, a.quality.classMeans].every((list, n) =>
    list.every((x, at) => x === [b.volumesMm3, b.thickness!.meanMm, b.quality.classMeans][n]![at])
  );

/**
 * Results of one T1w volume in variants that should not change them: on one thread, with reversed
 * rows, mirrored, rotated by 10° and resampled, and rotated by the affine only.
 *
 * @param volume  Its first voxel axis should be left-right, so that mirroring swaps the sides.
 */
export async function invarianceRows(name: string, volume: Volume): Promise<Row[]> {
  const first = (await measure(volume)).outcome.t1!;
  const again = (await measure(volume, null, 1)).outcome.t1!;
  const rows: Row[] = [
    {
      ...figure(
        `${name}: two runs, two threads and one, give the same bytes`,
        Number(isSame(first, again)),
        "1",
      ),
      ok: isSame(first, again),
    },
  ];
  const stored = (await measure(reversed(volume, true))).outcome.t1!;
  rows.push(
    ...sameness(`${name}, stored from the other end`, labelsOn(stored, first), first.labels, 0.99),
  );
  const mirrored = (await measure(reversed(volume, false))).outcome.t1!;
  const swapped = labelsOn(mirrored, first, mirrorOf(volume)).map((label) => OTHER_SIDE[label]!);
  rows.push(
    ...sidesRows(`${name}, mirrored`, swapped, first.labels, 0.99),
    ...sameness(`${name}, mirrored`, swapped, first.labels, null),
  );
  const rotated = (await measure(turned(volume, 10))).outcome.t1!;
  const tilted = (await measure(tiltedBy(volume, 10))).outcome.t1!;
  rows.push(
    ...changeRows(`${name}, turned by 10°`, first, rotated),
    ...changeRows(`${name}, turned by 10° in its header`, first, tilted),
  );
  return rows;
}

/** Differences between the volumes of regions in two results. */
function changeRows(name: string, first: EngineResult, again: EngineResult): Row[] {
  const changes = PARTS.flatMap(({ labels }) => labels)
    .filter((l) => l !== 28 && first.volumesMm3[l]! > 0)
    .map((l) => 100 * Math.abs(again.volumesMm3[l]! / first.volumesMm3[l]! - 1))
    .toSorted((a, b) => a - b);
  return [
    atMost(`${name}: median change of a region's volume`, median(changes), "%", 3),
    figure(
      `${name}: 90th percentile of the change`,
      changes[Math.floor(0.9 * changes.length)]!,
      "%",
    ),
  ];
}

/** Volume of one voxel, mm³. */
export const voxelMm3 = (rasFromIjk: Affine<"Ras", "Ijk">): number =>
  Math.abs(determinant(rasFromIjk));
