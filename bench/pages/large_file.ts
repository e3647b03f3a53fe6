import { createHash } from "node:crypto";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { openData } from "@/server/core/mod.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

/** Size of a label map of 256³ voxels, bytes. */
export const FILE_BYTES = 16 << 20;

/** A result file of a study, and the SHA-256 hash of its content. */
interface LargeFile {
  path: string;
  sha256: string;
}

/** Adds a result file of 16 MiB to an analysed study in a core's data folder. */
export async function addLargeFile(dataDir: string): Promise<LargeFile> {
  const db = openData(dataDir), blobs = new DiskBlobs(`${dataDir}/blobs`), random = new Random(1);
  try {
    const bytes = new Uint8Array(FILE_BYTES).map(() => 256 * random.uniform());
    const stage = (content: Uint8Array) => blobs.stage(chunksOf(content), Infinity).staging;
    // the compressed copy is not requested in this benchmark
    const staged = [await stage(bytes), await stage(bytes.subarray(0, 1000))];
    const hold = await blobs.keep(staged);
    const { pid, id } = await db.selectFrom("patients as p").innerJoin(
      "analyses as a",
      "a.id",
      "p.t1_analysis_id",
    )
      .select(["p.pid", "a.id"]).where("a.status", "=", "completed").limit(1)
      .executeTakeFirstOrThrow();
    const [blob, gzipBlob] = staged.map(({ hash }) => hash) as [string, string];
    await db.transaction().execute(async (tx) => {
      await insertBlobs(tx, staged, new Date().toISOString());
      await tx.insertInto("analysis_files").values({
        analysis_id: id,
        field: "t1w_mask_file",
        blob,
        gzip_blob: gzipBlob,
      }).execute();
    });
    hold.release();
    return {
      path: `/api/v1/patients/image/viewer/${pid}?file=t1w_mask_file`,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
  } finally {
    await db.destroy();
  }
}
