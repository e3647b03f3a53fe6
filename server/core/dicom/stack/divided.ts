/**
 * Detects series with two kinds of slices, interleaved or one after the other, and series that
 * continue each other but are not joined: each part then looks like a complete image, but is
 * coarser or smaller.
 */
import type { AppError } from "@/model/errors.ts";
import { cross, dot, type Vec3 } from "@/model/geometry.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import {
  GAP_TOLERANCE,
  isParallel,
  isSameTiming,
  MIN_STEP_OF_THICKNESS,
  protocolOf,
} from "@/server/core/dicom/stack/parts.ts";
import type { InstanceFile } from "@/server/core/dicom/stack/parts.ts";
import { type Difference, differenceOf, errorOf } from "@/server/core/dicom/stack/strays.ts";

/** Slice normals count as equal within half a degree (its cosine), also if they are opposite. */
const SAME_NORMAL = 0.99996;

/**
 * Maximum fraction of slices that may be missing from an image sent as several series,
 * and that may belong to another image beside a complete image.
 */
const MAX_ODD_FRACTION = 0.05;
/** Minimum number of slices in a part of a divided image, as a fraction of the largest part. */
const MIN_PART = 0.1;

const countOf = (stack: readonly InstanceFile[]): number =>
  stack.reduce((sum, { header }) => sum + header.planes.length, 0);

const normalOf = ([file]: readonly InstanceFile[]): Vec3 =>
  cross(...file!.header.planes[0]!.orientationLps);

/**
 * Slice centres, LPS mm. Centres are compared, because flipped slices have their first pixels at
 * opposite edges.
 */
const centresLps = (files: readonly InstanceFile[]): Vec3[] =>
  files.flatMap(({ header: { planes, columns, rows } }) =>
    planes.map(({ positionLpsMm, orientationLps: [row, column], pixelSpacingMm }) => {
      const [betweenRows, betweenColumns] = pixelSpacingMm;
      return positionLpsMm.map((mm, axis) =>
        mm + (columns - 1) / 2 * betweenColumns * row[axis]! +
        (rows - 1) / 2 * betweenRows * column[axis]!
      ) as Vec3;
    })
  );

/** Positions of slice centres along a normal, mm. */
const centresOf = (files: readonly InstanceFile[], normal: Vec3): number[] =>
  centresLps(files).map((centre) => dot(centre, normal));

/**
 * Whether several stacks form one stack together: no slice twice, and hardly any missing.
 * @param isOneSeries Whether interleaved slices are one image if their thickness is unknown.
 */
function areOne(stacks: readonly (readonly InstanceFile[])[], isOneSeries = true): boolean {
  const normal = normalOf(stacks[0]!);
  const ranges = stacks.map((stack) => {
    const centres = centresOf(stack, normal);
    return [Math.min(...centres), Math.max(...centres)] as const;
  }).sort((a, b) => a[0] - b[0]);
  const centres = stacks.flatMap((stack) => centresOf(stack, normal)).sort((a, b) => a - b);
  const gaps = centres.slice(1).map((mm, at) => mm - centres[at]!);
  const stepMm = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0;
  if (!(stepMm > 0.05)) return false;
  const steps = gaps.map((gap) => gap / stepMm), whole = steps.map(Math.round);
  if (steps.some((step, at) => whole[at]! < 1 || Math.abs(step - whole[at]!) > GAP_TOLERANCE)) {
    return false;
  }
  const missing = whole.reduce((sum, step) => sum + step - 1, 0);
  if (missing > Math.max(1, MAX_ODD_FRACTION * centres.length)) return false;
  const doInterleave = ranges.some(([from], at) => at > 0 && from < ranges[at - 1]![1]);
  const thickness = stacks[0]![0]!.header.sliceThicknessMm;
  // slices as thick as their distance within one stack: then each stack is complete alone
  if (!thickness) return !doInterleave || isOneSeries;
  return !doInterleave || stepMm >= MIN_STEP_OF_THICKNESS * thickness;
}

/** Whether slices continue an image: same size and direction, and one stack with it. */
function doesContinue(image: readonly InstanceFile[], others: readonly InstanceFile[]): boolean {
  const { header: a } = image[0]!, { header: b } = others[0]!;
  return a.rows === b.rows && a.columns === b.columns &&
    Math.abs(dot(normalOf(image), normalOf(others))) >= SAME_NORMAL && areOne([image, others]);
}

/** Stacks of a series that may be parts of one image, largest first; localizers are left out. */
function partsOf(stacks: readonly InstanceFile[][]): readonly InstanceFile[][] {
  const [largest, ...others] = stacks.toSorted((a, b) => countOf(b) - countOf(a));
  if (!largest || others.length === 0) return [];
  const normal = normalOf(largest), count = countOf(largest);
  const odd = others.reduce((sum, stack) => sum + countOf(stack), 0);
  // a few slices of another image beside a complete image are not used, and the response says so;
  // slices that continue the complete image are used, because they are the end of the head
  if (odd <= MAX_ODD_FRACTION * (count + odd) && errorOf(largest) === null) {
    return odd === 1 ? [] : [largest, ...others.filter((stack) => doesContinue(largest, stack))];
  }
  // a few slices in the gaps of an image are part of it: none of its slices is missing
  const hasGap = errorOf(largest)?.details.reason === "missing_slice";
  const parts = others.filter((stack) =>
    Math.abs(dot(normal, normalOf(stack))) >= SAME_NORMAL &&
    (countOf(stack) >= MIN_PART * count || (hasGap && doesContinue(largest, stack)))
  );
  return [largest, ...parts];
}

/**
 * Errors for the stacks of a series that only together form one image.
 * Such a stack must not be used alone: it is half of a head, or every other slice.
 */
export function dividedStacks(
  stacks: readonly InstanceFile[][],
): Map<readonly InstanceFile[], AppError> {
  const errors = new Map<readonly InstanceFile[], AppError>();
  const series = Map.groupBy(
    stacks,
    ([first]) => `${first!.header.studyUid}|${first!.header.seriesUid}`,
  );
  for (const all of series.values()) {
    const [one, ...others] = partsOf(all);
    if (!one || others.length === 0 || !areOne([one, ...others])) continue;
    const what = differenceOf(one[0]!.header, others[0]![0]!.header);
    if (what === null) continue;
    const error = rejected("mixed_slices", `Cannot stack slices: ${what} differs`, { what });
    for (const stack of [one, ...others]) errors.set(stack, error);
  }
  return errors;
}

/** Maximum number of stacks of one protocol that are compared in pairs. */
const MAX_PAIRED = 16;
/** Minimum number of slices of a part in another series: two slices show no even spacing. */
const MIN_SLICES_OF_PART = 3;

/** Size of a stack's image plane along two directions, mm; `null`: it has other directions. */
function fieldAlong(stack: readonly InstanceFile[], directions: readonly [Vec3, Vec3]) {
  const { columns, rows, planes: [plane] } = stack[0]!.header;
  const { orientationLps, pixelSpacingMm: [betweenRows, betweenColumns] } = plane!;
  const axes = [[orientationLps[0], columns, betweenColumns], [
    orientationLps[1],
    rows,
    betweenRows,
  ]] as const;
  const sizes = directions.map((direction) =>
    axes.find(([axis]) => Math.abs(dot(axis, direction)) >= SAME_NORMAL)
  );
  return sizes.every((size) => size !== undefined)
    ? sizes.map(([, count, spacing]) => [count, spacing] as const)
    : null;
}

/**
 * Whether two stacks show the same rectangle of their planes, in any of the eight ways to store it:
 * transposed or not, with columns and rows in either direction.
 */
function isSameField(a: readonly InstanceFile[], b: readonly InstanceFile[]): boolean {
  const directions = a[0]!.header.planes[0]!.orientationLps;
  const [one, other] = [fieldAlong(a, directions), fieldAlong(b, directions)];
  if (!one || !other) return false;
  const isSameSize = one.every(([count, spacing], axis) =>
    count === other[axis]![0] && Math.abs(spacing / other[axis]![1] - 1) <= 1e-3
  );
  if (!isSameSize) return false;
  const [from, to] = [centresLps(a)[0]!, centresLps(b)[0]!];
  const run = to.map((mm, axis) => mm - from[axis]!) as Vec3;
  const [inRow, inColumn, along] = [...directions, normalOf(a)].map((axis) => dot(run, axis));
  return Math.hypot(inRow!, inColumn!) <= 0.01 * Math.abs(along!) + 0.5;
}

/** First attribute that kept two series from being joined; `null` if none is known. */
function separation([a]: readonly InstanceFile[], [b]: readonly InstanceFile[]): Difference | null {
  const { header: one } = a!, { header: other } = b!;
  if (one.frameOfReferenceUid !== other.frameOfReferenceUid) return "frame of reference";
  return isParallel(one.planes[0]!.orientationLps, other.planes[0]!.orientationLps)
    ? differenceOf(one, other)
    : "orientation";
}

/**
 * Errors for stacks of several series of one protocol that continue each other or interleave, but
 * were not joined: the frame of reference differs, or the storage of the planes.
 * None of them must be used alone: it is a part of a head.
 */
export function continuedStacks(
  stacks: readonly InstanceFile[][],
): Map<readonly InstanceFile[], AppError> {
  const errors = new Map<readonly InstanceFile[], AppError>();
  for (const all of Map.groupBy(stacks, ([first]) => protocolOf(first!.header)).values()) {
    const parts = all.filter((stack) => countOf(stack) >= MIN_SLICES_OF_PART);
    const pairs = parts.length > MAX_PAIRED
      ? []
      : parts.flatMap((part, at) => parts.slice(at + 1).map((other) => [part, other]));
    for (const set of [all, ...pairs]) {
      const [one, ...others] = set as [InstanceFile[], ...InstanceFile[][]];
      const isOneImage = others.every((other) =>
        isSameTiming(one[0]!.header, other[0]!.header) && isSameField(one, other)
      );
      if (others.length === 0 || !isOneImage || !areOne(set, false)) continue;
      const what = others.map((other) => separation(one, other)).find((each) => each !== null);
      if (what === undefined) continue;
      const error = rejected("divided_series", `Cannot join series: their ${what} differs`, {
        what,
      });
      for (const stack of set) errors.set(stack, error);
    }
  }
  return errors;
}
