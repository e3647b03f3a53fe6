import { gzipSync } from "node:zlib";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { volumesAt } from "@/server/core/reports/service/report_fixture.ts";
import { completeAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs, type StagedBlob } from "@/server/core/blobs/blobs.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addStudies, newStudy, setCompleted } from "@/tests/sites/stored_studies.ts";

const AT = "2026-01-06T01:00:00Z", PERSON = newStudy(1);

/** Concentric rings in a cube of voxels, values 60..215. */
function ringsOf(edge: number): Uint8Array {
  const voxels = new Uint8Array(edge ** 3);
  for (let at = 0, k = 0; k < edge; k++) {
    for (let j = 0; j < edge; j++) {
      for (let i = 0; i < edge; i++) {
        const far = Math.hypot(i - edge / 2, j - edge / 2, k - edge / 2) / edge;
        voxels[at++] = far > 0.45 ? 0 : 60 + (far * 400 + (i * 7 + j * 13 + k * 5) % 23) % 155;
      }
    }
  }
  return voxels;
}

/** Intracranial volume of a study, mm³. */
const icvOf = (pid: number) => 1_580_000 + 1000 * pid;

/** z score of a region: near the mean, and slightly different in each study and region. */
const nearMean = (label: number, pid: number): number => ((7 * label + 3 * pid) % 21 - 10) / 100;

/**
 * Adds studies 1 to `count` to an empty core, each with an analysis and its own images.
 * @param edge Edge of the cube of voxels.
 * @param z  z score of a region by label and study; default: a healthy person.
 */
export async function addReported(
  dataDir: string,
  count: number,
  edge = 20,
  z: (label: number, pid: number) => number = nearMean,
): Promise<void> {
  await addStudies(dataDir, count);
  const shape: [number, number, number] = [edge, edge, edge],
    blobs = new DiskBlobs(`${dataDir}/blobs`);
  const all: StagedBlob[] = [];
  const keep = async (bytes: Uint8Array): Promise<string> => {
    const staged = await blobs.stage(chunksOf(bytes), Infinity).staging;
    (await blobs.keep([staged])).release();
    all.push(staged);
    return staged.hash;
  };
  const base = ringsOf(edge);
  for (let pid = 1; pid <= count; pid++) {
    await setCompleted(dataDir, pid, AT);
    // differs in each study, as a site stores equal files only once
    const voxels = base.map((voxel) => voxel === 0 ? 0 : voxel + pid % 40);
    const labels = voxels.map((voxel) => voxel === 0 ? 0 : 1 + voxel % 104);
    const [image, mask] = [encodeNpy(voxels, shape), encodeNpy(labels, shape)];
    const kept = {
      image: { blob: await keep(image), gzipBlob: await keep(new Uint8Array(gzipSync(image))) },
      mask: { blob: await keep(mask), gzipBlob: await keep(new Uint8Array(gzipSync(mask))) },
    };
    const db = await openBeside(dataDir), mm = 180 / edge, low = -90;
    const { id } = await db.selectFrom("analyses").select("id").where("pid", "=", pid)
      .executeTakeFirstOrThrow();
    await db.updateTable("analyses").set({ status: "processing" }).where("id", "=", id).execute();
    await db.transaction().execute(async (tx) => {
      await insertBlobs(tx, all.splice(0), AT);
      await completeAnalysis(tx, id, {
        engineVersion: "sulcus-engine 0.1.0",
        results: {
          volumesMm3: volumesAt((label) => z(label, pid), {
            age: PERSON.age!,
            sex: PERSON.sex!,
            icvMl: icvOf(pid) / 1000,
          }),
          icvMm3: icvOf(pid),
          shape,
          rasFromIjkRows: [mm, 0, 0, low, 0, mm, 0, low, 0, 0, mm, low, 0, 0, 0, 1],
          quality: { grade: "A", warnings: [] },
        },
        stages: [],
        files: [
          { field: "t1w_file", ...kept.image },
          { field: "t1w_mask_file", ...kept.mask },
        ],
        finishedAt: AT,
      });
    });
    await db.destroy();
  }
}
