import { PARTS } from "@/model/regions/regions.ts";
import { textIn } from "@/model/text.ts";
import { exportHeadText } from "@/model/text/worklist/export_columns.ts";
import { columnPartName } from "@/server/core/exports/service/excel_columns.ts";

type Head = keyof typeof exportHeadText;

/** English head of a part's or a sum's column; `side` is "" for a part without sides. */
export function headOf(part: string, side: Head | "", head: Head, what?: Head): string {
  const english = (key: Head, values: Record<string, string> = {}) =>
    textIn(exportHeadText[key], "en", values);
  const name = PARTS.some((each) => each.part === part) ? columnPartName(part, "en") : part;
  const sided = side === "" ? name : english("sided", { part: name, side: english(side) });
  return english(head, { part: sided, ...(what && { what: english(what) }) });
}
