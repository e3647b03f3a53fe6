import { isInverted, PARTS } from "@/model/regions/regions.ts";
import { textIn } from "@/model/text.ts";
import { exportHeadText } from "@/model/text/worklist/export_columns.ts";
import {
  columnPartName,
  flairTitle,
  rankTitle,
} from "@/server/core/exports/service/excel_columns.ts";

const english = (key: keyof typeof exportHeadText, values: Record<string, string> = {}) =>
  textIn(exportHeadText[key], "en", values);

/** English head of a part's or a sum's column; `side` is "" for a part without sides. */
export function headOf(
  part: string,
  side: "left" | "right" | "total" | "",
  head:
    | "volume"
    | "icv_percent"
    | "flair_volume"
    | "flair_low"
    | "flair_high"
    | "rank_sex"
    | "rank_icv",
  what: "percentile" | "low" | "high" | "band" = "percentile",
): string {
  const region = PARTS.find((each) => each.part === part);
  const name = region ? columnPartName(part, "en") : part;
  const sided = side === "" ? name : english("sided", { part: name, side: english(side) });
  switch (head) {
    case "volume":
      return english("inMl", { measure: english("volume", { part: sided }) });
    case "icv_percent":
      return english("ofIcv", { measure: english("volume", { part: sided }) });
    case "rank_sex":
    case "rank_icv":
      return rankTitle(head, sided, what, region ? isInverted(region.labels[0]) : false, "en");
    default:
      return flairTitle(head, sided, "en");
  }
}
