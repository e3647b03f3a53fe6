import { annualChange, trackedValues, yearsBetween } from "@/model/norms/annual_change.ts";
import type { ReportVisit } from "@/model/schema/report/report.ts";
import type { LongitudinalResults } from "@/server/core/analyses/storage/longitudinal.ts";

/** Jointly processed studies as printed in the report, with the change since the first study. */
export function reportVisitsOf(
  { visits, limits }: Pick<LongitudinalResults, "visits" | "limits">,
): ReportVisit[] {
  const first = visits[0];
  if (!first) return [];
  const years = visits.map((visit) => yearsBetween(first.studyDate, visit.studyDate));
  const values = visits.map((visit) => trackedValues(visit.volumesMm3, visit.sideMm));
  return visits.map((visit, i) => {
    // only studies with the same scanner and protocol as the first are used for changes
    const alike = visits.map(({ differences }, at) => ({ differences, at })).slice(0, i + 1)
      .filter(({ differences }) => !differences || differences.length === 0).map(({ at }) => at);
    const isComparable = alike.includes(i);
    const annual_change_percent: ReportVisit["annual_change_percent"] = {},
      within_error: string[] = [];
    for (const key of Object.keys(values[i]!)) {
      const comparedValues = alike.map((at) => values[at]![key]);
      const isWhole = isComparable && comparedValues.every((value) => value !== undefined);
      const change = isWhole
        ? annualChange(key, alike.map((at) => years[at]!), comparedValues, limits)
        : null;
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
