/**
 * Groups files into stacks: series are split if images differ,
 * and joined if one image was divided into several series.
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

/** Tolerance of directions, 0.5 degrees: scanners do not round all cosines of a stack alike. */
export const isParallel = (a: readonly [Vec3, Vec3], b: readonly [Vec3, Vec3]): boolean =>
  dot(a[0], b[0]) > 0.99996 && dot(a[1], b[1]) > 0.99996;

/**
 * Whether two files have the same positions: as many slices, and the first slice at the same place.
 */
function isSameImage({ header: a }: InstanceFile, { header: b }: InstanceFile): boolean {
  const [one, other] = [a.planes[0], b.planes[0]];
  if (a.planes.length !== b.planes.length || !one || !other) return false;
  return one.positionLpsMm.every((mm, axis) => Math.abs(mm - other.positionLpsMm[axis]!) < 0.01);
}

/**
 * Removes repeated files. Files with one SOP Instance UID but different images are all
 * refused: storage keeps only one file of a UID, so that an image would be lost.
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

/** Tolerance for echo times that are rounded differently: 0.05 ms or 1 %. */
export const isSameTime = (a: number | undefined, b: number | undefined): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && Math.abs(a - b) <= Math.max(0.05, 0.01 * Math.max(a, b)));

/** Files of one series that may form one stack. */
interface Part {
  key: string;
  files: InstanceFile[];
}

/** Groups the files of a series by image type, orientation and echo time. */
function splitSeries(files: readonly InstanceFile[]): Part[] {
  const parts: Part[] = [];
  for (const file of files) {
    const h = file.header;
    // a multi-frame file is a stack, unless one image is divided into several files (concatenation)
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

/** Attributes of the images of one protocol in a study; times are compared separately. */
export const protocolOf = (h: InstanceHeader): string =>
  JSON.stringify([
    ...[h.studyUid, h.seriesDescription, h.imageType, h.scanningSequence, h.acquisitionType],
    ...[hasContrastAgent(h), h.flipAngleDeg, h.manufacturer, h.deviceSerial],
  ]);

/** Attributes that parts of one acquisition have in common; times are compared separately. */
const acquisitionOf = (h: InstanceHeader): string =>
  JSON.stringify([
    ...[protocolOf(h), h.frameOfReferenceUid, h.rows, h.columns, h.bitsAllocated, h.isSigned],
    h.sliceThicknessMm,
  ]);

export const isSameTiming = (a: InstanceHeader, b: InstanceHeader): boolean =>
  isSameTime(a.echoTimeMs, b.echoTimeMs) &&
  isSameTime(a.repetitionTimeMs, b.repetitionTimeMs) &&
  isSameTime(a.inversionTimeMs, b.inversionTimeMs);

function isSameAcquisition(a: InstanceHeader, b: InstanceHeader): boolean {
  const [one, other] = [a.planes[0]!, b.planes[0]!];
  return isSameTiming(a, b) && isParallel(one.orientationLps, other.orientationLps) &&
    one.pixelSpacingMm.every((mm, axis) => Math.abs(mm / other.pixelSpacingMm[axis]! - 1) <= 1e-3);
}

/** Maximum deviation of a gap between slices, relative to the median gap. */
export const GAP_TOLERANCE = 0.05;
/**
 * Relative tolerance by which the slice spacing may be below the slice thickness,
 * when slices of several series interleave.
 */
export const MIN_STEP_OF_THICKNESS = 0.9;

/**
 * Whether the slices of several parts form one evenly spaced, straight stack, none twice.
 */
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

/** Whether one part has slices between the slices of another part. */
function doInterleave(parts: readonly Part[]): boolean {
  const ranges = parts.map(({ files }) => {
    const positions = files.flatMap(({ header }) => header.planes.map(stackPositionMm));
    return [Math.min(...positions), Math.max(...positions)] as const;
  }).sort((a, b) => a[0] - b[0]);
  return ranges.some(([from], at) => at > 0 && from < ranges[at - 1]![1]);
}

/**
 * Whether interleaved slices belong to one image. Two complete acquisitions that are offset
 * by half a spacing interleave too:
 * then the slice thickness is the spacing of one acquisition, twice the combined spacing.
 */
function isAcquiredSo(parts: readonly Part[], stepMm: number): boolean {
  const isOneSeries = new Set(parts.map(({ files }) => files[0]!.header.seriesUid)).size === 1;
  const thickness = parts[0]!.files[0]!.header.sliceThicknessMm;
  return isOneSeries || (thickness !== undefined && stepMm >= MIN_STEP_OF_THICKNESS * thickness);
}

/**
 * Groups files into stacks. Parts in several series or multi-frame files are joined if study,
 * frame of reference, description, acquisition, orientation and spacing agree.
 * The slices of the parts must continue or interleave.
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
 * Joins the parts of one acquisition.
 * If an acquisition was repeated, parts are joined for each series number.
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
