// A site with routine studies of one scanner and protocol; some patients are ill.
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { valueAt } from "@/model/norms/norms.ts";
import { Random } from "@/model/random.ts";
import { normOfMeasure } from "@/model/regions/measures.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { openBeside } from "@/tests/sites/core_site.ts";

export const ROUTINE_SCANNER = "SIEMENS Prisma 12345", ROUTINE_PROTOCOL = "3 T, TR 2300";
export const ROUTINE_COIL = "HeadNeck_20";
export const ROUTINE_ENGINE = "sulcus-engine 0.1.0";
/** Labels with measurements: only a few, so that estimates are quick. */
const LABELS = [7, 8, 19, 20], ICV_ML = 1596, AGE = 65;
/** Deep structures, ventricles and the cortex of one side, which suffice for all charts. */
export const CHARTED_LABELS = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 19, 20, 21, 22]
  .concat(Array.from({ length: 16 }, (_, n) => 37 + n));

/** Volumes of a man aged 65; a quarter of the people are ill; index = label, mm³. */
function volumesOf(random: Random, scannerZ: number, labels = LABELS): number[] {
  const ill = random.uniform() < 0.25 ? -2.2 : 0, person = random.normal();
  return Array.from({ length: 105 }, (_, label) => {
    if (!labels.includes(label)) return 0;
    const key = String(label), subject = { age: AGE, sex: "male" as const, icvMl: ICV_ML };
    const { bias, randomSd } = methodErrorOf(key, "volume")!;
    const z = scannerZ + ill + 0.9 * person + 0.43 * random.normal();
    return valueAt(z, normOfMeasure(key, "volume", subject)!) *
      Math.exp(bias + randomSd * random.normal());
  });
}

/** Grid of the images: the fewest slices that a picture is drawn from. */
const GRID = {
  shape: [2, 2, 2] as [number, number, number],
  rasFromIjkRows: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
};

/** Gives all studies the same small image and segmentation, not compressed, for pictures. */
async function addImages(dataDir: string): Promise<void> {
  const db = await openBeside(dataDir), at = "2026-01-06T01:00:00Z";
  const blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true });
  try {
    const analyses = await db.selectFrom("analyses").select("id").execute();
    for (const [field, value] of [["t1w_file", 100], ["t1w_mask_file", 19]] as const) {
      const bytes = encodeNpy(new Uint8Array(8).fill(value), GRID.shape);
      const staged = await blobs.stage(chunksOf(bytes), Infinity).staging;
      const hold = await blobs.keep([staged]), { hash } = staged;
      await insertBlobs(db, [staged], at);
      hold.release();
      await db.insertInto("analysis_files").values(analyses.map(({ id }) => ({
        analysis_id: id,
        field,
        blob: hash,
        gzip_blob: hash,
      }))).execute();
    }
  } finally {
    await db.destroy();
  }
}

/**
 * Adds studies 1 to `count`, each of another patient, to an empty core.
 * @param scannerZ Bias of the scanner in every measure, z.
 */
export async function addRoutine(
  dataDir: string,
  count: number,
  scannerZ: number,
  seed = 1,
): Promise<void> {
  await addStudies(dataDir, count);
  for (let pid = 1; pid <= count; pid++) await setCompleted(dataDir, pid, "2026-01-06T01:00:00Z");
  await addImages(dataDir);
  await measureAgain(dataDir, count, scannerZ, seed);
}

/**
 * Gives every study new results, as after a change of the scanner.
 * @param scannerZ Bias of the scanner in every measure, z, for all studies or by study number.
 * @param keepsGrid Whether the studies have images, so that their grid must not change.
 */
export async function measureAgain(
  dataDir: string,
  count: number,
  scannerZ: number | ((pid: number) => number),
  seed: number,
  labels = LABELS,
  { keepsGrid = false }: { keepsGrid?: boolean } = {},
): Promise<void> {
  const db = await openBeside(dataDir), random = new Random(seed);
  try {
    for (let pid = 1; pid <= count; pid++) {
      const { results: before } = await db.selectFrom("analyses").select("results")
        .where("pid", "=", pid).executeTakeFirstOrThrow();
      const grid = keepsGrid ? JSON.parse(before!) : GRID;
      const results = JSON.stringify({
        ...grid,
        volumesMm3: volumesOf(
          random,
          typeof scannerZ === "number" ? scannerZ : scannerZ(pid),
          labels,
        ),
        icvMm3: 1000 * ICV_ML,
        quality: { grade: "A", warnings: [] },
      });
      await db.updateTable("analyses").set({ engine_version: ROUTINE_ENGINE, results })
        .where("pid", "=", pid).execute();
    }
    await db.updateTable("series").set({
      scanner: ROUTINE_SCANNER,
      protocol: ROUTINE_PROTOCOL,
      coil: ROUTINE_COIL,
    }).execute();
  } finally {
    await db.destroy();
  }
}
