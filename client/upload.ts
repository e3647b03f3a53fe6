import { AppError } from "@/model/errors.ts";
import type { SeriesType } from "@/model/schema/study.ts";
import { type UploadResponse, uploadResponse } from "@/model/schema/patients.ts";
import { errorOf } from "@/client/api/http.ts";
import type { ChosenFile } from "@/client/file_selection.ts";

/** How far an upload is. After the last byte the server still sorts and checks the files. */
export interface UploadProgress {
  sentBytes: number;
  totalBytes: number;
  /** mean of the last seconds; 0 at the start */
  bytesPerSecond: number;
}

/** Speed over the last seconds of a transfer. */
export class SpeedMeter {
  readonly #points: { timeMs: number; bytes: number }[] = [];

  constructor(private readonly windowMs = 3000) {}

  /** Adds a point and gives the speed, bytes/s. */
  add(timeMs: number, bytes: number): number {
    this.#points.push({ timeMs, bytes });
    while (this.#points.length > 2 && timeMs - this.#points[0]!.timeMs > this.windowMs) this.#points.shift();
    const first = this.#points[0]!;
    const elapsedMs = timeMs - first.timeMs;
    return elapsedMs > 0 ? (bytes - first.bytes) / elapsedMs * 1000 : 0;
  }
}

interface UploadOptions {
  /** absent: the server decides by the tags */
  seriesType?: SeriesType;
  onProgress: (progress: UploadProgress) => void;
  signal: AbortSignal;
}

/**
 * Sends files in one request. XMLHttpRequest, because `fetch` does not tell how much has been sent.
 *
 * @throws AppError with the server's code, or `network.offline`; an abort is a DOMException `AbortError`.
 */
export function uploadStudies(files: readonly ChosenFile[], options: UploadOptions): Promise<UploadResponse> {
  const { seriesType, onProgress, signal } = options;
  const form = new FormData();
  // first, so that the server knows it before the files arrive
  if (seriesType) form.set("series_type", seriesType);
  for (const { path, file } of files) form.append("dicom_files", file, path);

  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(), speed = new SpeedMeter();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort, { once: true });
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.upload.onprogress = ({ loaded, total }) =>
      onProgress({
        sentBytes: loaded,
        totalBytes: total,
        bytesPerSecond: speed.add(performance.now(), loaded),
      });
    request.onabort = () => reject(new DOMException("The upload was canceled", "AbortError"));
    request.onerror = () => reject(new AppError("network.offline", "Cannot upload: the connection was lost"));
    request.onload = async () => {
      const { status, responseText } = request;
      if (status < 200 || status > 299) {
        // a status that a Response cannot have means that no answer came
        return reject(await errorOf(new Response(responseText, { status: status >= 400 ? status : 500 })));
      }
      try {
        resolve(uploadResponse.parse(JSON.parse(responseText)));
      } catch (cause) {
        reject(new AppError("internal", "Cannot read the answer to an upload", {}, { cause }));
      }
    };
    request.open("POST", "/api/v1/patients");
    request.send(form);
    if (signal.aborted) abort();
  });
}
