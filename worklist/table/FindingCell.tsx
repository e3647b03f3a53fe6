import { useSignals } from "@preact/signals-react/runtime";
import { percentileOrdinal } from "@/model/norms/rank_format.ts";
import type { PatientRow, StudyFinding } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { findingText } from "@/model/text/worklist/finding.ts";
import { partNameLater } from "@/client/page/part_names.ts";

/** Left hippocampus, 2nd percentile. */
function deviationText({ deviation }: StudyFinding, language: Language): string | null {
  if (!deviation) return null;
  const { brain_regions, side, percentile } = deviation;
  return textIn(findingText.deviation, language, {
    part: partNameLater(brain_regions, side, language),
    percentile: percentileOrdinal(percentile, language),
  }).replace(/^: /, "");
}

/** WMH and change, as far as they are known. */
const restTexts = ({ wmh, change }: StudyFinding, language: Language): string[] => [
  ...wmh === null ? [] : [textIn(findingText.wmh, language, { ml: wmh.toFixed(1) })],
  ...change === null ? [] : [textIn(findingText[change.key], language, {
    percent: `${change.percent > 0 ? "+" : "−"}${Math.abs(change.percent).toFixed(1)}`,
    since: change.since.slice(0, 4),
  })],
];

/** Everything that stands out in a study's results, in one line; `null` without any. */
export function findingLine({ finding }: Pick<PatientRow, "finding">, language: Language): string | null {
  if (!finding) return null;
  const parts = [deviationText(finding, language), ...restTexts(finding, language)];
  return parts.filter((part) => part !== null).join(" · ") || null;
}

/** What stands out in a study's results: the part furthest from the norms, lesions, and change since the first study. */
export function FindingCell({ row, language }: { row: PatientRow; language: Language }) {
  useSignals();
  const { finding } = row;
  if (!finding) return "-";
  const deviation = deviationText(finding, language), rest = restTexts(finding, language).join(" · ");
  return (
    <div className="min-w-0 leading-tight" title={findingLine(row, language) ?? undefined}>
      {deviation && (
        <div className={`finding-text ${finding.deviation!.is_usual ? "" : "font-medium text-amber-900"}`}>
          {deviation}
        </div>
      )}
      {rest !== "" && <div className="truncate text-xs text-ink-soft">{rest}</div>}
    </div>
  );
}
