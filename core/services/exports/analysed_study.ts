import { AppError } from "@/model/errors.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import type { Maker } from "@/core/dicom/write/derived_object.ts";
import { readSourceSeries, type SourceSeries } from "@/core/dicom/read/source_series.ts";
import { findAnalysis, type StoredAnalysis } from "@/core/storage/analyses.ts";
import { currentRuns } from "@/core/storage/connections/outbox.ts";
import type { StoredPatient } from "@/core/storage/patients.ts";
import { type AppliedNorms, appliedNorms } from "@/core/services/norms/applied_norms.ts";
import type { ServiceContext } from "@/core/services/context.ts";
import { instantOf } from "@/core/services/reading/corrected.ts";
import { replacedObjects } from "@/core/services/exports/replaced_objects.ts";
import { headersOf } from "@/core/services/studies/stored_headers.ts";
import { mustFindPatient } from "@/core/services/studies/patients.ts";
import { groupSettings } from "@/core/services/settings/settings.ts";
import { VERSION } from "@/core/services/site/status.ts";

/** A completed analysis with the headers of the series it is of. */
export interface Analysed {
  analysis: StoredAnalysis;
  source: SourceSeries;
  maker: Maker;
}
/** A study of which something is analysed, and what its objects are made with. */
export interface AnalysedStudy {
  patient: StoredPatient;
  t1: Analysed | null;
  flair: Analysed | null;
  norms: AppliedNorms;
  isLabelMap: boolean;
  isMasked: boolean;
}

/** How the objects of a receiver are made. */
export interface ObjectOptions {
  /** segmentations as label maps, for receivers of the standard of 2024 and later */
  isLabelMap?: boolean;
  /** puts another identity into what the objects repeat of their series, and moves the instant of the results */
  masked?: { source(source: SourceSeries): SourceSeries; instant(iso: string): string };
}

/** @throws {AppError} `patient.not_found`; `study.not_analyzed`. */
export async function analysedStudy(
  services: ServiceContext,
  pid: number,
  { isLabelMap = false, masked }: ObjectOptions = {},
): Promise<AnalysedStudy> {
  const { db } = services, patient = await mustFindPatient(db, pid);
  const { dicom_encoding_id } = await groupSettings(db);
  // whoever gets objects under another name must not read the first one's UIDs
  const replaced = masked ? {} : await replacedObjects(db, pid, await currentRuns(db, patient.analysisId));
  const completed = async (id: number | null): Promise<Analysed | null> => {
    const analysis = id === null ? null : await findAnalysis(db, id);
    if (analysis?.status !== "completed" || !(analysis.results ?? analysis.flair)) return null;
    const source = await readSourceSeries(
      headersOf(services, analysis.seriesId),
      encodingTerm(dicom_encoding_id),
    );
    const { engineVersion } = analysis, asOf = instantOf(analysis);
    return {
      analysis,
      source: masked?.source(source) ?? source,
      maker: {
        version: VERSION,
        engine: engineVersion ?? "",
        finishedAt: masked?.instant(asOf) ?? asOf,
        replaced,
      },
    };
  };
  const t1 = await completed(patient.analysisId.t1), flair = await completed(patient.analysisId.t2);
  if (!t1 && !flair) {
    throw new AppError("study.not_analyzed", `Cannot export study ${pid}: not analysed`, { pid });
  }
  const norms = await appliedNorms(db, t1?.analysis ?? null);
  return { patient, t1, flair, norms, isLabelMap, isMasked: masked !== undefined };
}
