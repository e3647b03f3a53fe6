// An analysed study with small images, for measurements and corrections.
import { type Shape } from "@/model/geometry.ts";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs, type StagedBlob } from "@/server/core/blobs/blobs.ts";
import {
  insertPatient,
  type NewPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { gzipSlabs } from "@/server/core/analyses/service/files/slab_gzip.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { affineFromRowMajor } from "@/model/geometry.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

export const READ_SHAPE: Shape = [40, 48, 40];
/** Affine rows of the images: 1 mm voxels, the centre near the origin. */
const READ_ROWS = [1, 0, 0, -20, 0, 1, 0, -24, 0, 0, 1, -20, 0, 0, 0, 1];
const COUNT = READ_SHAPE[0] * READ_SHAPE[1] * READ_SHAPE[2];
/** Labels of the left and right hippocampus; each is a block of voxels. */
export const LEFT = 19, RIGHT = 20;

/** Index of a voxel in the array. */
export const voxelAt = (i: number, j: number, k: number): number =>
  i + READ_SHAPE[0] * (j + READ_SHAPE[1] * k);

const readLabels = (): Uint8Array =>
  Uint8Array.from({ length: COUNT }, (_, v) => {
    const i = v % 40, j = Math.floor(v / 40) % 48, k = Math.floor(v / (40 * 48));
    if (j < 20 || j >= 35 || k < 15 || k >= 27) return 0;
    return i >= 5 && i < 18 ? RIGHT : i >= 22 && i < 37 ? LEFT : 0;
  });

/** Lesion mask with one lesion of each kind. */
const readLesions = (): Uint8Array =>
  Uint8Array.from({ length: COUNT }, (_, v) => {
    const i = v % 40, j = Math.floor(v / 40) % 48, k = Math.floor(v / (40 * 48));
    if (k < 10 || k >= 14 || j < 10 || j >= 14) return 0;
    return i >= 10 && i < 14 ? 1 : i >= 30 && i < 34 ? 2 : 0;
  });

const brightness = (v: number) => 40 + (v * 7919 % 23) * 6 + Math.floor(v / 1920) * 2;

interface ReadOptions extends Partial<NewPatient> {
  hasFlair?: boolean;
  /** offset of the voxel values, so that the images of studies differ */
  seed?: number;
  /** larger images instead of the small ones, all on one grid */
  images?: {
    shape: Shape;
    rows: number[];
    t1: Uint8Array;
    t2: Uint8Array;
    labels: Uint8Array;
    lesions: Uint8Array;
  };
}

type Staged = Record<"plain" | "gzipped", StagedBlob>;
/** Staged images by site: further studies with equal images only need rows. */
const STAGED = new WeakMap<
  object,
  Map<string, { stored: Staged; files: Record<string, Staged> }>
>();

/** Stores the study like an analysis; series values: 100 + 3 · byte. @returns study number. */
export async function addReadStudy(
  dataDir: string,
  { hasFlair = true, seed = 0, images, ...values }: ReadOptions = {},
): Promise<number> {
  const db = await openBeside(dataDir),
    blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true });
  const shape = images?.shape ?? READ_SHAPE, rows = images?.rows ?? READ_ROWS;
  const createdAt = "2026-01-06T00:00:00Z", rasFromIjk = affineFromRowMajor<"Ras", "Ijk">(rows);
  const bytes = images?.t1 ?? Uint8Array.from({ length: COUNT }, (_, v) => brightness(v + seed));
  const flair = images?.t2 ?? bytes;
  const labels = images?.labels ?? readLabels(), lesions = images?.lesions ?? readLesions();
  const stage = async (data: Uint8Array<ArrayBuffer>) => {
    const plain = await blobs.stage(chunksOf(data), Infinity).staging;
    const gzipped = await blobs.stage(gzipSlabs(data), Infinity).staging;
    return { plain, gzipped };
  };
  try {
    const study = { ...newStudy(1), studyUid: crypto.randomUUID(), ...values };
    const volume = encodeNifti({
      voxels: Int16Array.from(bytes, (byte) => 100 + 3 * byte),
      shape: shape,
      rasFromIjk,
    });
    const stageAll = async () => ({
      stored: await stage(volume as Uint8Array<ArrayBuffer>),
      files: {
        t1w_file: await stage(encodeNpy(bytes, shape)),
        t1w_mask_file: await stage(encodeNpy(labels, shape)),
        icv_mask_file: await stage(encodeNpy(labels.map((l) => l > 0 ? 1 : 0), shape)),
        t2w_file: await stage(encodeNpy(flair, shape)),
        t2w_mask_file: await stage(encodeNpy(lesions, shape)),
      },
    });
    const before = images && STAGED.get(images)?.get(dataDir),
      { stored, files } = before ?? await stageAll();
    const staged = [stored, ...Object.values(files)].flatMap((
      { plain, gzipped },
    ) => [plain, gzipped]);
    const hold = before ? { release: () => {} } : await blobs.keep(staged);
    if (images) STAGED.set(images, new Map([[dataDir, { stored, files }]]));
    return await db.transaction().execute(async (tx) => {
      const pid = await insertPatient(tx, study);
      await insertBlobs(tx, staged, createdAt);
      const volumesMm3 = Array<number>(105).fill(0);
      for (const label of labels) if (label > 0) volumesMm3[label]!++;
      for (const kind of hasFlair ? ["t1", "t2"] as const : ["t1"] as const) {
        const seriesId = await insertSeries(tx, {
          pid,
          seriesUid: `${study.studyUid}.${kind}`,
          kind,
          description: kind === "t1" ? "T1w MPRAGE" : "T2 FLAIR",
          volumeBlob: stored.gzipped.hash,
          createdAt,
        });
        await setActiveSeries(tx, pid, kind, seriesId);
        const id = await insertAnalysis(tx, {
          pid,
          seriesId,
          kind,
          parameters: {},
          inputHashes: [],
          requestedAt: createdAt,
          requestedBy: null,
        });
        await setLatestAnalysis(tx, pid, kind, id);
        const results = kind === "t1"
          ? {
            volumesMm3,
            icvMm3: 1_500_000,
            shape: shape,
            rasFromIjkRows: rows,
            quality: { grade: "A", warnings: [], subjectFromAtlasRows: READ_ROWS },
            hasLesions: hasFlair,
          }
          : {
            shape: shape,
            rasFromIjkRows: rows,
            periMm3: 64,
            deepMm3: 64,
            whiteMatterMm3: 400_000,
            lesionCount: 2,
            lesions: [
              { periMm3: 64, deepMm3: 0, centreRasMm: [-9, -13, -9] },
              { periMm3: 0, deepMm3: 64, centreRasMm: [11, -13, -9] },
            ],
            isLowConfidence: false,
            tissue: "t1",
            registration: { nmi: 1.2, overlap: 1 },
            t1FromFlairRows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
            icvMm3: null,
            grade: "A",
          };
        await tx.updateTable("analyses").set({
          status: "completed",
          finished_at: createdAt,
          engine_version: "sulcus-engine 9.9",
          grade: "A",
          results: JSON.stringify(results),
        }).where("id", "=", id).execute();
        const own = Object.entries(files).filter(([field]) =>
          field.startsWith("t2") === (kind === "t2")
        );
        await tx.insertInto("analysis_files").values(own.map(([field, { plain, gzipped }]) => ({
          analysis_id: id,
          field,
          blob: plain.hash,
          gzip_blob: gzipped.hash,
        }))).execute();
      }
      return pid;
    }).finally(() => hold.release());
  } finally {
    await db.destroy();
  }
}
