import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Affine, affineFromRows, applyAffine, invert } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import type { Row } from "@/bench/record.ts";
import {
  atLeast,
  atMost,
  attempt,
  beside,
  costRows,
  figure,
  measure,
  stageRows,
} from "@/bench/engine/measure.ts";
import { diceOfSet, GROUPS } from "@/bench/engine/score.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { convertSeries } from "@/server/core/dicom/convert/convert.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { groupSeries, type InstanceFile } from "@/server/core/dicom/read/series.ts";
import type { EngineResult } from "@/server/core/engine/result.ts";

const near = (path: string): string =>
  fileURLToPath(new URL(`../../../shared/data/${path}`, import.meta.url));
/** Folders beside the repository: real scans, and the result of the reference implementation. */
const SCANS = near("scans"), REFERENCE = near("atlas/reference");

const nifti = (path: string): Volume => decodeNifti(Deno.readFileSync(path));

/** Reads the T1w series in a folder of DICOM files. */
async function dicom(folder: string): Promise<Volume> {
  const instances: InstanceFile[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    instances.push({ fileName: path, header: await readInstanceFile(path, path) });
  }
  const { studies } = groupSeries(instances, { ...DEFAULT_RULES, seriesType: "t1" });
  const series = studies.flatMap((study) => study.series)[0]!;
  return await convertSeries(series.files.map(({ fileName }) => ({ fileName, path: fileName })));
}

const AFFINE_BAR_MM = 0.5;

interface Reference {
  atlas_to_subject_ras: number[][];
  icv_hull_ml: number;
}

/**
 * Compares with a reference result of the same head: affine over the brain, intracranial volume.
 * Labels are compared in `server/core/engine/reference_test.ts`, on the reference's image without
 * networks: here image and networks make the labels differ by design.
 */
function referenceRows(name: string, result: EngineResult): Row[] {
  if (!existsSync(REFERENCE)) return [];
  const truth = nifti(`${REFERENCE}/labels_1mm.nii.gz`);
  const reference: Reference = JSON.parse(Deno.readTextFileSync(`${REFERENCE}/reference.json`));
  const expected: Affine<"Ras", "Ras"> = affineFromRows(reference.atlas_to_subject_ras);
  const toAtlas = invert(expected), [nx, ny] = truth.shape;
  let sum = 0, n = 0;
  for (let v = 0; v < truth.voxels.length; v += 7) {
    const label = truth.voxels[v]!;
    if (label === 0 || label > 104) continue;
    const mm = applyAffine(truth.rasFromIjk, [
      v % nx,
      Math.floor(v / nx) % ny,
      Math.floor(v / (nx * ny)),
    ]);
    const there = applyAffine(result.quality.subjectFromAtlas, applyAffine(toAtlas, mm));
    sum += Math.hypot(...there.map((x, a) => x - mm[a as 0 | 1 | 2]));
    n++;
  }
  return [
    atMost(
      `${name}, against the reference: mean distance of the affines`,
      sum / n,
      "mm",
      AFFINE_BAR_MM,
    ),
    beside(
      `${name}, against the reference: intracranial volume`,
      result.icvMm3 / 1000,
      "mL",
      reference.icv_hull_ml,
      0.02,
    ),
  ];
}

/** A T1w volume from a folder of DICOM files or a NIfTI file. */
export const readInput = (path: string): Volume | Promise<Volume> =>
  Deno.statSync(path).isDirectory ? dicom(path) : nifti(path);

/** Volumes of a result without a known truth, for visual judgement. */
export function plainRows(name: string, result: EngineResult): Row[] {
  const sum = (isOf: (label: number) => boolean) =>
    result.volumesMm3.reduce((total, mm3, label) => isOf(label) ? total + mm3 : total, 0) / 1000;
  return [
    figure(`${name}: intracranial volume`, result.icvMm3 / 1000, "mL"),
    ...GROUPS.filter(([group]) =>
      ["brain", "cortex", "cerebral white matter", "hippocampus"].includes(group)
    )
      .map(([group, isOf]) => figure(`${name}: ${group}: volume`, sum(isOf), "mL")),
    figure(`${name}: thickness, left`, result.thickness!.leftMm, "mm"),
    figure(`${name}: thickness, right`, result.thickness!.rightMm, "mm"),
    {
      ...figure(
        `${name}: grade ${result.quality.grade} (${result.quality.warnings.join(", ")})`,
        result.quality.ncc,
        "correlation",
      ),
    },
  ];
}

/** Acceptance limits of the lesions of the two patients with consensus masks. */
const LESION_PATIENTS: readonly { patient: string; dice: number; tolerance: number | undefined }[] =
  [
    { patient: "07", dice: 0.32, tolerance: undefined },
    { patient: "26", dice: 0.74, tolerance: 0.2 },
  ];

async function lesionPatientRows(
  patient: string,
  dice: number,
  tolerance: number | undefined,
): Promise<Row[]> {
  const folder = `${SCANS}/ms_mni_patient${patient}`, name = `MS patient ${patient}`;
  const measured = await measure(nifti(`${folder}/t1.nii.gz`), nifti(`${folder}/flair.nii.gz`));
  const truth = nifti(`${folder}/lesions_truth.nii.gz`), { flair, failures } = measured.outcome;
  if (!flair) {
    return [{ ...figure(`${name}: FLAIR failed: ${failures.flair?.reason}`, 0, "1"), ok: false }];
  }
  const count = (truth.voxels as Uint8Array).reduce((n, v) => n + Number(v > 0), 0);
  return [
    ...costRows(name, measured, false),
    atLeast(
      `${name}: lesions: Dice`,
      diceOfSet(flair.scannerMask, truth.voxels, (l) => l > 0),
      "1",
      dice,
    ),
    beside(
      `${name}: lesions: volume`,
      (flair.periMm3 + flair.deepMm3) / 1000,
      "mL",
      count / 1000,
      tolerance,
    ),
    figure(`${name}: periventricular`, flair.periMm3 / 1000, "mL"),
    figure(`${name}: deep`, flair.deepMm3 / 1000, "mL"),
  ];
}

/** Rows of all real scans beside the repository; empty if there are none. */
export async function scanRows(wanted: string | undefined): Promise<Row[]> {
  if (!existsSync(SCANS)) return [];
  const rows: Row[] = [];
  const isWanted = (name: string) => wanted === undefined || name.includes(wanted);
  const heads: [name: string, read: () => Volume | Promise<Volume>][] = [
    ["adult, DICOM", () => dicom(`${SCANS}/t1_dicom_adult_philips`)],
    ["adult, NIfTI", () => nifti(`${SCANS}/nifti/t1_adult.nii.gz`)],
    ["child of 3 years, DICOM", () => dicom(`${SCANS}/t1_dicom_child_siemens`)],
  ];
  for (const [name, read] of heads) {
    if (!isWanted(name)) continue;
    rows.push(
      ...await attempt(name, async () => {
        const measured = await measure(await read()), result = measured.outcome.t1!;
        const more = name === "adult, DICOM"
          ? [...stageRows(name, result.stages), ...referenceRows(name, result)]
          : [];
        return [...costRows(name, measured, true), ...plainRows(name, result), ...more];
      }),
    );
  }
  for (const { patient, dice, tolerance } of LESION_PATIENTS) {
    const name = `MS patient ${patient}`;
    if (isWanted(name)) {
      rows.push(...await attempt(name, () => lesionPatientRows(patient, dice, tolerance)));
    }
  }
  const alone = "adult, FLAIR alone";
  if (isWanted(alone)) {
    rows.push(
      ...await attempt(alone, async (name) => {
        const { outcome: { flair } } = await measure(
          null,
          nifti(`${SCANS}/nifti/flair_adult.nii.gz`),
        );
        // this head has a large old lesion in the back, without an expert's mask
        return [figure(`${name}: lesions`, (flair!.periMm3 + flair!.deepMm3) / 1000, "mL")];
      }),
    );
  }
  return rows;
}

/** Real head for the invariance tests, with left-right as first axis; `null` without scans. */
export const realHead = (): Volume | null =>
  existsSync(SCANS) ? nifti(`${SCANS}/nifti/t1_adult.nii.gz`) : null;
