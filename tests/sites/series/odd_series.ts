/**
 * Series of generated files that differ from ordinary slices in stated ways. Each must be converted
 * to a volume with exact values, or be refused.
 */
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { applyAffine, invert, type Vec3 } from "@/model/geometry.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import {
  type Element,
  Items,
  type PixelEncoding,
  writeInstance,
} from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import type { Unchecked } from "@/server/core/dicom/convert/convert_checks.ts";
import { volumeOf } from "@/server/core/dicom/convert/series_volume.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { partCopies } from "@/server/core/dicom/stack/copies.ts";
import { groupSeries, type InstanceFile } from "@/server/core/dicom/read/series.ts";

export const COLUMNS = 32, ROWS = 24, SLICES = 44, STEP_MM = 3, SPACING_MM = [2.5, 2] as const;

/** Stored value of a pixel: smooth, and unique in its neighbourhood. */
export const valueAt = (column: number, row: number, slice: number): number =>
  Math.round(300 + 8 * column + 5 * row + 3 * slice + 100 * Math.sin(column / 5 + slice / 9));

export const positionOf = (slice: number): Vec3 => [-31, -29, -60 + STEP_MM * slice];

/** Header elements and pixels of a file that differ from an ordinary slice. */
export interface OddFile {
  /** additional or replaced elements */
  elements?: readonly Element[];
  without?: readonly number[];
  encoding?: PixelEncoding;
  pixel?: (value: number, column: number, row: number) => number;
  /** frames of a multi-frame file, as slice numbers */
  frames?: readonly number[];
  /** unit of the values (Rescale Type) of each frame */
  unitOf?: (slice: number) => string;
  /** unit of the real-world values of each frame */
  realUnitOf?: (slice: number) => string;
}

/** A series of unusual files and its expected result. */
export interface OddSeries {
  name: string;
  files: readonly OddFile[];
  edit?: (text: string) => string;
  /** reasons of the expected refusal; otherwise `value` converts a stored value to the volume's */
  refused?: string | readonly string[];
  /** expected reason for files that are refused although a volume is made */
  left?: string;
  value?: (value: number, column: number, row: number, slice: number) => number;
  unchecked?: Unchecked;
}

const plainElements = (number: number, slice: number): Element[] => [
  [0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "ND"]],
  [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
  [0x00080018, "UI", `1.2.826.99.${number + 1}`],
  [0x00080020, "DA", "20260105"],
  [0x00080060, "CS", "MR"],
  [0x00080070, "LO", "SIEMENS"],
  [0x0008103e, "LO", "T1 MPRAGE"],
  [0x00100010, "PN", "Odd^Files"],
  [0x00100020, "LO", "ODD-1"],
  [0x00180023, "CS", "3D"],
  [0x00180080, "DS", "2300"],
  [0x00180081, "DS", "2.98"],
  [0x0020000d, "UI", "1.2.826.98.1"],
  [0x0020000e, "UI", "1.2.826.98.2"],
  [0x00200011, "IS", "3"],
  [0x00200013, "IS", String(number + 1)],
  [0x00200032, "DS", positionOf(slice).map(String)],
  [0x00200037, "DS", ["1", "0", "0", "0", "1", "0"]],
  [0x00200052, "UI", "1.2.826.98.3"],
  [0x00280030, "DS", SPACING_MM.map((mm) => mm.toFixed(1))],
];

/** Pixel Value Transformation Sequence of stored values in a unit. */
const scaleOf = (unit: string): Element => [
  0x00289145,
  "SQ",
  new Items([[[0x00281052, "DS", "0"], [0x00281053, "DS", "1"], [0x00281054, "LO", unit]]]),
];

/** Real World Value Mapping Sequence of stored values to a unit. */
const mappingOf = (unit: string): Element => [
  0x00409096,
  "SQ",
  new Items([[[0x004008ea, "SQ", new Items([[[0x00080100, "SH", unit]]])]]]),
];

/** Functional groups of a multi-frame file (PS3.3 C.7.6.16). */
const framesElements = (
  frames: readonly number[],
  { unitOf, realUnitOf }: OddFile,
): Element[] => [
  [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4.1"],
  [0x00280008, "IS", String(frames.length)],
  [
    0x52009229,
    "SQ",
    new Items([[
      [
        0x00209116,
        "SQ",
        new Items([[[0x00200037, "DS", ["1", "0", "0", "0", "1", "0"]]]]),
      ],
      [
        0x00289110,
        "SQ",
        new Items([[[0x00180050, "DS", "3"], [0x00280030, "DS", SPACING_MM.map(String)]]]),
      ],
    ]]),
  ],
  [
    0x52009230,
    "SQ",
    new Items(frames.map((slice) => [
      [
        0x00209111,
        "SQ",
        new Items([[
          [0x00209056, "SH", "1"],
          [0x00209057, "UL", slice + 1],
          [0x00209157, "UL", [1, slice + 1]],
        ]]),
      ],
      [0x00209113, "SQ", new Items([[[0x00200032, "DS", positionOf(slice).map(String)]]])],
      ...unitOf ? [scaleOf(unitOf(slice))] : [],
      ...realUnitOf ? [mappingOf(realUnitOf(slice))] : [],
    ])),
  ],
];

function fileOf(odd: OddFile, number: number, edit: OddSeries["edit"]): Uint8Array {
  const slices = odd.frames ?? [number % SLICES];
  const changed = [
    ...(odd.frames ? framesElements(odd.frames, odd) : []),
    ...(odd.elements ?? []),
  ];
  const tags = new Set([...changed.map(([tag]) => tag), ...(odd.without ?? [])]);
  if (odd.frames) { for (const tag of [0x00200032, 0x00200037, 0x00280030]) tags.add(tag); }
  const elements = plainElements(number, slices[0]!).filter(([tag]) => !tags.has(tag));
  const pixels = new Uint16Array(COLUMNS * ROWS * slices.length);
  for (const at of pixels.keys()) {
    const column = at % COLUMNS, row = Math.floor(at / COLUMNS) % ROWS;
    const value = valueAt(column, row, slices[Math.floor(at / COLUMNS / ROWS)]!);
    pixels[at] = odd.pixel ? odd.pixel(value, column, row) : value;
  }
  const image = { columns: COLUMNS, rows: ROWS, pixels };
  const encoding = odd.encoding ?? "explicit";
  const bytes = writeInstance([...elements, ...changed], image, encoding, "ISO_IR 100");
  if (!edit) return bytes;
  const text = edit(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

export const slices = (odd: OddFile | ((slice: number) => OddFile)): OddFile[] =>
  Array.from({ length: SLICES }, (_, k) => typeof odd === "function" ? odd(k) : odd);
export const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => from + n);
export const part = (from: number, to: number, total: number): OddFile => ({
  frames: range(from, to),
  elements: [[0x00209161, "UI", "1.2.826.98.9"], [0x00209163, "US", total]],
});
/** Asserts that a series becomes its volume or its refusal. */
export async function checkSeries(
  { files, edit, refused, left, value, unchecked }: OddSeries,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-odd-" });
  try {
    const reasons: string[] = [], instances: InstanceFile[] = [];
    for (const [number, odd] of files.entries()) {
      const path = `${folder}/${String(number).padStart(4, "0")}.dcm`;
      await Deno.writeFile(path, fileOf(odd, number, edit));
      try {
        instances.push({ fileName: path, header: await readInstanceFile(path, path) });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        reasons.push(String(error.details.reason));
      }
    }
    const { unique, copies } = await partCopies(instances, ({ fileName }) => fileName);
    const { studies, rejected } = groupSeries(unique, DEFAULT_RULES);
    reasons.push(...copies.map(() => "duplicate_instance"));
    reasons.push(...rejected.map(({ reason }) => reason));
    const series = studies[0]?.series[0];
    const built = series && await volumeOf(
      series.files.map(({ fileName }) => ({ fileName, path: fileName })),
    ).catch((error: AppError) => {
      reasons.push(String(error.details?.reason ?? error));
      return undefined;
    });
    const wanted = refused ?? left ?? [];
    assert.deepEqual([...new Set(reasons)].sort(), [wanted].flat().toSorted());
    if (refused !== undefined) return assert.equal(built, undefined);
    const { volume, unchecked: reason } = built!, ijkFromRas = invert(volume.rasFromIjk);
    assert.equal(reason, unchecked ?? null);
    const pixelFromRas = invert(series!.rasFromIjk);
    assert.deepEqual([...series!.shape], [COLUMNS, ROWS, SLICES]);
    const lowest = [...volume.voxels].reduce((least, one) => Math.min(least, one), Infinity);
    const wrong: unknown[] = [];
    for (let n = 0; n < COLUMNS * ROWS * SLICES; n += 7) {
      const pixel: Vec3 = [n % COLUMNS, Math.floor(n / COLUMNS) % ROWS, 0];
      pixel[2] = Math.floor(n / COLUMNS / ROWS);
      const ras = applyAffine(invert(pixelFromRas), pixel);
      const [i, j, k] = applyAffine(ijkFromRas, ras).map(Math.round) as Vec3;
      const voxel = volume.voxels[i + volume.shape[0] * (j + volume.shape[1] * k)];
      const stored = valueAt(...pixel), due = value ? value(stored, ...pixel) : stored;
      if (voxel !== (due === -1 ? lowest : due)) wrong.push([pixel, voxel, due]);
    }
    assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} values`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
