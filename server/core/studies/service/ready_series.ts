// The series of a study to be stored: the best readable ones, with their volumes.
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { AppError } from "@/model/errors.ts";
import type { UploadReason } from "@/model/text/worklist/upload.ts";
import { packSeries } from "@/server/core/dicom/convert/convert.ts";
import type { InstanceFile, SeriesGroup } from "@/server/core/dicom/read/series.ts";
import { withKind } from "@/server/core/dicom/read/verdict.ts";
import type { StagedBlob } from "@/server/core/blobs/blobs.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  endsUpload,
  type FileErrors,
  type ReceivedFile,
} from "@/server/core/studies/service/receive.ts";

/** A series ready to be stored: its volume, and its files in stack order. */
export interface ReadySeries {
  group: SeriesGroup;
  volume: StagedBlob;
  files: { header: InstanceHeader; staged: StagedBlob }[];
}

/**
 * Reasons that make the pixels of a series unreliable: another series of the study is then used.
 */
const UNREADABLE: ReadonlySet<unknown> = new Set<UploadReason>([
  "conversion",
  "geometry_mismatch",
  "readings_differ",
  "reading_ended",
  "volume_too_large",
]);

/** Creates the volume of a series. @throws {AppError} as `packSeries`. */
async function makeReady(
  { blobs, converter, log }: ServiceContext,
  group: SeriesGroup,
  files: readonly ReceivedFile[],
): Promise<ReadySeries> {
  const sources = group.files.map(({ header, fileName }) => ({
    header,
    ...files[Number(fileName)]!,
  }));
  const packed = `${blobs.newPath()}.nii.gz`;
  const paths = sources.map(({ fileName, staged }) => ({ fileName, path: staged.path }));
  const unchecked = await packSeries(paths, packed, converter);
  if (unchecked !== null) {
    log("info", "A series was not compared with dcm2niix", { reason: unchecked });
  }
  return { group, volume: await blobs.adopt(packed), files: sources };
}

/**
 * First readable one of several series, and the errors of those before it.
 * @param candidates Best first. @param check Refuses a series that must not be stored.
 * @throws {AppError} errors that affect the whole site.
 */
export async function firstReadable(
  services: ServiceContext,
  candidates: readonly SeriesGroup[],
  files: readonly ReceivedFile[],
  check: (group: SeriesGroup) => Promise<void>,
): Promise<{ series: ReadySeries | null; failures: { group: SeriesGroup; error: AppError }[] }> {
  const failures: { group: SeriesGroup; error: AppError }[] = [];
  for (const group of candidates) {
    try {
      await check(group);
      const series = await makeReady(services, group, files);
      const { seriesDescription, seriesNumber } = group.header;
      const instead = seriesDescription || String(seriesNumber ?? "");
      const refused = failures.map(({ group, error: { code, message, details } }) => ({
        group,
        error: new AppError(code, message, { ...details, instead }),
      }));
      return { series, failures: refused };
    } catch (error) {
      if (!(error instanceof AppError) || endsUpload(error)) throw error;
      services.log("warn", "Cannot use a series", { error: error.message });
      failures.push({ group, error: withKind(error, group.kind) });
      if (!UNREADABLE.has(error.details.reason)) break;
    }
  }
  return { series: null, failures };
}

/** Adds the description of the series to every file, for messages. */
export function describeSeries(instances: readonly InstanceFile[], fileErrors: FileErrors): void {
  const bySeries = Map.groupBy(instances, ({ header }) => `${header.studyUid}|${header.seriesUid}`);
  for (const same of bySeries.values()) {
    const { patientName, patientId, seriesDescription, seriesUid } = same[0]!.header;
    const series = {
      description: seriesDescription,
      slices: same.reduce((sum, { header }) => sum + header.planes.length, 0),
      patient: displayName(patientName) || patientId,
      series_uid: seriesUid,
    };
    for (const { fileName } of same) fileErrors.describe(Number(fileName), series);
  }
}
