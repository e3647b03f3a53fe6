import assert from "node:assert/strict";
import { Resampler } from "@/wasm/pkg/reading/bind_reading.js";
import { readingMemory } from "@/viewer/reading/kernels_testing.ts";
import type { Shape } from "@/model/geometry.ts";

const KINDS = [Uint8Array, Int16Array, Uint16Array, Float32Array] as const;

/** Slow reference: weighted sum of the eight voxels around a position; NaN outside the volume. */
function naive(voxels: ArrayLike<number>, shape: Shape, place: readonly number[]): number {
  if (place.some((x, axis) => x < 0 || x > shape[axis]! - 1)) return NaN;
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const at = place.map((x, axis) => Math.floor(x) + (corner >> axis & 1));
    const weight = place.reduce(
      (product, x, axis) => product * Math.max(0, 1 - Math.abs(at[axis]! - x)),
      1,
    );
    if (weight > 0) sum += weight * voxels[at[0]! + shape[0] * (at[1]! + shape[1] * at[2]!)]!;
  }
  return sum;
}

Deno.test("Resampler.slices() in this build is trilinear within 1, for stored numbers of every kind", () => {
  const shape: Shape = [37, 23, 19], count = shape[0] * shape[1] * shape[2];
  const ways = [
    [0.93, 0.11, -0.07, 1.3, -0.12, 1.05, 0.02, 2.1, 0.05, -0.03, 0.88, 1.7],
    // mirrored; and between the voxels of a single axis
    [-0.97, 0, 0, 35.2, 0, 1, 0, 0, 0, 0, 1, 0.5],
    [0.2, 0, 0, 0, 0, 0.2, 0, 0, 0, 0, 0.2, 0],
  ];
  for (const [kind, Kind] of KINDS.entries()) {
    const [low, high] = [[0, 255], [-32_768, 32_767], [0, 65_535], [-1e5, 3e5]][kind]!;
    const resampler = Resampler.create(kind, ...shape)!;
    const voxels = new Kind(count);
    // neighbouring values at both ends of the range are the hardest to interpolate
    for (let at = 0; at < count; at++) {
      voxels[at] = at % 3 === 0
        ? low!
        : at % 5 === 0
        ? high!
        : low! + (high! - low!) * (at * 7919 % 1009) / 1009;
    }
    new Kind(readingMemory.buffer, resampler.address(), count).set(voxels);
    const gain = 255 / (high! - low!);
    let compared = 0;
    for (const way of ways) {
      const slices = resampler.slices(Float64Array.from(way), 40, 25, 2, 9, low!, gain);
      for (const [at, got] of slices.entries()) {
        const [i, j, k] = [at % 40, Math.floor(at / 40) % 25, 2 + Math.floor(at / 1000)];
        const place = [0, 4, 8].map((row) =>
          way[row]! * i + way[row + 1]! * j + way[row + 2]! * k + way[row + 3]!
        );
        const wanted = (naive(voxels, shape, place) - low!) * gain;
        if (Number.isNaN(wanted)) continue;
        compared++;
        assert.ok(Math.abs(got - wanted) <= 1, `${Kind.name} ${place}: ${got}, not ${wanted}`);
      }
    }
    assert.ok(compared > 15_000, `${compared}`);
    resampler.free();
  }
});
