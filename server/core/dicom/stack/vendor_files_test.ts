// covers: S-17, S-107, S-244
// Further files with errors of vendors, archives and failing disks, see odd_files_test.ts.
import type { Element } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { Items } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import {
  checkSeries,
  COLUMNS,
  type OddFile,
  type OddSeries,
  positionOf,
  range,
  ROWS,
  SLICES,
  slices,
} from "@/tests/sites/series/odd_series.ts";

/** Bytes of a 32-bit float, as a text that the DICOM writer writes unchanged. */
const float = (value: number, littleEndian = true): string => {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value, littleEndian);
  return String.fromCharCode(...new Uint8Array(view.buffer));
};

const PHILIPS: Element[] = [[0x00080070, "LO", "Philips Medical Systems"], [
  0x20050010,
  "LO",
  "Philips MR Imaging DD 001",
]];
const scales = [0.5, 0.25, 0.125];

/** Twice as many slices at half the spacing; every second slice has the properties of `odd`. */
const byTurns = (odd: OddFile, [x, y] = [-31, -29]): OddFile[] =>
  range(0, 2 * SLICES).map((k) => {
    const isOdd = k % 2 === 1, corner = isOdd ? [x, y] : [-31, -29];
    const place: Element = [0x00200032, "DS", [...corner, -60 + 1.5 * k].map(String)];
    return { elements: [...(isOdd && odd.elements || []), place] };
  });

/** A ball in the upper part of the volume, and an island far below it. */
const isBrain = (column: number, row: number, k: number): boolean =>
  ((column - 16) / 14) ** 2 + ((row - 12) / 11) ** 2 + ((k - 31) / 11) ** 2 < 1 ||
  (k === 4 && column === 15 && row > 10 && row < 14);

const isInside = (column: number, row: number): boolean =>
  column > 2 && column < 29 && row > 2 && row < 21;
const isCorner = (column: number, row: number): boolean =>
  column === COLUMNS - 1 && row === ROWS - 1;

const TABLE: readonly OddSeries[] = [
  {
    name: "Philips' scale slope for each slice",
    files: slices((k) => ({ elements: [...PHILIPS, [0x2005100e, "FL", float(scales[k % 3]!)]] })),
    value: (value, _column, _row, slice) => value / scales[slice % 3]!,
    unchecked: "slope_by_frame",
  },
  {
    name: "Philips' scale slope of unknown VR for each slice",
    files: slices((k) => ({ elements: [...PHILIPS, [0x2005100e, "UN", float(scales[k % 3]!)]] })),
    value: (value, _column, _row, slice) => value / scales[slice % 3]!,
    unchecked: "slope_by_frame",
  },
  {
    name: "Philips' scale slope in implicit files",
    files: slices((k) => ({
      encoding: "implicit",
      elements: [...PHILIPS, [0x2005100e, "FL", float(scales[k % 3]!)]],
    })),
    value: (value, _column, _row, slice) => value / scales[slice % 3]!,
    unchecked: "slope_by_frame",
  },
  {
    name: "Philips' scale slope in big-endian files",
    files: slices((k) => ({
      encoding: "big_endian",
      elements: [...PHILIPS, [0x2005100e, "FL", float(scales[k % 3]!, false)]],
    })),
    value: (value, _column, _row, slice) => value / scales[slice % 3]!,
    unchecked: "slope_by_frame",
  },
  {
    name: "Philips' scale slope as a decimal string",
    files: slices((k) => ({ elements: [...PHILIPS, [0x2005100e, "DS", String(scales[k % 3]!)]] })),
    value: (value, _column, _row, slice) => value / scales[slice % 3]!,
    unchecked: "slope_by_frame",
  },
  {
    name: "Philips' scale slope in another private block",
    files: slices((k) => ({
      elements: [
        [0x00080070, "LO", "Philips Medical Systems"],
        [0x20050010, "LO", "ACME 1.0"],
        [0x20050011, "LO", "Philips MR Imaging DD 001"],
        [0x2005110e, "FL", float(scales[k % 3]!)],
      ],
    })),
    value: (value, _column, _row, slice) => value / scales[slice % 3]!,
    unchecked: "slope_by_frame",
  },
  {
    name: "another vendor's element with the number of Philips' scale slope",
    files: slices((k) => ({
      elements: [
        [0x00080070, "LO", "Philips Medical Systems"],
        [0x20050010, "LO", "ACME 1.0"],
        [0x2005100e, "FL", float(scales[k % 3]!)],
      ],
    })),
  },
  {
    name: "a slice without values between others",
    files: slices((k) => ({ pixel: (value) => k === 20 ? 0 : value })),
    refused: "lost_pixels",
  },
  {
    name: "dark slices at both ends",
    files: slices((k) => ({ pixel: (value) => k < 3 || k > 40 ? 0 : value })),
    value: (value, _c, _r, k) => k < 3 || k > 40 ? 0 : value,
  },
  {
    name: "the second half of one image lost",
    files: slices((k) => ({ pixel: (value, _c, row) => k === 10 && row > 12 ? 0 : value })),
    refused: "lost_pixels",
  },
  {
    name: "the second half of all slices lost",
    files: slices((k) => ({ pixel: (value) => k > SLICES / 2 ? 0 : value })),
    refused: "lost_pixels",
  },
  {
    // as if the copy of a multi-frame file had been interrupted within a frame
    name: "the end of one slice and all after it lost",
    files: slices((k) => ({
      pixel: (value, _c, row) => k > 20 || (k === 20 && row > 4) ? 0 : value,
    })),
    refused: "lost_pixels",
  },
  {
    name: "the end of one slice and all before it lost",
    files: slices((k) => ({
      pixel: (value, _c, row) => k < 24 || (k === 24 && row > 4) ? 0 : value,
    })),
    refused: "lost_pixels",
  },
  ...([[10, 11], [10, 11, 12, 13], [20]] as const).map((lost): OddSeries => ({
    name: `the last quarter of slices ${lost} lost`,
    files: slices((k) => ({
      pixel: (value, _c, row) => lost.some((one) => one === k) && row > 17 ? 0 : value,
    })),
    refused: "lost_pixels",
  })),
  {
    name: "two rows of one slice lost",
    files: slices((k) => ({ pixel: (value, _c, row) => k === 10 && row > 21 ? 0 : value })),
    refused: "lost_pixels",
  },
  {
    name: "an eighth of the slices lost at one end",
    files: slices((k) => ({ pixel: (value) => k >= SLICES - 6 ? 0 : value })),
    refused: "lost_pixels",
  },
  {
    name: "the end of all files lost from one byte on",
    files: slices({ pixel: (value, c, row) => row > 19 || (row === 19 && c > 12) ? 0 : value }),
    refused: "lost_pixels",
  },
  {
    name: "a field of view that is padded on all sides",
    files: slices({ pixel: (value, c, row) => isInside(c, row) ? value : 0 }),
    value: (value, c, row) => isInside(c, row) ? value : 0,
  },
  {
    // a single pixel with a value makes other slices appear empty
    name: "a brain alone with lost slices and a value in a last pixel",
    files: slices((k) => ({
      pixel: (value, c, row) =>
        k === 12 && isCorner(c, row) ? 9 : isBrain(c, row, k) && k !== 31 && k !== 32 ? value : 0,
    })),
    refused: "lost_pixels",
  },
  {
    name: "a brain alone with a value in a last pixel",
    files: slices((k) => ({
      pixel: (value, c, row) => k === 12 && isCorner(c, row) ? 9 : isBrain(c, row, k) ? value : 0,
    })),
    value: (value, c, row, k) => k === 12 && isCorner(c, row) ? 9 : isBrain(c, row, k) ? value : 0,
  },
  {
    name: "no image in any slice",
    files: slices({ pixel: () => 7 }),
    refused: "lost_pixels",
  },
  {
    // as after removal of the face
    name: "an edge that moves slowly from slice to slice",
    files: slices((k) => ({
      pixel: (value, _c, row) => row > 23 - Math.abs(22 - k) / 2 ? 0 : value,
    })),
    value: (value, _c, row, k) => row > 23 - Math.abs(22 - k) / 2 ? 0 : value,
  },
  {
    // an extracted brain with islands, and more empty slices at one end
    name: "a brain alone",
    files: slices((k) => ({ pixel: (value, c, row) => isBrain(c, row, k) ? value : 0 })),
    value: (value, c, row, k) => isBrain(c, row, k) ? value : 0,
  },
  {
    name: "an image type by turns",
    files: byTurns({ elements: [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "NORM"]]] }),
    refused: "mixed_slices",
  },
  {
    name: "an image type by turns, and a localizer under the same UID",
    files: [
      ...byTurns({ elements: [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "NORM"]]] }),
      ...range(0, 3).map((n): OddFile => ({
        elements: [
          [0x00080008, "CS", ["ORIGINAL", "PRIMARY", "LOCALIZER"]],
          [0x00200037, "DS", ["0", "1", "0", "0", "0", "-1"]],
          [0x00200032, "DS", [`${10 * n}`, "-40", "40"]],
        ],
      })),
    ],
    refused: ["mixed_slices", "localizer"],
  },
  {
    name: "an image type by turns, of which one file is missing",
    files: byTurns({ elements: [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "NORM"]]] })
      .filter((_, k) => k !== 31),
    refused: ["mixed_slices"],
  },
  {
    name: "a whole image and one slice more of another image type",
    files: range(0, SLICES + 1).map((k) => ({
      elements: [
        [0x00200032, "DS", positionOf(k).map(String)],
        ...k < SLICES ? [] : [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "NORM"]] as const],
      ],
    })),
    left: "other_acquisition",
  },
  ...([[0, 1], [SLICES - 2, SLICES - 1], [0, SLICES - 1]] as const).map((odd): OddSeries => ({
    name: `another image type of slices ${odd} alone`,
    files: slices((k) => ({
      elements: odd.some((one) => one === k)
        ? [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "NORM"]]]
        : [],
    })),
    refused: "mixed_slices",
  })),
  {
    name: "another image type of one slice in the middle",
    files: slices((k) => ({
      elements: k === 17 ? [[0x00080008, "CS", ["DERIVED", "SECONDARY", "M", "ND"]]] : [],
    })),
    refused: "mixed_slices",
  },
  {
    name: "no echo time in one slice",
    files: slices((k) => ({ elements: k === 17 ? [[0x00180081, "DS", ""]] : [] })),
    refused: "mixed_slices",
  },
  {
    name: "a whole image and two slices of another image type at its positions",
    files: range(0, SLICES + 2).map((k) => ({
      elements: [
        [0x00200032, "DS", positionOf(k % SLICES).map(String)],
        ...k < SLICES ? [] : [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "NORM"]] as const],
      ],
    })),
    left: "other_acquisition",
  },
  {
    name: "an image type of each half",
    files: range(0, 2 * SLICES).map((k) => ({
      elements: [
        [0x00200032, "DS", [-31, -29, -60 + 1.5 * k].map(String)],
        ...k < SLICES ? [] : [[0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M", "NORM"]] as const],
      ],
    })),
    refused: "mixed_slices",
  },
  {
    name: "rows in opposite directions by turns",
    files: byTurns({
      elements: [[0x00200037, "DS", ["-1", "0", "0", "0", "1", "0"]]],
    }, [31, -29]),
    refused: "mixed_slices",
  },
  {
    name: "an echo time by turns",
    files: byTurns({ elements: [[0x00180081, "DS", "3.4"]] }),
    refused: "mixed_slices",
  },
  {
    name: "one slice twice, the same image under two UIDs",
    files: [...slices({}), {}],
    left: "duplicate_instance",
  },
  {
    name: "all slices twice, the same images under two UIDs",
    files: [...slices({}), ...slices({})],
    left: "duplicate_instance",
  },
  {
    name: "one slice twice, with different pixels",
    files: [...slices({}), { pixel: (value) => value + 1 }],
    refused: "repeated_slice",
  },
  {
    name: "one slice twice, the same pixels with another slope",
    files: [...slices({}), { elements: [[0x00281052, "DS", "0"], [0x00281053, "DS", "2"]] }],
    refused: "repeated_slice",
  },
  {
    name: "two whole acquisitions under two acquisition numbers",
    files: [2, 1].flatMap((number) =>
      slices({
        elements: [[0x00200012, "IS", String(number)]],
        pixel: (value) => number * value,
      })
    ),
    left: "other_images",
  },
  {
    name: "a whole acquisition and half of another one",
    files: [
      ...slices({ elements: [[0x00200012, "IS", "1"]] }),
      ...slices({ elements: [[0x00200012, "IS", "2"]], pixel: (value) => 2 * value })
        .slice(0, SLICES / 2),
    ],
    refused: "mixed_slices",
  },
  {
    name: "an icon with pixels of its own",
    files: slices({
      elements: [[
        0x00880200,
        "SQ",
        new Items([[
          [0x00280002, "US", 1],
          [0x00280004, "CS", "MONOCHROME2"],
          [0x00280010, "US", 8],
          [0x00280011, "US", 8],
          [0x00280100, "US", 8],
          [0x00280101, "US", 8],
          [0x00280102, "US", 7],
          [0x00280103, "US", 0],
          [0x7fe00010, "OB", "x".repeat(64)],
        ]]),
      ]],
    }),
  },
  {
    name: "trailing padding after the pixels",
    files: slices({ elements: [[0xfffcfffc, "OB", "\0".repeat(2048)]] }),
  },
  {
    name: "frames at two times",
    files: [{ frames: [...range(0, SLICES), ...range(0, SLICES)] }],
    refused: "mixed_slices",
  },
  {
    name: "a shear of two millimetres a slice",
    files: slices((k) => ({
      elements: [[0x00200032, "DS", [-31, -29 + 2 * k, -60 + 3 * k].map(String)]],
    })),
    refused: "mixed_slices",
  },
  {
    name: "one of the slices in the middle missing",
    files: range(0, SLICES).filter((k) => k !== 17).map((k) => ({
      elements: [[0x00200032, "DS", positionOf(k).map(String)]],
    })),
    refused: "missing_slice",
  },
];

for (const each of TABLE) {
  Deno.test(`of ${each.name} comes ${each.refused ?? "the volume"}`, () => checkSeries(each));
}
