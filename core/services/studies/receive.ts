import { AppError } from "@/model/errors.ts";
import type { UploadFailure } from "@/model/schema/patients.ts";
import { encodingTerm } from "@/model/dicom_charset.ts";
import { readInstanceFile } from "@/core/dicom/read/instance.ts";
import type { InstanceFile } from "@/core/dicom/read/series.ts";
import type { StagedBlob } from "@/core/storage/blobs/blobs.ts";
import type { ServiceContext } from "@/core/services/context.ts";
import type { GroupSettings } from "@/core/services/settings/settings.ts";

export const MAX_FILES = 20_000;
/** One multi-frame file can hold a whole series. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** Files that are forced to disk and read while the next ones arrive. */
const FILES_IN_FLIGHT = 6;

/** One file as it arrives; its bytes are read before the next file is asked for. */
export interface IncomingFile {
  fileName: string;
  body: AsyncIterable<Uint8Array>;
}

/** A file on disk that is an MR image. Names may repeat within an upload, keys do not. */
export interface ReceivedFile {
  key: string;
  fileName: string;
  staged: StagedBlob;
}

/** What is wrong with the files that do not go in. */
export class FileErrors {
  readonly failed: UploadFailure[];

  constructor(failed: readonly UploadFailure[] = []) {
    this.failed = [...failed];
  }

  add(fileName: string, error: AppError, pid?: number): void {
    const { reason, ...details } = error.details;
    this.failed.push({
      file_name: fileName,
      code: error.code,
      ...(typeof reason === "string" ? { reason } : {}),
      ...(Object.keys(details).length > 0 ? { details } : {}),
      ...(pid === undefined ? {} : { pid }),
    });
  }
}

/** Trouble of the whole site or connection, rather than of one file. */
export const endsUpload = (error: AppError): boolean =>
  error.code === "storage.full" || error.code === "storage.unavailable" || error.code === "internal" ||
  error.details.reason === "aborted" ||
  error.details.reason === "multipart";

/**
 * The files of one upload that have arrived, in one request or in several. A file counts as soon as all of it is on
 * disk: what a broken connection cut short leaves nothing behind.
 */
export class ReceivedFiles {
  /** of files that are no MR image */
  readonly fileErrors = new FileErrors();
  readonly files = new Map<string, ReceivedFile>();
  readonly #instances: (InstanceFile | undefined)[] = [];
  readonly #names = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();
  #count = 0;
  #staged = 0;
  #isDiscarded = false;

  /**
   * @param isByName The name says which file it is: one that has arrived is not taken again.
   * @param maxFiles More than these are refused.
   */
  constructor(private readonly isByName = false, private readonly maxFiles = MAX_FILES) {}

  /** Headers in the order of arrival; `fileName` is the key of {@link files}. */
  get instances(): InstanceFile[] {
    return this.#instances.filter((instance) => instance !== undefined);
  }

  /** Files that have begun to arrive or are on disk, each counted for both. */
  get count(): number {
    return this.#count + this.#staged;
  }

  /** Names of all files whose fate is known: on disk, or refused. */
  get names(): string[] {
    return [...this.#names];
  }

  /** Waits for the files that are complete but not yet forced to disk. */
  async settled(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Of what was kept, the staged file is gone already. What is still arriving is thrown away as it comes. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await Promise.all([...this.files.values()].map((file) => file.staged.discard()));
    this.files.clear();
    this.#instances.length = 0;
  }

  /**
   * Writes files to disk and reads their headers; what is no MR image gets a verdict.
   * @throws {AppError} `storage.full`, `input.invalid` for a broken or unfinished body; files before the break stay.
   */
  async take(
    { blobs, log }: ServiceContext,
    files: AsyncIterable<IncomingFile>,
    settings: GroupSettings,
  ): Promise<void> {
    const encoding = encodingTerm(settings.dicom_encoding_id);
    let broken: unknown = null;
    const read = async (index: number, fileName: string, staging: Promise<StagedBlob>) => {
      try {
        const staged = await staging;
        this.#staged++;
        const isKnown = this.isByName && this.#names.has(fileName);
        if (isKnown || this.#isDiscarded) return await staged.discard();
        const key = String(index);
        this.files.set(key, { key, fileName, staged });
        this.#names.add(fileName);
        const header = await readInstanceFile(staged.path, fileName, encoding);
        this.#instances[index] = { fileName: key, header };
      } catch (error) {
        // its file is gone, and nobody asks for a verdict
        if (this.#isDiscarded) return;
        if (!(error instanceof AppError)) {
          // a bug in reading one odd file must not refuse the others
          const text = error instanceof Error ? error.stack : String(error);
          log("error", "Cannot read instance", { error: text });
          this.#refuse(fileName, new AppError("upload.format_not_supported", "", { reason: "truncated" }));
        } else if (endsUpload(error)) broken ??= error;
        else this.#refuse(fileName, error);
      }
    };
    try {
      for await (const file of files) {
        if (this.isByName && this.#names.has(file.fileName)) continue;
        const index = this.#count++;
        if (this.#count > this.maxFiles) {
          throw new AppError("input.invalid", `Cannot store the upload: more than ${this.maxFiles} files`, {
            reason: "too_many_files",
            max_files: this.maxFiles,
          });
        }
        const { written, staging } = blobs.stage(file.body, MAX_FILE_BYTES);
        const task = read(index, file.fileName, staging).finally(() => this.#inFlight.delete(task));
        this.#inFlight.add(task);
        await written;
        if (this.#inFlight.size >= FILES_IN_FLIGHT) await Promise.race(this.#inFlight);
        if (broken || this.#isDiscarded) break;
      }
    } finally {
      await this.settled();
    }
    if (broken) throw broken;
  }

  #refuse(fileName: string, error: AppError): void {
    this.#names.add(fileName);
    this.fileErrors.add(fileName, error);
  }
}
