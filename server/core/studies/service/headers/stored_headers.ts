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

/** Enough for the header of most slices; four times as much is read as long as it is not. */
const HEAD_BYTES = 1 << 16, GROWTH = 4;
/** A header that is longer is not read by lists and searches, which may meet a thousand of them. */
const MAX_HEADER_BYTES = 8 << 20;

/**
 * Reads a stored file in growing pieces until `read` has found enough of it.
 * @param read Is given the beginning, and whether it is the whole file. @returns `null`: more is
 *   needed.
 * @throws {AppError} `engine.unsupported_input` when `maxBytes` are not enough; `file.damaged`.
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

/** How a question about a stored file is asked. */
interface QuestionOptions {
  encoding?: DicomEncoding;
  /** bytes that are read at most, 8 MiB by default */
  maxBytes?: number;
  /** no person waits for the answer, see `DicomReader.readLater()` */
  isLater?: boolean;
}

/**
 * Asks a reader about a stored file, of which it gets the part up to the pixels in growing pieces.
 * @throws {AppError} `engine.unsupported_input` when the file is damaged or its header longer than
 *   `maxBytes`; `file.damaged`; `server.busy`.
 */
export const storedAnswer = <Of extends keyof HeadAnswers>(
  { blobs, reader }: Pick<ServiceContext, "blobs" | "reader">,
  hash: string,
  of: Of,
  { encoding, maxBytes = MAX_HEADER_BYTES, isLater = false }: QuestionOptions = {},
): Promise<HeadAnswers[Of]> =>
  readGrowing(blobs, hash, maxBytes, async (beginning, isWhole) => {
    // the reader takes the bytes that it is given
    const task = { kind: "head", of, bytes: beginning.slice(), isWhole, encoding } as const;
    return await readDicom(reader, task, isLater) as { value: HeadAnswers[Of] } | null;
  });

/**
 * {@link storedAnswer} of the first file of a series, whose files are stored alike; `undefined`
 * without files.
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
 * A series with its slices, from all of its stored files. @throws {AppError} as
 * {@link storedAnswer}; `engine.unsupported_input` when the files are no series.
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
