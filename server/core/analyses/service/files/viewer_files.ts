import type { FileField } from "@/server/core/analyses/storage/analyses.ts";
import { blobSize } from "@/server/core/blobs/blob_index.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import type { ViewerFileSource } from "@/server/core/reading/service/corrected_file.ts";
import { correctedFile } from "@/server/core/reading/service/corrected_file.ts";
import { correctionMark } from "@/server/core/reading/service/stroke_map.ts";
import { getResultFile, isCorrectable } from "@/server/core/studies/service/patients.ts";

export type { FileField, ViewerFileSource };

/**
 * Opens a result file for the viewer.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
export async function openViewerFile(
  services: ServiceContext,
  pid: number,
  field: FileField,
): Promise<ViewerFileSource> {
  const { db, blobs } = services;
  const file = await getResultFile(services, pid, field);
  const mark = isCorrectable(field) ? await correctionMark(db, file.analysisId) : "";
  if (mark) return await correctedFile(services, file, mark);
  return {
    hash: file.blob,
    isCorrected: false,
    sizeBytes: await blobSize(db, file.blob) ?? 0,
    gzipBytes: await blobSize(db, file.gzipBlob) ?? 0,
    plain: (start, end) => blobs.stream(file.blob, start, end),
    gzip: (start, end) => blobs.stream(file.gzipBlob, start, end),
  };
}
