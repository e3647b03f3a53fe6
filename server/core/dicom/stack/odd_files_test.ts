// covers: S-17, S-107
// Files as scanners and archives write them beside the standard, made here: each becomes its volume,
// value for value at its place, or a refusal that says why.
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
import { groupSeries, type InstanceFile } from "@/server/core/dicom/read/series.ts";
import { openFrames } from "@/server/core/dicom/stack/pixels.ts";
import { paddingMask } from "@/server/core/dicom/stack/padding.ts";

const COLUMNS = 32, ROWS = 24, SLICES = 44, STEP_MM = 3, SPACING_MM = [2.5, 2] as const;

/** Stored value of a pixel: smooth, and at no two places alike in their neighbourhood. */
const valueAt = (column: number, row: number, slice: number): number =>
  Math.round(300 + 8 * column + 5 * row + 3 * slice + 100 * Math.sin(column / 5 + slice / 9));

const positionOf = (slice: number): Vec3 => [-31, -29, -60 + STEP_MM * slice];

/** Header elements and pixels of one file, as far as they differ from an ordinary slice. */
interface OddFile {
  /** elements beside or instead of the plain ones */
  elements?: readonly Element[];
  without?: readonly number[];
  encoding?: PixelEncoding;
  pixel?: (value: number, column: number, row: number) => number;
  /** frames of a multi-frame file, by the number of their slices */
  frames?: readonly number[];
}

/** A series of odd files and its due. */
interface Case {
  name: string;
  files: readonly OddFile[];
  edit?: (text: string) => string;
  /** reason of the refusal; else the volume's value of a stored one */
  refused?: string;
  /** files that are refused beside a volume */
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

/** Functional groups of a multi-frame file (PS3.3 C.7.6.16). */
const framesElements = (frames: readonly number[]): Element[] => [
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
    ])),
  ],
];

function fileOf(odd: OddFile, number: number, edit: Case["edit"]): Uint8Array {
  const slices = odd.frames ?? [number % SLICES];
  const changed = [...(odd.frames ? framesElements(odd.frames) : []), ...(odd.elements ?? [])];
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

const slices = (odd: OddFile | ((slice: number) => OddFile)): OddFile[] =>
  Array.from({ length: SLICES }, (_, k) => typeof odd === "function" ? odd(k) : odd);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
const part = (from: number, to: number, total: number): OddFile => ({
  frames: range(from, to),
  elements: [[0x00209161, "UI", "1.2.826.98.9"], [0x00209163, "US", total]],
});
const slopes = ["1.25", "0.75", "1.50"];
const ge = (type: number): Element[] => [[0x00080070, "LO", "GE MEDICAL SYSTEMS"], [
  0x00430010,
  "LO",
  "GEMS_PARM_01",
], [0x0043102f, "SS", type]];

const TABLE: readonly Case[] = [
  { name: "a plain series", files: slices({}) },
  {
    name: "positions from last to first",
    files: slices((k) => ({
      elements: [[0x00200032, "DS", positionOf(SLICES - 1 - k).map(String)]],
    })),
    value: (_, column, row, slice) => valueAt(column, row, SLICES - 1 - slice),
  },
  {
    name: "decimals with a comma in the spacing",
    files: slices({}),
    edit: (text) => text.replace("2.5\\2.0", "2,5\\2,0"),
    refused: "no_geometry",
  },
  {
    name: "decimals with a comma in a slope",
    files: slices({ elements: [[0x00281052, "DS", "0"], [0x00281053, "DS", "1.50"]] }),
    edit: (text) => text.replace("1.50", "1,50"),
    refused: "rescale",
  },
  {
    name: "slopes of four characters in implicit files",
    files: slices((k) => ({
      encoding: "implicit",
      elements: [[0x00281052, "DS", "-100"], [0x00281053, "DS", slopes[k % 3]!]],
    })),
    value: (value, _column, _row, slice) => value * Number(slopes[slice % 3]) - 100,
  },
  {
    name: "direction cosines of three decimals",
    files: slices({
      elements: [[0x00200037, "DS", ["0.999", "0.017", "0.000", "-0.017", "0.999", "0.000"]]],
    }),
  },
  {
    name: "values above Bits Stored",
    files: slices({ pixel: (value) => value * 9 }),
    refused: "bits_stored",
  },
  {
    name: "bits of something else above Bits Stored",
    files: slices({ pixel: (value, column, row) => value | ((column * 7 + row) % 5 ? 0 : 0x4000) }),
  },
  {
    name: "a value of padding that tissue has too",
    files: slices({
      elements: [[0x00280120, "US", 900]],
      pixel: (value, column, row) =>
        column < 5 || (column === 15 && row === 12) ? 900 : Math.min(value, 899),
    }),
    value: (value, column, row) =>
      column < 5 ? -1 : column === 15 && row === 12 ? 900 : Math.min(value, 899),
  },
  {
    name: "a Modality LUT",
    files: slices({
      elements: [[0x00283000, "SQ", new Items([[[0x00283002, "US", [4096, 0, 16]]]])]],
    }),
    refused: "pixel_format",
  },
  {
    name: "mosaics",
    files: slices({ elements: [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "MOSAIC"]]] }),
    refused: "derived",
  },
  {
    name: "no Series Instance UID",
    files: slices({ elements: [[0x0020000e, "UI", ""]] }),
    refused: "identifier",
  },
  {
    name: "another position in a private sequence",
    files: slices({
      elements: [
        [0x00090010, "LO", "ACME"],
        [0x00091001, "SQ", new Items([[[0x00200032, "DS", ["1", "2", "3"]]]])],
      ],
    }),
    unchecked: "unknown_sequence",
  },
  {
    name: "GE's magnitude and phase in one series",
    files: [
      ...slices({ elements: ge(0) }),
      ...slices({ elements: ge(1), pixel: (value) => 4000 - value }),
    ],
    left: "derived",
  },
  { name: "an image in two files", files: [part(0, 20, 2), part(20, SLICES, 2)] },
  {
    name: "an image in three files, the last one missing",
    files: [part(0, 20, 3), part(20, SLICES, 3)],
    refused: "missing_parts",
  },
  {
    name: "frames in another order than their places",
    files: [{ frames: range(0, SLICES).map((frame) => (frame * 17 + 5) % SLICES) }],
  },
  { name: "frames from last to first", files: [{ frames: range(0, SLICES).toReversed() }] },
  {
    name: "one instance number for all",
    files: slices({ elements: [[0x00200013, "IS", "1"]] }),
  },
  { name: "no instance number and no thickness", files: slices({ without: [0x00200013] }) },
  {
    name: "a thickness and a spacing that are not the positions'",
    files: slices({ elements: [[0x00180050, "DS", "0"], [0x00180088, "DS", "-1.5"]] }),
  },
  {
    name: "slope and intercept on every other slice only",
    files: slices((k) => ({
      elements: k % 2 ? [[0x00281052, "DS", "-7"], [0x00281053, "DS", "2"]] : [],
    })),
    value: (value, _column, _row, slice) => slice % 2 ? 2 * value - 7 : value,
  },
  {
    name: "a falling slope",
    files: slices({ elements: [[0x00281052, "DS", "4095"], [0x00281053, "DS", "-1"]] }),
    value: (value) => 4095 - value,
  },
  {
    // as dcm2niix and NIfTI take it: no scaling
    name: "a slope of zero",
    files: slices({ elements: [[0x00281052, "DS", "0"], [0x00281053, "DS", "0"]] }),
    value: (value) => value,
  },
  {
    name: "a slope of no number",
    files: slices({ elements: [[0x00281052, "DS", "0"], [0x00281053, "DS", "NaN"]] }),
    refused: "rescale",
  },
  {
    name: "an intercept without a slope",
    files: slices({ elements: [[0x00281052, "DS", "-100"]] }),
    value: (value) => value - 100,
  },
  {
    name: "oblique sagittal slices from left to right",
    files: slices((k) => ({
      elements: [
        [0x00200037, "DS", ["-0.173648", "0.984808", "0", "0", "0", "-1"]],
        [
          0x00200032,
          "DS",
          [-60 + 3 * k * 0.984808, -30 + 3 * k * 0.173648, 29].map((mm) => mm.toFixed(4)),
        ],
      ],
    })),
    value: (_, column, row, slice) => valueAt(column, row, SLICES - 1 - slice),
  },
  {
    name: "coronal slices, positions in exponents",
    files: slices((k) => ({
      elements: [
        [0x00200037, "DS", ["1", "0", "0", "0", "0", "-1"]],
        [0x00200032, "DS", ["-3.1E+01", (-60 + 3 * k).toExponential(6), "2.9e1"]],
      ],
    })),
  },
  {
    name: "axes of twice the length",
    files: slices({ elements: [[0x00200037, "DS", ["2", "0", "0", "0", "2", "0"]]] }),
    refused: "no_geometry",
  },
  {
    name: "axes that are not perpendicular",
    files: slices({ elements: [[0x00200037, "DS", ["1", "0", "0", "0.7071", "0.7071", "0"]]] }),
    refused: "no_geometry",
  },
  {
    name: "axes of zero",
    files: slices({ elements: [[0x00200037, "DS", ["0", "0", "0", "0", "0", "0"]]] }),
    refused: "no_geometry",
  },
  {
    name: "a negative pixel spacing",
    files: slices({ elements: [[0x00280030, "DS", ["-2.5", "2"]]] }),
    refused: "no_geometry",
  },
  {
    name: "a pixel spacing of zero",
    files: slices({ elements: [[0x00280030, "DS", ["0", "0"]]] }),
    refused: "no_geometry",
  },
  {
    name: "one value of pixel spacing",
    files: slices({ elements: [[0x00280030, "DS", "2.5"]] }),
    refused: "no_geometry",
  },
  {
    name: "two dynamics at the same places",
    files: [...slices({}), ...slices({ pixel: (value) => value + 1 })],
    refused: "mixed_slices",
  },
  { name: "no Image Type", files: slices({ without: [0x00080008] }) },
  {
    name: "a frame of reference for each slice",
    files: slices((k) => ({ elements: [[0x00200052, "UI", `1.2.826.98.3.${k + 1}`]] })),
  },
  {
    name: "a name of five components, with a backslash",
    files: slices({ elements: [[0x00100010, "PN", "Van^der\\Berg^Q^Dr^III=X=Y"]] }),
  },
  { name: "RLE", files: slices({ encoding: "rle" }) },
  { name: "JPEG lossless", files: slices({ encoding: "jpeg_lossless" }) },
  { name: "big-endian words", files: slices({ encoding: "big_endian" }) },
  {
    name: "every other slice in another encoding",
    files: slices((k) => ({
      encoding: (["explicit", "rle", "big_endian", "implicit"] as const)[k % 4]!,
    })),
  },
  {
    name: "Philips' slope for each slice",
    files: slices((k) => ({
      elements: [[0x00080070, "LO", "Philips Medical Systems"], [0x00281052, "DS", "0"], [
        0x00281053,
        "DS",
        slopes[k % 3]!,
      ]],
    })),
    value: (value, _column, _row, slice) => value * Number(slopes[slice % 3]),
  },
];

async function check({ files, edit, refused, left, value, unchecked }: Case): Promise<void> {
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
    const { studies, rejected } = groupSeries(instances, DEFAULT_RULES);
    reasons.push(...rejected.map(({ reason }) => reason));
    const series = studies[0]?.series[0];
    const built = series && await volumeOf(
      series.files.map(({ fileName }) => ({ fileName, path: fileName })),
    ).catch((error: AppError) => {
      reasons.push(String(error.details?.reason ?? error));
      return undefined;
    });
    const wanted = refused ?? left;
    assert.deepEqual([...new Set(reasons)], wanted === undefined ? [] : [wanted]);
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

for (const each of TABLE) {
  Deno.test(`of ${each.name} comes ${each.refused ?? "the volume"}`, () => check(each));
}

Deno.test("openFrames() exchanges 8-bit pixels in words of big-endian files, from an odd frame too", async () => {
  const path = await Deno.makeTempFile();
  try {
    // three frames of 3 × 1 pixels, in words
    await Deno.writeFile(path, Uint8Array.of(99, 99, 2, 1, 4, 3, 6, 5, 8, 7, 0, 9));
    const reader = await openFrames(
      path,
      {
        columns: 3,
        rows: 1,
        bitsAllocated: 8,
        transferSyntax: "1.2.840.10008.1.2.2",
        pixels: { offset: 2, sizeBytes: 10, isBigEndian: true, isInWords: true },
      } as Parameters<typeof openFrames>[1],
    );
    const frames = [];
    for (const number of [0, 1, 2]) frames.push([...await reader.read(number)]);
    reader.close();
    assert.deepEqual(frames, [[1, 2, 3], [4, 5, 6], [7, 8, 9]]);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("paddingMask() marks padding that reaches the edge, round corners, and no island", () => {
  const stored = Uint16Array.from([
    ...[5, 5, 5, 5, 5],
    ...[5, 1, 1, 1, 5],
    ...[1, 1, 5, 1, 1],
    ...[1, 5, 1, 1, 1],
  ]);
  const format = { bitsAllocated: 16, bitsStored: 16, highBit: 15, isSigned: false };
  const header = { columns: 5, rows: 4, padding: [5, 6], ...format } as unknown;
  assert.deepEqual(
    [...paddingMask(stored, header as Parameters<typeof paddingMask>[1])!],
    [1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
  );
});
