import { isBrain, isCortex, LABEL_COUNT } from "@/model/regions/regions.ts";
import type { Row } from "@/bench/record.ts";
import { atLeast, beside, figure } from "@/bench/engine/measure.ts";

/** Groups of labels that are scored as one structure. */
export const GROUPS: readonly (readonly [name: string, isOf: (label: number) => boolean])[] = [
  ["brain", isBrain],
  ["cortex", isCortex],
  ["cerebral white matter", (l) => l === 1 || l === 2 || l === 28],
  ["lateral ventricles", (l) => l === 15 || l === 16],
  ["inferior lateral ventricles", (l) => l === 17 || l === 18],
  ["third ventricle", (l) => l === 25],
  ["fourth ventricle", (l) => l === 26],
  ["hippocampus", (l) => l === 19 || l === 20],
  ["amygdala", (l) => l === 21 || l === 22],
  ["thalamus", (l) => l === 7 || l === 8],
  ["caudate", (l) => l === 9 || l === 10],
  ["putamen", (l) => l === 11 || l === 12],
  ["pallidum", (l) => l === 13 || l === 14],
  ["accumbens", (l) => l === 23 || l === 24],
  ["ventral diencephalon", (l) => l === 29 || l === 30],
  ["brain stem", (l) => l === 31],
  ["cerebellar white matter", (l) => l === 3 || l === 4],
  ["cerebellar cortex", (l) => l === 5 || l === 6],
  ["corpus callosum", (l) => l >= 32 && l <= 36],
];

/** Number of voxels by label: in `a`, in `b`, and in both. */
interface Overlap {
  ours: Float64Array;
  theirs: Float64Array;
  both: Float64Array;
}

/** Dice 2·|a ∩ b| / (|a| + |b|) of one label; NaN if neither map contains it. */
export const diceOf = ({ ours, theirs, both }: Overlap, label: number): number =>
  2 * both[label]! / (ours[label]! + theirs[label]!);

/** Counts the voxels of two label maps on one grid; labels above 104 are background. */
export function overlapOf(a: ArrayLike<number>, b: ArrayLike<number>): Overlap {
  const ours = new Float64Array(LABEL_COUNT), theirs = new Float64Array(LABEL_COUNT);
  const both = new Float64Array(LABEL_COUNT);
  for (let v = 0; v < a.length; v++) {
    const x = a[v]! < LABEL_COUNT ? a[v]! : 0, y = b[v]! < LABEL_COUNT ? b[v]! : 0;
    ours[x]!++;
    theirs[y]!++;
    if (x === y) both[x]!++;
  }
  return { ours, theirs, both };
}

/** Dice of a set of labels taken as one structure. */
export function diceOfSet(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  isOf: (label: number) => boolean,
): number {
  const member = Uint8Array.from({ length: 256 }, (_, label) => isOf(label) ? 1 : 0);
  let sum = 0, both = 0;
  for (let v = 0; v < a.length; v++) {
    const x = member[a[v]!]!, y = member[b[v]!]!;
    sum += x + y;
    both += x & y;
  }
  return 2 * both / sum;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
};

export const mean = (values: readonly number[]): number =>
  values.reduce((a, b) => a + b, 0) / values.length;

/** Minimum Dice by name of a group of labels; "regions": minimum of the regions' mean. */
export type Bars = Readonly<Record<string, number>>;

/**
 * Dice and volume ratio of each group of labels; mean Dice and median volume error of the regions.
 *
 * @param mm3  Volume of a voxel.
 * @param isUsed  Regions in the mean; regions without voxels in the truth are always left out.
 */
export function labelRows(
  name: string,
  labels: ArrayLike<number>,
  truth: ArrayLike<number>,
  mm3: number,
  bars: Bars,
  isUsed: (label: number) => boolean = (label) => label !== 28,
): Row[] {
  const overlap = overlapOf(labels, truth);
  const judged = (what: string, value: number, bar: number | undefined): Row =>
    bar === undefined ? figure(what, value, "1") : atLeast(what, value, "1", bar);
  const groups = GROUPS.flatMap(([group, isOf]): Row[] => {
    const sum = (counts: Float64Array) =>
      counts.reduce((n, c, label) => isOf(label) ? n + c : n, 0);
    const theirs = sum(overlap.theirs);
    if (theirs === 0) return [];
    return [
      judged(`${name}: ${group}: Dice`, diceOfSet(labels, truth, isOf), bars[group]),
      beside(
        `${name}: ${group}: volume`,
        sum(overlap.ours) * mm3 / 1000,
        "mL",
        theirs * mm3 / 1000,
      ),
    ];
  });
  const regions = Array.from({ length: LABEL_COUNT }, (_, label) => label)
    .filter((label) => label > 0 && overlap.theirs[label]! > 0 && isUsed(label));
  const errors = regions.map((l) => 100 * Math.abs(overlap.ours[l]! / overlap.theirs[l]! - 1));
  return [
    ...groups,
    judged(
      `${name}: regions: mean Dice`,
      mean(regions.map((l) => diceOf(overlap, l))),
      bars.regions,
    ),
    figure(`${name}: regions: median volume error`, median(errors), "%"),
  ];
}
