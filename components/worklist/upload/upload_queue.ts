import { AppError, asAppError, type ErrorCode, ERRORS } from "@/model/errors.ts";
import type { SeriesKind } from "@/model/dicom/classify.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import type { StoredStudiesResponse } from "@/model/schema/studies/upload.ts";
import type { FoundStudy } from "@/model/worklist/upload_study.ts";
import { isUnfinished, type UploadProgress } from "@/model/worklist/upload_progress.ts";
import type { Api } from "@/client/api/http.ts";
import { discardUpload, findStoredStudies, getUploadState } from "@/client/api/studies/upload.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import {
  type Entry,
  isNamed,
  newEntry,
  questionOf,
  sizeOf,
  takeAnswer,
  takeStored,
} from "@/components/worklist/upload/upload_entry.ts";
import {
  nameOnWire,
  newUploadId,
  type SizedFile,
} from "@/components/worklist/upload/upload_files.ts";
import { type SendPart, SpeedMeter } from "@/components/worklist/upload/upload_study.ts";

/**
 * Maximum size of a request with several files, which limits the loss when the connection is lost.
 * Browsers look up each file of a request on the main thread.
 */
const PART_BYTES = 24 << 20, PART_FILES = 60;
/** Maximum number of studies and files in one query to the server. */
const MAX_STUDIES_PER_QUERY = 500, MAX_FILES_PER_QUERY = 5000;
/** Delays before a lost connection is retried, ms; the last delay repeats. */
const RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000];
/** Errors of the user or the licence, not of a study, after which nothing more is sent. */
const endsAll = ({ code, status }: AppError) =>
  status === 401 || code === "access.forbidden" || code === "license.expired" ||
  code === "license.not_started";

interface QueueOptions {
  api: Api;
  send: SendPart;
  /** kind of the series; absent: the server decides by the DICOM attributes */
  seriesType?: SeriesType;
  onChange: (progress: UploadProgress) => void;
  partBytes?: number;
  retryDelaysMs?: readonly number[];
}

/**
 * Uploads studies one by one, in parts of limited size. The server confirms files by name: after
 * a lost connection or a pause, only the missing files are sent. A study is stored with the last
 * part; a failed study does not stop the others.
 * Studies that the server already has completely are not sent.
 */
export class UploadQueue {
  readonly #entries: Entry[];
  readonly #options: QueueOptions;
  readonly #files: readonly ChosenFile[];
  #isPaused = false;
  #isOffline = false;
  #isRunning = false;
  #speed = new SpeedMeter();
  #bytesPerSecond = 0;
  /** aborts the current request or delay */
  #moment = new AbortController();
  #resumed = Promise.withResolvers<void>();

  constructor(studies: readonly FoundStudy[], files: readonly ChosenFile[], options: QueueOptions) {
    this.#options = options;
    this.#files = files;
    this.#entries = studies.map((study) => newEntry(study, files, options.seriesType));
  }

  get progress(): UploadProgress {
    const counted = this.#entries.filter(({ stage }) => stage !== "canceled" && stage !== "known");
    const sum = (of: (entry: Entry) => number) =>
      counted.reduce((total, entry) => total + of(entry), 0);
    return {
      studies: this.#entries.map(({ study, stage, sentBytes, code, pids, failures, taken }) => (
        { study, stage, sentBytes, code, pids, failures, ...taken ? { taken } : {} }
      )),
      state: !this.#isRunning
        ? "ended"
        : this.#isPaused
        ? "paused"
        : this.#isOffline
        ? "offline"
        : "running",
      sentBytes: sum(({ sentBytes }) => sentBytes),
      totalBytes: sum(({ study }) => study.sizeBytes),
      bytesPerSecond: this.#isPaused || this.#isOffline ? 0 : this.#bytesPerSecond,
    };
  }

  /**
   * Uploads queued studies until the queue is empty.
   * @throws {AppError} errors of the session, not of a study.
   * Studies that were not stored are then `failed`.
   */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#speed = new SpeedMeter();
    // set before the first response, so that the state is no longer "ended"
    this.#tell();
    try {
      await this.#skipStored();
      for (let entry = this.#next(); entry; entry = this.#next()) await this.#upload(entry);
    } catch (error) {
      this.#failRest(asAppError(error).code);
      throw error;
    } finally {
      this.#isRunning = false;
      this.#isPaused = false;
      this.#isOffline = false;
      this.#tell();
    }
  }

  pause(): void {
    if (!this.#isRunning || this.#isPaused) return;
    this.#isPaused = true;
    this.#interrupt();
    this.#tell();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#speed = new SpeedMeter();
    this.#resumed.resolve();
    this.#resumed = Promise.withResolvers();
    this.#tell();
  }

  /** Retries a lost connection now instead of after the delay. */
  hurry(): void {
    if (this.#isOffline && !this.#isPaused) this.#interrupt();
  }

  /** Cancels one study; a running request is completed. */
  cancel(index: number): void {
    const entry = this.#entries[index];
    if (!entry || (entry.stage !== "waiting" && entry.stage !== "sending")) return;
    const isSending = entry.stage === "sending";
    entry.stage = "canceled";
    entry.sentBytes = 0;
    if (isSending) {
      this.#interrupt();
      // resumes a paused upload, to finish the request of this study
      this.#resumed.resolve();
      this.#resumed = Promise.withResolvers();
      void discardUpload(this.#options.api, entry.uploadId).catch(
        () => {/* it is thrown away in time */},
      );
    }
    this.#tell();
  }

  cancelAll(): void {
    this.#entries.forEach((_, index) => this.cancel(index));
  }

  /** Queues a failed or cancelled study again; {@link run} processes it. */
  retry(index: number): void {
    const entry = this.#entries[index];
    if (!entry || (entry.stage !== "failed" && entry.stage !== "canceled")) return;
    if (entry.stage === "canceled") entry.uploadId = newUploadId();
    Object.assign(entry, {
      stage: "waiting",
      code: null,
      pids: [],
      failures: [],
      isUnclear: true,
      isAsked: false,
    });
    this.#tell();
  }

  /**
   * Queues one series of a study separately, as a series of this kind, below the study; {@link run}
   * processes it. This completes an examination with a series that was not used.
   */
  sendSeriesAs(index: number, seriesUid: string, kind: SeriesKind): void {
    const study = this.#entries[index]?.study;
    if (!study) return;
    const files = study.files.filter(({ tags }) => tags.seriesUid === seriesUid);
    const part: FoundStudy = {
      ...study,
      series: study.series.filter((series) => series.seriesUid === seriesUid),
      files,
      sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    };
    this.#entries.splice(index + 1, 0, newEntry(part, this.#files, kind));
    this.#tell();
  }

  #next(): Entry | undefined {
    return this.#entries.find(({ stage }) => stage === "waiting");
  }

  #tell(): void {
    this.#options.onChange(this.progress);
  }

  /**
   * Asks which complete studies the server has, to skip these. The server answers for whole
   * studies: with a part of the series, it could choose another series than with all.
   */
  async #skipStored(): Promise<void> {
    const { api } = this.#options;
    const unasked = this.#entries.filter((entry) =>
      entry.stage === "waiting" && !entry.isAsked && isNamed(entry)
    );
    let sizeBefore = 0;
    while (unasked.length > 0) {
      const batch: Entry[] = [], { seriesType } = unasked[0]!;
      for (
        let files = 0;
        unasked[0]?.seriesType === seriesType && unasked.length > 0 &&
        batch.length < MAX_STUDIES_PER_QUERY &&
        files < MAX_FILES_PER_QUERY;
      ) {
        const entry = unasked.shift()!;
        batch.push(entry);
        files += entry.study.files.length;
      }
      let answer: StoredStudiesResponse;
      try {
        answer = await findStoredStudies(api, {
          series_type: seriesType,
          size_before: sizeBefore,
          studies: batch.map(questionOf),
        });
      } catch (error) {
        if (error instanceof AppError && endsAll(error)) throw error;
        if (error instanceof AppError && error.code === "credit.none") {
          return this.#failRest(error.code);
        }
        // ignored: the query only saves time, so all studies are sent
        return;
      }
      for (const entry of batch) {
        takeStored(entry, answer);
        if (entry.stage === "waiting") sizeBefore += entry.study.sizeBytes;
      }
      this.#tell();
    }
  }

  /** Aborts the current request or delay. */
  #interrupt(): void {
    this.#moment.abort();
    this.#moment = new AbortController();
  }

  async #upload(entry: Entry): Promise<void> {
    const delays = this.#options.retryDelaysMs ?? RETRY_DELAYS_MS;
    for (let attempt = 0; isUnfinished(entry);) {
      if (this.#isPaused) {
        await this.#resumed.promise;
        continue;
      }
      const { signal } = this.#moment;
      try {
        if (entry.isUnclear) await this.#ask(entry, signal);
        else await this.#sendNext(entry, signal);
        attempt = 0;
        this.#isOffline = false;
      } catch (error) {
        entry.isUnclear = true;
        // the delay ended early: paused, cancelled, or retried by the user
        if (signal.aborted) continue;
        if (!(error instanceof AppError) || endsAll(error)) throw error;
        if (ERRORS[error.code].retryable) {
          this.#isOffline = true;
          this.#tell();
          await pause(delays[Math.min(attempt++, delays.length - 1)]!, this.#moment.signal);
        } else this.#takeError(entry, error);
      }
      this.#tell();
    }
  }

  /**
   * Asks which files the server has, or whether it has stored them and deleted the upload since.
   */
  async #ask(entry: Entry, signal: AbortSignal): Promise<void> {
    const { api } = this.#options, { seriesType } = entry;
    const { received, is_complete } = await getUploadState(api, entry.uploadId, signal);
    if (is_complete && !entry.isBegun) {
      // a study that was stored and deleted since is stored again
      Object.assign(entry, { uploadId: newUploadId(), isUnclear: false });
      return;
    }
    if (!is_complete && received.length === 0 && entry.wasWhole && isNamed(entry)) {
      const question = { series_type: seriesType, studies: [questionOf(entry)] };
      const { stored } = await findStoredStudies(api, question);
      if (!isUnfinished(entry)) return;
      if (stored.length > 0) {
        Object.assign(entry, { stage: "stored", sentBytes: entry.study.sizeBytes });
        return;
      }
    }
    // if the upload is stored already, repeats the last part without files to get the result
    entry.known = new Set(is_complete ? entry.files.keys() : received);
    entry.sentBytes = sizeOf(entry, [...entry.known]);
    entry.isUnclear = false;
    this.#speed = new SpeedMeter();
  }

  /** Sends the next part; with the last one the study is stored. */
  async #sendNext(entry: Entry, signal: AbortSignal): Promise<void> {
    const { send, partBytes = PART_BYTES } = this.#options, { seriesType } = entry;
    const unsent = [...entry.files].filter(([name]) => !entry.known.has(name)),
      part: SizedFile[] = [];
    let bytes = 0;
    for (const [, chosen] of unsent) {
      if (part.length > 0 && (bytes + chosen.sizeBytes > partBytes || part.length >= PART_FILES)) {
        break;
      }
      part.push(chosen);
      bytes += chosen.sizeBytes;
    }
    const isLast = part.length === unsent.length, before = sizeOf(entry, [...entry.known]);
    entry.stage = isLast && bytes === 0 ? "checking" : "sending";
    this.#tell();
    const onProgress = (sentBytes: number) => {
      // the request is slightly larger than the files in the request
      entry.sentBytes = before + Math.min(sentBytes, bytes);
      if (isLast && sentBytes >= bytes && entry.stage === "sending") entry.stage = "checking";
      this.#bytesPerSecond = this.#speed.add(performance.now(), this.progress.sentBytes);
      this.#tell();
    };
    entry.wasWhole ||= isLast;
    entry.isBegun = true;
    const { uploadId, files: { size: fileCount } } = entry;
    const answer = await send({ uploadId, isLast, fileCount, files: part, seriesType }, {
      signal,
      onProgress,
    });
    if (answer.received === undefined) return takeAnswer(entry, answer);
    // fewer files than before if the server discarded the upload in the meantime
    entry.known = new Set(answer.received);
    entry.sentBytes = sizeOf(entry, answer.received);
    if (isLast && part.length > 0 && !part.some(({ path }) => entry.known.has(nameOnWire(path)))) {
      throw new AppError("internal", "Cannot upload: the server names no file as it was sent");
    }
  }

  /** Handles a response that refuses the study. */
  #takeError(entry: Entry, error: AppError): void {
    const { pid, pid_list: pids } = error.details;
    const list = Array.isArray(pids) ? pids : pid === undefined ? [] : [String(pid)];
    Object.assign(entry, { stage: "failed", code: error.code, pids: list });
    // a full disk refuses the remaining studies as well
    if (error.code === "storage.full") this.#failRest(error.code);
  }

  #failRest(code: ErrorCode): void {
    for (const entry of this.#entries.filter(isUnfinished)) {
      Object.assign(entry, { stage: "failed", code });
    }
  }
}

/** Resolves after a time, or when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
