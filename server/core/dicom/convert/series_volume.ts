import { affineOfStack, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { Shape } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { AppError } from "@/model/errors.ts";
import type { ConvertFailure, SeriesFile } from "@/server/core/dicom/convert/convert_messages.ts";
import {
  checkCorners,
  checkVoxels,
  pickVolume,
  type Source,
} from "@/server/core/dicom/convert/convert_checks.ts";
import { runDcm2niix } from "@/server/core/dicom/convert/dcm2niix.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";

/** What is not an {@link AppError} is the converter's: the series is refused, unless the disk is full. */
export function failureOf(error: unknown): ConvertFailure {
  if (error instanceof AppError) {
    return { code: error.code, message: error.message, details: error.details };
  }
  if ((error as { code?: string } | null)?.code === "ENOSPC") {
    return { code: "storage.full", message: "Cannot store the volume: the disk is full", details: {} };
  }
  const { code, message, details } = rejected(
    "conversion",
    `Cannot convert series: ${error instanceof Error ? error.message : String(error)}`,
  );
  return { code, message, details };
}

/**
 * Volume of one accepted series, by dcm2niix, checked against the headers. Runs on the calling thread and may hang or
 * die: only where it can be ended, see convert.ts.
 * @throws {AppError} as `convertSeries`; errors of dcm2niix as they are.
 */
export async function volumeOf(files: readonly SeriesFile[]): Promise<Volume> {
  const sources: Source[] = [];
  for (const file of files) {
    sources.push({ path: file.path, header: await readInstanceFile(file.path, file.fileName) });
  }
  const planes = sources.flatMap((s) => s.header.planes).sort((a, b) =>
    stackPositionMm(a) - stackPositionMm(b)
  );
  if (planes.length < 2) {
    throw rejected("too_few_slices", "Cannot convert series: one slice", { slices: 1, minimum: 2 });
  }
  const { columns, rows } = sources[0]!.header;
  const shape: Shape = [columns, rows, planes.length];
  const rasFromIjk = affineOfStack(planes);
  const { code, outputs } = await runDcm2niix(sources.map((s) => s.path));
  if (outputs.length === 0) {
    throw rejected("conversion", `Cannot convert series: exit code ${code}, no output`);
  }
  const volume = pickVolume(outputs, shape);
  checkCorners(volume, shape, rasFromIjk);
  await checkVoxels(volume, rasFromIjk, sources);
  return volume;
}
