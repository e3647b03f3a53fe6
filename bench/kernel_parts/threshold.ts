// Thresholds over a whole volume: by value, and by the percentile of each voxel's region.
import { addGain, addRow, type Kit, timeAlone, timed } from "@/bench/kernel_kit.ts";
import { isWithinThreshold } from "@/viewer/colours.ts";
import { histogramOf, maskPercentiles, maskValues } from "@/viewer/voxel_kernels.ts";

/** Comparing, without a branch that could be guessed wrong. */
function plainCompare(values: Uint8Array, low: number, high: number, out: Uint8Array): number {
  let count = 0;
  for (let v = 0; v < values.length; v++) {
    const value = values[v]!, mark = value >= low && value <= high ? 255 : 0;
    out[v] = mark;
    count += mark & 1;
  }
  return count;
}

/** Looking up. */
function plainLookup(values: Uint8Array, marks: Uint8Array, out: Uint8Array): number {
  let count = 0;
  for (let v = 0; v < values.length; v++) {
    const mark = marks[values[v]!]!;
    out[v] = mark;
    count += mark & 1;
  }
  return count;
}

const isEqual = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((v, n) => v === b[n]);

export function rows(kit: Kit): void {
  const { composer, base, labels } = kit, out = new Uint8Array(base.length), low = 90, high = 150;
  const inRange = Uint8Array.from({ length: 256 }, (_, v) => v >= low && v <= high ? 255 : 0);
  const [ms, compareMs, lookupMs] = timed([
    () => maskValues(composer, "t1w", low, high),
    () => plainCompare(base, low, high, out),
    () => plainLookup(base, inRange, out),
  ]) as [number, number, number];
  const mask = maskValues(composer, "t1w", low, high);
  const isRight = mask.count === plainLookup(base, inRange, out) && isEqual(mask.voxels, out);
  timeAlone(kit, "threshold by value", () => maskValues(composer, "t1w", low, high));
  addGain(kit, "threshold by value", ms, Math.min(compareMs, lookupMs), isRight);

  const percentiles = Float32Array.from({ length: 256 }, (_, n) => n % 7 === 0 ? NaN : n * 37 % 100);
  const shown = Uint8Array.from(
    percentiles,
    (p, n) => n > 0 && isWithinThreshold(n, p, 20) ? 255 : 0,
  );
  const [percentileMs, plainMs] = timed([
    () => maskPercentiles(composer, "labels", percentiles, 20),
    () => plainLookup(labels, shown, out),
  ]) as [number, number];
  const within = maskPercentiles(composer, "labels", percentiles, 20);
  const isSame = within.count === plainLookup(labels, shown, out) && isEqual(within.voxels, out);
  timeAlone(kit, "threshold by percentile", () => maskPercentiles(composer, "labels", percentiles, 20));
  addGain(kit, "threshold by percentile", percentileMs, plainMs, isSame);

  const plainCounts = new Uint32Array(256);
  const [countMs, plainCountMs] = timed([() => histogramOf(composer, "labels"), () => {
    plainCounts.fill(0);
    for (let v = 0; v < labels.length; v++) plainCounts[labels[v]!]!++;
  }]) as [number, number];
  const hasSameCounts = histogramOf(composer, "labels").every((n, v) => n === plainCounts[v]);
  addRow(kit, "histogram of a volume, against plain JS", countMs, plainCountMs, { isRight: hasSameCounts });
  const [copyMs] = timed([() => out.set(base)]) as [number];
  addRow(kit, "copy of the volume, the memory limit", copyMs, null, {});
  composer.kernel.drop_mask();
}
