import { annualChange, trackedValues, yearsBetween } from "@/model/norms/annual_change.ts";
import type { ReportVisit } from "@/model/schema/report/report.ts";
import type { LongitudinalResults } from "@/core/storage/longitudinal.ts";

/** The visits of a comparison as the report shows them, each with the change from the first visit to it. */
export function reportVisitsOf({ visits }: Pick<LongitudinalResults, "visits">): ReportVisit[] {
  const first = visits[0];
  if (!first) return [];
  const years = visits.map((visit) => yearsBetween(first.studyDate, visit.studyDate));
  const values = visits.map((visit) => trackedValues(visit.volumesMm3, visit.sideMm));
  return visits.map((visit, i) => {
    const annual_change_percent: ReportVisit["annual_change_percent"] = {}, within_error: string[] = [];
    for (const key of Object.keys(values[i]!)) {
      const known = values.slice(0, i + 1).map((one) => one[key]);
      const isWhole = known.every((value) => value !== undefined);
      const change = isWhole ? annualChange(key, years.slice(0, i + 1), known) : null;
      annual_change_percent[key] = change?.percent ?? null;
      if (change?.isWithinError) within_error.push(key);
    }
    return {
      study_date: visit.studyDate,
      pid: visit.pid,
      same_protocol: visit.differences?.length === 0,
      protocol_differences: visit.differences ?? [],
      values: values[i]!,
      annual_change_percent,
      within_error,
    };
  });
}
