import { AppError } from "@/model/errors.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import type { Maker } from "@/server/core/dicom/write/derived_object.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { findAnalysis, type StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { currentRuns } from "@/server/core/connections/storage/outbox.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { type AppliedNorms, appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { instantOf } from "@/server/core/reading/service/corrected.ts";
import { replacedObjects } from "@/server/core/exports/service/replaced_objects.ts";
import { withEdits } from "@/server/core/studies/service/headers/edited_identity.ts";
import { storedSource } from "@/server/core/studies/service/headers/stored_headers.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { VERSION } from "@/server/core/site/service/status.ts";

/** A completed analysis with the DICOM headers of its series. */
export interface Analysed {
  analysis: StoredAnalysis;
  source: SourceSeries;
  /** `source` with the patient identity of the images, before edits in the worklist */
  unedited: SourceSeries;
  maker: Maker;
}
/** An analysed study with all data from which DICOM objects of its results are made. */
export interface AnalysedStudy {
  patient: StoredPatient;
  t1: Analysed | null;
  flair: Analysed | null;
  norms: AppliedNorms;
  isLabelMap: boolean;
  isMasked: boolean;
}

/** Options of DICOM objects that depend on the system that receives them. */
export interface ObjectOptions {
  /** write segmentations as label maps (DICOM 2024), if the receiver supports them */
  isLabelMap?: boolean;
  /** replaces the identity in the headers, and shifts the date of the results */
  masked?: { source(source: SourceSeries): SourceSeries; instant(iso: string): string };
}

/** Loads an analysed study. @throws {AppError} as {@link mustFindPatient}; `study.not_analyzed`. */
export async function analysedStudy(
  services: ServiceContext,
  pid: number,
  { isLabelMap = false, masked }: ObjectOptions = {},
): Promise<AnalysedStudy> {
  const { db } = services, patient = await mustFindPatient(db, pid);
  const { dicom_encoding_id } = await groupSettings(db);
  // UIDs of replaced objects are omitted: receivers of de-identified objects must not get them
  const replaced = masked
    ? {}
    : await replacedObjects(db, pid, await currentRuns(db, pid, patient.analysisId));
  const completed = async (id: number | null): Promise<Analysed | null> => {
    const analysis = id === null ? null : await findAnalysis(db, id);
    if (analysis?.status !== "completed" || !(analysis.results ?? analysis.flair)) return null;
    const encoding = encodingTerm(dicom_encoding_id);
    const unedited = await storedSource(services, analysis.seriesId, encoding);
    const source = withEdits(unedited, patient);
    const { engineVersion } = analysis, asOf = instantOf(analysis);
    return {
      analysis,
      source: masked?.source(source) ?? source,
      unedited,
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
    throw new AppError("study.not_analyzed", `Cannot export study ${pid}: not analyzed`, { pid });
  }
  const norms = await appliedNorms(db, t1?.analysis ?? null);
  return { patient, t1, flair, norms, isLabelMap, isMasked: masked !== undefined };
}
