// Thresholds over a whole volume: by value, and by the percentile of each voxel's region.
import { addGain, addNative, addRow, type Kit, timed } from "@/bench/kernel_runs/kernel_kit.ts";
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

const isEqual = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((v, n) => v === b[n]);

/** Percentiles by label, and what the row is called: 15–18 and 25–28, fluid, count from the other end. */
const PERCENTILES: readonly [name: string, percentiles: Float32Array][] = [
  ["by percentile", Float32Array.from({ length: 256 }, (_, n) => n % 7 === 0 ? NaN : n * 37 % 100)],
  [
    "by percentile, fluid only",
    Float32Array.from(
      { length: 256 },
      (_, n) => n >= 15 && n <= 18 ? 85 : n >= 25 && n <= 28 ? 95 : 50,
    ),
  ],
];

export async function rows(kit: Kit): Promise<void> {
  const { composer, base, labels } = kit, out = new Uint8Array(base.length), low = 90, high = 150;
  const inRange = Uint8Array.from({ length: 256 }, (_, v) => v >= low && v <= high ? 255 : 0);
  const byValue = () => maskValues(composer, "t1w", low, high);
  const [ms, compareMs, lookupMs] = timed([
    byValue,
    () => plainCompare(base, low, high, out),
    () => plainLookup(base, inRange, out),
  ]) as [number, number, number];
  const mask = byValue();
  const isRight = mask.count === plainLookup(base, inRange, out) && isEqual(mask.voxels, out);
  addGain(kit, "threshold by value", ms, Math.min(compareMs, lookupMs), isRight);
  await addNative(kit, "threshold by value", byValue);

  for (const [name, percentiles] of PERCENTILES) {
    const shown = Uint8Array.from(
      percentiles,
      (p, n) => n > 0 && isWithinThreshold(n, p, 20) ? 255 : 0,
    );
    const byPercentile = () => maskPercentiles(composer, "labels", percentiles, 20);
    const [ms, plainMs] = timed([byPercentile, () => plainLookup(labels, shown, out)]) as [
      number,
      number,
    ];
    const within = byPercentile();
    const isSame = within.count === plainLookup(labels, shown, out) && isEqual(within.voxels, out);
    addGain(kit, `threshold ${name}`, ms, plainMs, isSame && within.count > 0);
    await addNative(kit, `threshold ${name}`, byPercentile);
  }

  const plainCounts = new Uint32Array(256);
  const [countMs, plainCountMs] = timed([() => histogramOf(composer, "labels"), () => {
    plainCounts.fill(0);
    for (let v = 0; v < labels.length; v++) plainCounts[labels[v]!]!++;
  }]) as [number, number];
  const hasSameCounts = histogramOf(composer, "labels").every((n, v) => n === plainCounts[v]);
  addRow(kit, "histogram of a volume, against plain JS", countMs, plainCountMs, {
    isRight: hasSameCounts,
  });
  await addNative(kit, "histogram of a volume", () => histogramOf(composer, "labels"));
  const [copyMs] = timed([() => out.set(base)]) as [number];
  addRow(kit, "copy of the volume, the memory limit", copyMs, null, {});
  composer.kernel.drop_mask();
}
