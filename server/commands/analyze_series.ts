/** Finds the series of a folder that `analyze` and `longitudinal` analyse. */
import { AppError } from "@/model/errors.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import type { SeriesKind } from "@/model/schema/studies/study.ts";
import { isUploadReason, wrongIn } from "@/model/text/worklist/upload.ts";
import type { InflatedFiles } from "@/server/commands/inflated_files.ts";
import { type InstanceHeader, readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { partCopies } from "@/server/core/dicom/stack/copies.ts";
import {
  groupSeries,
  type InstanceFile,
  type SeriesGroup,
} from "@/server/core/dicom/read/series.ts";
import type { Verdict } from "@/server/core/dicom/read/verdict.ts";

const printError = (text: string) =>
  void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

const NAMES: Readonly<Record<SeriesKind, string>> = { t1: "T1-weighted", t2: "FLAIR" };
/** Command-line option with which a user selects the series of a kind. */
const OPTIONS: Readonly<Record<SeriesKind, string>> = { t1: "--series", t2: "--t2-series" };

/** Whether a text has the form of a UID (PS3.5 §9.1). */
export const isUid = (text: string | undefined): text is string =>
  text !== undefined && /^\d+(\.\d+)+$/.test(text);

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) files.push(...await listFiles(path));
    else if (entry.isFile) files.push(path);
  }
  return files.sort();
}

/** Group of files refused for the same reason: number of files, reason and details. */
interface Refusal {
  files: number;
  reason: string;
  details: AppError["details"];
}

/** First sentence of the text that the upload window shows for a reason. */
const sentenceOf = ({ reason, details }: Refusal): string =>
  isUploadReason(reason) ? wrongIn("en", reason, details) : reason;

/** Headers of all files in a folder, and refusals of the files that cannot be read. */
async function readHeaders(folder: string, inflated: InflatedFiles) {
  const instances: InstanceFile[] = [], unread = new Map<string, Refusal>();
  for (const fileName of await listFiles(folder)) {
    try {
      const header = await readInstanceFile(await inflated.pathOf(fileName), fileName);
      instances.push({ fileName, header });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const reason = String(error.details.reason ?? error.code);
      const before = unread.get(reason) ?? { files: 0, reason, details: error.details };
      unread.set(reason, { ...before, files: before.files + 1 });
    }
  }
  const paths = new Map<string, string>();
  for (const { fileName } of instances) paths.set(fileName, await inflated.pathOf(fileName));
  const { unique, copies } = await partCopies(instances, ({ fileName }) => paths.get(fileName)!);
  if (copies.length > 0) {
    unread.set("duplicate_instance", {
      files: copies.length,
      reason: "duplicate_instance",
      details: {},
    });
  }
  return { instances: unique, unread: [...unread.values()] };
}

const nameOf = ({ seriesDescription }: InstanceHeader): string =>
  seriesDescription || "no description";

/** One line for each series and reason: description, number of files, Series Instance UID. */
function linesOf(instances: readonly InstanceFile[], verdicts: readonly Verdict[]): string[] {
  const headers = new Map(instances.map(({ fileName, header }) => [fileName, header]));
  const byReason = Map.groupBy(
    verdicts,
    ({ fileName, reason }) => `${headers.get(fileName)!.seriesUid}|${reason}`,
  );
  return [...byReason.values()].map((same) => {
    const { fileName, reason, details } = same[0]!, files = same.length;
    const header = headers.get(fileName)!;
    const why = sentenceOf({ files, reason, details });
    return `${nameOf(header)} (${files} files, ${header.seriesUid}): ${why}`;
  });
}

/**
 * The T1-weighted or FLAIR series of a folder.
 * @param seriesUid Series to use regardless of its tags; absent: chosen by the DICOM tags.
 * @throws {AppError} `upload.format_not_supported`, with all series and the reason of each, if no
 * series can be used; `details.reason` is the first reason.
 */
export async function findSeries(
  folder: string,
  kind: SeriesKind,
  inflated: InflatedFiles,
  seriesUid?: string,
): Promise<SeriesGroup> {
  const { instances, unread } = await readHeaders(folder, inflated);
  const isChosen = ({ header }: InstanceFile) =>
    seriesUid === undefined || header.seriesUid === seriesUid;
  // all series are read, since the chosen one may be a part of a divided volume
  const rules = { ...DEFAULT_RULES, ...seriesUid === undefined ? {} : { seriesType: kind } };
  const { studies, rejected } = groupSeries(instances, rules);
  const usable = studies.flatMap(({ series, alternatives }) =>
    seriesUid === undefined ? series : [...series, ...alternatives]
  );
  const series = usable.find((one) => one.kind === kind && one.files.some(isChosen));
  if (series) {
    if (studies.length > 1 && seriesUid === undefined) {
      printError(`${studies.length} studies found; the first with a suitable series is used`);
    }
    for (const { reason, files } of unread) printError(`${files} files not used: ${reason}`);
    return series;
  }
  const chosen = new Set(instances.filter(isChosen).map(({ fileName }) => fileName));
  const refused = rejected.filter(({ fileName }) => chosen.has(fileName));
  const lines = [
    ...linesOf(instances, refused),
    ...seriesUid === undefined ? usable.map(lineOfOther) : [],
    ...unread.map((refusal) => `${refusal.files} files: ${sentenceOf(refusal)}`),
  ];
  if (chosen.size === 0 && instances.length > 0) {
    lines.unshift(`No readable file has the Series Instance UID ${seriesUid}`);
  }
  if (refused.some(({ reason }) => reason === "unclassified")) {
    lines.push(`${OPTIONS[kind]} UID analyzes a series whatever its tags`);
  }
  throw new AppError(
    "upload.format_not_supported",
    `Cannot find a ${NAMES[kind]} series:\n${lines.join("\n") || "no files"}`,
    { reason: refused[0]?.reason ?? unread[0]?.reason ?? "no_files" },
  );
}

/** Line about a usable series of the other kind, which the command does not analyse. */
const lineOfOther = ({ kind, header, files }: SeriesGroup): string =>
  `${nameOf(header)} (${files.length} files, ${header.seriesUid}): This is a ${NAMES[kind]} series`;
