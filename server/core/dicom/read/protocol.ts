import type { DataSet } from "dicom-parser";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";

/** Acquisition parameters that must be equal in two visits to exclude a scanner effect. */
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
 * Acquisition parameters of a series; `undefined`:
 * missing in the header. Times in ms, angle in degrees, sizes in mm.
 */
export type Protocol =
  & Record<Exclude<ProtocolField, "scanner" | "coil" | "voxel_size">, number | undefined>
  & {
    scanner: string | undefined;
    coil: string | undefined;
    voxel_size: readonly [number, number, number] | undefined;
  };

/** Relative tolerance: headers round times, so 2300 and 2299.9 ms are equal. */
const TOLERANCE = 0.01;

const textOf = (...parts: string[]) => parts.join(" ").trim().toLowerCase() || undefined;

/** Acquisition protocol of the series that an instance belongs to. */
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
 * Parameters in which two visits differ. A parameter in only one header counts as different, one in
 * neither header as equal. Empty: same protocol.
 */
export const protocolDifferences = (a: Protocol, b: Protocol): ProtocolField[] =>
  PROTOCOL_FIELDS.filter((field) => !isEqual(a[field], b[field]));

/** Manufacturer, Manufacturer's Model Name, Device Serial Number. */
const SCANNER_TAGS = ["x00080070", "x00081090", "x00181000"];

/** Scanner name from a header, printable ASCII on one line; empty when the header lacks it. */
export const scannerName = (dataSet: DataSet): string =>
  SCANNER_TAGS.map((tag) => dataSet.string(tag) ?? "").join(" ").replace(/[^\x21-\x7e]+/g, " ")
    .trim();

const FIELD_STRENGTH = "x00180087", TR = "x00180080", TE = "x00180081", TI = "x00180082";
const FLIP = "x00181314", PIXEL_SPACING = "x00280030", THICKNESS = "x00180050";

/**
 * Acquisition parameters in one line, for grouping studies: "3 T, TR 2300, TE 3, TI 900, 9°, 1 × 1
 * × 1 mm". Times are rounded to two digits and sizes to 0.05 mm, because headers round them too;
 * empty when the header contains neither times nor sizes.
 */
export function protocolName(dataSet: DataSet): string {
  const numberAt = (tag: string, index = 0) => {
    const value = dataSet.floatString(tag, index);
    return value !== undefined && Number.isFinite(value) && value > 0 && value < 1e6 ? value : null;
  };
  const time = (name: string, tag: string) => {
    const ms = numberAt(tag);
    return ms === null ? [] : [`${name} ${Number(ms.toPrecision(2))}`];
  };
  const size = (mm: number | null) =>
    mm === null ? "–" : String(Number((Math.round(20 * mm) / 20).toFixed(2)));
  const strength = numberAt(FIELD_STRENGTH), flip = numberAt(FLIP);
  const spacing = [numberAt(PIXEL_SPACING), numberAt(PIXEL_SPACING, 1), numberAt(THICKNESS)];
  const acquisition = [
    ...strength === null ? [] : [`${Number(strength.toFixed(1))} T`],
    ...time("TR", TR),
    ...time("TE", TE),
    ...time("TI", TI),
    ...flip === null ? [] : [`${Math.round(flip)}°`],
    ...spacing.every((mm) => mm === null) ? [] : [`${spacing.map(size).join(" × ")} mm`],
  ];
  return acquisition.join(", ");
}
