import { gzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import { spacingMm } from "@/model/geometry.ts";
import type { Sex } from "@/model/norms.ts";
import { NORMS_CITATION } from "@/model/norms_source.ts";
import { REGIONS } from "@/model/regions.ts";
import type { Volume, VoxelArray } from "@/model/volume.ts";
import { DEFAULT_RULES } from "@/core/dicom/classify.ts";
import { convertSeries } from "@/core/dicom/convert.ts";
import { readInstanceFile } from "@/core/dicom/instance.ts";
import { decodeNifti, encodeNifti } from "@/core/dicom/nifti.ts";
import { groupSeries, type InstanceFile, type SeriesGroup } from "@/core/dicom/series.ts";
import { resampleLabels, runEngine } from "@/core/engine/engine.ts";
import type { EngineResult } from "@/core/engine/result.ts";
import { normReasonOf, regionDataOf } from "@/core/services/region_data.ts";

const USAGE =
  `deno task analyze DIR|FILE.nii[.gz] --out OUT [--age YEARS --sex male|female] [--no-bias-correction]
Segments the T1-weighted series of a folder of DICOM files, or a NIfTI file, and writes into OUT:
  labels.nii.gz      label map on the scanner's grid      brain.nii.gz      the brain on the scanner's grid
  labels_1mm.nii.gz  label map on the 1 mm grid           brain_1mm.nii.gz  the brain on the 1 mm grid, 0..255
  result.json        volumes, percentiles, seconds and peak MB per stage, quality figures`;

const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
const complain = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

interface Options {
  input: string;
  out: string;
  age: number | null;
  sex: Sex | null;
  biasCorrection: boolean;
}

/** @returns `null` when an argument is missing, unknown or not a number. */
function parse(args: readonly string[]): Options | null {
  let input: string | undefined, out: string | undefined;
  let age: number | null = null, sex: Sex | null = null, biasCorrection = true;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--no-bias-correction") biasCorrection = false;
    else if (arg === "--out") out = args[++i];
    else if (arg === "--age") {
      age = Number(args[++i]);
      if (!(age >= 0 && age <= 130)) return null;
    } else if (arg === "--sex") {
      const value = args[++i];
      if (value !== "male" && value !== "female") return null;
      sex = value;
    } else if (arg.startsWith("--") || input !== undefined) return null;
    else input = arg;
  }
  return input === undefined || out === undefined ? null : { input, out, age, sex, biasCorrection };
}

async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) found.push(...await listFiles(path));
    else if (entry.isFile) found.push(path);
  }
  return found.sort();
}

/** The T1-weighted series of a folder: by the rules, else whatever series there is. */
async function findSeries(folder: string): Promise<SeriesGroup> {
  const instances: InstanceFile[] = [], reasons = new Map<string, number>();
  for (const fileName of await listFiles(folder)) {
    try {
      instances.push({ fileName, header: await readInstanceFile(fileName, fileName) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const reason = String(error.details.reason ?? error.code);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  for (const seriesType of [undefined, "t1"] as const) {
    const { studies, rejected } = groupSeries(instances, { ...DEFAULT_RULES, seriesType });
    const series = studies.flatMap((study) => study.series).find((s) => s.kind === "t1");
    if (series) {
      if (studies.length > 1) {
        complain(`${studies.length} studies found; the first with a T1w series is used`);
      }
      for (const [reason, files] of reasons) complain(`${files} files not used: ${reason}`);
      return series;
    }
    if (seriesType) rejected.forEach((v) => reasons.set(v.reason, (reasons.get(v.reason) ?? 0) + 1));
  }
  const why = [...reasons].map(([reason, files]) => `${reason} (${files} files)`).join(", ") || "no files";
  throw new AppError("upload.format_not_supported", `Cannot find a T1-weighted series: ${why}`, {
    reason: [...reasons.keys()][0] ?? "no_files",
  });
}

/** Voxels where `labels` is a brain label, 0 elsewhere. */
function masked<T extends VoxelArray>(voxels: T, labels: VoxelArray): T {
  const out = voxels.slice() as T;
  for (let i = 0; i < out.length; i++) if (labels[i] === 0) out[i] = 0;
  return out;
}

/**
 * Everything `deno task analyze` does, without a server.
 *
 * @returns The engine's result; files are in `options.out`.
 * @throws {AppError} as `groupSeries`, `convertSeries`, `decodeNifti` and `runEngine`.
 */
export async function analyzeFolder(
  options: Options,
  onProgress: (percent: number, stage: string) => void = () => {},
): Promise<EngineResult> {
  const { input, out, age, sex, biasCorrection } = options;
  const start = performance.now();
  const isFolder = (await Deno.stat(input)).isDirectory;
  const source: Volume = isFolder
    ? await convertSeries(
      (await findSeries(input)).files.map(({ fileName }) => ({ fileName, path: fileName })),
    )
    : decodeNifti(await Deno.readFile(input));
  const readSeconds = Math.round(performance.now() - start) / 1000;
  const { t1: result } = await runEngine({ t1: source, flair: null }, { biasCorrection }, { onProgress });
  if (!result) throw new AppError("internal", "Cannot analyse the T1w series");

  const { shape, rasFromIjk, labels, intensities } = result;
  const scannerLabels = await resampleLabels({ voxels: labels, shape, rasFromIjk }, source);
  const files: Record<string, Volume> = {
    labels: { ...source, voxels: scannerLabels },
    brain: { ...source, voxels: masked(source.voxels, scannerLabels) },
    labels_1mm: { shape, rasFromIjk, voxels: labels },
    brain_1mm: { shape, rasFromIjk, voxels: masked(intensities, labels) },
  };
  await Deno.mkdir(out, { recursive: true });
  for (const [name, volume] of Object.entries(files)) {
    await Deno.writeFile(`${out}/${name}.nii.gz`, gzipSync(encodeNifti(volume), { level: 6 }));
  }
  const subject = { age, sex };
  const summary = {
    version: result.version,
    input: {
      kind: isFolder ? "dicom" : "nifti",
      shape: source.shape,
      spacing_mm: spacingMm(source.rasFromIjk),
    },
    parameters: { bias_correction: biasCorrection, age, sex },
    seconds: Math.round(performance.now() - start) / 1000,
    stages: [
      { name: "read", seconds: readSeconds, peak_mb: null },
      ...result.stages.map(({ name, seconds, peakMb }) => ({ name, seconds, peak_mb: peakMb })),
    ],
    icv_mm3: result.icvMm3,
    brain_mm3: result.volumesMm3.reduce((sum, v) => sum + v, 0),
    volumes: REGIONS.map(({ label, name }) => ({
      label,
      name,
      mm3: result.volumesMm3[label]!,
      ml: result.volumesMm3[label]! / 1000,
    })),
    regions: regionDataOf(result.volumesMm3, result.icvMm3, subject),
    percentiles_absent_because: normReasonOf(subject),
    norms: NORMS_CITATION,
    quality: { ...result.quality, subjectFromAtlas: [...result.quality.subjectFromAtlas] },
  };
  await Deno.writeTextFile(`${out}/result.json`, JSON.stringify(summary, null, 1) + "\n");
  return result;
}

if (import.meta.main) {
  const options = parse(Deno.args);
  if (!options) {
    complain(USAGE);
    Deno.exit(2);
  }
  try {
    const result = await analyzeFolder(options, (percent, stage) => print(`${percent} % ${stage}`));
    const brainMl = result.volumesMm3.reduce((sum, v) => sum + v, 0) / 1000;
    print(
      `100 % brain ${brainMl.toFixed(1)} mL, ICV ${(result.icvMm3 / 1000).toFixed(1)} mL → ${options.out}`,
    );
  } catch (error) {
    if (!(error instanceof AppError) && !(error instanceof Deno.errors.NotFound)) throw error;
    complain(error instanceof AppError ? `${error.code}: ${error.message}` : error.message);
    Deno.exit(1);
  }
}
