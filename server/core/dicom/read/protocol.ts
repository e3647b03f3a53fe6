import type { DataSet } from "dicom-parser";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { firstGroup, sharedTiming, sliceSpacingOf } from "@/server/core/dicom/read/plane.ts";

/**
 * Acquisition parameters that must be equal in two visits, or a change may be due to the scanner.
 */
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
 * missing in the header. Times in ms, angles in degrees, sizes in mm.
 */
export type Protocol =
  & Record<Exclude<ProtocolField, "scanner" | "coil" | "voxel_size">, number | undefined>
  & {
    scanner: string | undefined;
    coil: string | undefined;
    voxel_size: readonly [number, number, number] | undefined;
  };

/** Relative tolerance for times: headers round them, so 2300 and 2299.9 ms are equal. */
const TOLERANCE = 0.01;

const textOf = (...parts: string[]) => parts.join(" ").trim().toLowerCase() || undefined;

/** Acquisition parameters of a series, from the header of one file. */
export function protocolOf(header: InstanceHeader): Protocol {
  const spacing = header.planes[0]?.pixelSpacingMm;
  const stepMm = header.sliceSpacingMm ?? header.sliceThicknessMm;
  return {
    scanner: textOf(header.manufacturer, header.model, header.deviceSerial),
    coil: textOf(header.receiveCoil),
    field_strength: header.fieldStrengthT,
    repetition_time: header.repetitionTimeMs,
    echo_time: header.echoTimeMs,
    inversion_time: header.inversionTimeMs,
    flip_angle: header.flipAngleDeg,
    voxel_size: spacing && stepMm ? [spacing[0], spacing[1], stepMm] : undefined,
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
 * Parameters that differ between two visits. A parameter in only one header counts as different,
 * in neither header as equal. Empty: both visits have the same protocol.
 */
export const protocolDifferences = (a: Protocol, b: Protocol): ProtocolField[] =>
  PROTOCOL_FIELDS.filter((field) => !isEqual(a[field], b[field]));

/** Manufacturer, Manufacturer's Model Name, Device Serial Number. */
const SCANNER_TAGS = ["x00080070", "x00081090", "x00181000"];

/** Values in printable ASCII on one line, without spaces at either end. */
const lineOf = (...values: (string | undefined)[]): string =>
  values.map((value) => value ?? "").join(" ").replace(/[^\x21-\x7e]+/g, " ").trim();

/** Scanner name by a header, printable ASCII on one line; empty if the header lacks it. */
export const scannerName = (dataSet: DataSet): string =>
  lineOf(...SCANNER_TAGS.map((tag) => dataSet.string(tag)));

const COIL = "x00181250", COIL_GROUP = "x00189042";

/** Receive Coil Name by a header, in the form of {@link scannerName}. */
export const coilName = (dataSet: DataSet): string =>
  lineOf(dataSet.string(COIL)) || lineOf(firstGroup(dataSet, COIL_GROUP)?.string(COIL));

const FIELD_STRENGTH = "x00180087", TR = "x00180080", TE = "x00180081", TI = "x00180082";
const FLIP = "x00181314", PIXEL_SPACING = "x00280030", THICKNESS = "x00180050";
/** Functional groups of enhanced images that contain the times, and the sizes. */
const TIMING_GROUP = "x00189112", SIZE_GROUP = "x00289110";

const plausible = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) && value > 0 && value < 1e6 ? value : null;

/** Number in a header; if the header lacks it, in a functional group. */
function numberIn(dataSet: DataSet, tag: string, group = "", index = 0): number | null {
  const [plain, grouped] = [dataSet, firstGroup(dataSet, group)].map((each) =>
    plausible(parseFloat(each?.string(tag)?.split("\\")[index] ?? ""))
  );
  return plain ?? grouped ?? null;
}

/**
 * Acquisition parameters in one line, for grouping studies: "3 T, TR 2300, TE 3, TI 900, 9°, 1 × 1
 * × 1 mm". The third size is the slice spacing, or without a spacing the slice
 * thickness. Times are rounded to two digits and sizes to 0.05 mm, as headers round them too;
 * empty when the header contains neither times nor sizes.
 */
export function protocolName(dataSet: DataSet): string {
  const { echoTimeMs, inversionTimeMs } = sharedTiming(dataSet);
  const time = (name: string, ms: number | null) =>
    ms === null ? [] : [`${name} ${Number(ms.toPrecision(2))}`];
  const size = (mm: number | null) =>
    mm === null ? "–" : String(Number((Math.round(20 * mm) / 20).toFixed(2)));
  const strength = numberIn(dataSet, FIELD_STRENGTH);
  const flip = numberIn(dataSet, FLIP, TIMING_GROUP);
  const sizes = [
    numberIn(dataSet, PIXEL_SPACING, SIZE_GROUP),
    numberIn(dataSet, PIXEL_SPACING, SIZE_GROUP, 1),
    plausible(sliceSpacingOf(dataSet)) ?? numberIn(dataSet, THICKNESS, SIZE_GROUP),
  ];
  const acquisition = [
    ...strength === null ? [] : [`${Number(strength.toFixed(1))} T`],
    ...time("TR", numberIn(dataSet, TR, TIMING_GROUP)),
    ...time("TE", numberIn(dataSet, TE) ?? plausible(echoTimeMs)),
    ...time("TI", numberIn(dataSet, TI) ?? plausible(inversionTimeMs)),
    ...flip === null ? [] : [`${Math.round(flip)}°`],
    ...sizes.every((mm) => mm === null) ? [] : [`${sizes.map(size).join(" × ")} mm`],
  ];
  return acquisition.join(", ");
}
