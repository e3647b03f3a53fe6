// covers: D1-3.2, S-129
// Halves of one head that arrive as two series: they are joined, or neither is used.
import assert from "node:assert/strict";
import type { Vec3 } from "@/model/geometry.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { textIn } from "@/model/text.ts";
import { reasonIn } from "@/model/text/worklist/upload.ts";
import { differenceText } from "@/model/text/worklist/upload_values.ts";
import { axes, ORIENTATIONS, tilted } from "@/server/commands/demo/phantom/grid.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { groupSeries, type InstanceFile } from "@/server/core/dicom/read/series.ts";

const SHAPE = [20, 26, 90] as const, SPACING_MM = [2, 1.5, 1.2] as const;
/** All ways to store a plane: transposed or not, columns and rows in either direction. */
const STORAGES = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({
  isTransposed: (n & 4) > 0,
  flips: [(n & 1) > 0, (n & 2) > 0] as const,
}));
type Storage = typeof STORAGES[number];
const PLAIN = STORAGES[0]!;

/** Slices of one head; directions are LPS, and the position is the centre of voxel 0, 0, 0. */
function slices(
  series: string,
  numbers: readonly number[],
  directions: readonly Vec3[],
  { isTransposed, flips }: Storage = PLAIN,
  change: Partial<InstanceHeader> = {},
  shiftMm: readonly number[] = [0, 0, 0],
): InstanceFile[] {
  return numbers.map((k) => {
    const corner = [flips[0] ? SHAPE[0] - 1 : 0, flips[1] ? SHAPE[1] - 1 : 0, k];
    const positionLpsMm = [0, 1, 2].map((at) =>
      corner.reduce(
        (sum, index, axis) =>
          sum + (index * SPACING_MM[axis]! + shiftMm[axis]!) * directions[axis]![at]!,
        -30,
      )
    ) as Vec3;
    const [row, column] = [0, 1].map((axis) =>
      directions[axis]!.map((x) => flips[axis as 0 | 1] ? -x : x) as Vec3
    ) as [Vec3, Vec3];
    const header = {
      ...{
        patientId: "P-1",
        patientName: "A^B",
        studyUid: "1.1",
        seriesUid: series,
        instanceUid: `${series}.${k}`,
        modality: "MR",
      },
      ...{ seriesDescription: "T1 MPRAGE", protocolName: "", seriesNumber: 3 },
      ...{ imageType: ["ORIGINAL", "PRIMARY", "M", "ND"], acquisitionType: "3D" },
      ...{ scanningSequence: [], hasContrastAgent: false, frameOfReferenceUid: "1.4" },
      ...{ frameCount: 1, bitsAllocated: 16, isSigned: false, sliceThicknessMm: 1.2 },
      columns: SHAPE[isTransposed ? 1 : 0],
      rows: SHAPE[isTransposed ? 0 : 1],
      planes: [{
        orientationLps: isTransposed ? [column, row] : [row, column],
        positionLpsMm,
        pixelSpacingMm: isTransposed
          ? [SPACING_MM[0], SPACING_MM[1]]
          : [SPACING_MM[1], SPACING_MM[0]],
      }],
      texts: { SeriesDescription: "T1 MPRAGE" },
      ...change,
    } as unknown as InstanceHeader;
    return { fileName: `${series} ${k}`, header };
  });
}

const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step);
const HALVES: [string, number[], number[]][] = [
  ["side by side", range(0, 45), range(45, 90)],
  ["interleaved", range(0, 90, 2), range(1, 90, 2)],
  ["unequal", range(0, 44), range(44, 90)],
];
const AXIAL: readonly Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

function outcome(files: readonly InstanceFile[]) {
  const { studies, rejected, viewable } = groupSeries(files, DEFAULT_RULES);
  return {
    used: studies.flatMap(({ series }) => series.map(({ shape }) => shape[2])),
    reasons: [...new Set(rejected.map(({ reason, details }) => `${reason}: ${details.what}`))],
    rejected: rejected.length,
    viewable: viewable.length,
  };
}

Deno.test("groupSeries() joins halves of a head in two series or uses neither, for every orientation and storage", () => {
  const wrong: unknown[] = [];
  for (const letters of ORIENTATIONS) {
    for (const angles of [[0, 0, 0], [12, -7, 5]] as const) {
      const directions = tilted(axes(letters), angles).map(([x, y, z]) => [-x, -y, z] as Vec3);
      for (const [n, storage] of STORAGES.entries()) {
        const [name, first, second] = HALVES[n % HALVES.length]!;
        const files = [
          ...slices("1.2", first, directions),
          ...slices("1.3", second, directions, storage),
        ];
        const found = outcome(files);
        const isRight = n === 0
          ? found.used[0] === 90 && found.rejected === 0
          : found.used.length === 0 && found.reasons.join() === "divided_series: orientation" &&
            found.viewable === 2;
        if (!isRight) wrong.push([letters, angles, n, name, found]);
      }
    }
  }
  assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} wrong`);
});

Deno.test("groupSeries() uses neither half of a head in one series, for every storage", () => {
  for (const [name, first, second] of HALVES) {
    for (const [n, storage] of STORAGES.entries()) {
      if (n === 0) continue;
      const files = [...slices("1.2", first, AXIAL), ...slices("1.2", second, AXIAL, storage)];
      assert.deepEqual(outcome(files).used, [], `${name} ${n}`);
    }
  }
});

Deno.test("groupSeries() names the difference that keeps halves of a head apart", () => {
  const cases: [string, Partial<InstanceHeader>, number[], number[]][] = [
    ["frame of reference", { frameOfReferenceUid: "1.5" }, range(0, 32), range(32, 64)],
    ["frame of reference", { frameOfReferenceUid: "1.5" }, range(0, 45), range(45, 90)],
    ["pixel format", { bitsAllocated: 8 }, range(0, 45), range(45, 90)],
    ["slice thickness", { sliceThicknessMm: 1.5 }, range(0, 45), range(45, 90)],
  ];
  for (const [what, change, first, second] of cases) {
    const files = [
      ...slices("1.2", first, AXIAL),
      ...slices("1.3", second, AXIAL, PLAIN, change),
    ];
    const count = files.length;
    assert.deepEqual(outcome(files), {
      used: [],
      reasons: [`divided_series: ${what}`],
      rejected: count,
      viewable: 2,
    }, what);
  }
  // three parts, each with its own frame of reference
  const thirds = [0, 1, 2].flatMap((n) =>
    slices(`1.${n}`, range(30 * n, 30 * n + 30), AXIAL, PLAIN, { frameOfReferenceUid: `2.${n}` })
  );
  assert.deepEqual(outcome(thirds).reasons, ["divided_series: frame of reference"]);
  const text = reasonIn("en", "divided_series", { what: "frame of reference" });
  assert.match(text, /continue each other, but .*\(frame of reference\)/);
  assert.match(
    reasonIn("ko", "divided_series", { what: "frame of reference" }),
    new RegExp(`이어지는.*\\(${textIn(differenceText["frame of reference"], "ko")}\\)`),
  );
});

Deno.test("groupSeries() uses one of two complete images that do not continue each other", () => {
  const other = { frameOfReferenceUid: "1.5" }, all = range(0, 45);
  const cases: [string, InstanceFile[]][] = [
    ["the same place", slices("1.3", all, AXIAL, STORAGES[3], other)],
    ["half a slice further", slices("1.3", all, AXIAL, PLAIN, other, [0, 0, 0.6])],
    ["six slices further", slices("1.3", range(50, 95), AXIAL, STORAGES[1])],
    ["beside", slices("1.3", range(45, 90), AXIAL, PLAIN, other, [15, 0, 0])],
    [
      "another repetition time",
      slices("1.3", range(45, 90), AXIAL, PLAIN, { repetitionTimeMs: 500 }),
    ],
  ];
  for (const [name, second] of cases) {
    const { used, reasons } = outcome([...slices("1.2", all, AXIAL), ...second]);
    assert.deepEqual([used, reasons], [[45], ["other_series_chosen: undefined"]], name);
  }
});
