import { setPriority } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "@/model/errors.ts";
import type { Volume } from "@/model/volume.ts";
import type { ConvertAnswer, ConvertRequest } from "@/core/dicom/convert_worker.ts";
import type { PackRequest } from "@/core/dicom/pack_process.ts";
import type { ConvertFailure } from "@/core/dicom/series_volume.ts";
import { rejected } from "@/core/dicom/verdict.ts";

export interface SeriesFile {
  fileName: string;
  path: string;
}

/** The worker that converts, and how long it may take; tests pass one that hangs or dies. */
const CONVERTER = { script: new URL("./convert_worker.ts", import.meta.url), timeoutMs: 120_000 };

/**
 * Turns the files of one accepted series (see `groupSeries`) into a volume with dcm2niix, in a worker that is
 * ended afterwards.
 *
 * The affine that the headers alone give is compared with dcm2niix's: both grids must have the same corners, and
 * voxels of uncompressed slices must be found where the header puts them. A disagreement is an error, because it
 * could exchange left and right.
 *
 * @param files  All files of the series, any order, on disk; read twice, never held here.
 * @returns Voxels with the rescale slope applied, in dcm2niix's order, with its affine (RAS mm, may be oblique).
 * @throws {AppError} `upload.format_not_supported` with reason `conversion` (crash, hang, lost slices) or
 *   `geometry_mismatch`; those of `readInstance`; `job.canceled` when `signal` aborts.
 */
export async function convertSeries(
  files: readonly SeriesFile[],
  signal?: AbortSignal,
  converter = CONVERTER,
): Promise<Volume> {
  return await runWorker({ files }, converter, signal);
}

/**
 * {@link convertSeries} into a file (.nii.gz) in the folder of the first one, in a process that may read, write there,
 * and nothing else. dcm2niix needs six times the memory of a series; neither that nor the volume is ever this
 * process's. After an error what was written is gone.
 *
 * @throws {AppError} as {@link convertSeries}, and `storage.full`.
 */
export async function packSeries(files: readonly SeriesFile[], packTo: string): Promise<void> {
  try {
    await runProcess({ files, packTo });
  } catch (error) {
    await Deno.remove(packTo).catch(() => {});
    throw error;
  }
}

/** A comma would part two folders, and cannot be escaped. */
const allowWriting = (folder: string) => folder.includes(",") ? "--allow-write" : `--allow-write=${folder}`;

const PACKER = fileURLToPath(new URL("./pack_process.ts", import.meta.url));

async function runProcess(request: PackRequest): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--no-prompt",
      "--cached-only",
      "--allow-read",
      "--allow-env",
      allowWriting(dirname(request.packTo)),
      PACKER,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // those who wait for an answer of the site come first
  try {
    setPriority(child.pid, 10);
  } catch { /* it has ended, or may not be moved */ }
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, CONVERTER.timeoutMs);
  const write = async () => {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(request)));
    await writer.close();
  };
  // one that dies before it has read all says so by its end
  const [{ success, code, stdout, stderr }] = await Promise.all([child.output(), write().catch(() => {})]);
  clearTimeout(timer);
  const text = new TextDecoder();
  if (isLate) throw refused(`no answer in ${CONVERTER.timeoutMs} ms`);
  if (!success) throw refused(`the converter ended with ${code}: ${text.decode(stderr).slice(-500)}`);
  if (stdout.length === 0) return;
  const failure = JSON.parse(text.decode(stdout)) as ConvertFailure;
  throw new AppError(failure.code, failure.message, failure.details);
}

const refused = (message: string) => rejected("conversion", `Cannot convert series: ${message}`);

function runWorker(
  request: ConvertRequest,
  { script, timeoutMs }: typeof CONVERTER,
  signal?: AbortSignal,
): Promise<Volume> {
  if (signal?.aborted) throw new AppError("job.canceled", "Cannot convert series: canceled");
  const worker = new Worker(script, { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<Volume>();
  const fail = (message: string) => reject(refused(message));
  const timer = setTimeout(() => fail(`no answer in ${timeoutMs} ms`), timeoutMs);
  const onAbort = () => reject(new AppError("job.canceled", "Cannot convert series: canceled"));
  signal?.addEventListener("abort", onAbort, { once: true });
  worker.onmessage = ({ data }: MessageEvent<ConvertAnswer>) => {
    if ("volume" in data) return resolve(data.volume);
    const { code, message, details } = data.error;
    reject(new AppError(code, message, details));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    worker.terminate();
  });
}
