import { withinRoom } from "@/core/services/studies/within_room.ts";
import { AppError } from "@/model/errors.ts";
import type { SeriesType } from "@/model/schema/study.ts";
import type { UploadResponse, UploadState } from "@/model/schema/patients.ts";
import type { BlobStore } from "@/core/storage/blobs/blobs.ts";
import type { Caller, ServiceContext } from "@/core/services/context.ts";
import { checkUploadAllowed, storeReceived } from "@/core/services/studies/ingest.ts";
import { type IncomingFile, ReceivedFiles } from "@/core/services/studies/receive.ts";
import { groupSettings } from "@/core/services/settings/settings.ts";
import { checkDiskSpace } from "@/core/services/site/status.ts";

/** After this long without a request, what has arrived of an unfinished upload is thrown away. */
const IDLE_MS = 30 * 60_000;
/** Uploads that one person may have unfinished; the oldest gives way. */
const MAX_SESSIONS = 16;
/**
 * How long a request waits for the one before it while that brings no file: its connection may be dead. What of it has
 * come as far as this machine is read as fast as the disk takes it.
 */
const QUIET_MS = 2000;

/** An upload in several requests. In memory: after a restart of the server its files are sent anew. */
interface Session {
  uid: number;
  held: ReceivedFiles;
  touchedMs: number;
  /** requests that are being read */
  reading: Set<Promise<void>>;
  /** set by the last request; its answer can be asked for again */
  answer: Promise<UploadResponse> | null;
  isStoring: boolean;
}

const isIdle = ({ reading, isStoring }: Session) => reading.size === 0 && !isStoring;

/** One request of an upload in parts. */
export interface UploadPart {
  uploadId: string;
  /** the upload is complete with this part, which may be empty */
  isLast: boolean;
  /** of the whole upload; unknown when the sender does not say */
  fileCount: number | undefined;
  files: AsyncIterable<IncomingFile>;
  seriesType(): SeriesType | undefined;
  sizeBytes: number;
}

const sessionsByStore = new WeakMap<BlobStore, Map<string, Session>>();

function sessionsOf(services: ServiceContext): Map<string, Session> {
  const sessions = sessionsByStore.get(services.blobs) ?? new Map<string, Session>();
  sessionsByStore.set(services.blobs, sessions);
  for (const [key, session] of sessions) {
    if (isIdle(session) && performance.now() - session.touchedMs > IDLE_MS) void drop(sessions, key);
  }
  return sessions;
}

/** Forgets an upload and removes what has arrived of it. */
async function drop(sessions: Map<string, Session>, key: string): Promise<void> {
  const session = sessions.get(key);
  sessions.delete(key);
  await session?.held.discard();
}

const keyOf = (caller: Caller, uploadId: string) => `${caller.uid}/${uploadId}`;

function openSession(services: ServiceContext, caller: Caller, uploadId: string): Session {
  const sessions = sessionsOf(services), key = keyOf(caller, uploadId), known = sessions.get(key);
  if (known) {
    known.touchedMs = performance.now();
    return known;
  }
  const own = [...sessions].filter(([, session]) => session.uid === caller.uid && isIdle(session))
    .sort(([, a], [, b]) => a.touchedMs - b.touchedMs);
  if (own.length >= MAX_SESSIONS) void drop(sessions, own[0]![0]);
  const session: Session = {
    uid: caller.uid,
    held: new ReceivedFiles(true),
    touchedMs: performance.now(),
    reading: new Set(),
    answer: null,
    isStoring: false,
  };
  sessions.set(key, session);
  return session;
}

/** Waits until what an earlier request brought is on disk, so that nobody sends it again. */
async function waitForIdle(session: Session): Promise<void> {
  for (let before = -1; session.reading.size > 0 && before !== session.held.count;) {
    before = session.held.count;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => timer = setTimeout(resolve, QUIET_MS));
    await Promise.race([Promise.all(session.reading), late]);
    clearTimeout(timer);
  }
  await session.held.settled();
}

/**
 * Takes in a part of an upload. Files that have arrived, in this request or in one that broke off, stay; one that is
 * sent again under its name is passed over. With the last part the upload is stored as a whole.
 *
 * @returns for the last part the outcome of all parts; else, or when the server has lost files since (by a restart, or
 *   because another one had them), the names of the files that are there.
 * @throws {AppError} `study.being_analyzed` (the files stay, so that the last part can be repeated without them),
 *   `storage.full`, `entity.not_found` when it was thrown away meanwhile, `input.invalid` for a broken or unfinished
 *   body, as {@link checkUploadAllowed}.
 */
export async function ingestPart(
  services: ServiceContext,
  caller: Caller,
  part: UploadPart,
): Promise<UploadResponse> {
  const session = openSession(services, caller, part.uploadId);
  await waitForIdle(session);
  if (session.answer) return await session.answer;
  await checkUploadAllowed(services, caller);
  await checkDiskSpace(services, part.sizeBytes);
  const settings = await groupSettings(services.db);
  const work = session.held.take(services, withinRoom(services, part.files), settings);
  const reading: Promise<void> = work.catch(() => {}).finally(() => {
    session.reading.delete(reading);
    session.touchedMs = performance.now();
  });
  session.reading.add(reading);
  await work;
  if (sessionsOf(services).get(keyOf(caller, part.uploadId)) !== session) {
    throw new AppError("entity.not_found", "Cannot take files in: the upload was thrown away");
  }
  const received = session.held.names;
  if (!part.isLast || received.length < (part.fileCount ?? 0)) {
    return { total: 0, success: 0, pid_list: [], failed: [], received };
  }
  session.answer ??= finish(services, caller, session, part);
  return await session.answer;
}

async function finish(
  services: ServiceContext,
  caller: Caller,
  session: Session,
  part: UploadPart,
): Promise<UploadResponse> {
  let keeps = false;
  session.isStoring = true;
  try {
    return await storeReceived(services, caller, session.held, part.seriesType());
  } catch (error) {
    session.answer = null;
    keeps = error instanceof AppError && error.code === "study.being_analyzed";
    if (!keeps) await drop(sessionsOf(services), keyOf(caller, part.uploadId));
    throw error;
  } finally {
    session.isStoring = false;
    session.touchedMs = performance.now();
    if (!keeps) await session.held.discard();
  }
}

/** What has arrived of an upload in parts; nothing of one that the server does not know. */
export async function uploadState(
  services: ServiceContext,
  caller: Caller,
  uploadId: string,
): Promise<UploadState> {
  const session = sessionsOf(services).get(keyOf(caller, uploadId));
  if (!session) return { received: [], is_complete: false };
  session.touchedMs = performance.now();
  await waitForIdle(session);
  return { received: session.held.names, is_complete: session.answer !== null };
}

/** Throws away what has arrived of an unfinished upload. */
export async function discardUpload(
  services: ServiceContext,
  caller: Caller,
  uploadId: string,
): Promise<void> {
  const sessions = sessionsOf(services), key = keyOf(caller, uploadId);
  // one that is being stored goes on: half a study is none
  if (sessions.get(key)?.answer === null) await drop(sessions, key);
}
