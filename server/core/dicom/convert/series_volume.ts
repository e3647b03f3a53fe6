import type { Volume } from "@/model/viewer/volume.ts";
import { AppError } from "@/model/errors.ts";
import type { ConvertFailure, SeriesFile } from "@/server/core/dicom/convert/convert_messages.ts";
import {
  compareReadings,
  type Unchecked,
  uncheckedClass,
} from "@/server/core/dicom/convert/convert_checks.ts";
import { runDcm2niix } from "@/server/core/dicom/convert/dcm2niix.ts";
import { isNativeSyntax, readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { parseStored } from "@/server/core/dicom/read/stored_file.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import {
  buildVolume,
  type BuiltVolume,
  type Source,
  type Stack,
  stackOf,
} from "@/server/core/dicom/stack/build.ts";
import { checkByTwin } from "@/server/core/dicom/stack/twin.ts";

/**
 * Converts an untyped error to a refusal of the series; a full disk stays an error of its type.
 */
export function failureOf(error: unknown): ConvertFailure {
  if (error instanceof AppError) {
    return { code: error.code, message: error.message, details: error.details };
  }
  if ((error as { code?: string } | null)?.code === "ENOSPC") {
    return {
      code: "storage.full",
      message: "Cannot store the volume: the disk is full",
      details: {},
    };
  }
  if ((error as { code?: string } | null)?.code === "EROFS") {
    return {
      code: "storage.read_only",
      message: "Cannot store the volume: the disk takes no changes",
      details: {},
    };
  }
  const { code, message, details } = rejected(
    "conversion",
    `Cannot convert series: ${error instanceof Error ? error.message : String(error)}`,
  );
  return { code, message, details };
}

/** Volume of a series, and the reason why dcm2niix could not verify it; `null` if verified. */
export interface CheckedVolume {
  volume: Volume;
  unchecked: Unchecked | null;
}

/** Whether any image in the files is stored in several fragments. */
async function hasFragments(sources: readonly Source[]): Promise<boolean> {
  for (const { path, header } of sources) {
    if (isNativeSyntax(header.transferSyntax)) continue;
    const { dataSet } = parseStored(await Deno.readFile(path), true);
    if ((dataSet.elements.x7fe00010?.fragments?.length ?? 0) > header.frameCount) return true;
  }
  return false;
}

/**
 * Volume of one accepted series, checked against the headers pixel by pixel,
 * and against dcm2niix's reading. Runs on the calling thread, where it may hang or crash:
 * call this only in a worker, see convert.ts.
 * @throws {AppError} as `convertSeries`; errors of the decoders unchanged.
 */
export async function volumeOf(files: readonly SeriesFile[]): Promise<CheckedVolume> {
  const sources: Source[] = [];
  for (const file of files) {
    sources.push({ path: file.path, header: await readInstanceFile(file.path, file.fileName) });
  }
  let stack = stackOf(sources), built = await buildVolume(stack);
  if (built.isInLowestBits) {
    // dcm2niix, which ignores High Bit, must then agree
    stack = stackOf(sources.map(({ path, header }) => ({
      path,
      header: { ...header, highBit: header.bitsStored - 1 },
    })));
    built = await buildVolume(stack);
  }
  await checkByTwin(stack, built);
  return { volume: built.volume, unchecked: await compareWithDcm2niix(stack, built, sources) };
}

/**
 * Volumes that dcm2niix writes; one call per multi-frame file, as dcm2niix reads only the first.
 */
async function dcm2niixOutputs(sources: readonly Source[]): Promise<Uint8Array[]> {
  const isDivided = sources.length > 1 && sources.every(({ header }) => header.frameCount > 1);
  const runs = isDivided ? sources.map((source) => [source]) : [sources], all: Uint8Array[] = [];
  for (const run of runs) all.push(...(await runDcm2niix(run.map(({ path }) => path))).outputs);
  return all;
}

/** Compares a volume with dcm2niix's. @returns the class of a series that dcm2niix cannot read. */
async function compareWithDcm2niix(
  stack: Stack,
  built: BuiltVolume,
  sources: readonly Source[],
): Promise<Unchecked | null> {
  let outputs: readonly Uint8Array[] = [];
  try {
    outputs = await dcm2niixOutputs(sources);
    compareReadings(stack, built, outputs);
    return null;
  } catch (error) {
    const unchecked = uncheckedClass(stack, await hasFragments(sources), outputs.length > 0);
    if (unchecked === null) throw error;
    if (unchecked === "slope_by_frame") compareReadings(stack, built, outputs, true);
    return unchecked;
  }
}
