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
/** Maximum number of files that are synced while more files arrive, or read in parallel. */
const FILES_IN_FLIGHT = 6;

/** A file that is being received; read all bytes before requesting the next file. */
export interface IncomingFile {
  fileName: string;
  body: AsyncIterable<Uint8Array>;
}

/** A received file on disk. Names may repeat within an upload. */
export interface ReceivedFile {
  fileName: string;
  staged: StagedBlob;
}

/** Description of a file's series, for messages. */
export type SeriesName = NonNullable<UploadFailure["series"]>;

/** Errors of the files that are not stored. */
export class FileErrors {
  readonly failed: UploadFailure[];
  /** errors of received files, by position in the list */
  readonly #refused = new Map<number, { error: AppError; failure: UploadFailure }>();
  readonly #series = new Map<number, SeriesName>();

  constructor(failed: readonly UploadFailure[] = []) {
    this.failed = [...failed];
  }

  /** Records the series of a received file, which messages about the file name. */
  describe(at: number, series: SeriesName): void {
    this.#series.set(at, series);
  }

  /**
   * Refuses a received file, given by position.
   * @param patients Patients that are mixed up, for the message.
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

  /** Removes the error of a file that is used after all. */
  withdraw(at: number): void {
    const refused = this.#refused.get(at);
    if (!refused) return;
    this.#refused.delete(at);
    this.failed.splice(this.failed.indexOf(refused.failure), 1);
  }

  /** Reason for refusing a received file. */
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

/** A deflated file as it is stored: inflated by a reader, so that it delays no other request. */
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

/** Whether an error affects the whole site or connection, not a single file. */
export const endsUpload = (error: AppError): boolean =>
  cannotWrite(error) || error.code === "storage.unavailable" ||
  error.code === "internal" ||
  error.details.reason === "aborted" ||
  error.details.reason === "multipart";

/**
 * The files of a request. A file counts as received once all of it is on disk:
 * an aborted connection leaves no partial file.
 */
export class ReceivedFiles {
  /** errors of the refused files */
  readonly fileErrors = new FileErrors();
  readonly #files: (ReceivedFile | undefined)[] = [];
  #begun = 0;
  #ended = 0;

  /** @param maxFiles Limit including files received earlier; further files are refused. */
  constructor(private readonly maxFiles = MAX_FILES) {}

  /** Files on disk in the order of arrival. */
  get files(): ReceivedFile[] {
    return this.#files.filter((file) => file !== undefined);
  }

  /** Changes whenever the transfer of a file starts or ends. */
  get progress(): number {
    return this.#begun + this.#ended;
  }

  /** Discards staged files, except files that were stored and therefore moved. */
  async discard(): Promise<void> {
    await Promise.all(this.files.map(({ staged }) => staged.discard()));
    this.#files.length = 0;
  }

  /**
   * Writes files to disk.
   * @param known Names of files received earlier.
   * If given, a name identifies a file, and no name is accepted twice.
   * @throws {AppError} `storage.full`, `input.invalid` for a broken or incomplete body.
   * Files received before the error are kept.
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
 * Reads the headers of files on disk, in workers where available.
 * Errors of files that are not MR images are added to `fileErrors`.
 * @returns headers in the order of the files; `fileName` is the index of the file.
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
    // the site is shutting down, so the file is not to blame
    if (isTyped && endsReading(one)) throw one;
    // an unexpected error in one file must not refuse the other files
    if (!isTyped) log("error", "Cannot read instance", { error: one.stack });
    const error = isTyped ? one : rejected("truncated", "Cannot read instance");
    fileErrors.add(files[index]!.fileName, error);
    return [];
  });
}
