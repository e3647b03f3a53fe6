import { createHash } from "node:crypto";
import type { Database } from "@/server/core/database/database.ts";
import { listStrokes } from "@/server/core/reading/storage/strokes.ts";
import { touchedBy } from "@/server/core/reading/service/corrected.ts";

/** A label map with the valid strokes applied; without strokes the given array itself. */
export async function withStrokes(
  db: Database,
  analysisId: number,
  voxels: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const touched = touchedBy(await listStrokes(db, analysisId));
  if (touched.size === 0) return voxels;
  const changed = voxels.slice();
  for (const [voxel, value] of touched) if (voxel < changed.length) changed[voxel] = value;
  return changed;
}

/** Text that identifies the corrections of a label map; empty for an uncorrected map. */
export async function correctionKey(db: Database, analysisId: number): Promise<string> {
  return (await listStrokes(db, analysisId)).filter(({ isUndone }) => !isUndone).map(({ id }) => id)
    .join(
      ".",
    );
}

/** Short form of {@link correctionKey} for URLs; empty for an uncorrected map. */
export async function correctionMark(db: Database, analysisId: number): Promise<string> {
  const key = await correctionKey(db, analysisId);
  return key && createHash("sha256").update(key).digest("hex").slice(0, 8);
}
