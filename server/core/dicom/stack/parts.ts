/**
 * Which files make one stack: series are split where images differ, and joined where one image came
 * in parts.
 */
import type { AppError } from "@/model/errors.ts";
import { cross, dot, type Vec3 } from "@/model/geometry.ts";
import { hasContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import { stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";

export interface InstanceFile {
  fileName: string;
  header: InstanceHeader;
}

/** Directions within 0.5 degrees: scanners round the cosines of one stack differently. */
export const isParallel = (a: readonly [Vec3, Vec3], b: readonly [Vec3, Vec3]): boolean =>
  dot(a[0], b[0]) > 0.99996 && dot(a[1], b[1]) > 0.99996;

/**
 * Whether two files hold the image of one place: the same number of slices, the first of them at
 * the same position.
 */
function isSameImage({ header: a }: InstanceFile, { header: b }: InstanceFile): boolean {
  const [one, other] = [a.planes[0], b.planes[0]];
  if (a.planes.length !== b.planes.length || !one || !other) return false;
  return one.positionLpsMm.every((mm, axis) => Math.abs(mm - other.positionLpsMm[axis]!) < 0.01);
}

/**
 * Takes repeated files out. Files with one SOP Instance UID that hold different images are refused,
 * every one: the UID names one image, and the others would be lost where they are kept by it.
 */
export function partRepeated(files: readonly InstanceFile[]): {
  unique: InstanceFile[];
  repeated: InstanceFile[];
  confused: (readonly [string, AppError])[];
} {
  const unique: InstanceFile[] = [],
    repeated: InstanceFile[] = [],
    confused: [string, AppError][] = [];
  const byUid = Map.groupBy(files, ({ header }) => `${header.studyUid}|${header.instanceUid}`);
  for (const same of byUid.values()) {
    const [first, ...others] = same as [InstanceFile, ...InstanceFile[]];
    if (first.header.instanceUid === "" || others.every((file) => isSameImage(first, file))) {
      unique.push(first);
      (first.header.instanceUid === "" ? unique : repeated).push(...others);
      continue;
    }
    const error = rejected(
      "same_identifier",
      "Cannot use instances: different images have one UID",
      {
        files: same.length,
      },
    );
    for (const { fileName } of same) confused.push([fileName, error]);
  }
  return { unique, repeated, confused };
}

/** Times of one echo in several roundings: within 0.05 ms or 1 %. */
const isSameTime = (a: number | undefined, b: number | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && Math.abs(a - b) <= Math.max(0.05, 0.01 * Math.max(a, b)));

/** Files of one series that may be one stack. */
interface Part {
  key: string;
  files: InstanceFile[];
}

/** Files of one study and series that share image type, orientation and echo time. */
function splitSeries(files: readonly InstanceFile[]): Part[] {
  const parts: Part[] = [];
  for (const file of files) {
    const h = file.header;
    // An enhanced file is a stack of its own, unless it is a piece of one that was divided.
    const stackKey = h.frameCount > 1 ? h.concatenationUid || h.instanceUid : "";
    const key = [h.studyUid, h.seriesUid, h.imageType.join("\\"), stackKey].join("|");
    const part = parts.find(({ key: other, files: [first] }) =>
      other === key && isSameTime(first!.header.echoTimeMs, h.echoTimeMs) &&
      isParallel(first!.header.planes[0]!.orientationLps, h.planes[0]!.orientationLps)
    );
    if (part) part.files.push(file);
    else parts.push({ key, files: [file] });
  }
  return parts;
}

/** Attributes that parts of one acquisition have in common; times are compared apart. */
const acquisitionOf = (h: InstanceHeader): string =>
  JSON.stringify([
    ...[h.studyUid, h.frameOfReferenceUid, h.seriesDescription, h.imageType, h.scanningSequence],
    ...[h.acquisitionType, h.rows, h.columns, h.bitsAllocated, h.isSigned, hasContrastAgent(h)],
    ...[h.sliceThicknessMm, h.flipAngleDeg, h.manufacturer, h.deviceSerial],
  ]);

function isSameAcquisition(a: InstanceHeader, b: InstanceHeader): boolean {
  const [one, other] = [a.planes[0]!, b.planes[0]!];
  return isSameTime(a.echoTimeMs, b.echoTimeMs) &&
    isSameTime(a.repetitionTimeMs, b.repetitionTimeMs) &&
    isSameTime(a.inversionTimeMs, b.inversionTimeMs) &&
    isParallel(one.orientationLps, other.orientationLps) &&
    one.pixelSpacingMm.every((mm, axis) => Math.abs(mm / other.pixelSpacingMm[axis]! - 1) <= 1e-3);
}

/** A gap may differ from the median by this fraction. */
const GAP_TOLERANCE = 0.05;
/**
 * A step may be smaller than the slices are thick by this fraction, if slices of several series
 * interleave.
 */
const MIN_STEP_OF_THICKNESS = 0.9;

/** Whether the slices of parts make one even, straight stack, none of them twice. */
function isOneStack(parts: readonly Part[]): boolean {
  const planes = parts.flatMap(({ files }) => files.flatMap(({ header }) => header.planes))
    .sort((a, b) => stackPositionMm(a) - stackPositionMm(b));
  const positions = planes.map(stackPositionMm);
  const gaps = positions.slice(1).map((mm, at) => mm - positions[at]!);
  const median = gaps.toSorted((a, b) => a - b)[gaps.length >> 1]!;
  if (!(median > 0.05) || gaps.some((gap) => Math.abs(gap / median - 1) > GAP_TOLERANCE)) {
    return false;
  }
  const [row, column] = planes[0]!.orientationLps, along = cross(row, column);
  const first = planes[0]!.positionLpsMm,
    run = planes.at(-1)!.positionLpsMm.map((mm, axis) => mm - first[axis]!);
  const [inRow, inColumn, length] = [row, column, along].map((axis) => dot(run as Vec3, axis));
  if (Math.hypot(inRow!, inColumn!) > 0.01 * length! + 0.5) return false;
  return !doInterleave(parts) || isAcquiredSo(parts, median);
}

/** Whether one part has slices between those of another one. */
function doInterleave(parts: readonly Part[]): boolean {
  const ranges = parts.map(({ files }) => {
    const positions = files.flatMap(({ header }) => header.planes.map(stackPositionMm));
    return [Math.min(...positions), Math.max(...positions)] as const;
  }).sort((a, b) => a[0] - b[0]);
  return ranges.some(([from], at) => at > 0 && from < ranges[at - 1]![1]);
}

/**
 * Whether interleaved slices were taken for one image. Two acquisitions that are half a step apart
 * interleave too, but each of them is whole: its slices are as thick as its own step, which is
 * twice the common one.
 */
function isAcquiredSo(parts: readonly Part[], stepMm: number): boolean {
  const isOneSeries = new Set(parts.map(({ files }) => files[0]!.header.seriesUid)).size === 1;
  const thickness = parts[0]!.files[0]!.header.sliceThicknessMm;
  return isOneSeries || (thickness !== undefined && stepMm >= MIN_STEP_OF_THICKNESS * thickness);
}

/**
 * Files that make one stack each. Parts of several series, or of several multi-frame files, are
 * joined when study, frame of reference, description, acquisition, orientation and spacing agree
 * and their slices continue or interleave.
 */
export function stacksOf(files: readonly InstanceFile[]): InstanceFile[][] {
  const stacks: InstanceFile[][] = [];
  const groups: Part[][] = [];
  for (const part of splitSeries(files)) {
    const header = part.files[0]!.header, acquisition = acquisitionOf(header);
    const group = groups.find(([first]) => {
      const firstHeader = first!.files[0]!.header;
      return acquisitionOf(firstHeader) === acquisition && isSameAcquisition(firstHeader, header);
    });
    if (group) group.push(part);
    else groups.push([part]);
  }
  for (const group of groups) stacks.push(...joined(group).map((part) => part.files));
  return stacks;
}

/**
 * Parts of one acquisition as one, or, where it was taken more than once, those of each series
 * number as one.
 */
function joined(parts: readonly Part[]): Part[] {
  const asOne = (some: readonly Part[]): Part[] =>
    some.length > 1 && isOneStack(some)
      ? [{ key: some[0]!.key, files: some.flatMap(({ files }) => files) }]
      : [...some];
  const merged = asOne(parts);
  if (merged.length === 1) return merged;
  return [...Map.groupBy(parts, ({ files }) => files[0]!.header.seriesNumber).values()].flatMap(
    asOne,
  );
}
