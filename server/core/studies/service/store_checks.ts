// Checks whether new series of a study may be stored together with the existing ones.
import { AppError } from "@/model/errors.ts";
import { isAnalyzing } from "@/model/schema/studies/study.ts";
import type { SeriesGroup, StudyGroup } from "@/server/core/dicom/read/series.ts";
import { rejected as unusable } from "@/server/core/dicom/read/verdict.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { findSeries, listInstancesOfSeries } from "@/server/core/studies/storage/series.ts";
import type { ReadySeries } from "@/server/core/studies/service/ready_series.ts";
import { isPatientOf } from "@/server/core/studies/service/stored_studies.ts";

const beingAnalyzed = (pid: number) =>
  new AppError("study.being_analyzed", `Cannot change study ${pid}: it is being analysed`, { pid });

const isBusy = ({ row }: StoredPatient) =>
  isAnalyzing(row.t1_analysis_status) || isAnalyzing(row.t2_analysis_status);

/**
 * Checks that a study in the worklist may receive new files.
 * @throws {AppError} `study.being_analyzed`,
 * `upload.format_not_supported` when it belongs to another patient.
 */
export function checkExisting(existing: StoredPatient, { header }: StudyGroup): void {
  const { row } = existing;
  if (!isPatientOf(existing, header)) {
    throw unusable("other_patient", `Cannot change study ${row.pid}: stored under another patient`);
  }
  if (isBusy(existing)) throw beingAnalyzed(row.pid);
}

/**
 * New slices of a stored series must be uploaded together with the stored ones: otherwise a volume
 * of the new slices alone would replace the analysed one.
 * @throws {AppError} `upload.format_not_supported`.
 */
export async function checkWhole(db: Database, pid: number, group: SeriesGroup): Promise<void> {
  const sent = new Set(group.files.map((file) => file.header.instanceUid));
  const stored = await listInstancesOfSeries(db, pid, group.seriesUid);
  if (stored.some((sopUid) => !sent.has(sopUid))) {
    throw unusable(
      "series_incomplete",
      `Cannot extend a series of study ${pid}: stored slices are not sent`,
    );
  }
}

/**
 * Checks that one image is not stored as both series; otherwise its volume is deleted.
 * @throws {AppError} `upload.format_not_supported`.
 */
export async function checkOther(
  db: Database,
  existing: StoredPatient | null,
  ready: readonly ReadySeries[],
  { group, volume }: ReadySeries,
): Promise<void> {
  const kind = group.kind === "t1" ? "t2" : "t1", storedId = existing?.seriesId[kind] ?? null;
  const stored = storedId === null ? null : await findSeries(db, storedId);
  const otherHashes = ready.filter((other) => other.group.kind === kind).map((other) =>
    other.volume.hash
  );
  if (stored?.volumeBlob === volume.hash || otherHashes.includes(volume.hash)) {
    await volume.discard();
    throw unusable(
      "same_images",
      "Cannot store a series: its images are those of the other series",
    );
  }
}
