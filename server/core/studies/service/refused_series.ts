// Series that were sent with a study and are not analysed: listed with the reason and, where their
// slices make a volume, kept to be looked at.
import { cannotWrite } from "@/model/errors.ts";
import { rowMajor } from "@/model/geometry.ts";
import { packSeries } from "@/server/core/dicom/convert/convert.ts";
import { readNiftiGrid } from "@/server/core/dicom/read/nifti.ts";
import type { HeaderWindow } from "@/server/core/dicom/read/display_window.ts";
import type { InstanceFile, SliceStack } from "@/server/core/dicom/read/series.ts";
import { type DicomReader, readDicom } from "@/server/core/dicom/worker/reader.ts";
import { blobSize, deleteIfUnused, insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { Lease, StagedBlob } from "@/server/core/blobs/blobs.ts";
import { findPatientByStudy } from "@/server/core/studies/storage/patients.ts";
import {
  listRefused,
  noteRefused,
  replaceViewingCopy,
  type ViewingCopy,
} from "@/server/core/studies/storage/refused_series.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import type { FileErrors, ReceivedFile } from "@/server/core/studies/service/receive.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";
import { isPatientOf } from "@/server/core/studies/service/stored_studies.ts";

/** Viewing copies that one upload makes of a study; an examination has ten to thirty series. */
const MAX_COPIES = 40;
/** Packed bytes that are enough for the header of a volume. */
const VOLUME_HEAD_BYTES = 8192;
/** A header that is longer is not read again for its window. */
const MAX_HEADER_BYTES = 1 << 24;

/** Files of an upload for one study. */
interface SentStudy {
  studyUid: string;
  instances: readonly InstanceFile[];
  /** stacks that are not analysed and make a volume */
  viewable: readonly SliceStack[];
}

async function beginningOf(path: string, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  while (at < sizeBytes) {
    const count = await file.read(bytes.subarray(at));
    if (count === null) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

/** The window that a header names, of a file up to its pixels. */
async function windowOfHead(
  reader: DicomReader | undefined,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<HeaderWindow | null> {
  const task = { kind: "head", of: "window", bytes, isWhole: true, encoding: undefined } as const;
  return (await readDicom(reader, task, true))?.value as HeaderWindow | null;
}

/**
 * Converts a stack to a volume, as a series that is analysed. @throws {AppError} as `packSeries`
 * and `readNiftiGrid`.
 */
async function convert(
  { blobs, converter, reader }: ServiceContext,
  stack: SliceStack,
  files: readonly ReceivedFile[],
): Promise<{ volume: StagedBlob; copy: ViewingCopy }> {
  const sources = stack.files.map(({ fileName }) => files[Number(fileName)]!);
  const packed = `${blobs.newPath()}.nii.gz`;
  await packSeries(
    sources.map(({ fileName, staged }) => ({ fileName, path: staged.path })),
    packed,
    converter,
  );
  const volume = await blobs.adopt(packed);
  try {
    const { shape, rasFromIjk } = readNiftiGrid(await beginningOf(volume.path, VOLUME_HEAD_BYTES));
    const sizeBytes = stack.header.pixels!.offset;
    const window = sizeBytes > MAX_HEADER_BYTES
      ? null
      : await windowOfHead(reader, await beginningOf(sources[0]!.staged.path, sizeBytes));
    return { volume, copy: { blob: volume.hash, shape, affine: rowMajor(rasFromIjk), window } };
  } catch (error) {
    await volume.discard();
    throw error;
  }
}

/** Stores a viewing copy in the place of the one before. */
async function store(
  { db, blobs }: ServiceContext,
  pid: number,
  seriesUid: string,
  { volume, copy }: { volume: StagedBlob; copy: ViewingCopy },
): Promise<void> {
  let lease: Lease | undefined;
  try {
    lease = await blobs.keep([volume]);
    const unused = await db.transaction().execute(async (tx) => {
      await insertBlobs(tx, [volume], nowIso());
      const replacedBlob = await replaceViewingCopy(tx, pid, seriesUid, copy);
      // without a place for it (the study was deleted meanwhile, or the series taken) its own
      return await deleteIfUnused(tx, [copy.blob, ...(replacedBlob ? [replacedBlob] : [])]);
    });
    lease.release();
    for (const hash of unused) blobs.remove(hash);
  } catch (error) {
    lease?.release();
    // the rows were not committed
    if (await blobSize(db, volume.hash) === null) blobs.remove(volume.hash);
    throw error;
  } finally {
    // gone already when it was kept
    await volume.discard();
  }
}

/**
 * Stores viewing copies of a study's refused series. A failure never fails the upload: the series
 * keeps its previous copy, and the log has the reason.
 */
async function keepViewingCopies(
  services: ServiceContext,
  pid: number,
  viewable: readonly SliceStack[],
  files: readonly ReceivedFile[],
): Promise<void> {
  const { db, log } = services,
    listed = new Set((await listRefused(db, pid)).map(({ seriesUid }) => seriesUid));
  const wanted = viewable.filter(({ seriesUid }) => listed.has(seriesUid));
  if (wanted.length > MAX_COPIES) {
    log("warn", "Too many series to keep all for viewing", { pid, series: wanted.length });
  }
  for (const stack of wanted.slice(0, MAX_COPIES)) {
    try {
      await checkDiskSpace(services, 0);
      await store(services, pid, stack.seriesUid, await convert(services, stack, files));
    } catch (error) {
      log("warn", "Cannot keep a series for viewing", { pid, error: String(error) });
      if (cannotWrite(error)) return;
    }
  }
}

/**
 * Stores the series of a study that were refused, so that readers see that they exist, with their
 * content.
 */
export async function noteRefusedSeries(
  services: ServiceContext,
  { studyUid, instances, viewable }: SentStudy,
  files: readonly ReceivedFile[],
  fileErrors: FileErrors,
): Promise<void> {
  const { db } = services;
  const refused = [...Map.groupBy(instances, ({ header }) => header.seriesUid)].flatMap(
    ([seriesUid, its]) => {
      const error = its.map(({ fileName }) => fileErrors.reasonOf(Number(fileName)))
        .find((one) => one?.code === "upload.format_not_supported");
      if (!error) return [];
      const { reason, ...details } = error.details, description = its[0]!.header.seriesDescription;
      return typeof reason === "string"
        ? [{ seriesUid, description, files: its.length, reason, details }]
        : [];
    },
  );
  const study = refused.length > 0 ? await findPatientByStudy(db, studyUid) : null;
  if (!study) return;
  await noteRefused(db, study.row.pid, refused, nowIso());
  const ofPatient = viewable.filter(({ header }) => isPatientOf(study, header));
  await keepViewingCopies(services, study.row.pid, ofPatient, files);
}
