import { AppError, cannotWrite } from "@/model/errors.ts";
import type { NamedPatient, UploadFailure } from "@/model/schema/studies/upload.ts";
import { MAX_OBJECT_BYTES } from "@/server/gate/link/tasks.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import type { InstanceFile } from "@/server/core/dicom/read/series.ts";
import { INFLATED_PIECE_BYTES } from "@/server/core/dicom/worker/read_tasks.ts";
import { readDicom, readHeadersOf } from "@/server/core/dicom/worker/reader.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { withDeflated } from "@/server/core/dicom/limits/inflated_body.ts";
import type { StagedBlob } from "@/server/core/blobs/blobs.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import type { GroupSettings } from "@/server/core/settings/service/settings.ts";

export const MAX_FILES = 20_000;
/** Maximum number of files that are synced to disk at a time while further files arrive. */
const FILES_IN_FLIGHT = 6;

/** A file that is arriving; its bytes must be read before the next file is requested. */
export interface IncomingFile {
  fileName: string;
  body: AsyncIterable<Uint8Array>;
}

/** A received file on disk. Several files of an upload may have the same name. */
export interface ReceivedFile {
  fileName: string;
  staged: StagedBlob;
}

/** Description of the series of a file, for messages. */
export type SeriesName = NonNullable<UploadFailure["series"]>;

/** Errors of files that are not stored, for the response to an upload. */
export class FileErrors {
  readonly failed: UploadFailure[];
  /** error of each refused file, by the file's position in the list of received files */
  readonly #refused = new Map<number, { error: AppError; failure: UploadFailure }>();
  readonly #series = new Map<number, SeriesName>();

  constructor(failed: readonly UploadFailure[] = []) {
    this.failed = [...failed];
  }

  /** Records the series of a received file, so that messages can name the series. */
  describe(at: number, series: SeriesName): void {
    this.#series.set(at, series);
  }

  /**
   * Refuses a received file; `at` is the position in the list of received files.
   * @param patients Patients in a mixed upload, for the message.
   */
  refuse(
    at: number,
    fileName: string,
    error: AppError,
    pid?: number,
    patients?: readonly NamedPatient[],
  ): void {
    const failure = this.add(fileName, error, pid), series = this.#series.get(at);
    if (series) failure.series = series;
    if (patients) failure.patients = [...patients];
    this.#refused.set(at, { error, failure });
  }

  /** Removes the error of a file that is stored after all. */
  withdraw(at: number): void {
    const refused = this.#refused.get(at);
    if (!refused) return;
    this.#refused.delete(at);
    this.failed.splice(this.failed.indexOf(refused.failure), 1);
  }

  /** Error with which a received file was refused. */
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

/** Inflates a deflated file before it is stored, in a worker, so that requests do not wait. */
async function inflatedBlob(
  { blobs, reader }: Pick<ServiceContext, "blobs" | "reader">,
  packed: StagedBlob,
): Promise<StagedBlob> {
  async function* pieces() {
    for (let from = 0, isEnd = false; !isEnd;) {
      const piece = await readDicom(reader, { kind: "inflated", path: packed.path, from }, true);
      from += piece.length;
      isEnd = piece.length < INFLATED_PIECE_BYTES;
      yield piece;
    }
  }
  try {
    return await blobs.stage(pieces(), MAX_OBJECT_BYTES).staging;
  } finally {
    await packed.discard();
  }
}

/** Whether an error ends the whole upload, not only the storing of one file. */
export const endsUpload = (error: AppError): boolean =>
  cannotWrite(error) || error.code === "storage.unavailable" ||
  error.code === "internal" ||
  error.details.reason === "aborted" ||
  error.details.reason === "multipart";

/**
 * Received files of a request. A file counts as received once it is completely on disk:
 * an aborted connection leaves no partial file.
 */
export class ReceivedFiles {
  /** errors of the files that were refused */
  readonly fileErrors = new FileErrors();
  readonly #files: (ReceivedFile | undefined)[] = [];
  #begun = 0;
  #ended = 0;

  /** @param maxFiles Maximum number of files, including those of earlier requests. */
  constructor(private readonly maxFiles = MAX_FILES) {}

  /** Files on disk, in the order of their arrival. */
  get files(): ReceivedFile[] {
    return this.#files.filter((file) => file !== undefined);
  }

  /** Number that changes whenever the transfer of a file starts or ends. */
  get progress(): number {
    return this.#begun + this.#ended;
  }

  /** Deletes staged files; files that were stored have been moved and are kept. */
  async discard(): Promise<void> {
    await Promise.all(this.files.map(({ staged }) => staged.discard()));
    this.#files.length = 0;
  }

  /**
   * Writes the files of a request to disk.
   * @param known Names of files received by earlier requests.
   * If given, a name identifies a file, and a file with a known name is skipped.
   * @throws {AppError} `storage.full`, `input.invalid` for a broken or incomplete body.
   * Files that were complete before the error are kept.
   */
  async take(
    services: Pick<ServiceContext, "blobs" | "reader">,
    files: AsyncIterable<IncomingFile>,
    known?: readonly string[],
  ): Promise<void> {
    const { blobs } = services;
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
        const arriving = withDeflated(body);
        const { written, staging } = blobs.stage(arriving.body, MAX_OBJECT_BYTES);
        const stored = staging.then((staged) =>
          arriving.isDeflated() ? inflatedBlob(services, staged) : staged
        );
        const task = settle(index, fileName, stored).finally(() => inFlight.delete(task));
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
 * Reads the headers of files on disk in workers, if there are any.
 * Errors of files that are not MR images are added to `fileErrors`.
 * @returns headers in the order of the files; `fileName` is the position of the file.
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
    // the server is stopping or busy, which is no fault of the file
    if (isTyped && endsReading(one)) throw one;
    // an unexpected error in one file must not prevent the storing of other files
    if (!isTyped) log("error", "Cannot read instance", { error: one.stack });
    const error = isTyped ? one : rejected("truncated", "Cannot read instance");
    fileErrors.add(files[index]!.fileName, error);
    return [];
  });
}
