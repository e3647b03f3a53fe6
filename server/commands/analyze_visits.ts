import { annualChange, trackedValues, yearsBetween } from "@/model/norms/annual_change.ts";
import { AppError } from "@/model/errors.ts";
import { hasPercentile, REGIONS } from "@/model/regions/regions.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { InflatedFiles } from "@/server/commands/inflated_files.ts";
import { choiceProblem, repeatedProblem } from "@/server/commands/analyze_options.ts";
import { findSeries, isUid } from "@/server/commands/analyze_series.ts";
import { convertSeries } from "@/server/core/dicom/convert/convert.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import {
  type Protocol,
  protocolDifferences,
  protocolOf,
} from "@/server/core/dicom/read/protocol.ts";
import { MAX_VISITS, MIN_VISITS, runLongitudinal } from "@/server/core/engine/longitudinal.ts";
import { TASK } from "@/model/site/command_line.ts";

export const USAGE =
  `${TASK} longitudinal VISIT1 VISIT2 … --out OUT [--dates YYYY-MM-DD,YYYY-MM-DD,…] [--series UID,UID,…]
  [--threads N] [--no-bias-correction] [--no-deep-structures]
Measures ${MIN_VISITS} to ${MAX_VISITS} T1-weighted visits of one patient in a common space. A visit is a folder of DICOM files or a NIfTI file.
The DICOM tags decide which series of a folder is T1-weighted; --series names that of each visit instead, by its Series Instance UID,
which is left empty (UID,,UID) where the tags decide and for a NIfTI file. Options without effect are refused.
Writes OUT/result.json: volumes and thickness of each visit, annual change, and how the protocols differ.
Dates of DICOM visits come from their headers; without dates, no annual change is given.`;

interface VisitsOptions {
  visits: string[];
  out: string;
  /** study dates from the command line; `null`: the dates in the image headers */
  dates: string[] | null;
  /** Series Instance UID of the T1w series of each visit; empty, or `null`: the tags decide */
  seriesUids: string[] | null;
  biasCorrection: boolean;
  deepStructures: boolean;
  threads: number | null;
}

/** Parses the command line. @returns `null` when an argument is missing, unknown or not a date. */
export function parseVisits(args: readonly string[]): VisitsOptions | null {
  const visits: string[] = [];
  let out: string | undefined,
    dates: string[] | null = null,
    seriesUids: string[] | null = null,
    biasCorrection = true,
    deepStructures = true;
  let threads: number | null = null;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (arg === "--no-bias-correction") biasCorrection = false;
    else if (arg === "--no-deep-structures") deepStructures = false;
    else if (arg === "--out") out = args[++i];
    else if (arg === "--dates") {
      dates = (args[++i] ?? "").split(",");
      if (dates.some((date) => !/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date)))) {
        return null;
      }
    } else if (arg === "--series") {
      seriesUids = (args[++i] ?? "").split(",");
      const isNone = seriesUids.every((uid) => uid === "");
      if (isNone || !seriesUids.every((uid) => uid === "" || isUid(uid))) return null;
    } else if (arg === "--threads") {
      threads = Number(args[++i]);
      if (!(Number.isInteger(threads) && threads >= 1 && threads <= 64)) return null;
    } else if (arg.startsWith("--")) return null;
    else visits.push(arg);
  }
  if (out === undefined || visits.length < MIN_VISITS || visits.length > MAX_VISITS) return null;
  if ([dates, seriesUids].some((list) => list && list.length !== visits.length)) return null;
  return { visits, out, dates, seriesUids, biasCorrection, deepStructures, threads };
}

/** Sentence about an option that would have no effect with the others; `null`: none. */
export async function unusedOption(
  { visits, seriesUids }: Pick<VisitsOptions, "visits" | "seriesUids">,
): Promise<string | null> {
  for (const [at, path] of visits.entries()) {
    const input = { path, argument: "a visit" };
    const problem = await choiceProblem("--series", seriesUids?.[at] || undefined, input);
    if (problem !== null) return problem;
  }
  return null;
}

interface ReadVisit {
  path: string;
  volume: Volume;
  date: string | null;
  protocol: Protocol | null;
}

async function readVisit(path: string, seriesUid?: string): Promise<ReadVisit> {
  if (!(await Deno.stat(path)).isDirectory) {
    return { path, volume: decodeNifti(await Deno.readFile(path)), date: null, protocol: null };
  }
  await using inflated = new InflatedFiles();
  const { files } = await findSeries(path, "t1", inflated, seriesUid), header = files[0]!.header;
  const volume = await convertSeries(await inflated.inputsOf(files));
  return { path, volume, date: header.studyDate ?? null, protocol: protocolOf(header) };
}

/**
 * Runs `deno task longitudinal`.
 * @returns Contents of `result.json`.
 * @throws {AppError} as `findSeries`, `convertSeries`, `decodeNifti` and `runLongitudinal`.
 */
export async function analyzeVisits(
  options: VisitsOptions,
  onProgress: (percent: number, stage: string) => void = () => {},
) {
  const { out, dates, biasCorrection, deepStructures, threads } = options;
  const visits: ReadVisit[] = [];
  for (const [i, path] of options.visits.entries()) {
    visits.push(await readVisit(path, options.seriesUids?.[i] || undefined));
  }
  const engine = { biasCorrection, deepStructures, ...(threads ? { threads } : {}) };
  const result = await runLongitudinal(visits.map((visit) => visit.volume), engine, { onProgress });
  const visitResults = visits.map(({ path, date, protocol }, i) => {
    const { volumesMm3, thicknessMm, leftMm, rightMm } = result.visits[i]!;
    return {
      input: path,
      date: dates?.[i] ?? date,
      protocol,
      values: trackedValues(volumesMm3, [leftMm, rightMm]),
      volumes: REGIONS.filter(({ label }) => hasPercentile(label))
        .map(({ label, name }) => ({ label, name, mm3: volumesMm3[label]! })),
      thickness: REGIONS.filter(({ label }) => thicknessMm[label]! > 0)
        .map(({ label, name }) => ({ label, name, mm: thicknessMm[label]! })),
    };
  });
  const dated = visitResults.every((visit) => visit.date !== null)
    ? visitResults.toSorted((a, b) => a.date! < b.date! ? -1 : a.date! > b.date! ? 1 : 0)
    : [];
  const years = dated.map((visit) => yearsBetween(dated[0]!.date!, visit.date!));
  const summary = {
    version: result.version,
    parameters: { bias_correction: biasCorrection, deep_structures: deepStructures },
    deep_structures: result.deepStructures,
    stages: result.stages.map(({ name, seconds, peakMb }) => ({ name, seconds, peak_mb: peakMb })),
    icv_mm3: result.icvMm3,
    visits: visitResults.map(({ protocol, ...visit }) => ({
      ...visit,
      protocol_differences: protocol && visitResults[0]!.protocol &&
        protocolDifferences(visitResults[0]!.protocol, protocol),
    })),
    annual_change: Object.fromEntries(
      Object.keys(visitResults[0]!.values).map((key) => {
        const { percent, isWithinError } = annualChange(
          key,
          years,
          dated.map((visit) => visit.values[key]!),
        );
        return [key, { percent, within_error: isWithinError }];
      }),
    ),
  };
  await Deno.mkdir(out, { recursive: true });
  await Deno.writeTextFile(`${out}/result.json`, JSON.stringify(summary, null, 1) + "\n");
  return summary;
}

if (import.meta.main) {
  const options = parseVisits(Deno.args), repeated = repeatedProblem(Deno.args);
  if (!options || repeated !== null) {
    console.error(repeated ?? USAGE);
    Deno.exit(2);
  }
  const unused = await unusedOption(options);
  if (unused !== null) {
    console.error(unused);
    Deno.exit(2);
  }
  try {
    await analyzeVisits(
      options,
      (percent, stage) => console.log(`${Math.round(percent)} % ${stage}`),
    );
    console.log(`100 % → ${options.out}/result.json`);
  } catch (error) {
    if (!(error instanceof AppError) && !(error instanceof Deno.errors.NotFound)) throw error;
    console.error(error instanceof AppError ? `${error.code}: ${error.message}` : error.message);
    Deno.exit(1);
  }
}
