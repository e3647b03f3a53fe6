import { resolve } from "node:path";
import { AppError } from "@/model/errors.ts";
import { type Change, changesOf } from "@/server/core/analyses/service/rehearsal.ts";
import {
  engineNameOf,
  type EngineProgram,
  keptEngines,
  programOf,
} from "@/server/commands/operate/kept_engines.ts";
import { openSample, remeasure } from "@/server/commands/operate/remeasure.ts";
import { print, printError } from "@/server/commands/output.ts";

export const REHEARSE_USAGE = `sulcus rehearse NEW [COUNT]
Analyzes studies of this site with the engine of the Sulcus version in the folder NEW, and reports which values of each
measure would change. Uses the newest COUNT studies that have a T1w series and the newest COUNT that have only a FLAIR
series (5 by default). The site itself is not changed.`;
export const RECOMPUTE_USAGE = `sulcus recompute [COUNT] [--engines FOLDER]
Analyzes studies of this site again, each with the engine that produced its result, and compares numbers and files byte
for byte. Uses the newest COUNT studies that have a T1w series and the newest COUNT that have only a FLAIR series (5 by
default), and the engines of this version and those that upgrades have kept (with --engines: those in FOLDER).`;
const DEFAULT_COUNT = 5, MAX_COUNT = 1000;

const signed = (value: number) => `${value > 0 ? "+" : ""}${value.toFixed(2)}\u00a0%`;

/** Difference of a measure between two engines; empty if one engine does not measure it. */
const percentOf = ({ before, after }: Change): number[] =>
  before === null || after === null ? [] : [before === 0 ? Infinity : 100 * (after / before - 1)];

/** Summary line of a changed measure: mean and maximum change, and how often it (dis)appears. */
function lineOf(name: string, some: readonly Change[], studies: number): string {
  const by = some.flatMap(percentOf), mean = by.reduce((sum, each) => sum + each, 0) / by.length;
  const most = by.reduce((most, each) => Math.abs(each) > Math.abs(most) ? each : most, 0);
  const gone = some.filter(({ after }) => after === null).length;
  const came = some.filter(({ before }) => before === null).length;
  return [
    name.padEnd(52),
    `${some.length} of ${studies}`.padStart(8),
    ...(by.length > 0 ? [mean, most].map(signed) : ["", ""]).map((text) => ` ${text.padStart(10)}`),
    ...gone > 0 ? [` ${gone} no longer measured`] : [],
    ...came > 0 ? [` ${came} newly measured`] : [],
  ].join(" ");
}

/** Prints the changes of the measures in studies of one kind (with or without T1w). */
function printSummary(kind: string, of: readonly { changes: readonly Change[] }[]): void {
  const changes = of.flatMap(({ changes }) => changes);
  print(`\n${kind.padEnd(52)}  studies        mean        most`);
  for (const [name, some] of Map.groupBy(changes, ({ name }) => name)) {
    print(lineOf(name, some, of.length));
  }
  if (changes.length === 0) print(`nothing changes in ${of.length}`);
}

const countOf = (text: string) => {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return count <= MAX_COUNT ? count : 0;
};

/** Runs a command and prints its errors. */
async function said(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    printError(error.message);
    return 1;
  }
}

async function rehearseWith(program: EngineProgram, count: number): Promise<number> {
  const sample = await openSample(count), { studies } = sample;
  if (studies.length === 0) {
    printError(
      "No study of this site has a result that can be compared: there are no results, or all were corrected manually",
    );
    return 1;
  }
  const changesByStudy: { kind: string; changes: Change[] }[] = [];
  let version = "";
  for (const study of studies) {
    const { result } = await remeasure(program, study, sample), changes = changesOf(study, result);
    version = result.version;
    changesByStudy.push({ kind: study.t1 ? "T1w series" : "FLAIR series only", changes });
    const differing = changes.length === 1
      ? "1 number differs"
      : `${changes.length} numbers differ`;
    print(`Study ${study.pid}, engine ${study.engineVersion} → ${version}: ${differing}`);
  }
  if (changesByStudy.every(({ changes }) => changes.length === 0)) {
    const sampled = studies.length === 1 ? "1 study" : `${studies.length} studies`;
    print(`With engine ${engineNameOf(version)}, no values change in ${sampled}`);
  } else {
    for (const [kind, some] of Map.groupBy(changesByStudy, ({ kind }) => kind)) {
      printSummary(kind, some);
    }
  }
  return 0;
}

/**
 * @returns exit code: 0 even if values would change; 1 without studies for a comparison;
 * 2 for wrong usage.
 */
export const rehearse = (
  [folder, text = String(DEFAULT_COUNT)]: readonly string[],
): Promise<number> =>
  said(async () => {
    const count = countOf(text),
      program = folder === undefined ? null : await programOf(resolve(folder));
    if (program === null || count === 0) {
      printError(REHEARSE_USAGE);
      return 2;
    }
    return await rehearseWith(program, count);
  });

/**
 * Recomputes studies of one engine.
 * @returns number of results that differ from the stored results.
 */
async function recomputeWith(engines: ReadonlyMap<string, string>, count: number): Promise<number> {
  const sample = await openSample(count), { studies } = sample;
  let differingCount = 0;
  for (const study of studies) {
    const name = engineNameOf(study.engineVersion), folder = engines.get(name);
    const program = folder === undefined ? null : await programOf(folder);
    if (program === null) {
      print(`Study ${study.pid}: the engine that computed its result, ${name}, has not been kept`);
      differingCount++;
      continue;
    }
    const { result, files } = await remeasure(program, study, sample);
    const differing = [
      ...(result.version === study.engineVersion ? [] : [`engine ${result.version}`]),
      ...changesOf(study, result).map(({ name }) => name),
      ...Object.entries(files).filter(([field, hash]) =>
        (study.files[field as keyof typeof files] ?? null) !== hash
      ).map(([field]) => field),
    ];
    const fileCount = Object.values(files).filter((hash) => hash !== null).length;
    if (differing.length > 0) differingCount++;
    print(
      `Study ${study.pid}, ${study.engineVersion}: ${
        differing.length === 0
          ? `the same numbers and ${fileCount} files, byte for byte`
          : `not the same: ${differing.join(", ")}`
      }`,
    );
  }
  return differingCount;
}

/**
 * @returns exit code: 0 if every result equals the recomputation by its engine,
 * 1 if one differs, 2 for wrong usage.
 */
export const recompute = (args: readonly string[]): Promise<number> =>
  said(async () => {
    const at = args.indexOf("--engines"), folder = at < 0 ? undefined : args[at + 1];
    const [text = String(DEFAULT_COUNT), ...more] = at < 0 ? args : args.toSpliced(at, 2),
      count = countOf(text);
    if (count === 0 || more.length > 0 || (at >= 0 && folder === undefined)) {
      printError(RECOMPUTE_USAGE);
      return 2;
    }
    return await recomputeWith(
        await keptEngines(folder === undefined ? undefined : [folder]),
        count,
      ) > 0
      ? 1
      : 0;
  });
