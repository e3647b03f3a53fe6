import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { isDetermined } from "@/model/norms/rank_format.ts";
import { type Language, textIn } from "@/model/text.ts";
import { bandText } from "@/model/text/report/band_names.ts";

const LOW = [bandText.low1, bandText.low2], HIGH = [bandText.high1, bandText.high2];

/**
 * Name of a percentile's band in tables: "very low", "possibly low", "usual",
 * "not distinguishable from usual", "check segmentation".
 * "none": the error is too large for a band. "not determined": too large even for an interval.
 * "not determined, check segmentation": the region's borders are uncertain.
 * The bands are separated by percentile thresholds.
 */
export function bandNameOf(rank: PercentileRank, isFluid: boolean, language: Language): string {
  const names = isFluid ? HIGH : LOW, { level, possible_level: possible } = rank;
  const say = (key: keyof typeof bandText, values?: Record<string, string>) =>
    textIn(bandText[key], language, values);
  const nameOf = (level: number) => textIn(names[level - 1]!, language);
  if (rank.doubt === "region") return say("notDeterminedDoubt");
  if (!isDetermined(rank)) return say("notDetermined");
  if (!rank.has_bands) return say("none");
  if (level > 0) {
    return possible > level
      ? say("levelPossibly", { level: nameOf(level), possible: nameOf(possible) })
      : nameOf(level);
  }
  if (rank.doubt !== null) return say("doubt");
  if (possible > 0) return say("possibly", { possible: nameOf(possible) });
  return say(rank.is_usual ? "usual" : "notDistinguishable");
}
