import { affineFromRows, type Shape, type Vec3 } from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";
import { axes } from "@/server/commands/demo/phantom/grid.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { makeSeries } from "@/server/commands/demo/phantom/dicom/series.ts";

/** A valid volume that is no T1-weighted head, so that only the engine can refuse it. */
interface CorruptVolume {
  name: string;
  volume: () => Volume;
}

const placed = (shape: Shape, mm: number) =>
  affineFromRows<"Ras", "Ijk">([0, 1, 2].map((r) => [
    ...[0, 1, 2].map((c) => r === c ? mm : 0),
    -mm * (shape[r]! - 1) / 2,
  ]));

/** Volumes for the engine; half of them fail in its first stage. */
export function corruptVolumes(head: Head): CorruptVolume[] {
  const shape: Shape = [40, 48, 44], count = shape[0] * shape[1] * shape[2];
  const make = (voxels: VoxelArray, mm = 5): Volume => ({
    voxels,
    shape,
    rasFromIjk: placed(shape, mm),
  });
  const floats = (value: (at: number) => number) =>
    make(Float32Array.from({ length: count }, (_, at) => value(at)));
  const random = new Random(7001);
  const scanned = () => {
    const centreRasMm: Vec3 = [0, -14, 10], spacingMm: Vec3 = [5, 5, 5];
    const grid = { shape, centreRasMm, directions: axes("RAS"), spacingMm };
    const { voxels, rasFromIjk } = makeSeries(head, { grid, sliceThicknessMm: 5 });
    return { voxels: Float32Array.from(voxels), shape, rasFromIjk };
  };
  const changed = (change: (voxels: Float32Array) => void) => () => {
    const volume = scanned();
    change(volume.voxels);
    return volume;
  };
  const small = (shape: Shape): Volume => ({
    voxels: Int16Array.from({ length: shape[0] * shape[1] * shape[2] }, (_, at) => 100 + at % 7),
    shape,
    rasFromIjk: placed(shape, 4),
  });
  return [
    { name: "constant", volume: () => make(new Int16Array(count).fill(500)) },
    { name: "zeros", volume: () => make(new Uint8Array(count)) },
    { name: "NaN everywhere", volume: () => floats(() => NaN) },
    { name: "one NaN", volume: changed((v) => v[20 + 40 * (24 + 48 * 22)] = NaN) },
    { name: "one infinity", volume: changed((v) => v[20 + 40 * (24 + 48 * 22)] = Infinity) },
    { name: "values of ±3e38", volume: () => floats((at) => at % 2 === 0 ? 3e38 : -3e38) },
    { name: "one voxel of 1e30 in a head", volume: changed((v) => v[5000] = 1e30) },
    {
      name: "noise without a head",
      volume: () => make(Int16Array.from({ length: count }, () => random.bits() & 1023)),
    },
    {
      name: "a chequer-board",
      volume: () => make(Uint8Array.from({ length: count }, (_, at) => at % 2 * 255)),
    },
    { name: "an inverted head", volume: changed((v) => v.forEach((x, at) => v[at] = 1200 - x)) },
    {
      name: "a head cut in half",
      volume: changed((v) => v.forEach((_, at) => at % 40 < 20 && (v[at] = 0))),
    },
    { name: "one slice", volume: () => small([48, 48, 1]) },
    { name: "one voxel", volume: () => small([1, 1, 1]) },
    { name: "a line of voxels", volume: () => small([1, 1, 300]) },
    { name: "voxels missing from the array", volume: () => ({ ...make(new Int16Array(100)) }) },
    {
      name: "an affine of zeros",
      volume: () => ({ ...small([20, 20, 20]), rasFromIjk: placed([20, 20, 20], 0) }),
    },
    {
      name: "an affine of NaN",
      volume: () => ({ ...small([20, 20, 20]), rasFromIjk: placed([20, 20, 20], NaN) }),
    },
    {
      name: "voxels of 0.01 mm",
      volume: () => ({ ...small([20, 20, 20]), rasFromIjk: placed([20, 20, 20], 0.01) }),
    },
    {
      name: "voxels of 400 mm",
      volume: () => ({ ...small([20, 20, 20]), rasFromIjk: placed([20, 20, 20], 400) }),
    },
  ];
}
