import type { DataSet } from "dicom-parser";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";

/** Fields that must be equal for two visits to be compared without a scanner effect. */
const PROTOCOL_FIELDS = [
  "scanner",
  "coil",
  "field_strength",
  "repetition_time",
  "echo_time",
  "inversion_time",
  "flip_angle",
  "voxel_size",
] as const;
type ProtocolField = typeof PROTOCOL_FIELDS[number];

/**
 * How a series was acquired; `undefined` = the header does not say. Times in ms, angle in degrees,
 * sizes in mm.
 */
export type Protocol =
  & Record<Exclude<ProtocolField, "scanner" | "coil" | "voxel_size">, number | undefined>
  & {
    scanner: string | undefined;
    coil: string | undefined;
    voxel_size: readonly [number, number, number] | undefined;
  };

/** Headers round times: 2300 and 2299.9 ms are one protocol. */
const TOLERANCE = 0.01;

const textOf = (...parts: string[]) => parts.join(" ").trim().toLowerCase() || undefined;

/** The protocol of the series that an instance belongs to. */
export function protocolOf(header: InstanceHeader): Protocol {
  const spacing = header.planes[0]?.pixelSpacingMm, thickness = header.sliceThicknessMm;
  return {
    scanner: textOf(header.manufacturer, header.model, header.deviceSerial),
    coil: textOf(header.receiveCoil),
    field_strength: header.fieldStrengthT,
    repetition_time: header.repetitionTimeMs,
    echo_time: header.echoTimeMs,
    inversion_time: header.inversionTimeMs,
    flip_angle: header.flipAngleDeg,
    voxel_size: spacing && thickness ? [spacing[0], spacing[1], thickness] : undefined,
  };
}

const isClose = (a: number, b: number) =>
  Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b));

function isEqual(a: Protocol[ProtocolField], b: Protocol[ProtocolField]): boolean {
  if (typeof a === "number" && typeof b === "number") return isClose(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return a.every((v: number, i) => isClose(v, b[i]));
  return a === b;
}

/**
 * Fields in which two visits differ. A field that only one header gives differs; one that neither
 * gives does not. Empty means: same protocol.
 */
export const protocolDifferences = (a: Protocol, b: Protocol): ProtocolField[] =>
  PROTOCOL_FIELDS.filter((field) => !isEqual(a[field], b[field]));

/** Manufacturer, Manufacturer's Model Name, Device Serial Number. */
const SCANNER_TAGS = ["x00080070", "x00081090", "x00181000"];

/** The scanner as a header names it, printable ASCII on one line; empty when it says nothing. */
export const scannerName = (dataSet: DataSet): string =>
  SCANNER_TAGS.map((tag) => dataSet.string(tag) ?? "").join(" ").replace(/[^\x21-\x7e]+/g, " ")
    .trim();
