import { createHash } from "node:crypto";
import { basename } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { AppError } from "@/model/errors.ts";
import { volumesOf, writeSurface } from "@/server/commands/analyze_files.ts";
import { spacingMm } from "@/model/geometry.ts";
import type { Sex } from "@/model/norms/norms.ts";
import { labelsOf } from "@/model/regions/measures.ts";
import { METHOD_ERROR_SOURCES } from "@/model/norms/method_error.ts";
import { methodOf } from "@/model/norms/percentile_rank.ts";
import { NORMS_CITATION } from "@/model/norms/norms_source.ts";
import { isMeasured, REGIONS } from "@/model/regions/regions.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { choiceProblem, repeatedProblem } from "@/server/commands/analyze_options.ts";
import { findSeries, isUid } from "@/server/commands/analyze_series.ts";
import { InflatedFiles } from "@/server/commands/inflated_files.ts";
import { convertSeries } from "@/server/core/dicom/convert/convert.ts";
import { decodeNifti, encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { runEngine } from "@/server/core/engine/engine.ts";
import { peakRssMb } from "@/server/core/engine/worker/process_memory.ts";
import type { AnalysisOutcome, EngineResult, StageRecord } from "@/server/core/engine/result.ts";
import {
  flairStructuresOf,
  withoutLabels,
} from "@/server/core/analyses/service/files/flair_structures.ts";
import { lesionDataOf } from "@/model/measured/lesion_data.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { reportText } from "@/model/text/report/report.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import { measuredIcvMm3 } from "@/model/measured/icv_basis.ts";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { TASK } from "@/model/site/command_line.ts";

export const USAGE =
  `${TASK} analyze [DIR|FILE.nii[.gz]] [--t2 DIR|FILE.nii[.gz]] --out OUT [--threads N]
                    [--series UID] [--t2-series UID] [--age YEARS --sex male|female] [--no-bias-correction] [--no-second-opinion]
                    [--no-deep-structures]
Analyzes a T1-weighted series (a folder of DICOM files or a NIfTI file), a FLAIR series (--t2) or both.
The DICOM tags decide which series of a folder is T1-weighted or FLAIR; --series (of the first folder) and --t2-series (of that of --t2)
name it instead, by its Series Instance UID. Age and sex are for the percentiles of a T1-weighted series. Options without effect are refused.
Writes to OUT:
  labels, brain, thickness, wmh  .nii.gz on the scanner's grid, _1mm.nii.gz on the 1 mm grid
                     (if there is only a FLAIR series, the labels are those of its deep structures)
  surface/verts, faces, normals, values  .npy
  result.json        volumes, thickness, lesions, percentiles, quality, and the time and peak memory of each stage`;

const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
const printError = (text: string) =>
  void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

interface Options {
  /** path of the T1w series; `null`: only a FLAIR is analysed */
  input: string | null;
  /** path of the FLAIR series */
  t2?: string | null;
  /** Series Instance UID of the T1w and of the FLAIR series; absent: chosen by the DICOM tags */
  seriesUid?: string | undefined;
  t2SeriesUid?: string | undefined;
  threads?: number;
  out: string;
  age: number | null;
  sex: Sex | null;
  biasCorrection: boolean;
  secondOpinion: boolean;
  /** false: deep structures come only from the atlas, without a network */
  deepStructures: boolean;
}

/**
 * Parses the command line. @returns `null` when an argument is missing, unknown or not a number.
 */
export function parse(args: readonly string[]): Options | null {
  let input: string | null = null, t2: string | null = null, out: string | undefined;
  let threads = navigator.hardwareConcurrency;
  let age: number | null = null,
    sex: Sex | null = null,
    biasCorrection = true,
    secondOpinion = true;
  let deepStructures = true, seriesUid: string | undefined, t2SeriesUid: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--no-bias-correction") biasCorrection = false;
    else if (arg === "--series" || arg === "--t2-series") {
      const uid = args[++i];
      if (!isUid(uid)) return null;
      if (arg === "--series") seriesUid = uid;
      else t2SeriesUid = uid;
    } else if (arg === "--no-second-opinion") secondOpinion = false;
    else if (arg === "--no-deep-structures") deepStructures = false;
    else if (arg === "--out") out = args[++i];
    else if (arg === "--t2") {
      t2 = args[++i] ?? null;
      if (t2 === null) return null;
    } else if (arg === "--threads") {
      threads = Number(args[++i]);
      if (!(Number.isInteger(threads) && threads >= 1 && threads <= 64)) return null;
    } else if (arg === "--age") {
      age = Number(args[++i]);
      if (!(age >= 0 && age <= 130)) return null;
    } else if (arg === "--sex") {
      const value = args[++i];
      if (value !== "male" && value !== "female") return null;
      sex = value;
    } else if (arg.startsWith("--") || input !== null) return null;
    else input = arg;
  }
  if ((input === null && t2 === null) || out === undefined) return null;
  const flags = { biasCorrection, secondOpinion, deepStructures };
  return { input, t2, seriesUid, t2SeriesUid, threads, out, age, sex, ...flags };
}

/** Sentence about an option that would have no effect with the others; `null`: none. */
export async function unusedOption(
  { input, t2 = null, seriesUid, t2SeriesUid, age, sex }: Options,
): Promise<string | null> {
  const ofT1 = { path: input, argument: "a first argument" };
  const problem = await choiceProblem("--series", seriesUid, ofT1) ??
    await choiceProblem("--t2-series", t2SeriesUid, { path: t2, argument: "--t2" });
  if (problem !== null || input !== null || age === null && sex === null) return problem;
  return `${age === null ? "--sex" : "--age"} needs a T1-weighted series, which has percentiles.`;
}

interface Source {
  volume: Volume;
  kind: "dicom" | "nifti";
  files: { name: string; sha256: string }[];
}

/** @param seriesUid Series to read in a folder; absent: the series is chosen by the DICOM tags. */
export async function readSource(
  path: string,
  kind: SeriesKind,
  seriesUid?: string,
): Promise<Source> {
  await using inflated = new InflatedFiles();
  const isFolder = (await Deno.stat(path)).isDirectory;
  const paths = isFolder
    ? (await findSeries(path, kind, inflated, seriesUid)).files.map(({ fileName }) => fileName)
    : [path];
  const files: Source["files"] = [];
  for (const file of paths) {
    const sha256 = createHash("sha256").update(await Deno.readFile(file)).digest("hex");
    files.push({ name: basename(file), sha256 });
  }
  const volume = isFolder
    ? await convertSeries(await inflated.inputsOf(paths.map((fileName) => ({ fileName }))))
    : decodeNifti(await Deno.readFile(path));
  return { volume, kind: isFolder ? "dicom" : "nifti", files };
}

const inputOf = (source: Source | null) =>
  source && {
    kind: source.kind,
    shape: source.volume.shape,
    spacing_mm: spacingMm(source.volume.rasFromIjk),
    files: source.files,
  };

/** Times a stage outside the engine; the peak memory is that of the whole process so far. */
async function timed<T>(
  name: string,
  work: () => Promise<T>,
): Promise<{ value: T; row: StageRow }> {
  const start = performance.now(), cpu = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = Math.round(performance.now() - start) / 1000;
  const cpu_seconds = Math.round((user + system) / 1000) / 1000;
  return { value, row: { name, seconds, cpu_seconds, peak_mb: peakRssMb() } };
}

interface StageRow {
  name: string;
  seconds: number;
  cpu_seconds: number;
  /** peak memory of the engine's stages, otherwise of the process, MB; `null`: unknown */
  peak_mb: number | null;
}

const stageRows = (stages: readonly StageRecord[]): StageRow[] =>
  stages.map(({ name, seconds, cpuSeconds, peakMb }) => ({
    name,
    seconds,
    cpu_seconds: cpuSeconds,
    peak_mb: peakMb,
  }));

function t1Summary(
  result: EngineResult,
  hasLesions: boolean,
  patient: { age: number | null; sex: Sex | null },
) {
  const { thickness, surface, quality, volumesMm3, icvMm3 } = result;
  const study = measureStudy({
    patient: {
      patient_birthdate: null,
      study_date: null,
      patient_age: patient.age,
      patient_sex: patient.sex,
    },
    t1: {
      volumesMm3,
      icvMm3,
      secondOpinion: result.secondOpinion,
      quality,
      thicknessMm: thickness?.meanMm,
      thicknessSidesMm: thickness ? [thickness.leftMm, thickness.rightMm] as const : undefined,
      hasLesions,
    },
    flair: null,
    method: methodOf(result),
  });
  return {
    icv_mm3: study.icvMm3,
    brain_mm3: brainMm3Of(volumesMm3),
    // only voxels of this label determine the size of the structure
    volumes: REGIONS.filter(({ label }) => isMeasured(label) && (label !== 28 || hasLesions))
      .map(({ label, name }) => ({
        label,
        name,
        mm3: volumesMm3[label]!,
        ml: volumesMm3[label]! / 1000,
      })),
    regions: study.regions,
    thickness: study.thickness,
    mean_thickness_mm: thickness && { left: thickness.leftMm, right: thickness.rightMm },
    thickness_by_label_mm: thickness && thickness.meanMm,
    thickness_absent_because: thickness ? null : reportText.voxelsTooLarge.en,
    aggregates: study.aggregates,
    surface: {
      vertices: surface.vertices.length / 3,
      faces: surface.faces.length / 3,
      triangles_before: surface.trianglesBefore,
      euler_number: surface.eulerNumber,
    },
    icv_rank: study.icvRank,
    norm_warnings: study.normWarnings,
    percentiles_absent_because: study.normReason,
    method_error: METHOD_ERROR_SOURCES,
    norms: NORMS_CITATION,
    second_opinion: result.secondOpinion,
    deep_structures: result.deepStructures,
    region_agreement: {
      atlas: result.regionAgreement.atlas,
      deep_structures: result.regionAgreement.deepStructures,
      second_opinion: result.regionAgreement.secondOpinion,
    },
    quality: {
      ...quality,
      grade: study.quality?.grade ?? quality.grade,
      reasons: quality.warnings.map((warning) => qualityWarningText[warning].en),
      subjectFromAtlas: [...quality.subjectFromAtlas],
    },
  };
}

/**
 * Runs `deno task analyze`, without a server.
 *
 * @returns Result of each series; files are in `options.out`.
 * @throws {AppError} as `groupSeries`, `convertSeries`, `decodeNifti` and `runEngine`.
 */
export async function analyzeFolder(
  options: Options,
  onProgress: (percent: number, stage: string) => void = () => {},
): Promise<AnalysisOutcome> {
  const { input, t2 = null, threads = navigator.hardwareConcurrency, out, age, sex } = options;
  const { biasCorrection, secondOpinion, deepStructures, seriesUid, t2SeriesUid } = options;
  const start = performance.now(), elapsed = () => Math.round(performance.now() - start) / 1000;
  const { value: sources, row: reading } = await timed("read", async () => ({
    t1: input === null ? null : await readSource(input, "t1", seriesUid),
    flair: t2 === null ? null : await readSource(t2, "t2", t2SeriesUid),
  }));
  const outcome = await runEngine(
    { t1: sources.t1?.volume ?? null, flair: sources.flair?.volume ?? null },
    { biasCorrection, secondOpinion, deepStructures, threads },
    { onProgress },
  );
  const { t1, flair, failures } = outcome;
  const { row: writing } = await timed("write", async () => {
    await Deno.mkdir(out, { recursive: true });
    for await (const [name, volume] of volumesOf(outcome, sources)) {
      await Deno.writeFile(`${out}/${name}.nii.gz`, gzipSync(encodeNifti(volume), { level: 6 }));
    }
    if (t1) await writeSurface(`${out}/surface`, t1.surface);
  });
  const summary = {
    version: (t1 ?? flair)?.version,
    runtime: `Deno ${Deno.version.deno}, V8 ${Deno.version.v8}`,
    input: inputOf(sources.t1),
    input_t2: inputOf(sources.flair),
    parameters: {
      bias_correction: biasCorrection,
      second_opinion: secondOpinion,
      deep_structures: deepStructures,
      threads,
      age,
      sex,
    },
    seconds: elapsed(),
    peak_rss_mb: peakRssMb(),
    stages: [
      reading,
      ...stageRows(t1?.stages ?? []),
      ...(t1 ? [] : stageRows(flair?.stages ?? [])),
      writing,
    ],
    failures,
    ...(t1 ? t1Summary(t1, flair !== null, { age, sex }) : {}),
    wmh: flair && {
      ...lesionDataOf(flair, t1?.quality.grade),
      peri_mm3: flair.periMm3,
      deep_mm3: flair.deepMm3,
      white_matter_mm3: flair.whiteMatterMm3,
      registration: flair.registration,
      flair_icv_mm3: flair.icvMm3,
      grade: flair.grade,
      t1_from_flair: [...flair.t1FromFlair],
      deep_structures: withoutLabels(flair.deepStructures),
      structures: flairStructuresOf(flair),
    },
  };
  await Deno.writeTextFile(`${out}/result.json`, JSON.stringify(summary, null, 1) + "\n");
  return outcome;
}

/** Volume of the brain without ventricles and CSF, as in the report. */
const brainMm3Of = (volumesMm3: readonly number[]): number =>
  labelsOf("brain").reduce((sum, label) => sum + volumesMm3[label]!, 0);

/** Text of the result that the command prints at the end. */
export function lastLine({ t1, flair }: Pick<AnalysisOutcome, "t1" | "flair">): string {
  const parts: string[] = [];
  if (t1) {
    const brainMl = brainMm3Of(t1.volumesMm3) / 1000, icvMm3 = measuredIcvMm3(t1);
    const icv = icvMm3 === null ? "not measured" : `${(icvMm3 / 1000).toFixed(1)} mL`;
    parts.push(`brain ${brainMl.toFixed(1)} mL, ICV ${icv}`);
    parts.push(`quality ${t1.quality.grade}`);
  }
  if (flair) {
    const { wmh, wmh_detail } = lesionDataOf(flair, t1?.quality.grade);
    const figure = lesionFigure(`${wmh.toFixed(2)} mL`, wmh_detail.is_unreliable, "en");
    parts.push(`white matter hyperintensities ${figure}`);
  }
  return parts.join(", ");
}

if (import.meta.main) {
  const options = parse(Deno.args), repeated = repeatedProblem(Deno.args);
  if (!options || repeated !== null) {
    printError(repeated ?? USAGE);
    Deno.exit(2);
  }
  const unused = await unusedOption(options);
  if (unused !== null) {
    printError(unused);
    Deno.exit(2);
  }
  try {
    const outcome = await analyzeFolder(
      options,
      (percent, stage) => print(`${percent} % ${stage}`),
    );
    for (const failure of Object.values(outcome.failures)) {
      printError(`${failure.code}: ${failure.message}`);
    }
    print(`100 % ${lastLine(outcome)} → ${options.out}`);
  } catch (error) {
    if (!(error instanceof AppError) && !(error instanceof Deno.errors.NotFound)) throw error;
    printError(error instanceof AppError ? `${error.code}: ${error.message}` : error.message);
    Deno.exit(1);
  }
}
