import { measureStudy } from "@/model/measured/measured_study.ts";
import type { Conclusion } from "@/model/schema/report/finding.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import { type Language, textIn } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { signedLabel } from "@/report/model/signed_label.ts";
import { currentLongitudinal } from "@/server/core/analyses/service/comparable_visits.ts";
import { appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { conclusionOf } from "@/server/core/reports/service/report_model.ts";
import { signedTextOf } from "@/server/core/reports/service/signed_text.ts";
import { listSignatureTimes } from "@/server/core/reports/storage/report_text.ts";
import { atrophyScoreOf } from "@/server/core/reports/service/report_score.ts";
import { individualSettings } from "@/server/core/settings/service/settings.ts";
import { siteTimeZone } from "@/server/core/site/service/license.ts";
import { type ServiceContext, SITE } from "@/server/core/site/service/context.ts";
import { completedAnalyses, mustFindPatient } from "@/server/core/studies/service/patients.ts";

/**
 * Conclusion suggested from a study's results, with the site's settings. Renders no pictures.
 *
 * @param hasDates `false` omits changes between studies, which contain dates of other studies.
 * @returns `null` without a completed analysis.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function suggestedConclusion(
  services: ServiceContext,
  pid: number,
  language: Language,
  hasDates = true,
): Promise<Conclusion | null> {
  const { db } = services, patient = await mustFindPatient(db, pid), { row } = patient;
  const { t1, t2 } = await completedAnalyses(db, patient);
  if (!t1 && !t2) return null;
  const [{ method }, { report: settings }, longitudinal] = await Promise.all([
    appliedNorms(db, t1),
    individualSettings(services, SITE.uid),
    currentLongitudinal(db, row.patient_id, pid),
  ]);
  const t1Figures = t1?.results ?? null, thresholds = settings.threshold_list;
  const study = measureStudy({
    patient: row,
    t1: t1Figures,
    flair: t2?.flair ?? null,
    method,
    thresholds,
  });
  const score = t1Figures &&
    atrophyScoreOf(t1Figures.volumesMm3, study.normSubject, thresholds, method);
  const isCompared = hasDates && t1 !== null &&
    longitudinal?.visits.some((visit) => visit.pid === pid);
  const compared = { pid, language, longitudinal: isCompared ? longitudinal : null };
  return conclusionOf(compared, study, score);
}

/** Sentences of {@link suggestedConclusion}; empty if it suggests none. */
export const suggestedSentences = async (
  ...study: Parameters<typeof suggestedConclusion>
): Promise<string[]> => (await suggestedConclusion(...study))?.sentences ?? [];

/** Suggested sentences below a heading that says that no physician has signed them. */
export async function automaticComment(
  services: ServiceContext,
  pid: number,
  language: Language,
  hasDates = true,
): Promise<string[]> {
  const sentences = await suggestedSentences(services, pid, language, hasDates);
  return sentences.length === 0 ? [] : [textIn(conclusionText.automatic, language), ...sentences];
}

/** Conclusion of a study as it is written into HL7 messages and DICOM objects. */
export interface StudyComment {
  /** text of the physician with a line that names author and time; `null` if not signed */
  signed: SignedText & { label: string } | null;
  /** sentences of {@link automaticComment}; empty if a signed text is up to date */
  suggested: string[];
  /** times of all signatures, also of withdrawn ones, ascending, ISO 8601 */
  signedAt: string[];
}

/**
 * Signed text of a study; without an up-to-date one, also the suggested sentences.
 * @throws {AppError} as {@link suggestedSentences}.
 */
export async function studyComment(
  services: ServiceContext,
  pid: number,
  language: Language,
): Promise<StudyComment> {
  const signed = await signedTextOf(services.db, pid);
  return {
    signed: signed && { ...signed, label: signedLabel(signed, language, siteTimeZone()) },
    suggested: signed && !signed.is_outdated ? [] : await automaticComment(services, pid, language),
    signedAt: await listSignatureTimes(services.db, pid),
  };
}
