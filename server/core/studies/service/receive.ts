import { AppError, cannotWrite } from "@/model/errors.ts";
import type { UploadFailure } from "@/model/schema/studies/upload.ts";
import { MAX_OBJECT_BYTES } from "@/server/gate/link/tasks.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import type { InstanceFile } from "@/server/core/dicom/read/series.ts";
import { readHeadersOf } from "@/server/core/dicom/worker/reader.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StagedBlob } from "@/server/core/blobs/blobs.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import type { GroupSettings } from "@/server/core/settings/service/settings.ts";

export const MAX_FILES = 20_000;
/** Files that are forced to disk while the next ones arrive, or read at the same time. */
const FILES_IN_FLIGHT = 6;

/** One file as it arrives; its bytes are read before the next file is asked for. */
export interface IncomingFile {
  fileName: string;
  body: AsyncIterable<Uint8Array>;
}

/** A file that is on disk. Names may repeat within an upload. */
export interface ReceivedFile {
  fileName: string;
  staged: StagedBlob;
}

/** The series that a file is of, as words about the file name it. */
export type SeriesName = NonNullable<UploadFailure["series"]>;

/** Problems of the files that are not stored. */
export class FileErrors {
  readonly failed: UploadFailure[];
  /** problems of received files, by their position among those */
  readonly #refused = new Map<number, { error: AppError; failure: UploadFailure }>();
  readonly #series = new Map<number, SeriesName>();

  constructor(failed: readonly UploadFailure[] = []) {
    this.failed = [...failed];
  }

  /** Says which series a file that was received is of; the words about it name that. */
  describe(at: number, series: SeriesName): void {
    this.#series.set(at, series);
  }

  /** A file of those that were received. */
  refuse(at: number, fileName: string, error: AppError, pid?: number): void {
    const failure = this.add(fileName, error, pid), series = this.#series.get(at);
    if (series) failure.series = series;
    this.#refused.set(at, { error, failure });
  }

  /** Takes back that a file was refused: it is used after all. */
  withdraw(at: number): void {
    const refused = this.#refused.get(at);
    if (!refused) return;
    this.#refused.delete(at);
    this.failed.splice(this.failed.indexOf(refused.failure), 1);
  }

  /** Why a received file was not taken. */
  reasonOf(at: number): AppError | undefined {
    return this.#refused.get(at)?.error;
  }

  add(fileName: string, error: AppError, pid?: number): UploadFailure {
    const { reason, ...details } = error.details;
    const failure: UploadFailure = {
      file_name: fileName,
      code: error.code,
      ...(typeof reason === "string" ? { reason } : {}),
      ...(Object.keys(details).length > 0 ? { details } : {}),
      ...(pid === undefined ? {} : { pid }),
    };
    this.failed.push(failure);
    return failure;
  }
}

/** Trouble of the whole site or connection, rather than of one file. */
export const endsUpload = (error: AppError): boolean =>
  cannotWrite(error) || error.code === "storage.unavailable" ||
  error.code === "internal" ||
  error.details.reason === "aborted" ||
  error.details.reason === "multipart";

/**
 * The files of a request. A file counts as soon as all of it is on disk: a broken connection
 * leaves nothing behind.
 */
export class ReceivedFiles {
  /** problems of the refused files */
  readonly fileErrors = new FileErrors();
  readonly #files: (ReceivedFile | undefined)[] = [];
  #begun = 0;
  #ended = 0;

  /** @param maxFiles More than these, with those that arrived before, are refused. */
  constructor(private readonly maxFiles = MAX_FILES) {}

  /** Files on disk in the order of arrival. */
  get files(): ReceivedFile[] {
    return this.#files.filter((file) => file !== undefined);
  }

  /** Grows with each file that begins or ends to arrive. */
  get progress(): number {
    return this.#begun + this.#ended;
  }

  /** The staged file of a kept blob is gone already. */
  async discard(): Promise<void> {
    await Promise.all(this.files.map(({ staged }) => staged.discard()));
    this.#files.length = 0;
  }

  /**
   * Writes files to disk.
   * @param known Names of files that arrived before: then a name says which file it is, and none is
   *   taken twice.
   * @throws {AppError} `storage.full`, `input.invalid` for a broken or unfinished body; files
   *   before the break stay.
   */
  async take(
    { blobs }: Pick<ServiceContext, "blobs">,
    files: AsyncIterable<IncomingFile>,
    known?: readonly string[],
  ): Promise<void> {
    const inFlight = new Set<Promise<void>>(), names = new Set(known);
    let broken: unknown = null;
    const settle = async (index: number, fileName: string, staging: Promise<StagedBlob>) => {
      try {
        this.#files[index] = { fileName, staged: await staging };
        this.#ended++;
      } catch (error) {
        if (!(error instanceof AppError) || endsUpload(error)) broken ??= error;
        else this.fileErrors.add(fileName, error);
      }
    };
    try {
      for await (const { fileName, body } of files) {
        if (known && names.has(fileName)) continue;
        names.add(fileName);
        const index = this.#begun++;
        if (this.#begun + (known?.length ?? 0) > this.maxFiles) {
          throw new AppError(
            "input.invalid",
            `Cannot store the upload: more than ${this.maxFiles} files`,
            {
              reason: "too_many_files",
              max_files: this.maxFiles,
            },
          );
        }
        const { written, staging } = blobs.stage(body, MAX_OBJECT_BYTES);
        const task = settle(index, fileName, staging).finally(() => inFlight.delete(task));
        inFlight.add(task);
        await written;
        if (inFlight.size >= FILES_IN_FLIGHT) await Promise.race(inFlight);
        if (broken) break;
      }
    } finally {
      await Promise.all(inFlight);
    }
    if (broken) throw broken;
  }
}

const endsReading = ({ code }: AppError): boolean => code === "server.busy";

/**
 * Reads the headers of files on disk, in workers where the site has them; files that are no MR
 * images are added to `fileErrors`.
 * @returns headers in the order of the files; `fileName` is the place of the file in the list.
 */
export async function readHeaders(
  { log, reader }: Pick<ServiceContext, "log" | "reader">,
  files: readonly ReceivedFile[],
  settings: GroupSettings,
  fileErrors: FileErrors,
): Promise<InstanceFile[]> {
  const encoding = encodingTerm(settings.dicom_encoding_id),
    paths = files.map(({ staged }) => staged.path);
  const headers = await readHeadersOf(reader, "instances", paths, encoding);
  return headers.flatMap((one, index) => {
    if (!(one instanceof Error)) return { fileName: String(index), header: one };
    const isTyped = one instanceof AppError;
    // nothing is wrong with the file: the site is closing
    if (isTyped && endsReading(one)) throw one;
    // a bug in reading one odd file must not refuse the others
    if (!isTyped) log("error", "Cannot read instance", { error: one.stack });
    const error = isTyped ? one : rejected("truncated", "Cannot read instance");
    fileErrors.add(files[index]!.fileName, error);
    return [];
  });
}
