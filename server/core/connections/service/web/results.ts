/** Result objects of a study for DICOMweb: generated on request and cached. */
import { type DicomKind, dicomKind } from "@/model/schema/report/dicom.ts";
import { AppError } from "@/model/errors.ts";
import { dicomJson, type JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import { parseOwn } from "@/server/core/dicom/read/own_file.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import {
  type DeflatedBytes,
  deflatedBytes,
  inflatedRange,
} from "@/server/core/dicom/write/deflated.ts";
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

/** A result of an analysis as DICOM object: attributes, and the compressed file. */
export interface WebResult {
  pid: number;
  seriesUid: string;
  sopUid: string;
  sopClassUid: string;
  json: JsonDataSet;
  file: DeflatedBytes;
  /** position of the first pixel in the file, bytes; `null` without pixels */
  pixelOffset: number | null;
}

const KINDS: readonly DicomKind[] = dicomKind.options;
/**
 * Maximum number of studies with cached results, about 3 MB each.
 * Report pages and segmentations compress to 5 %, parametric maps to 2 %.
 */
const MAX_KEPT = 16;
/** Maximum size of all cached results, bytes; results of the newest study are always kept. */
const MAX_KEPT_BYTES = 128 << 20;
/** Delay before failed results are generated again; after a change of the study without delay. */
const RETRY_MS = 600_000;
/** Number of bytes of tag, VR and length before the pixels (PS3.5 7.1.2). */
export const PIXEL_HEADER_BYTES = 12;

const resultsBySite = new WeakMap<ServiceContext["db"], Map<string, Cached>>();

/** Text of all inputs that determine a study's results, as cache key; `null` without results. */
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
  // birth date, sex and study date affect percentiles, and whether a signature is outdated
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

/** Cached results of a study; the size is known once the results have been generated. */
interface Cached {
  results: Promise<WebResult[]>;
  sizeBytes: number;
}

const sizeOf = (results: readonly WebResult[]): number =>
  results.flatMap(({ file }) => file.pieces).reduce((sum, { length }) => sum + length, 0);

function forgetOldest(all: Map<string, Cached>): void {
  let sizeBytes = [...all.values()].reduce((sum, cached) => sum + cached.sizeBytes, 0);
  for (const [key, cached] of all) {
    const isMuch = all.size > MAX_KEPT || sizeBytes > MAX_KEPT_BYTES;
    if (!isMuch || all.size === 1) return;
    all.delete(key);
    sizeBytes -= cached.sizeBytes;
  }
}

/** Converts a DICOM file of a result to a cache entry. */
async function resultOf(pid: number, file: DicomFile): Promise<WebResult> {
  const { seriesUid, sopClassUid, sopInstanceUid: sopUid, pixelOffset } = file;
  const [head] = file.chunks();
  const attributes = head!.subarray(0, pixelOffset && pixelOffset - PIXEL_HEADER_BYTES);
  return {
    pid,
    seriesUid,
    sopUid,
    sopClassUid,
    json: dicomJson(parseOwn(attributes), undefined),
    file: await deflatedBytes(file),
    pixelOffset: pixelOffset ?? null,
  };
}

async function make(services: ServiceContext, pid: number): Promise<WebResult[]> {
  const results: WebResult[] = [], filter = { language: services.language ?? "en" };
  for (const kind of KINDS) {
    try {
      const { file } = await getDicomResult(services, pid, kind, filter, SITE);
      results.push(await resultOf(pid, file));
    } catch (error) {
      if (
        !(error instanceof AppError &&
          ["entity.not_found", "study.not_analyzed"].includes(error.code))
      ) {
        throw error;
      }
    }
  }
  for await (const file of listKeyImageObjects(services, pid)) {
    results.push(await resultOf(pid, file));
  }
  for await (const file of listReportPages(services, pid, filter, SITE)) {
    results.push(await resultOf(pid, file));
  }
  return results;
}

/** Result objects of a study: report, measurements, segmentations; empty before the analysis. */
export async function webResults(services: ServiceContext, pid: number): Promise<WebResult[]> {
  const state = await stateOf(services, pid);
  if (state === null) return [];
  const resultsByState = resultsBySite.get(services.db) ?? new Map<string, Cached>();
  resultsBySite.set(services.db, resultsByState);
  const before = resultsByState.get(state);
  if (before) return await before.results;
  const making: Cached = { results: make(services, pid), sizeBytes: 0 };
  resultsByState.set(state, making);
  forgetOldest(resultsByState);
  making.results.then((results) => {
    making.sizeBytes = sizeOf(results);
    forgetOldest(resultsByState);
  }, () => {
    // a failure is cached until the study changes or the delay is over
    const timer = setTimeout(
      () => resultsByState.get(state) === making && resultsByState.delete(state),
      RETRY_MS,
    );
    Deno.unrefTimer(timer as unknown as number);
  });
  return await making.results;
}

/** Complete DICOM file of a result, in chunks. */
export const resultFile = ({ file }: WebResult): AsyncGenerator<Uint8Array<ArrayBuffer>> =>
  inflatedRange(file);

/** Bytes of a result's file from `start` to `end` (exclusive); the whole file by default. */
export async function resultBytes(
  { file }: WebResult,
  from = 0,
  to = file.sizeBytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(to - from);
  let at = 0;
  for await (const chunk of inflatedRange(file, from, to)) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
