import { AppError } from "@/model/errors.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type {
  NamedPatient,
  StoredSeries,
  UploadFailure,
  UploadResponse,
} from "@/model/schema/studies/upload.ts";
import { groupSeries, type SeriesGroup, type StudyGroup } from "@/server/core/dicom/read/series.ts";
import { blobSize, deleteIfUnused, insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Lease } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import {
  attributesOf,
  attributesOfFile,
  headerOf,
  storeSeriesHeader,
} from "@/server/core/studies/service/headers/series_headers.ts";
import {
  announceMatch,
  type OrderMatch,
} from "@/server/core/studies/service/orders/match_orders.ts";
import { forgetRefusedSeries } from "@/server/core/studies/storage/refused_series.ts";
import {
  findPatientByStudy,
  insertPatient,
  setActiveSeries,
} from "@/server/core/studies/storage/patients.ts";
import {
  insertInstances,
  insertSeries,
  listInstances,
} from "@/server/core/studies/storage/series.ts";
import { queueStudy } from "@/server/core/analyses/service/analysis.ts";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkCredit, checkLicense, publishCredits } from "@/server/core/site/service/license.ts";
import { displayName } from "@/server/core/studies/service/person_name.ts";
import {
  countSlices,
  describeSeries,
  firstReadable,
  type ReadySeries,
} from "@/server/core/studies/service/ready_series.ts";
import { noteRefusedSeries } from "@/server/core/studies/service/refused_series.ts";
import {
  endsUpload,
  FileErrors,
  type IncomingFile,
  readHeaders,
  type ReceivedFile,
  ReceivedFiles,
} from "@/server/core/studies/service/receive.ts";
import { ageAtStudy } from "@/model/patient/age.ts";
import {
  autoAnalyzes,
  type GroupSettings,
  groupSettings,
} from "@/server/core/settings/service/settings.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";
import { withinRoom } from "@/server/core/studies/service/within_room.ts";
import {
  checkExisting,
  checkOther,
  checkWhole,
  refuseRejected,
  sentAndStored,
  withoutCopies,
} from "@/server/core/studies/service/store_checks.ts";
import { fingerprintOf, storeFingerprint } from "@/server/core/studies/service/stored_studies.ts";

interface Upload {
  files: AsyncIterable<IncomingFile>;
  /** series type chosen by the user; called after the last file has arrived */
  seriesType(): SeriesType | undefined;
  /** announced size of all files in bytes; 0 when unknown */
  sizeBytes: number;
  /** settings that replace the site's settings for the files of this upload */
  settings?: Partial<GroupSettings>;
}

/** Sender of an upload. */
interface Sender {
  /** id of the user who uploads; `null` for files received over the network */
  uid: number | null;
  /** whether the study is analysed automatically; absent: as in the user's settings */
  isAnalyzed?: boolean;
}

const analyzes = async (db: Database, { uid, isAnalyzed }: Sender): Promise<boolean> =>
  isAnalyzed ?? (uid === null || await autoAnalyzes(db, uid));

/**
 * Stores the database rows of one study.
 * @param headers Attributes of each series' first image; `null` if they are read later.
 * @throws {AppError} as {@link checkExisting}.
 */
async function storeStudy(
  tx: Database,
  study: StudyGroup,
  series: readonly ReadySeries[],
  headers: readonly (JsonDataSet | null)[],
  caller: Sender,
  settings: GroupSettings,
): Promise<{ pid: number; analyses: ("t1" | "t2")[]; unused: string[]; matches: OrderMatch[] }> {
  const createdAt = nowIso(), { header } = study;
  const existing = await findPatientByStudy(tx, study.studyUid);
  if (existing) checkExisting(existing, study);
  const birthDate = header.birthDate ?? null, studyDate = header.studyDate ?? null;
  const pid = existing?.row.pid ?? await insertPatient(tx, {
    studyUid: study.studyUid,
    patientId: header.patientId,
    patientName: displayName(header.patientName),
    birthDate,
    sex: header.sex ?? null,
    age: ageAtStudy(birthDate, studyDate, header.ageYears ?? null),
    statedAge: header.ageYears ?? null,
    studyDate,
    studyDateSource: header.studyDateSource ?? null,
    createdAt: createdAt,
    createdBy: caller.uid,
  });
  if (!existing) await followMerges(tx, pid);
  await insertBlobs(
    tx,
    series.flatMap((s) => [s.volume, ...s.files.map((f) => f.staged)]),
    createdAt,
  );
  const isAutomatic = await analyzes(tx, caller), matches: OrderMatch[] = [];
  for (const [i, { group, volume, files }] of series.entries()) {
    const seriesId = await insertSeries(tx, {
      pid,
      seriesUid: group.seriesUid,
      kind: group.kind,
      description: group.header.seriesDescription,
      volumeBlob: volume.hash,
      createdAt: createdAt,
    });
    const storedInstances = await listInstances(tx, pid);
    const fresh = files.filter(({ header }) => !storedInstances.has(header.instanceUid)),
      header = headers[i] ?? null;
    await insertInstances(
      tx,
      pid,
      seriesId,
      fresh.map((file) => ({
        sopUid: file.header.instanceUid,
        blob: file.staged.hash,
        // without a SOP class, a background task reads the attributes of the file later
        ...header && { attributes: attributesOf(file.header, header) },
      })),
    );
    if (header) matches.push(await storeSeriesHeader(tx, { pid, seriesId }, headerOf(header)));
    await setActiveSeries(tx, pid, group.kind, seriesId);
  }
  // the series may have been stored before as a refused series, only for viewing
  const copies = await forgetRefusedSeries(tx, pid, series.map(({ group }) => group.seriesUid));
  const unused = await deleteIfUnused(tx, copies);
  const analyses = isAutomatic
    ? await queueStudy(tx, pid, { requestedBy: caller.uid, settings })
    : [];
  return { pid, analyses, unused, matches };
}

/**
 * Converts and stores the new files of one study.
 * @returns number and series of the study; `null` if nothing was stored.
 */
async function ingestStudy(
  services: ServiceContext,
  study: StudyGroup,
  files: readonly ReceivedFile[],
  fileErrors: FileErrors,
  caller: Sender,
  settings: GroupSettings,
  fingerprint: string,
): Promise<{ pid: number; series: SeriesGroup[] } | null> {
  const { db, blobs, publish, wakeJobs } = services;
  const existing = await findPatientByStudy(db, study.studyUid);
  const refuse = (
    groups: readonly SeriesGroup[],
    error: AppError,
    patients?: readonly NamedPatient[],
  ) => {
    for (const { fileName } of groups.flatMap((group) => group.files)) {
      const at = Number(fileName);
      fileErrors.refuse(at, files[at]!.fileName, error, existing?.row.pid, patients);
    }
  };
  try {
    if (existing) checkExisting(existing, study);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isOther = existing && error.details.reason === "other_patient";
    refuse(study.series, error, isOther ? sentAndStored(study, existing) : undefined);
    return null;
  }
  const storedInstances = existing
    ? await listInstances(db, existing.row.pid)
    : new Map<string, string>();
  const ready: ReadySeries[] = [];
  let isWhole = true;
  for (const group of study.series) {
    if (group.files.every((file) => storedInstances.has(file.header.instanceUid))) {
      refuse([group], new AppError("study.duplicate", "Cannot store series: already there"));
      continue;
    }
    const alternatives = study.alternatives.filter(({ kind, files }) =>
      kind === group.kind && !files.every((file) => storedInstances.has(file.header.instanceUid))
    );
    const { series, failures } = await firstReadable(
      services,
      [group, ...alternatives],
      files,
      async (group) => {
        if (existing) await checkWhole(db, existing.row.pid, group);
      },
    );
    if (failures.length > 0) isWhole = false;
    for (const { group, error } of failures) refuse([group], error);
    if (!series) continue;
    for (const { fileName } of series.group.files) fileErrors.withdraw(Number(fileName));
    try {
      await checkOther(db, existing, ready, series);
      ready.push(series);
    } catch (error) {
      if (!(error instanceof AppError) || endsUpload(error)) throw error;
      refuse([series.group], error);
      isWhole = false;
    }
  }
  if (ready.length === 0) {
    if (existing && isWhole) await storeFingerprint(db, existing.row.pid, fingerprint);
    return null;
  }

  const staged = ready.flatMap((s) => [s.volume, ...s.files.map((f) => f.staged)]);
  let lease: Lease | undefined;
  try {
    lease = await blobs.keep(staged);
    const headers = await Promise.all(
      ready.map(({ files }) => attributesOfFile(services, files[0]!.staged.hash).catch(() => null)),
    );
    const stored = await db.transaction().execute(async (tx) => {
      const stored = await storeStudy(tx, study, ready, headers, caller, settings);
      if (isWhole) await storeFingerprint(tx, stored.pid, fingerprint);
      return stored;
    });
    for (const hash of stored.unused) blobs.remove(hash);
    publish({ event: "study_create", pid_list: [stored.pid] });
    for (const match of stored.matches) announceMatch(publish, match);
    for (const series of stored.analyses) {
      publish({ event: "study_analysis", pid: stored.pid, series, status: "waiting" });
    }
    if (stored.analyses.length > 0) {
      wakeJobs();
      await publishCredits(services);
    }
    return { pid: stored.pid, series: ready.map(({ group }) => group) };
  } catch (error) {
    lease?.release();
    // no database row refers to the files, so they are deleted now, not at the next start
    for (const { hash } of staged) if (await blobSize(db, hash) === null) blobs.remove(hash);
    if (!(error instanceof AppError) || endsUpload(error)) throw error;
    if (error.code === "credit.none" && caller.uid !== null) {
      publish({ event: "credit_error" }, { uid: caller.uid });
    }
    refuse(ready.map((s) => s.group), error);
    return null;
  } finally {
    lease?.release();
    // volumes that were stored have been moved, so that only the others are discarded
    await Promise.all(ready.map((s) => s.volume.discard()));
  }
}

/** Received files of an upload on disk, and the errors of all other files. */
interface Arrived {
  files: readonly ReceivedFile[];
  failed: readonly UploadFailure[];
}

/**
 * Stores the files of an upload as studies and series, with one transaction per study.
 * Files that are refused remain in the staging area.
 *
 * @returns the same as {@link ingest}.
 * @throws {AppError} `storage.full`; `study.being_analyzed` if analyses prevent storing any study.
 */
export async function storeReceived(
  services: ServiceContext,
  caller: Sender,
  { files, failed: failedBefore }: Arrived,
  seriesType: SeriesType | undefined,
  own: Partial<GroupSettings> = {},
): Promise<UploadResponse> {
  const started = performance.now(), settings = { ...await groupSettings(services.db), ...own };
  const fileErrors = new FileErrors(failedBefore), pids: number[] = [];
  const series: StoredSeries[] = [];
  const instances = await readHeaders(services, files, settings, fileErrors);
  describeSeries(instances, fileErrors);
  const unique = await withoutCopies(services, instances, files, fileErrors);
  const { studies, rejected, viewable } = groupSeries(unique, {
    t1wTag: settings.t1w_tag,
    t2wTag: settings.t2w_tag,
    t1wIncludes: settings.t1w_includes,
    t2wIncludes: settings.t2w_includes,
    seriesType,
  });
  const sent = Map.groupBy(instances, ({ header }) => header.studyUid), total = sent.size;
  refuseRejected(rejected, sent, files, fileErrors);
  for (const study of studies) {
    const instances = sent.get(study.studyUid)!;
    const uids = instances.map(({ header }) => header.instanceUid);
    const fingerprint = fingerprintOf(uids, settings, seriesType);
    const stored = await ingestStudy(
      services,
      study,
      files,
      fileErrors,
      caller,
      settings,
      fingerprint,
    );
    if (stored === null) continue;
    pids.push(stored.pid);
    series.push(...stored.series.map((group) => countSlices(group, instances)));
  }
  const stacks = Map.groupBy(viewable, ({ header }) => header.studyUid);
  for (const [studyUid, instances] of sent) {
    const studyImages = { studyUid, instances, viewable: stacks.get(studyUid) ?? [] };
    await noteRefusedSeries(services, studyImages, files, fileErrors);
  }
  const { failed } = fileErrors;
  services.log("info", "Upload taken in", {
    uid: caller.uid,
    files: files.length,
    studies: total,
    stored: pids.length,
    refused: failed.length,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  });
  const busy = failed.filter((failure) => failure.code === "study.being_analyzed");
  if (pids.length === 0 && busy.length > 0 && busy.length === failed.length) {
    throw new AppError(
      "study.being_analyzed",
      "Cannot store the upload: every study is being analysed",
      {
        pid: busy[0]!.pid!,
        pid_list: [...new Set(busy.map((failure) => String(failure.pid)))],
      },
    );
  }
  return { total, success: pids.length, pid_list: pids, failed, stored_series: series };
}

/**
 * Checks that the site accepts uploads, before the browser sends files.
 * @throws {AppError} `license.expired`, `license.not_started`;
 * `credit.none` when uploads are analysed automatically and no credit is left.
 */
export async function checkUploadAllowed(
  { db, publish }: ServiceContext,
  caller: Sender,
): Promise<void> {
  if (!await analyzes(db, caller)) return void await checkLicense(db);
  try {
    await checkCredit(db);
  } catch (error) {
    if (error instanceof AppError && error.code === "credit.none" && caller.uid !== null) {
      publish({ event: "credit_error" }, { uid: caller.uid });
    }
    throw error;
  }
}

/**
 * Receives an upload: writes and syncs each file, then stores all with {@link storeReceived}.
 * Files that are reported as stored survive a power failure.
 *
 * @returns the stored studies, and the error of each file that is not stored.
 * An upload without any usable file is no exception: `success` is 0, `failed` has the reasons.
 * @throws {AppError} `storage.full`, as {@link checkUploadAllowed},
 * `study.being_analyzed` if running analyses prevent the storing of all studies,
 * `input.invalid` for a broken or incomplete request, of which no file is stored.
 */
export async function ingest(
  services: ServiceContext,
  caller: Sender,
  upload: Upload,
): Promise<UploadResponse> {
  await checkUploadAllowed(services, caller);
  await checkDiskSpace(services, upload.sizeBytes);
  const received = new ReceivedFiles();
  try {
    await received.take(services, withinRoom(services, upload.files));
    const { files, fileErrors: { failed } } = received;
    return await storeReceived(
      services,
      caller,
      { files, failed },
      upload.seriesType(),
      upload.settings,
    );
  } finally {
    await received.discard();
  }
}
