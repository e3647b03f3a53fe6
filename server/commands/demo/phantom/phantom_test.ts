import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import {
  applyAffine,
  compose,
  determinant,
  invert,
  spacingMm,
  type Vec3,
} from "@/model/geometry.ts";
import { isCortex } from "@/model/regions/regions.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { convertSeries } from "@/server/core/dicom/convert/convert.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import {
  groupSeries,
  type InstanceFile,
  type StudyGroup,
} from "@/server/core/dicom/read/series.ts";
import { type Verdict, verdictOf } from "@/server/core/dicom/read/verdict.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import type { PixelEncoding } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { axes, ORIENTATIONS, tilted } from "@/server/commands/demo/phantom/grid.ts";
import { CSF } from "@/server/commands/demo/phantom/folds.ts";
import { makeHead, makeShape } from "@/server/commands/demo/phantom/head.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import {
  COARSE_GRID,
  type Defect,
  FLAIR_SERIES,
  KOREAN_PATIENT,
  makeSeries,
  type PhantomSeries,
  type SeriesOptions,
} from "@/server/commands/demo/phantom/dicom/series.ts";
import { labelAt, landmarksOf, truthOn, volumesOf } from "@/server/commands/demo/phantom/truth.ts";

let made: Head | undefined;
const head = () => made ??= makeHead({ resolutionMm: 2, lesionsMl: [1, 2.5] });

const coarse = (wanted: Partial<SeriesOptions> = {}) =>
  makeSeries(head(), { grid: COARSE_GRID, sliceThicknessMm: 3.2, ...wanted });

interface Ingested {
  studies: StudyGroup[];
  rejected: Verdict[];
  pathOf: (fileName: string) => string;
}

/** Writes files to a folder of their own, reads them as an upload would, and takes the folder away again. */
async function ingest<T>(
  files: PhantomSeries["files"],
  then: (found: Ingested) => T | Promise<T>,
): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "phantom_" });
  try {
    const instances: InstanceFile[] = [], rejected: Verdict[] = [];
    for (const { fileName, bytes } of files) {
      await Deno.writeFile(`${folder}/${fileName}`, bytes);
      try {
        instances.push({
          fileName,
          header: await readInstanceFile(`${folder}/${fileName}`, fileName),
        });
      } catch (error) {
        assert.ok(error instanceof AppError, String(error));
        rejected.push(verdictOf(fileName, error));
      }
    }
    const grouped = groupSeries(instances, DEFAULT_RULES);
    return await then({
      studies: grouped.studies,
      rejected: [...rejected, ...grouped.rejected],
      pathOf: (fileName) => `${folder}/${fileName}`,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const convert = (files: PhantomSeries["files"]) =>
  ingest(files, async ({ studies, pathOf }) => {
    const series = studies[0]!.series[0]!;
    const volume = await convertSeries(
      series.files.map((f) => ({ fileName: f.fileName, path: pathOf(f.fileName) })),
    );
    return { series, volume };
  });

/** Every voxel of the series must be in the volume, at the same place in the patient. */
function assertSameVoxels(series: PhantomSeries, volume: Volume, what: string): void {
  const volumeFromSeries = compose(invert(volume.rasFromIjk), series.rasFromIjk);
  const [nx, ny, nz] = series.grid.shape, [vx, vy] = volume.shape;
  let off = 0, wrong = 0;
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const at = applyAffine(volumeFromSeries, [i, j, k]), near = at.map(Math.round) as Vec3;
        off = Math.max(off, ...at.map((x, axis) => Math.abs(x - near[axis]!)));
        if (volume.voxels[near[0] + vx * (near[1] + vy * near[2])] !== series.voxels[v]) wrong++;
      }
    }
  }
  assert.ok(off < 0.01, `${what}: grids are ${off} voxels apart`);
  assert.equal(wrong, 0, `${what}: voxels differ`);
}

Deno.test("makeHead() is the same for the same seed and another for another", () => {
  const { labels, t1 } = head();
  // in between, so that nothing of the first is left to be used again
  assert.notDeepEqual(makeShape({ resolutionMm: 2, seed: 2 }).labels, labels);
  const again = makeHead({ resolutionMm: 2, lesionsMl: [1, 2.5] });
  assert.deepEqual(again.labels, labels);
  assert.deepEqual(again.t1, t1);
});

Deno.test("makeHead() has every structure on its own side, with the sizes of a head", () => {
  const ml = volumesOf(head()),
    sum = (from: number, to: number) => ml.slice(from, to + 1).reduce((a, b) => a + b, 0);
  assert.ok(sum(1, 104) > 950 && sum(1, 104) < 1500, `brain ${sum(1, 104)} mL`);
  assert.ok(
    ml[15]! > 1.3 * ml[16]!,
    `lateral ventricles ${ml[15]} and ${ml[16]} mL: left is the larger`,
  );
  const missing = ml.map((v, label) => v > 0 ? 0 : label).filter((label) => label > 0);
  assert.deepEqual(missing, [], "labels without volume");
  for (const { label, rasMm } of landmarksOf(head())) {
    assert.equal(labelAt(head(), rasMm), label);
    if (label !== 31) {
      assert.equal(rasMm[0] < 0 ? "L" : "R", label % 2 === 1 ? "L" : "R", `label ${label}`);
    }
  }
  assert.ok(head().capsuleRasMm[0] > 70, "capsule is on the right");
});

Deno.test("makeHead() makes lesions of the wanted volume", () => {
  const voxelMl = (2 * head().options.scale) ** 3 / 1000;
  head().lesionsMl.forEach((ml, n) => assert.ok(Math.abs(ml - [1, 2.5][n]!) <= voxelMl / 2 + 1e-9));
  const total = head().lesionsMl.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(volumesOf(head())[28]! - total) < 1e-9);
});

Deno.test("makeHead() covers the white matter with a cortex of the wanted thickness", () => {
  for (const thicknessMm of [4, 6]) {
    const h = makeShape({ resolutionMm: 2, corticalThicknessMm: thicknessMm });
    const isFluid = h.labels.map((l) => l === CSF || l === 0 ? 1 : 0);
    const depth = distanceTo(isFluid, h.shape);
    let deepestMm = 0;
    for (let v = 0; v < h.labels.length; v++) {
      // distances are between voxel centres: the surface is half a voxel before the first
      if (isCortex(h.labels[v]!)) deepestMm = Math.max(deepestMm, (depth[v]! - 0.5) * 2);
    }
    assert.ok(Math.abs(deepestMm - thicknessMm) < 1, `${deepestMm} for ${thicknessMm} mm`);
  }
});

Deno.test("makeHead() options change what they name, on the named side", () => {
  const base = volumesOf(head());
  const wide = volumesOf(
    makeShape({ resolutionMm: 2, lesionsMl: [1, 2.5], ventriclesMm: [2, -1.8] }),
  );
  assert.ok(wide[15]! > 1.5 * base[15]!);
  assert.ok(Math.abs(wide[16]! / base[16]! - 1) < 0.02);
  const small = volumesOf(
    makeShape({ resolutionMm: 2, lesionsMl: [1, 2.5], hippocampiMm: [0, -1.5] }),
  );
  assert.ok(small[20]! < 0.8 * base[20]!);
  assert.equal(small[19], base[19]);
});

for (
  const encoding of [
    "explicit",
    "implicit",
    "big_endian",
    "rle",
    "jpeg_lossless",
  ] as PixelEncoding[]
) {
  Deno.test(`makeSeries() in ${encoding} comes back with identical voxels and affine`, async () => {
    const series = coarse({ encoding });
    const { volume, series: found } = await convert(series.files);
    assert.deepEqual(found.shape, COARSE_GRID.shape);
    assertSameVoxels(series, volume, encoding);
  });
}

Deno.test("makeSeries() as one enhanced multi-frame file comes back with identical voxels and affine", async () => {
  const series = coarse({
    isEnhanced: true,
    grid: { ...COARSE_GRID, directions: tilted(axes("LPS"), [12, -7, 5]) },
  });
  const { volume, series: found } = await convert(series.files);
  assert.deepEqual([found.files.length, found.shape[2], found.classifiedBy], [1, 56, "includes"]);
  assert.deepEqual([found.header.repetitionTimeMs, found.header.echoTimeMs], [2300, 2.98]);
  assertSameVoxels(series, volume, "enhanced");
});

Deno.test("makeSeries() in every storage orientation and three oblique ones is read to the same place", async () => {
  const oblique: Vec3[] = [[12, -7, 5], [-20, 15, 30], [35, 10, -25]];
  const grids = [
    ...ORIENTATIONS.map((letters) => ({ name: letters, directions: axes(letters) })),
    ...oblique.map((deg) => ({ name: `LPS turned ${deg}`, directions: tilted(axes("LPS"), deg) })),
  ];
  assert.equal(new Set(grids.map((g) => g.name)).size, 51);
  for (const { name, directions } of grids) {
    const series = coarse({
      grid: { ...COARSE_GRID, shape: [24, 26, 42], spacingMm: [7, 6.5, 3.3], directions },
    });
    await ingest(series.files, ({ studies, rejected }) => {
      assert.deepEqual(rejected, [], name);
      const { rasFromIjk, shape, files } = studies[0]!.series[0]!;
      assert.deepEqual(shape, [24, 26, 42], name);
      // The reader may take the stack from its other end; the place of each file's slice stays.
      for (const [at, file] of files.entries()) {
        const k = Number(/(\d+)\.dcm/.exec(file.fileName)![1]) - 1;
        const there = applyAffine(rasFromIjk, [3, 5, at]),
          wanted = applyAffine(series.rasFromIjk, [3, 5, k]);
        assert.ok(
          Math.hypot(...there.map((x, axis) => x - wanted[axis]!)) < 1e-4,
          `${name} slice ${k}`,
        );
      }
    });
  }
});

Deno.test("makeSeries() converted in a left-handed, a reversed and an oblique orientation has identical voxels", async () => {
  const cases = [axes("RAI"), axes("PIL"), axes("SRA"), tilted(axes("LPS"), [-20, 15, 30])];
  for (const directions of cases) {
    const series = coarse({ grid: { ...COARSE_GRID, directions } });
    assertSameVoxels(series, (await convert(series.files)).volume, String(directions));
  }
});

Deno.test("makeSeries() shows each structure where the truth says it is, as dark or bright as it should be", () => {
  const series = coarse({ noise: 0, biasField: 0 });
  const ijkFromRas = invert(series.rasFromIjk), [nx, ny] = series.grid.shape;
  const at = (rasMm: Vec3) => {
    const [i, j, k] = applyAffine(ijkFromRas, rasMm).map(Math.round) as Vec3;
    return series.voxels[i + nx * (j + ny * k)]! / 600;
  };
  for (const { label, rasMm } of landmarksOf(head())) {
    if (label <= 2) assert.ok(at(rasMm) > 0.9, `white matter ${at(rasMm)}`);
    if (label === 15 || label === 16) assert.ok(at(rasMm) < 0.6, `ventricle ${at(rasMm)}`);
  }
  assert.ok(at(head().capsuleRasMm) > 0.5, "capsule shines on the right");
  const [x, y, z] = head().capsuleRasMm;
  assert.ok(at([-x, y, z]) < 0.2, "nothing on the left");
});

Deno.test("truthOn() counts the same volumes on a rotated grid", () => {
  const [a, b] = [axes("LPS"), tilted(axes("LPS"), [10, 20, 5])].map((directions) => {
    const series = coarse({ grid: { ...COARSE_GRID, directions } });
    return truthOn(head(), series.grid.shape, series.rasFromIjk).volumesMl;
  });
  for (const label of [1, 2, 7, 8, 15, 16, 31]) {
    assert.ok(
      Math.abs(a![label]! / b![label]! - 1) < 0.1,
      `label ${label}: ${a![label]} and ${b![label]}`,
    );
  }
});

const DEFECTS: [Defect, Record<string, number>][] = [
  ["missing_slice", { missing_slice: 55 }],
  ["truncated", { truncated: 1, missing_slice: 55 }],
  ["no_pixel_data", { no_pixel_data: 1, missing_slice: 55 }],
  ["mixed_slices", { mixed_slices: 56 }],
  ["duplicate_instance", { duplicate_instance: 1 }],
  ["no_geometry", { no_geometry: 56 }],
  ["other_modality", { modality: 56 }],
];

for (const [defect, wanted] of DEFECTS) {
  Deno.test(`makeSeries() with the defect ${defect} gets its verdicts`, () =>
    ingest(coarse({ defects: [defect] }).files, ({ rejected }) => {
      const counts: Record<string, number> = {};
      for (const r of rejected) counts[r.reason] = (counts[r.reason] ?? 0) + 1;
      assert.deepEqual(counts, wanted);
    }));
}

Deno.test("makeSeries() as T1w and FLAIR of one patient is one study, in both Korean character sets", async () => {
  for (const characterSet of ["ISO_IR 192", "ISO 2022 IR 149"] as const) {
    const patient = { ...KOREAN_PATIENT, characterSet };
    const t1 = coarse({ patient });
    const flair = makeSeries(head(), {
      ...FLAIR_SERIES,
      patient,
      grid: { ...FLAIR_SERIES.grid, shape: [64, 64, 40], spacingMm: [3.6, 3.6, 4.2] },
    });
    await ingest([...t1.files, ...flair.files], ({ studies, rejected }) => {
      assert.deepEqual(rejected, []);
      assert.equal(studies.length, 1);
      assert.deepEqual(studies[0]!.series.map((s) => [s.kind, s.classifiedBy]), [
        ["t1", "includes"],
        [
          "t2",
          "includes",
        ],
      ]);
      assert.equal(studies[0]!.header.patientName, KOREAN_PATIENT.name);
      assert.equal(studies[0]!.header.birthDate, "1958-03-12");
    });
  }
});

Deno.test("convertSeries() keeps the anisotropic voxels of a thick FLAIR", async () => {
  const series = makeSeries(head(), {
    ...FLAIR_SERIES,
    grid: { ...FLAIR_SERIES.grid, shape: [80, 96, 40], spacingMm: [2.8, 2.5, 4.4] },
  });
  const { volume } = await convert(series.files);
  spacingMm(volume.rasFromIjk).forEach((s, axis) =>
    assert.ok(Math.abs(s - [2.8, 2.5, 4.4][axis]!) < 1e-4)
  );
  assert.ok(Math.abs(Math.abs(determinant(volume.rasFromIjk)) - 30.8) < 1e-3);
  assertSameVoxels(series, volume, "FLAIR");
});

Deno.test("convertSeries() of damaged compressed slices ends in a typed error or a volume, never a crash", async () => {
  for (const encoding of ["rle", "jpeg_lossless"] as const) {
    const { files } = coarse({ encoding });
    const random = new Random(5);
    for (const { bytes } of files) {
      for (let n = 0; n < 40; n++) {
        bytes[bytes.length - 20 - Math.floor(random.uniform() * 900)] = random.bits() & 255;
      }
    }
    await convert(files).then(
      ({ volume }) => assert.deepEqual(volume.shape.toSorted(), COARSE_GRID.shape.toSorted()),
      (error) =>
        assert.ok(
          error instanceof AppError && error.code === "upload.format_not_supported",
          String(error),
        ),
    );
  }
});
