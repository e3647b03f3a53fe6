/** Results of a study for DICOMweb: generated on request and cached. */
import { deflateRawSync } from "node:zlib";
import { type DicomKind, dicomKind } from "@/model/schema/report/dicom.ts";
import { AppError } from "@/model/errors.ts";
import { dicomJson, type JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import { parseOwn } from "@/server/core/dicom/read/own_file.ts";
import { type DicomFile, fileHead } from "@/server/core/dicom/write/dataset_writer.ts";
import { changeInstants } from "@/server/core/connections/storage/result_changes.ts";
import { runOf } from "@/server/core/connections/storage/outbox.ts";
import { findAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { listKeyImages } from "@/server/core/reading/storage/key_images.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import { type ServiceContext, SITE } from "@/server/core/site/service/context.ts";
import {
  getDicomResult,
  listKeyImageObjects,
  listReportPages,
} from "@/server/core/exports/service/dicom_results.ts";
import { lesionChangesKey } from "@/server/core/reading/service/lesion_changes.ts";
import { appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { correctionKey } from "@/server/core/reading/service/stroke_map.ts";
import { readMta } from "@/server/core/reports/service/mta.ts";

/** A result object: its attributes, and its data set compressed without meta information. */
export interface WebResult {
  pid: number;
  seriesUid: string;
  sopUid: string;
  sopClassUid: string;
  json: JsonDataSet;
  deflated: Uint8Array<ArrayBuffer>;
}

const KINDS: readonly DicomKind[] = dicomKind.options;
const EXPLICIT_LE = "1.2.840.10008.1.2.1";
/**
 * Number of studies with cached results, about 3 MB each: pages and segmentations compress to 5 %.
 */
const MAX_KEPT = 16;
/** Delay before failed results are generated again; a change of their state retries at once. */
const RETRY_MS = 600_000;

const resultsBySite = new WeakMap<ServiceContext["db"], Map<string, Promise<WebResult[]>>>();

/** Everything that determines a study's results; `null` without results. */
async function stateOf(
  { db, language = "en" }: ServiceContext,
  pid: number,
): Promise<string | null> {
  const patient = await findPatient(db, pid);
  const ids = patient
    ? [patient.analysisId.t1, patient.analysisId.t2].filter((id) => id !== null)
    : [];
  const keyImages = (await listKeyImages(db, pid)).map(({ id }) => id);
  const parts: unknown[] = [
    pid,
    keyImages,
    runOf(ids),
    language,
    (await readMta(db, pid))?.entered_at,
  ];
  parts.push(...[...await changeInstants(db, pid)].flat().sort());
  // percentiles, and whether a signature is outdated, depend on these
  if (patient) {
    parts.push(patient.row.patient_birthdate, patient.row.patient_sex, patient.row.study_date);
  }
  let hasResults = false;
  for (const id of ids) {
    const analysis = await findAnalysis(db, id);
    if (analysis?.status !== "completed") continue;
    hasResults = true;
    parts.push(
      id,
      await correctionKey(db, id),
      analysis.correctedAt,
      (await appliedNorms(db, analysis)).changedAt,
    );
  }
  if (patient) parts.push(await lesionChangesKey(db, pid, patient.row.patient_id));
  return hasResults ? JSON.stringify(parts) : null;
}

function forgetOldest(all: Map<string, Promise<WebResult[]>>): void {
  for (const key of all.keys()) {
    if (all.size <= MAX_KEPT) return;
    all.delete(key);
  }
}

/** A cached object. */
function resultOf(pid: number, file: DicomFile): WebResult {
  const bytes = new Uint8Array(file.sizeBytes);
  let at = 0;
  for (const chunk of file.chunks()) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  const { sopClassUid, sopInstanceUid } = file,
    head = fileHead(sopClassUid, sopInstanceUid, EXPLICIT_LE).length;
  const json = dicomJson(parseOwn(bytes), undefined);
  return {
    pid,
    seriesUid: file.seriesUid,
    sopUid: sopInstanceUid,
    sopClassUid,
    json,
    deflated: new Uint8Array(deflateRawSync(bytes.subarray(head), { level: 3 })),
  };
}

async function make(services: ServiceContext, pid: number): Promise<WebResult[]> {
  const results: WebResult[] = [], filter = { language: services.language ?? "en" };
  for (const kind of KINDS) {
    try {
      results.push(resultOf(pid, (await getDicomResult(services, pid, kind, filter, SITE)).file));
    } catch (error) {
      if (
        !(error instanceof AppError &&
          ["entity.not_found", "study.not_analyzed"].includes(error.code))
      ) {
        throw error;
      }
    }
  }
  for await (const file of listKeyImageObjects(services, pid)) results.push(resultOf(pid, file));
  for await (const file of listReportPages(services, pid, filter, SITE)) {
    results.push(resultOf(pid, file));
  }
  return results;
}

/** Report, measurements, segmentations and report pages of a study; empty before it is analysed. */
export async function webResults(services: ServiceContext, pid: number): Promise<WebResult[]> {
  const state = await stateOf(services, pid);
  if (state === null) return [];
  const resultsByState = resultsBySite.get(services.db) ?? new Map<string, Promise<WebResult[]>>();
  resultsBySite.set(services.db, resultsByState);
  const cached = resultsByState.get(state);
  if (cached) return await cached;
  const making = make(services, pid);
  resultsByState.set(state, making);
  forgetOldest(resultsByState);
  making.catch(() => {
    // failures are cached until the state changes or the delay is over
    const timer = setTimeout(
      () => resultsByState.get(state) === making && resultsByState.delete(state),
      RETRY_MS,
    );
    Deno.unrefTimer(timer as unknown as number);
  });
  return await making;
}

/** Complete file of a result, in chunks. */
export async function* resultFile(
  { sopClassUid, sopUid, deflated }: WebResult,
): AsyncGenerator<Uint8Array> {
  yield fileHead(sopClassUid, sopUid, EXPLICIT_LE);
  yield* new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
}

/** Complete file of a result. */
export const resultBytes = async (result: WebResult): Promise<Uint8Array<ArrayBuffer>> =>
  await new Response(ReadableStream.from(resultFile(result))).bytes();
