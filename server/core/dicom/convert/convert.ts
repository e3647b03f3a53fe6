import { fileURLToPath } from "node:url";
import { AppError } from "@/model/errors.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import type {
  ConvertAnswer,
  ConvertFailure,
  ConvertRequest,
  PackAnswer,
  PackRequest,
  SeriesFile,
} from "@/server/core/dicom/convert/convert_messages.ts";
import type { Unchecked } from "@/server/core/dicom/convert/convert_checks.ts";
import { requestConversion } from "@/server/core/dicom/convert/converter.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { limitWork } from "@/server/core/dicom/worker/work_limit.ts";
import { rightsToFiles, withReal } from "@/server/wire/worker_rights.ts";

/** Module and time limit of a worker; tests pass a module that hangs or crashes. */
interface WorkerSettings {
  script: URL;
  timeoutMs: number;
}

/**
 * Program files that a conversion worker loads: this folder, its imports, dcm2niix and decoders.
 */
const PROGRAM = [
  ...["../../../", "../../../../model/", "../../../../chunks/"].map((path) =>
    new URL(path, import.meta.url)
  ),
  ...[
    import.meta.resolve("@niivue/dcm2niix"),
    import.meta.resolve("@cornerstonejs/codec-charls/decodewasm"),
    import.meta.resolve("@cornerstonejs/codec-openjpeg/decodewasm"),
  ].map((file) => new URL("./", file)),
].map((url) => fileURLToPath(url));

/** Permissions of a conversion worker: to read the series and the program, and write the volume. */
const rightsOf = (request: ConvertRequest | PackRequest): Deno.PermissionOptions =>
  rightsToFiles(
    [...PROGRAM, ...request.files.flatMap(({ path }) => withReal(path))],
    "packTo" in request ? [request.packTo] : [],
  );

const TIMEOUT_MS = 120_000;
/** Maximum number of attempts when the converter process ends during a conversion. */
const MAX_ATTEMPTS = 2;
const CONVERT: WorkerSettings = {
  script: new URL("./convert_worker.ts", import.meta.url),
  timeoutMs: TIMEOUT_MS,
};
const PACK: WorkerSettings = {
  script: new URL("./pack_worker.ts", import.meta.url),
  timeoutMs: TIMEOUT_MS,
};

/**
 * Converts the files of one accepted series (see `groupSeries`) to a volume, in a worker.
 * The worker is terminated afterwards.
 *
 * The volume is built from headers and pixels (stack/build.ts) and compared with dcm2niix.
 * Both must give the same slices at the same positions with the same values up to one factor.
 * A disagreement is an error, because it could exchange left and right or change intensities.
 *
 * @param files  All files of the series on disk, in any order; read twice, never all in memory.
 * @returns Voxels with each slice's slope and intercept applied, in dcm2niix's order.
 * The affine is to RAS mm; the axes may be oblique.
 * @throws {AppError} `upload.format_not_supported` with reason `conversion` (crash, hang, damaged
 * frames), `geometry_mismatch`, `readings_differ`, `volume_too_large`; those of `readInstance`;
 * `job.canceled` when `signal` aborts.
 */
export async function convertSeries(
  files: readonly SeriesFile[],
  signal?: AbortSignal,
  converter = CONVERT,
): Promise<Volume> {
  const answer: ConvertAnswer = await runWorker(
    { files } satisfies ConvertRequest,
    converter,
    signal,
  );
  if ("volume" in answer) return answer.volume;
  throw failed(answer.error);
}

/**
 * Converts a series in the converter process. Retries once if that process ended meanwhile,
 * possibly because of another series. Without a converter process, a worker thread converts.
 * @throws {AppError} reason `reading_ended` when the converter ended twice.
 */
async function packElsewhere(converter: string, request: PackRequest): Promise<PackAnswer> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const answer = await requestConversion(converter, request);
    if (answer === "absent") return await packInWorker(request);
    if (answer !== "dead") return answer;
  }
  throw rejected(
    "reading_ended",
    `Cannot convert series: the converter ended ${MAX_ATTEMPTS} times`,
  );
}

/**
 * Converts a series as {@link convertSeries} into a .nii.gz file in the folder of the first file.
 * The converter process at the socket `converter` converts; without a socket a worker thread.
 * dcm2niix needs memory of six times the series, hence a separate process on a busy server.
 * After an error, the incomplete file is deleted.
 *
 * @returns reason why dcm2niix could not verify the series; `null` if dcm2niix agrees.
 * @throws {AppError} as {@link convertSeries}, and `storage.full`.
 */
export async function packSeries(
  files: readonly SeriesFile[],
  packTo: string,
  converter?: string | null,
): Promise<Unchecked | null> {
  const request: PackRequest = { files, packTo };
  try {
    const answer = converter
      ? await packElsewhere(converter, request)
      : await packInWorker(request);
    if ("error" in answer) throw failed(answer.error);
    return answer.unchecked;
  } catch (error) {
    await Deno.remove(packTo).catch(() => {});
    throw error;
  }
}

/**
 * Converts a series in a worker thread of this process.
 * @param onHang Called when the worker exceeds the time limit. The worker's thread then runs
 * until this process ends, because `terminate()` does not stop a busy worker (Deno 2.9).
 * @throws {AppError} when the worker hangs or crashes.
 */
export const packInWorker = (
  request: PackRequest,
  packer = PACK,
  onHang = () => {},
): Promise<PackAnswer> => runWorker(request, packer, undefined, onHang);

const refused = (message: string) => rejected("conversion", `Cannot convert series: ${message}`);
const failed = ({ code, message, details }: ConvertFailure) => new AppError(code, message, details);

function runWorker<Answer>(
  request: ConvertRequest | PackRequest,
  { script, timeoutMs }: WorkerSettings,
  signal?: AbortSignal,
  onHang = () => {},
): Promise<Answer> {
  if (signal?.aborted) throw new AppError("job.canceled", "Cannot convert series: canceled");
  const worker = new Worker(script, { type: "module", deno: { permissions: rightsOf(request) } });
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const fail = (message: string) => reject(refused(message));
  const stopLimit = limitWork(timeoutMs, () => {
    onHang();
    fail(`no answer in ${timeoutMs} ms`);
  });
  const onAbort = () => reject(new AppError("job.canceled", "Cannot convert series: canceled"));
  signal?.addEventListener("abort", onAbort, { once: true });
  worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
  worker.onmessageerror = () => fail("its answer cannot be read");
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  worker.postMessage(request);
  return promise.finally(() => {
    stopLimit();
    signal?.removeEventListener("abort", onAbort);
    worker.terminate();
  });
}
