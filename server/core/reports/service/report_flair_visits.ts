import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Protocol, protocolDifferences } from "@/server/core/dicom/read/protocol.ts";
import { findAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { listFlairVisits } from "@/server/core/analyses/storage/flair_changes.ts";
import { lesionDataOf } from "@/model/measured/lesion_data.ts";
import { protocolOfSeries } from "@/server/core/analyses/service/longitudinal.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { lesionChangesOf } from "@/server/core/reading/service/lesion_changes.ts";

type FlairLongitudinal = NonNullable<ReportResponse["flair_longitudinal"]>;

/**
 * White matter hyperintensities at all studies of the patient, oldest first, and the lesions that
 * changed since the study before this one; `null` when this study has no FLAIR analysis, or no
 * other date has one.
 */
export async function flairLongitudinalOf(
  services: ServiceContext,
  pid: number,
  patientId: string,
): Promise<FlairLongitudinal | null> {
  const { db } = services, found = await listFlairVisits(db, patientId);
  const ownVisit = found.find((visit) => visit.pid === pid);
  if (!ownVisit || new Set(found.map(({ studyDate }) => studyDate)).size < 2) return null;
  const ownProtocol = await protocolOfSeries(services, ownVisit.seriesId);
  const visits: FlairLongitudinal["visits"] = [];
  for (const visit of found) {
    const flair = (await findAnalysis(db, visit.analysisId))?.flair;
    if (!flair) continue;
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
      protocol_differences: differencesOf(
        ownProtocol,
        await protocolOfSeries(services, visit.seriesId),
      ),
    });
  }
  if (visits.length < 2) return null;
  return { visits, changes: await lesionChangesOf(db, pid, patientId) };
}

const differencesOf = (own: Protocol | null, other: Protocol | null): string[] =>
  own && other ? protocolDifferences(own, other) : [];
