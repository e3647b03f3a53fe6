// Lists series that were uploaded with a study but are not analysed, with the reason.
// If the slices of such a series form a volume, a viewing copy of the volume is stored.
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
import { isOwnResult } from "@/server/core/dicom/write/derived_object.ts";
import { isPatientOf } from "@/server/core/studies/service/stored_studies.ts";

/**
 * Maximum number of viewing copies per study and upload; an examination has 10 to 30 series.
 */
const MAX_COPIES = 40;
/** Number of compressed bytes at the beginning of a volume that contain its header. */
const VOLUME_HEAD_BYTES = 8192;
/** Maximum size in bytes of a DICOM header from which a window is read. */
const MAX_HEADER_BYTES = 1 << 24;

/** Files of an upload that belong to one study. */
interface SentStudy {
  studyUid: string;
  instances: readonly InstanceFile[];
  /** stacks of slices that are not analysed but form a volume */
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

/** Window (width and level) in the header of a file, read without the pixels. */
async function windowOfHead(
  reader: DicomReader | undefined,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<HeaderWindow | null> {
  const task = { kind: "head", of: "window", bytes, isWhole: true, encoding: undefined } as const;
  return (await readDicom(reader, task, true))?.value as HeaderWindow | null;
}

/**
 * Converts a stack of slices to a volume, as for an analysed series.
 * @throws {AppError} as `packSeries` and `readNiftiGrid`.
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

/** Stores the viewing copy of a refused series, replacing an earlier copy. */
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
      // if the series is no longer listed (study deleted, series accepted), the new copy is deleted
      return await deleteIfUnused(tx, [copy.blob, ...(replacedBlob ? [replacedBlob] : [])]);
    });
    lease.release();
    for (const hash of unused) blobs.remove(hash);
  } catch (error) {
    lease?.release();
    // no database row refers to the copy, so its file is deleted
    if (await blobSize(db, volume.hash) === null) blobs.remove(volume.hash);
    throw error;
  } finally {
    // a stored volume has been moved, so nothing is discarded then
    await volume.discard();
  }
}

/**
 * Stores viewing copies of a study's refused series. An error never fails the upload:
 * the series keeps its earlier copy, and the reason is logged.
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

/** Stores the list of a study's refused series, so that users can see and view these series. */
export async function noteRefusedSeries(
  services: ServiceContext,
  { studyUid, instances, viewable }: SentStudy,
  files: readonly ReceivedFile[],
  fileErrors: FileErrors,
): Promise<void> {
  const { db } = services;
  const refused = [...Map.groupBy(instances, ({ header }) => header.seriesUid)].flatMap(
    ([seriesUid, its]) => {
      // uploaded folders may contain results of this product, which no scanner has made
      if (its.every(({ header }) => isOwnResult(header))) return [];
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
