import {
  type Affine,
  affineFromRowMajor,
  compose,
  invert,
  rowMajor,
  type Vec3,
} from "@/model/geometry.ts";
import { acceptedChanges } from "@/model/measured/lesion_counts.ts";
import type { LesionChangeList } from "@/model/schema/reading/lesion_changes.ts";
import { MOST_CHANGE_PICTURES, type ReportResponse } from "@/model/schema/report/report.ts";
import { type Protocol, protocolDifferences } from "@/server/core/dicom/read/protocol.ts";
import {
  findAnalysis,
  type FlairResults,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { currentFlairChange } from "@/server/core/analyses/service/flair_change.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listFlairVisits } from "@/server/core/analyses/storage/flair_changes.ts";
import { lesionDataOf } from "@/model/measured/lesion_data.ts";
import { hasSameLesionMethod } from "@/model/measured/lesion_method.ts";
import { protocolOfSeries } from "@/server/core/analyses/service/longitudinal.ts";
import { personsOf } from "@/server/core/studies/service/headers/persons.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { lesionChangesOf, lesionMethodOf } from "@/server/core/reading/service/lesion_changes.ts";

type FlairLongitudinal = NonNullable<ReportResponse["flair_longitudinal"]>;

/**
 * White matter hyperintensities at all studies of the patient, oldest study first.
 * The result also contains the lesions that changed since the previous study.
 * `null` if this study has no FLAIR analysis, or if no study of another date has one.
 */
export async function flairLongitudinalOf(
  services: ServiceContext,
  pid: number,
  patientId: string,
): Promise<FlairLongitudinal | null> {
  const { db } = services, all = await listFlairVisits(db, patientId);
  const ownVisit = all.find((visit) => visit.pid === pid);
  if (!ownVisit) return null;
  const found = (await personsOf(db, patientId)).sameAs(ownVisit, all);
  if (new Set(found.map(({ studyDate }) => studyDate)).size < 2) return null;
  const ownMethod = lesionMethodOf(await findAnalysis(db, ownVisit.analysisId));
  const ownProtocol = await protocolOfSeries(services, ownVisit.seriesId);
  const visits: FlairLongitudinal["visits"] = [];
  for (const visit of found) {
    const analysis = await findAnalysis(db, visit.analysisId), flair = analysis?.flair;
    if (!flair) continue;
    const protocol = await protocolOfSeries(services, visit.seriesId);
    const isUnknown = visit.pid !== pid && (ownProtocol === null || protocol === null);
    const { wmh, peri_wmh, deep_wmh, wmh_detail } = lesionDataOf(flair, visit.t1Grade);
    visits.push({
      pid: visit.pid,
      study_date: visit.studyDate,
      total: wmh,
      peri: peri_wmh,
      deep: deep_wmh,
      ratio_percent: wmh_detail.ratio_percent,
      lesion_count: wmh_detail.lesion_count,
      is_low_confidence: wmh_detail.is_low_confidence,
      ...(wmh_detail.is_unreliable && { is_unreliable: true }),
      protocol_differences: differencesOf(ownProtocol, protocol),
      ...(isUnknown && { is_acquisition_unknown: true }),
      ...(!hasSameLesionMethod(ownMethod, lesionMethodOf(analysis)) && { is_other_method: true }),
    });
  }
  if (visits.length < 2) return null;
  return { visits, changes: await lesionChangesOf(db, pid, patientId) };
}

const differencesOf = (own: Protocol | null, other: Protocol | null): string[] =>
  own && other ? protocolDifferences(own, other) : [];

/** Changed lesions that the report shows in pictures of the previous and this study. */
export interface PicturedChanges {
  prior: StoredAnalysis & { flair: FlairResults };
  /** affine from RAS mm of the previous study's images to RAS mm of this study's images */
  currentFromPriorRows: number[];
  /** numbers of the changed lesions within the comparison of the two studies */
  lesions: number[];
  /** positions of the changed lesions, RAS mm of this study's images */
  placesRasMm: Vec3[];
}

/** Numbers of the changed lesions that have pictures in the report. */
export const picturedLesions = (changes: LesionChangeList): number[] =>
  acceptedChanges(changes).slice(0, MOST_CHANGE_PICTURES).map(({ lesion }) => lesion);

/**
 * Changed lesions for the report's pictures; `null` without any or without a finished comparison.
 */
export async function picturedChanges(
  db: Database,
  pid: number,
  patientId: string,
): Promise<PicturedChanges | null> {
  const change = await currentFlairChange(db, pid, patientId);
  const list = change && await lesionChangesOf(db, pid, patientId);
  const lesions = list ? picturedLesions(list) : [];
  if (!change || !list || lesions.length === 0) return null;
  const { pair, results } = change;
  const prior = await findAnalysis(db, pair.prior.analysisId);
  const current = await findAnalysis(db, pair.current.analysisId);
  if (!prior?.flair || !current?.flair) return null;
  const maskFromFlair = ({ t1FromFlairRows }: FlairResults) =>
    affineFromRowMajor<"Ras", "Ras">(t1FromFlairRows);
  const currentFromPrior = Float64Array.from(results.compared.currentFromPrior) as Affine<
    "Ras",
    "Ras"
  >;
  return {
    prior: { ...prior, flair: prior.flair },
    currentFromPriorRows: rowMajor(
      compose(
        maskFromFlair(current.flair),
        compose(currentFromPrior, invert(maskFromFlair(prior.flair))),
      ),
    ),
    lesions,
    placesRasMm: lesions.map((number) => list.lesions[number]!.centre_ras_mm),
  };
}
