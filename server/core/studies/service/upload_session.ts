import { AppError } from "@/model/errors.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type { UploadFailure, UploadResponse, UploadState } from "@/model/schema/studies/upload.ts";
import { blobSize, insertBlobs } from "@/server/core/blobs/blob_index.ts";
import type { BlobStore } from "@/server/core/blobs/blobs.ts";
import {
  addUploadFiles,
  deleteUpload,
  findUpload,
  finishUpload,
  listUploadFiles,
  oldUploads,
  openUpload,
  touchUpload,
  unfinishedUploads,
} from "@/server/core/studies/storage/uploads.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkUploadAllowed, storeReceived } from "@/server/core/studies/service/ingest.ts";
import {
  type IncomingFile,
  type ReceivedFile,
  ReceivedFiles,
} from "@/server/core/studies/service/receive.ts";
import { checkDiskSpace } from "@/server/core/site/service/status.ts";
import { withinRoom } from "@/server/core/studies/service/within_room.ts";

/**
 * Hours without a request after which an unfinished upload is discarded (a night and a day).
 */
export const UPLOAD_HOURS = 36;
const HOUR_MS = 3_600_000;
const CLEAN_INTERVAL_MS = 10 * 60_000;
/**
 * Maximum number and total bytes of a user's unfinished uploads.
 * For a further upload, the least recently used upload is deleted.
 */
const MAX_UPLOADS = 16, MAX_BYTES = 64 * 2 ** 30;
/**
 * Time in ms for which a request waits for the previous one of its upload while no file arrives.
 * The connection of the previous request may be dead.
 */
const QUIET_MS = 2000;

/** One request of an upload that is sent in several requests. */
interface UploadPart {
  uploadId: string;
  /** whether this request completes the upload; it may have no files */
  isLast: boolean;
  /** number of files in the whole upload; absent if the sender does not state it */
  fileCount: number | undefined;
  files: AsyncIterable<IncomingFile>;
  seriesType(): SeriesType | undefined;
  sizeBytes: number;
}

/** State of an upload in the memory of this process. The permanent state is in the database. */
interface Activity {
  /** number of calls that have not returned yet */
  calls: number;
  /** requests of this upload from which files are being received */
  reading: Map<Promise<void>, ReceivedFiles>;
  /** response to the last request, while its studies are being stored */
  answer: Promise<UploadResponse> | null;
}

const activities = new WeakMap<BlobStore, Map<string, Activity>>();

const keyOf = (caller: Caller, uploadId: string) => `${caller.uid}/${uploadId}`;

/** Runs a function while the upload counts as used by this process. */
async function during<T>(
  { blobs }: ServiceContext,
  key: string,
  run: (activity: Activity) => Promise<T>,
): Promise<T> {
  const bySession = activities.get(blobs) ?? new Map<string, Activity>();
  activities.set(blobs, bySession);
  const activity = bySession.get(key) ?? { calls: 0, reading: new Map(), answer: null };
  bySession.set(key, activity);
  activity.calls++;
  try {
    return await run(activity);
  } finally {
    if (--activity.calls === 0) bySession.delete(key);
  }
}

const isActive = ({ blobs }: ServiceContext, key: string): boolean =>
  activities.get(blobs)?.has(key) ?? false;

/** Waits until the files of an earlier request are on disk, so that they are not sent again. */
async function waitForIdle({ reading }: Activity): Promise<void> {
  const progress = () =>
    [...reading.values()].reduce((sum, received) => sum + received.progress, 0);
  for (let lastProgress = -1; reading.size > 0 && lastProgress !== progress();) {
    lastProgress = progress();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => timer = setTimeout(resolve, QUIET_MS));
    await Promise.race([Promise.all(reading.keys()), late]);
    clearTimeout(timer);
  }
}

const namesOf = async ({ db }: ServiceContext, id: number): Promise<string[]> =>
  (await listUploadFiles(db, id)).map(({ fileName }) => fileName);

const gone = () =>
  new AppError("entity.not_found", "Cannot take files in: the upload was thrown away");

/** Deletes an upload with its received files. */
async function remove({ db, blobs }: ServiceContext, id: number): Promise<void> {
  for (const hash of await deleteUpload(db, id)) blobs.remove(hash);
}

/**
 * Deletes old unfinished uploads of a user to make room for a new upload.
 * @throws {AppError} `input.invalid` if the new upload alone is too large.
 */
async function makeRoom(services: ServiceContext, caller: Caller, part: UploadPart): Promise<void> {
  const uploads = await unfinishedUploads(services.db, caller.uid);
  let count = uploads.length,
    bytes = uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, part.sizeBytes);
  for (const { id, name, sizeBytes } of uploads) {
    if (count <= MAX_UPLOADS && bytes <= MAX_BYTES) return;
    if (isActive(services, keyOf(caller, name))) continue;
    await remove(services, id);
    count--;
    bytes -= sizeBytes;
  }
  if (bytes <= MAX_BYTES) return;
  throw new AppError(
    "input.invalid",
    "Cannot take files in: the unfinished uploads are too large",
    {
      reason: "too_many_bytes",
      max_bytes: MAX_BYTES,
    },
  );
}

/**
 * Records the received files of a request in the database.
 * @throws {AppError} `entity.not_found` for a deleted upload.
 */
async function keepReceived(
  { db, blobs }: ServiceContext,
  id: number,
  { files, fileErrors: { failed } }: ReceivedFiles,
): Promise<void> {
  const staged = files.map((file) => file.staged), lease = await blobs.keep(staged);
  let isKept = false;
  try {
    await db.transaction().execute(async (tx) => {
      if (!await touchUpload(tx, id, Date.now())) throw gone();
      await insertBlobs(tx, staged, nowIso());
      await addUploadFiles(tx, id, [
        ...files.map(({ fileName, staged: { hash } }) => ({ fileName, hash, failure: null })),
        ...failed.map((one) => ({
          fileName: one.file_name,
          hash: null,
          failure: JSON.stringify(one),
        })),
      ]);
    });
    isKept = true;
  } finally {
    lease.release();
    if (!isKept) {
      for (const { hash } of staged) if (await blobSize(db, hash) === null) blobs.remove(hash);
    }
  }
}

/**
 * Receives the files of one request. Complete files are kept, even if the connection breaks.
 */
async function receive(
  services: ServiceContext,
  id: number,
  part: UploadPart,
  known: readonly string[],
  received: ReceivedFiles,
): Promise<void> {
  let failure: unknown = null;
  try {
    await received.take(services, withinRoom(services, part.files), known);
  } catch (error) {
    failure = error;
  }
  try {
    await keepReceived(services, id, received);
  } finally {
    await received.discard();
  }
  if (failure !== null) throw failure;
}

/**
 * Receives one request of an upload. Its files are kept, even if the request is aborted.
 * Files sent again under the same name are skipped, also if another process received them.
 * With the last request, the whole upload is stored.
 *
 * @returns for the last request, the result of the whole upload.
 * Otherwise, or if files are missing, the names of the received files.
 * @throws {AppError} `storage.full`; `study.being_analyzed` (files are kept, so that the last
 * request can be repeated without files); `entity.not_found` for a deleted upload;
 * `input.invalid` for a broken or incomplete request, or above the limits;
 * also errors of {@link checkUploadAllowed}.
 */
export const ingestPart = (
  services: ServiceContext,
  caller: Caller,
  part: UploadPart,
): Promise<UploadResponse> =>
  during(services, keyOf(caller, part.uploadId), async (activity) => {
    await waitForIdle(activity);
    if (activity.answer) return await activity.answer;
    await checkUploadAllowed(services, caller);
    await checkDiskSpace(services, part.sizeBytes);
    const { db } = services,
      { id, answer } = await openUpload(db, caller.uid, part.uploadId, Date.now());
    if (answer !== null) return JSON.parse(answer);
    await makeRoom(services, caller, part);
    const receivedNames = await namesOf(services, id), files = new ReceivedFiles();
    const reading = receive(services, id, part, receivedNames, files);
    const ended: Promise<void> = reading.catch(() => {}).finally(() =>
      activity.reading.delete(ended)
    );
    activity.reading.set(ended, files);
    await reading;
    const received = await namesOf(services, id);
    if (!part.isLast || received.length < (part.fileCount ?? 0)) {
      return { total: 0, success: 0, pid_list: [], failed: [], received };
    }
    activity.answer ??= finish(services, caller, id, part).finally(() => activity.answer = null);
    return await activity.answer;
  });

async function finish(
  services: ServiceContext,
  caller: Caller,
  id: number,
  part: UploadPart,
): Promise<UploadResponse> {
  const { db, blobs } = services, stored = await listUploadFiles(db, id);
  const files: ReceivedFile[] = [];
  const failed = stored.flatMap(({ failure }): UploadFailure[] =>
    failure === null ? [] : JSON.parse(failure)
  );
  try {
    for (const { fileName, blob } of stored) {
      if (blob) files.push({ fileName, staged: await blobs.restage(blob) });
    }
    const answer = await storeReceived(services, caller, { files, failed }, part.seriesType());
    const end = await finishUpload(db, id, JSON.stringify(answer));
    for (const hash of end.unused) blobs.remove(hash);
    return end.answer === null ? answer : JSON.parse(end.answer);
  } catch (error) {
    // another process stored the upload first
    const upload = await findUpload(db, caller.uid, part.uploadId).catch(() => null);
    if (upload?.answer) return JSON.parse(upload.answer);
    // on a full disk the files are deleted; after other errors the last request can be repeated
    if (error instanceof AppError && error.code === "storage.full") await remove(services, id);
    throw error;
  } finally {
    await Promise.all(files.map(({ staged }) => staged.discard()));
  }
}

/** Names of the received files of an upload; empty for an unknown upload. */
export const uploadState = (
  services: ServiceContext,
  caller: Caller,
  uploadId: string,
): Promise<UploadState> =>
  during(services, keyOf(caller, uploadId), async (activity) => {
    await waitForIdle(activity);
    const upload = await findUpload(services.db, caller.uid, uploadId);
    if (!upload) return { received: [], is_complete: false };
    await touchUpload(services.db, upload.id, Date.now());
    return { received: await namesOf(services, upload.id), is_complete: upload.answer !== null };
  });

/** Deletes an unfinished upload with its received files. */
export const discardUpload = (
  services: ServiceContext,
  caller: Caller,
  uploadId: string,
): Promise<void> =>
  during(services, keyOf(caller, uploadId), async ({ answer }) => {
    const upload = await findUpload(services.db, caller.uid, uploadId);
    // an upload that is being stored is not deleted, because a partial study would be useless
    if (upload?.answer === null && answer === null) await remove(services, upload.id);
  });

/** Deletes abandoned uploads now, and again at intervals. */
export function watchUploads(
  services: ServiceContext,
  {
    everyMs = CLEAN_INTERVAL_MS,
    idleMs = (services.keepHours?.uploads ?? UPLOAD_HOURS) * HOUR_MS,
  } = {},
): { close(): Promise<void> } {
  let running: Promise<void> | null = null;
  const clean = async () => {
    for (const id of await oldUploads(services.db, Date.now() - idleMs)) await remove(services, id);
  };
  const start = () => {
    running ??= clean()
      .catch((error) => services.log("warn", "Cannot remove old uploads", { error: String(error) }))
      .finally(() => running = null);
  };
  const timer = setInterval(start, everyMs);
  start();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
