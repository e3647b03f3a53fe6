import { yearsBetween } from "@/model/norms/annual_change.ts";
import type { Method } from "@/model/norms/percentile_rank.ts";
import { keyOf, labelsOf } from "@/model/regions/measures.ts";
import type { NormSubject } from "@/model/norms/norms.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { scannerReasonOf } from "@/model/measured/region_data.ts";
import { printedPercentile } from "@/model/norms/rank_format.ts";
import { rankerOf } from "@/model/norms/ranks.ts";
import type { LongitudinalResults } from "@/server/core/analyses/storage/longitudinal.ts";

type Trajectory = NonNullable<ReportResponse["trajectory"]>;

/** Measures for which percentiles are tracked, with their keys in the norms. */
const FOLLOWED = {
  brain: "brain",
  hippocampus: keyOf([19, 20]),
  lateral_ventricles: keyOf([15, 16]),
} as const;

/**
 * Percentiles of jointly processed studies, each at the patient's age and norms of that study.
 * `null` outside the norms, and for a scanner with withheld percentiles.
 *
 * @param subject  The patient at `studyDate`; without ICV, percentiles are by age and sex only.
 * @param methodOf  Method of each study, by study number.
 */
export function trajectoryOf(
  { visits, icvMm3 }: LongitudinalResults,
  subject: NormSubject | null,
  studyDate: string | null,
  methodOf: (pid: number) => Method,
): Trajectory | null {
  if (!subject || studyDate === null || visits.length < 2) return null;
  return visits.map((visit) => {
    // jointly processed studies are not measured by the second network
    const method = { ...methodOf(visit.pid), hasOpinion: false };
    const { isStopped = false, isUnread = false, isUnaccepted = false } = method;
    const isRefused = scannerReasonOf(method) === "scanner_refused";
    const age = subject.age + yearsBetween(studyDate, visit.studyDate);
    const ranker = rankerOf(
      { ...subject, age, icvMl: subject.icvMl && icvMm3 / 1000 },
      undefined,
      method,
    );
    const percentiles = Object.entries(FOLLOWED).map(([name, key]) => {
      const mm3 = labelsOf(key).reduce((sum, label) => sum + (visit.volumesMm3[label] ?? 0), 0);
      const rank = isStopped ? null : ranker.volume(key, mm3);
      return [name, printedPercentile(rank)] as const;
    });
    return {
      pid: visit.pid,
      study_date: visit.studyDate,
      percentiles: Object.fromEntries(percentiles),
      ...isStopped && { is_stopped: true as const },
      ...isStopped && isUnread && { is_unread: true as const },
      ...isRefused && { is_refused: true as const },
      ...isUnaccepted && !isStopped && { is_provisional: true as const },
    };
  });
}
