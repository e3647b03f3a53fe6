// A study with real image files and constructed results, so that the value of every voxel is known.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  affineFromRows,
  applyAffine,
  invert,
  rowMajor,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import {
  completeAnalysis,
  type FileField,
  startAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs, type StagedBlob } from "@/server/core/blobs/blobs.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { axes, type Grid, PLANES, tilted } from "@/server/commands/demo/phantom/grid.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import {
  FLAIR_SERIES,
  KOREAN_PATIENT,
  makeSeries,
  type SeriesOptions,
} from "@/server/commands/demo/phantom/dicom/series.ts";

/** An oblique sagittal stack: no axis of the patient is an axis of the image. */
export const T1: Grid = {
  shape: [50, 54, 56],
  centreRasMm: [3, -12, 8],
  directions: tilted(axes(PLANES.sagittal), [8, -5, 11]),
  spacingMm: [4, 3.9, 3.3],
};
export const FLAIR: Grid = {
  ...T1,
  shape: [54, 60, 32],
  directions: axes(PLANES.axial),
  spacingMm: [4, 4, 5],
};

/** Grid of the results: 3 mm, axes right, anterior, superior. */
const SHAPE: Shape = [72, 84, 64];
const RAS_FROM_IJK = affineFromRows<"Ras", "Ijk">([
  [3, 0, 0, -106],
  [0, 3, 0, -138],
  [0, 0, 3, -86],
  [0, 0, 0, 1],
]);
/** Movement of the patient between T1w and FLAIR series, RAS mm. */
export const MOVED: Vec3 = [6, 0, -9];

/** Labelled boxes in the patient, RAS mm, without left-right symmetry. */
export const BOXES: Readonly<Record<number, { centre: Vec3; half: Vec3 }>> = {
  // left hippocampus, right hippocampus, central corpus callosum, right superior frontal
  19: { centre: [-27, -20, -10], half: [9, 15, 9] },
  20: { centre: [40, 10, 5], half: [6, 9, 12] },
  34: { centre: [2, -40, -40], half: [9, 9, 18] },
  38: { centre: [20, 40, 45], half: [12, 12, 9] },
};
export const LESION_BOXES: typeof BOXES = {
  1: { centre: [-20, 10, 20], half: [9, 9, 9] },
  2: { centre: [35, -30, 30], half: [9, 12, 9] },
};

/** Label of the phantom's cortex; its thickness increases to the right, front and top. */
export const CORTEX = 38;

/** Stored thickness at a point of the cortex, RAS mm: 51 per millimetre. */
export const thicknessCode = ([x, y, z]: Vec3): number => {
  const [right, front, top] = BOXES[CORTEX]!.centre;
  return 124 + Math.round((x - right) + (y - front) / 2 + (z - top) / 3);
};

/** Centre of the results' voxel that contains a point, RAS mm. */
export function voxelCentre(at: Vec3): Vec3 {
  const index = applyAffine(invert(RAS_FROM_IJK), at).map(Math.round) as Vec3;
  return applyAffine(RAS_FROM_IJK, index);
}

/** Labels of boxes on the grid of the results (patient axes); a later box covers earlier ones. */
function labelMap(boxes: typeof BOXES, valueAt = (label: number, _at: Vec3) => label): Uint8Array {
  const labels = new Uint8Array(SHAPE[0] * SHAPE[1] * SHAPE[2]);
  for (const [label, { centre, half }] of Object.entries(boxes)) {
    const [is, js, ks] = SHAPE.map((count, axis) =>
      Array.from({ length: count }, (_, n) => n).filter((n) => {
        const at: Vec3 = [0, 0, 0];
        at[axis] = n;
        return Math.abs(applyAffine(RAS_FROM_IJK, at)[axis]! - centre[axis]!) <= half[axis]!;
      })
    ) as [number[], number[], number[]];
    for (const k of ks) {
      for (const j of js) {
        for (const i of is) {
          const at = applyAffine(RAS_FROM_IJK, [i, j, k]);
          labels[i + SHAPE[0] * (j + SHAPE[1] * k)] = valueAt(Number(label), at);
        }
      }
    }
  }
  return labels;
}

const THICKNESS_MAP = labelMap(
  { [CORTEX]: BOXES[CORTEX]! },
  (_, at) => thicknessCode(at),
);

const boxMm3 = ({ half }: { half: Vec3 }) => 8 * half[0] * half[1] * half[2];

export const T1_RESULTS = {
  volumesMm3: Array.from({ length: 105 }, (_, label) => BOXES[label] ? boxMm3(BOXES[label]) : 0),
  icvMm3: 1_412_345,
  shape: SHAPE,
  rasFromIjkRows: rowMajor(RAS_FROM_IJK),
  quality: { grade: "B", warnings: ["contrast_low"] },
  thicknessMm: Array.from({ length: 105 }, (_, label) => label === 38 ? 2.4375 : 0),
  thicknessSidesMm: [2.51, 2.49] as [number, number],
};
const FLAIR_RESULTS = {
  shape: SHAPE,
  rasFromIjkRows: rowMajor(RAS_FROM_IJK),
  periMm3: boxMm3(LESION_BOXES[1]!),
  deepMm3: boxMm3(LESION_BOXES[2]!),
  whiteMatterMm3: 420_000,
  lesionCount: 2,
  isLowConfidence: false,
  tissue: "t1" as const,
  registration: { nmi: 1.2, overlap: 0.95 },
  t1FromFlairRows: [1, 0, 0, MOVED[0], 0, 1, 0, MOVED[1], 0, 0, 1, MOVED[2], 0, 0, 0, 1],
  icvMm3: null,
  grade: "A" as const,
};

const FINISHED_AT = "2026-01-06T09:30:15.000Z";

/** A head that suffices for image files: a ball that is brighter to the right and the front. */
function ball(): Head {
  const shape: Shape = [50, 60, 50], image = new Float32Array(50 * 60 * 50);
  for (let k = 0, v = 0; k < 50; k++) {
    for (let j = 0; j < 60; j++) {
      for (let i = 0; i < 50; i++, v++) {
        const isInside = Math.hypot(i - 25, j - 30, k - 25) < 22;
        image[v] = isInside ? 500 + 6 * i + 3 * j : 0;
      }
    }
  }
  const rasFromIjk = affineFromRows<"Ras", "Ijk">([
    [4, 0, 0, -97],
    [0, 4, 0, -132],
    [0, 0, 4, -92],
    [0, 0, 0, 1],
  ]);
  return {
    shape,
    rasFromIjk,
    resolutionMm: 4,
    t1: image,
    flair: image,
    options: { seed: 7 },
  } as unknown as Head;
}

type Sent = { fileName: string; bytes: Uint8Array<ArrayBuffer> }[];

/** DICOM files of both series. @param t1Grid Grid of the T1w series. */
export function studyFiles(options: Partial<SeriesOptions> = {}, t1Grid: Grid = T1): Sent {
  const head = ball(), patient = options.patient ?? KOREAN_PATIENT;
  const t1 = makeSeries(head, { ...options, patient, grid: t1Grid, sliceThicknessMm: 4 });
  const flair = makeSeries(head, {
    ...FLAIR_SERIES,
    ...options,
    patient,
    grid: FLAIR,
    sliceThicknessMm: 5,
  });
  return [...t1.files, ...flair.files] as Sent;
}

/**
 * Uploads the study to a core without workers and stores its results.
 * @param key Encryption key of the core's files.
 * @returns its pid.
 */
export async function analysedPhantom(
  { api, dataDir }: Pick<TestCore, "api" | "dataDir">,
  files: Sent,
  key: Uint8Array | null = null,
): Promise<number> {
  const { pid_list: [pid], failed } = await uploadFiles(api, files);
  assert.ok(pid !== undefined && failed.length === 0, JSON.stringify(failed.slice(0, 2)));
  const db = await openBeside(dataDir),
    blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true, key });
  const kept: StagedBlob[] = [];
  const keep = async (bytes: Uint8Array): Promise<string> => {
    const staged = await blobs.stage(chunksOf(bytes), Infinity).staging;
    (await blobs.keep([staged])).release();
    kept.push(staged);
    return staged.hash;
  };
  try {
    const { analysisId } = (await findPatient(db, pid))!;
    const file = async (field: FileField, voxels: Uint8Array) => {
      const bytes = encodeNpy(voxels, SHAPE);
      return {
        field,
        blob: await keep(bytes),
        gzipBlob: await keep(Uint8Array.from(gzipSync(bytes))),
      };
    };
    const image = new Uint8Array(SHAPE[0] * SHAPE[1] * SHAPE[2]).fill(120);
    for (
      const [id, results, name, boxes] of [
        [analysisId.t1, T1_RESULTS, "t1w", BOXES],
        [analysisId.t2, FLAIR_RESULTS, "t2w", LESION_BOXES],
      ] as const
    ) {
      if (id === null) continue;
      assert.ok(await startAnalysis(db, id, FINISHED_AT));
      const files = [
        await file(`${name}_file`, image),
        await file(`${name}_mask_file`, labelMap(boxes)),
        ...name === "t1w" ? [await file("thick_mask_file", THICKNESS_MAP)] : [],
      ];
      await db.transaction().execute(async (tx) => {
        await insertBlobs(tx, kept, FINISHED_AT);
        await completeAnalysis(tx, id, {
          engineVersion: "sulcus-engine 0.1.0",
          results,
          stages: [],
          files,
          finishedAt: FINISHED_AT,
        });
      });
    }
  } finally {
    await db.destroy();
  }
  return pid;
}
