// covers: S-17, S-107
// Synthetic files with deviations from the standard as scanners and archives write them. Each gives
// the correct volume, with each value at the correct position, or a refusal with the reason.
import assert from "node:assert/strict";
import { type Element, Items } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { openFrames } from "@/server/core/dicom/stack/pixels.ts";
import { paddingMask } from "@/server/core/dicom/stack/padding.ts";
import {
  checkSeries,
  type OddSeries,
  part,
  positionOf,
  range,
  SLICES,
  slices,
  valueAt,
} from "@/tests/sites/series/odd_series.ts";

const slopes = ["1.25", "0.75", "1.50"];
const ge = (type: number): Element[] => [[0x00080070, "LO", "GE MEDICAL SYSTEMS"], [
  0x00430010,
  "LO",
  "GEMS_PARM_01",
], [0x0043102f, "SS", type]];

/** Position of a slice with a deviation of up to `mm` along each axis, as if at random. */
const varied = (k: number, mm: readonly number[]): Element[] => [[
  0x00200032,
  "DS",
  positionOf(k).map((x, axis) =>
    (x + mm[axis]! * (k % 43 ? Math.sin(11 * k * (axis + 1)) : -0.9))
      .toFixed(4)
  ),
]];

const TABLE: readonly OddSeries[] = [
  { name: "a plain series", files: slices({}) },
  {
    name: "positions from last to first",
    files: slices((k) => ({
      elements: [[0x00200032, "DS", positionOf(SLICES - 1 - k).map(String)]],
    })),
    value: (_, column, row, slice) => valueAt(column, row, SLICES - 1 - slice),
  },
  // each of three coordinates varies on its own, and the first gap is among the largest
  ...[0.02, 0.05, 0.06].map((mm): OddSeries => ({
    name: `positions that vary by ${mm} mm`,
    files: slices((k) => ({ elements: varied(k, [mm, mm, mm]) })),
  })),
  {
    name: "positions that vary by 0.4 mm of 2 mm in the plane",
    files: slices((k) => ({ elements: varied(k, [0.4, 0.4, 0]) })),
  },
  {
    name: "positions that vary by more than half a pixel in the plane",
    files: slices((k) => ({ elements: varied(k, [1.4, 1.4, 0]) })),
    refused: "mixed_slices",
  },
  {
    name: "positions that vary by a tenth of the step",
    files: slices((k) => ({ elements: varied(k, [0, 0, 0.3]) })),
    refused: "slice_gap",
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
    name: "a High Bit above the highest bit in use",
    files: slices({}),
    edit: (text) => text.replace("\x28\0\x02\x01US\x02\0\x0b\0", "\x28\0\x02\x01US\x02\0\x0f\0"),
  },
  {
    name: "values in the highest bits, as High Bit says",
    files: slices({ pixel: (value) => value << 4 }),
    edit: (text) => text.replace("\x28\0\x02\x01US\x02\0\x0b\0", "\x28\0\x02\x01US\x02\0\x0f\0"),
    unchecked: "high_bit",
  },
  {
    name: "values in the highest bits, and bits of something else below",
    files: slices({ pixel: (value, column) => value << 4 | (column % 3 ? 0 : 1) }),
    edit: (text) => text.replace("\x28\0\x02\x01US\x02\0\x0b\0", "\x28\0\x02\x01US\x02\0\x0f\0"),
    unchecked: "high_bit",
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
    name: "an image without the first of its files, whose number is not stated",
    files: [[2, 24], [24, SLICES]].map(([from, to], at) => ({
      frames: range(from!, to!),
      elements: [[0x00209161, "UI", "1.2.826.98.9"], [0x00209162, "US", at + 2]],
    })),
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
    // interpreted as "no scaling", as by dcm2niix and NIfTI
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
    name: "frames without a unit, whether stated or not",
    files: [{ frames: range(0, SLICES), unitOf: (slice) => slice % 2 ? "US" : "" }],
  },
  {
    name: "frames without a unit, in different words",
    files: [{
      frames: range(0, SLICES),
      unitOf: (slice) => ["US", "normalized", "", "no units"][slice % 4]!,
      realUnitOf: (slice) => slice % 3 ? "1" : "{ratio}",
    }],
  },
  {
    name: "a frame in another unit than the first",
    files: [{ frames: range(0, SLICES), unitOf: (slice) => slice === 30 ? "ms" : "US" }],
    refused: "mixed_slices",
  },
  {
    name: "a frame with real-world values in another unit than the first",
    files: [{
      frames: range(0, SLICES),
      unitOf: () => "US",
      realUnitOf: (slice) => slice === 30 ? "ms" : "1",
    }],
    refused: "mixed_slices",
  },
  {
    name: "frames in two units of a series that is neither T1w nor FLAIR",
    files: [{
      elements: [[0x0008103e, "LO", "series 7"], [0x00180080, "DS", "4000"], [
        0x00180081,
        "DS",
        "90",
      ]],
      frames: range(0, SLICES),
      unitOf: (slice) => slice % 2 ? "ms" : "normalized",
    }],
    refused: "quantity",
  },
  ...["US", "", "normalized"].map((scaled): OddSeries => ({
    name: `frames of a map with the unit beside Rescale Type "${scaled}"`,
    files: [{ frames: range(0, SLICES), unitOf: () => scaled, realUnitOf: () => "ms" }],
    refused: "quantity",
  })),
  {
    name: "frames of a map in one unit",
    files: [{ frames: range(0, SLICES), unitOf: () => "ms" }],
    refused: "quantity",
  },
  {
    name: "two dynamics at the same places",
    files: [...slices({}), ...slices({ pixel: (value) => value + 1 })],
    refused: "mixed_slices",
  },
  {
    name: "three dynamics at the same places",
    files: [1, 2, 3].flatMap((n) => slices({ pixel: (value) => value + n })),
    refused: "repeated_positions",
  },
  {
    name: "a label map of thirty regions",
    files: slices({
      pixel: (_, column, row) => row < 2 ? 0 : 1 + (column >> 3) * 6 + (row >> 2),
    }),
    refused: "label_map",
  },
  {
    name: "a mask",
    files: slices({ pixel: (_, column, row) => Number(column > 5 && column < 25 && row > 5) }),
    refused: "label_map",
  },
  {
    name: "an image of few values that differ from pixel to pixel",
    files: slices({ pixel: (value) => value >> 2 }),
    value: (value) => value >> 2,
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
  {
    name: "JPEG lossless that is stated to be JPEG 2000",
    files: slices({ encoding: "jpeg_lossless" }),
    edit: (text) => text.replace("1.2.840.10008.1.2.4.70", "1.2.840.10008.1.2.4.90"),
    refused: "transfer_syntax",
  },
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

for (const each of TABLE) {
  Deno.test(`of ${each.name} comes ${each.refused ?? "the volume"}`, () => checkSeries(each));
}

Deno.test("openFrames() exchanges 8-bit pixels in words of big-endian files, from an odd frame too", async () => {
  const path = await Deno.makeTempFile();
  try {
    // three frames of 3 × 1 pixels, as big-endian 16-bit words
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
