import { AppError } from "@/model/errors.ts";
import type { SeriesType } from "@/model/schema/studies/study.ts";
import { type UploadResponse, uploadResponse } from "@/model/schema/studies/upload.ts";
import { errorOf } from "@/client/api/http.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";

/** Measures the speed of a transfer over the last seconds. */
export class SpeedMeter {
  readonly #points: { timeMs: number; bytes: number }[] = [];

  constructor(private readonly windowMs = 5000) {}

  /** Adds the number of bytes sent so far and returns the speed, bytes/s. */
  add(timeMs: number, bytes: number): number {
    this.#points.push({ timeMs, bytes });
    while (this.#points.length > 2 && timeMs - this.#points[0]!.timeMs > this.windowMs) {
      this.#points.shift();
    }
    const first = this.#points[0]!;
    const elapsedMs = timeMs - first.timeMs;
    return elapsedMs > 0 ? Math.max(0, bytes - first.bytes) / elapsedMs * 1000 : 0;
  }
}

/** Content of one request of an upload, with some of its files. */
interface UploadPart {
  uploadId: string;
  isLast: boolean;
  /** number of files in the whole upload */
  fileCount: number;
  files: readonly ChosenFile[];
  /** kind of the series; absent: the server decides by the DICOM attributes */
  seriesType?: SeriesType;
}

/**
 * Sends a part of an upload. `onProgress` receives the number of bytes sent so far.
 * @throws AppError with the server's code, or `network.offline`.
 * An abort is a DOMException `AbortError`.
 */
export type SendPart = (
  part: UploadPart,
  options: { signal: AbortSignal; onProgress: (sentBytes: number) => void },
) => Promise<UploadResponse>;

/** Address and form body of the request for a part. */
export function requestOfPart({ uploadId, isLast, fileCount, files, seriesType }: UploadPart) {
  const body = new FormData();
  // first in the form, so that the server knows the series type before the files arrive
  if (seriesType) body.set("series_type", seriesType);
  // adds a field, because a form without fields would have no boundary
  else if (files.length === 0) body.set("series_type", "");
  for (const { path, file } of files) body.append("dicom_files", file, path);
  const query = { upload_id: uploadId, is_last: isLast ? "1" : "0", file_count: String(fileCount) };
  return { path: "/api/v1/patients", query, body };
}

/** {@link SendPart} in a browser, by XMLHttpRequest: `fetch` does not report upload progress. */
export const sendPart: SendPart = (part, { signal, onProgress }) =>
  new Promise((resolve, reject) => {
    const { path, query, body } = requestOfPart(part), request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort, { once: true });
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onabort = () => reject(new DOMException("The upload was canceled", "AbortError"));
    request.onerror = () =>
      reject(new AppError("network.offline", "Cannot upload: the connection was lost"));
    request.onload = async () => {
      const { status, responseText } = request;
      if (status < 200 || status > 299) {
        // a status that Response does not allow means that no response arrived
        return reject(
          await errorOf(new Response(responseText, { status: status >= 400 ? status : 500 })),
        );
      }
      try {
        resolve(uploadResponse.parse(JSON.parse(responseText)));
      } catch (cause) {
        reject(new AppError("internal", "Cannot read the answer to an upload", {}, { cause }));
      }
    };
    request.open("POST", `${path}?${new URLSearchParams(query)}`);
    request.send(body);
    if (signal.aborted) abort();
  });
