// Chooses the series of a study to be stored: the best that can be read, each with a volume.
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { AppError } from "@/model/errors.ts";
import { packSeries } from "@/server/core/dicom/convert/convert.ts";
import type { StoredSeries } from "@/model/schema/studies/upload.ts";
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

/** A series that is ready to be stored, with its volume and its files in stack order. */
export interface ReadySeries {
  group: SeriesGroup;
  volume: StagedBlob;
  files: { header: InstanceHeader; staged: StagedBlob }[];
}

/** Converts the files of a series to a volume. @throws {AppError} as `packSeries`. */
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
 * First series that can be read, and the errors of the series before it.
 * A series with unusable images must not prevent the use of the next series.
 * @param candidates Series of one kind, the best series first.
 * @param check Throws for a series that must not be stored; then no further series is tried.
 * @throws {AppError} for errors that concern the whole site.
 */
export async function firstReadable(
  services: ServiceContext,
  candidates: readonly SeriesGroup[],
  files: readonly ReceivedFile[],
  check: (group: SeriesGroup) => Promise<void>,
): Promise<{ series: ReadySeries | null; failures: { group: SeriesGroup; error: AppError }[] }> {
  const failures: { group: SeriesGroup; error: AppError }[] = [];
  for (const group of candidates) {
    let isChecked = false;
    try {
      await check(group);
      isChecked = true;
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
      if (!isChecked || error.code !== "upload.format_not_supported") break;
    }
  }
  return { series: null, failures };
}

/** Records for every file the series it belongs to, which messages about the file name. */
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

/** Number of slices in a group's volume, and number of all slices received for its series. */
export function countSlices(
  { seriesUid, kind, shape, files }: SeriesGroup,
  sent: readonly InstanceFile[],
): StoredSeries {
  const uids = new Set([seriesUid, ...files.map(({ header }) => header.seriesUid)]);
  const ofSeries = sent.filter(({ header }) => uids.has(header.seriesUid));
  return {
    series_uid: seriesUid,
    kind,
    slices: shape[2],
    sent_slices: new Set(
      ofSeries.flatMap(({ fileName, header: { instanceUid, planes } }) =>
        planes.map((_, frame) => `${instanceUid || fileName}|${frame}`)
      ),
    ).size,
  };
}
