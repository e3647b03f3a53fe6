/**
 * Detects series with two kinds of slices, interleaved or one after the other:
 * each kind then looks like a complete image, but coarser or smaller.
 */
import type { AppError } from "@/model/errors.ts";
import { cross, dot, type Vec3 } from "@/model/geometry.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { GAP_TOLERANCE, MIN_STEP_OF_THICKNESS } from "@/server/core/dicom/stack/parts.ts";
import type { InstanceFile } from "@/server/core/dicom/stack/parts.ts";
import { differenceOf, errorOf } from "@/server/core/dicom/stack/strays.ts";

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
 * Positions of slice centres along a normal, mm. Centres are compared, because flipped slices
 * have their first pixels at opposite edges.
 */
const centresOf = (files: readonly InstanceFile[], normal: Vec3): number[] =>
  files.flatMap(({ header: { planes, columns, rows } }) =>
    planes.map(({ positionLpsMm, orientationLps: [row, column], pixelSpacingMm }) => {
      const [betweenRows, betweenColumns] = pixelSpacingMm;
      const centre = positionLpsMm.map((mm, axis) =>
        mm + (columns - 1) / 2 * betweenColumns * row[axis]! +
        (rows - 1) / 2 * betweenRows * column[axis]!
      );
      return dot(centre as Vec3, normal);
    })
  );

/** Whether several stacks form one stack together: no slice twice, and hardly any missing. */
function areOne(stacks: readonly (readonly InstanceFile[])[]): boolean {
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
  return !doInterleave || !thickness || stepMm >= MIN_STEP_OF_THICKNESS * thickness;
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
