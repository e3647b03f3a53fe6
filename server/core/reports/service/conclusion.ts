import { measureStudy } from "@/model/measured/measured_study.ts";
import { type Language, textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { currentLongitudinal } from "@/server/core/analyses/service/longitudinal.ts";
import { appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { conclusionOf } from "@/server/core/reports/service/report_model.ts";
import { atrophyScoreOf } from "@/server/core/reports/service/report_score.ts";
import { individualSettings } from "@/server/core/settings/service/settings.ts";
import { type ServiceContext, SITE } from "@/server/core/site/service/context.ts";
import { completedAnalyses, mustFindPatient } from "@/server/core/studies/service/patients.ts";

/**
 * The automatic comment of a study under its label, as its report with the settings of the site has it, without drawing
 * the report's pictures.
 *
 * @param hasDates `false` leaves out changes, which name the dates of other studies.
 * @returns Empty without a completed analysis.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function automaticComment(
  services: ServiceContext,
  pid: number,
  language: Language,
  hasDates = true,
): Promise<string[]> {
  const { db } = services, patient = await mustFindPatient(db, pid), { row } = patient;
  const { t1, t2 } = await completedAnalyses(db, patient);
  if (!t1 && !t2) return [];
  const [{ method }, { report: settings }, longitudinal] = await Promise.all([
    appliedNorms(db, t1),
    individualSettings(services, SITE.uid),
    currentLongitudinal(db, row.patient_id),
  ]);
  const t1Figures = t1?.results ?? null, thresholds = settings.threshold_list;
  const study = measureStudy({
    patient: row,
    t1: t1Figures,
    flair: t2?.flair ?? null,
    method,
    thresholds,
  });
  const score = t1Figures && atrophyScoreOf(t1Figures.volumesMm3, study.normSubject, thresholds, method);
  const isCompared = hasDates && t1 !== null && longitudinal?.visits.some((visit) => visit.pid === pid);
  const compared = { pid, language, longitudinal: isCompared ? longitudinal : null };
  return [textIn(conclusionText.automatic, language), ...conclusionOf(compared, study, score).sentences];
}
