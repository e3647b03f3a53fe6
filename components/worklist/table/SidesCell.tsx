import { formatRank } from "@/model/norms/rank_format.ts";
import { asymmetryDigits } from "@/model/regions/asymmetry.ts";
import type { ListedSides, PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { findingText } from "@/model/text/worklist/finding.ts";

/** A side, or the difference between both sides. */
export type SidesPart = "left" | "right" | "asymmetry";

/** Value of a side in mL or of the difference in percent, as in the report; with its percentile. */
function valueOf(sides: ListedSides, shown: SidesPart) {
  if (shown !== "asymmetry") {
    return { value: sides[shown].toFixed(2), rank: sides[`rank_${shown}`] };
  }
  const { asymmetry_percent: percent, rank_asymmetry: rank } = sides;
  return {
    value: percent === null ? "-" : `${asymmetryDigits(percent)}\u00a0%`,
    // the report prints no interval of a difference either
    rank: rank?.has_bands ? { ...rank, low: rank.percentile, high: rank.percentile } : null,
  };
}

/** Left or right hippocampus, or their difference, with the percentile below. */
export function SidesCell(
  { row, shown, language }: { row: PatientRow; shown: SidesPart; language: Language },
) {
  const { hippocampus: sides, is_provisional } = row.finding ?? {};
  if (!sides) return "-";
  const { value, rank } = valueOf(sides, shown);
  return (
    <>
      <div className="whitespace-nowrap">{value}</div>
      {rank && (
        <div
          className="text-[11px] leading-tight text-ink-soft"
          title={is_provisional ? textIn(findingText.provisional, language) : undefined}
        >
          {is_provisional && `${textIn(findingText.provisionalMark, language)} `}
          {formatRank(rank, language)}
        </div>
      )}
    </>
  );
}
