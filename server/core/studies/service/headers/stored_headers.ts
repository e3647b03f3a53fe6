import type { DicomEncoding } from "@/model/dicom/dicom_charset.ts";
import {
  damaged,
  type SourceHead,
  type SourceSeries,
  sourceSeriesOf,
} from "@/server/core/dicom/read/source_series.ts";
import type { HeadAnswers } from "@/server/core/dicom/worker/head_answers.ts";
import { readDicom } from "@/server/core/dicom/worker/reader.ts";
import type { BlobStore } from "@/server/core/blobs/blobs.ts";
import { listInputHashes } from "@/server/core/studies/storage/series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Number of bytes read first, enough for most headers; quadrupled until the header is complete. */
const HEAD_BYTES = 1 << 16, GROWTH = 4;
/** Maximum header size in bytes for lists and searches, which may read a thousand headers. */
const MAX_HEADER_BYTES = 8 << 20;

/**
 * Reads longer and longer beginnings of a stored file until `read` succeeds.
 * @param read Gets the beginning, and whether it is the complete file.
 * `read` returns `null` if it needs more bytes.
 * @throws {AppError} `engine.unsupported_input` if `maxBytes` are not enough; `file.damaged`.
 */
async function readGrowing<T>(
  blobs: BlobStore,
  hash: string,
  maxBytes: number,
  read: (bytes: Uint8Array<ArrayBuffer>, isWhole: boolean) => Promise<{ value: T } | null>,
): Promise<T> {
  let bytes = new Uint8Array(0);
  for (let size = HEAD_BYTES;; size = Math.min(GROWTH * size, maxBytes)) {
    const more = await new Response(await blobs.stream(hash, bytes.length, size)).bytes();
    const longer = new Uint8Array(bytes.length + more.length);
    longer.set(bytes);
    longer.set(more, bytes.length);
    bytes = longer;
    const answer = await read(bytes, bytes.length < size);
    if (answer !== null) return answer.value;
    if (size >= maxBytes) throw damaged(`its header is longer than ${maxBytes} bytes`);
  }
}

/** Options for reading the header of a stored file. */
interface QuestionOptions {
  encoding?: DicomEncoding;
  /** maximum number of bytes to read; 8 MiB by default */
  maxBytes?: number;
  /** whether to read in the background, see `DicomReader.readLater()` */
  isLater?: boolean;
}

/**
 * Reads a value from the header of a stored file in a worker, with as many bytes as it needs.
 * @throws {AppError} `file.damaged`; `server.busy`; `engine.unsupported_input` for a damaged file,
 * or a header longer than `maxBytes`.
 */
export const storedAnswer = <Of extends keyof HeadAnswers>(
  { blobs, reader }: Pick<ServiceContext, "blobs" | "reader">,
  hash: string,
  of: Of,
  { encoding, maxBytes = MAX_HEADER_BYTES, isLater = false }: QuestionOptions = {},
): Promise<HeadAnswers[Of]> =>
  readGrowing(blobs, hash, maxBytes, async (beginning, isWhole) => {
    // a copy, because the bytes are transferred to the worker
    const task = { kind: "head", of, bytes: beginning.slice(), isWhole, encoding } as const;
    return await readDicom(reader, task, isLater) as { value: HeadAnswers[Of] } | null;
  });

/**
 * Reads a value from the header of a series' first file, which represents all files.
 * `undefined` for a series without files.
 */
export async function seriesAnswer<Of extends keyof HeadAnswers>(
  services: Pick<ServiceContext, "db" | "blobs" | "reader">,
  seriesId: number,
  of: Of,
  options: QuestionOptions = {},
): Promise<HeadAnswers[Of] | undefined> {
  const [hash] = await listInputHashes(services.db, seriesId);
  return hash === undefined
    ? undefined
    : await storedAnswer(services, hash, of, { maxBytes: Infinity, ...options });
}

/**
 * Reads a series with the positions of its slices from all stored files.
 * @throws {AppError} as {@link storedAnswer}; `engine.unsupported_input` if it is no series.
 */
export function storedSource(
  services: Pick<ServiceContext, "db" | "blobs" | "reader">,
  seriesId: number,
  encoding: DicomEncoding | undefined,
): Promise<SourceSeries> {
  async function* heads(): AsyncGenerator<SourceHead> {
    for (const hash of await listInputHashes(services.db, seriesId)) {
      yield await storedAnswer(services, hash, "source", {
        encoding,
        maxBytes: Infinity,
        isLater: true,
      });
    }
  }
  return sourceSeriesOf(heads());
}
