// covers: S-17, S-107, D1-3.2
import assert from "node:assert/strict";
import type { AppError } from "@/model/errors.ts";
import { applyAffine, invert, type Vec3 } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { withoutArchives } from "@/client/dicom_scan/zip_files.ts";
import { volumeOf } from "@/server/core/dicom/convert/series_volume.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { hasContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { runEngine } from "@/server/core/engine/engine.ts";
import { SCANS } from "@/server/core/dicom/read/scans_testing.ts";
import {
  groupSeries,
  type InstanceFile,
  type SeriesGroup,
} from "@/server/core/dicom/read/series.ts";

const CASES = SCANS && `${SCANS}/../field_cases`;

/** Expected result of a case from a public bug report: the volume, or the reason for refusal. */
interface Case {
  name: string;
  /** maximum relative difference from the true value, for slopes rounded to two decimals */
  rounding?: number;
  refused?: { reason: string; files: number };
  /** reason why dcm2niix cannot verify the case */
  unchecked?: string;
  /** whether the image is flipped on purpose, which the engine must detect */
  isWrongOnPurpose?: boolean;
  hasContrast?: boolean;
  /** number of reference points at which padding covers the image */
  paddedPoints?: number;
}

const TABLE: readonly Case[] = [
  { name: "enh_slopes_ge", rounding: 0.01, unchecked: "slope_by_frame" },
  { name: "enh_slopes_two", rounding: 0.01, unchecked: "slope_by_frame" },
  { name: "split_uids_sagittal" },
  { name: "series_per_slice" },
  { name: "echo_split_thin" },
  { name: "high_bits" },
  { name: "fragments", unchecked: "fragments" },
  { name: "orientation_jitter" },
  { name: "study_time_varies" },
  { name: "protocol_varies" },
  { name: "un_sequences", unchecked: "unknown_sequence" },
  { name: "same_sop", refused: { reason: "same_identifier", files: 64 } },
  { name: "sop_words", refused: { reason: "same_identifier", files: 64 } },
  { name: "monochrome1" },
  { name: "padding_bright", paddedPoints: 24 },
  { name: "enh_two_parts", unchecked: "other_frames" },
  { name: "birth_1900" },
  { name: "inj_french", hasContrast: true },
  { name: "si_flipped", isWrongOnPurpose: true },
];

async function unpack(name: string, folder: string): Promise<string[]> {
  const bytes = await Deno.readFile(`${CASES}/${name}.zip`),
    file = new File([bytes], `${name}.zip`);
  const archive = { path: file.name, file } as ChosenFile, { signal } = new AbortController();
  const paths: string[] = [];
  for (const { path, file } of await withoutArchives([archive], () => true, { signal })) {
    const place = `${folder}/${path.split("/").at(-1)}`;
    await Deno.writeFile(place, new Uint8Array(await file.arrayBuffer()));
    paths.push(place);
  }
  return paths;
}

/** Stored pixel at a position in a series of uncompressed 16-bit single-frame images. */
async function storedPixel(
  { files, shape }: SeriesGroup,
  [column, row, slice]: Vec3,
): Promise<number> {
  const { fileName, header } = files[slice]!, bytes = await Deno.readFile(fileName);
  return new DataView(bytes.buffer).getUint16(
    header.pixels!.offset + 2 * (column + shape[0] * row),
    true,
  );
}

/**
 * Values of the volume at the reference points. Where the file stores padding, the reference value
 * does not apply, and the volume must have its lowest value.
 */
async function valuesAt(
  { rasFromIjk, shape, voxels }: Volume,
  series: SeriesGroup,
  points: readonly number[][],
) {
  const ijkFromRas = invert(rasFromIjk), pixelFromRas = invert(series.rasFromIjk);
  const { padding } = series.header, wanted: number[] = [], got: number[] = [];
  let padded = 0;
  for (const [x, y, z, value] of points) {
    const [i, j, k] = applyAffine(ijkFromRas, [x!, y!, z!]).map(Math.round) as Vec3;
    assert.ok(
      [i, j, k].every((at, axis) => at >= 0 && at < shape[axis]!),
      `${x}, ${y}, ${z} is outside`,
    );
    const voxel = voxels[i + shape[0] * (j + shape[1] * k)]!;
    if (padding) {
      const pixel = applyAffine(pixelFromRas, [x!, y!, z!]).map(Math.round) as Vec3;
      const stored = await storedPixel(series, pixel);
      if (stored >= padding[0] && stored <= padding[1]) {
        assert.equal(voxel, 0, "padding is background");
        padded++;
        continue;
      }
    }
    wanted.push(value!);
    got.push(voxel);
  }
  return { wanted, got, padded };
}

function correlation(x: readonly number[], y: readonly number[]): number {
  const mean = (v: readonly number[]) => v.reduce((s, a) => s + a, 0) / v.length,
    mx = mean(x),
    my = mean(y);
  let sxy = 0, sxx = 0, syy = 0;
  for (const [n, a] of x.entries()) {
    sxy += (a - mx) * (y[n]! - my);
    sxx += (a - mx) ** 2;
    syy += (y[n]! - my) ** 2;
  }
  return sxy / Math.sqrt(sxx * syy);
}

/** The analysis refuses a head that no rotation can bring onto the atlas. */
const assertUnmatched = (t1: Volume) =>
  assert.rejects(
    runEngine({ t1, flair: null }, {
      biasCorrection: true,
      secondOpinion: false,
      deepStructures: false,
    }),
    (error: AppError) => {
      assert.deepEqual([error.code, error.details.reason], [
        "engine.unsupported_input",
        "registration failed",
      ]);
      return true;
    },
  );

async function check(
  { name, rounding = 0, refused, unchecked, isWrongOnPurpose, hasContrast, paddedPoints }: Case,
) {
  const folder = await Deno.makeTempDir({ prefix: `sulcus-${name}-` });
  try {
    const paths = await unpack(name, folder), instances: InstanceFile[] = [];
    for (const path of paths.filter((path) => path.endsWith(".dcm"))) {
      instances.push({ fileName: path, header: await readInstanceFile(path, path) });
    }
    const { studies, rejected } = groupSeries(instances, DEFAULT_RULES);
    if (refused) {
      assert.deepEqual(
        rejected.map(({ reason }) => reason),
        Array(refused.files).fill(refused.reason),
      );
      return assert.equal(studies.length, 0);
    }
    assert.deepEqual(rejected, []);
    const [series] = studies[0]!.series;
    assert.equal(studies[0]!.series.length, 1);
    assert.equal(series!.kind, "t1");
    assert.equal(hasContrastAgent(series!.header), hasContrast ?? false);
    const checked = await volumeOf(
      series!.files.map(({ fileName }) => ({ fileName, path: fileName })),
    );
    assert.equal(checked.unchecked, unchecked ?? null);
    const { points } = JSON.parse(
      await Deno.readTextFile(paths.find((path) => path.endsWith("truth.json"))!),
    );
    const { wanted, got, padded } = await valuesAt(checked.volume, series!, points);
    assert.deepEqual([wanted.length, padded], [
      points.length - (paddedPoints ?? 0),
      paddedPoints ?? 0,
    ]);
    const r = correlation(wanted, got);
    if (isWrongOnPurpose) {
      assert.ok(r < 0.5);
      return await assertUnmatched(checked.volume);
    }
    assert.ok(r > 0.9999, `r = ${r}`);
    const ratios = wanted.flatMap((value, n) => value > 100 ? got[n]! / value : []).sort((a, b) =>
      a - b
    );
    assert.ok(
      ratios.at(-1)! / ratios[0]! - 1 <= 2 * rounding + 1e-9,
      `${ratios[0]} to ${ratios.at(-1)}`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const each of TABLE) {
  Deno.test({
    name: `field case ${each.name}: ${each.refused?.reason ?? "its volume"}${
      CASES ? "" : " (skipped: no field cases; set SULCUS_SCANS)"
    }`,
    ignore: !CASES,
    fn: () => check(each),
  });
}

Deno.test({
  name: `every field case is in the table${
    CASES ? "" : " (skipped: no field cases; set SULCUS_SCANS)"
  }`,
  ignore: !CASES,
  fn() {
    const archives = [...Deno.readDirSync(CASES!)].filter(({ name }) => name.endsWith(".zip"));
    assert.deepEqual(
      archives.map(({ name }) => name.slice(0, -4)).sort(),
      TABLE.map(({ name }) => name).sort(),
    );
  },
});
