import { textIn } from "@/model/text.ts";
import { exportHeadText } from "@/model/text/worklist/export_columns.ts";

type Head = keyof typeof exportHeadText;

/** English head of a part's column; `side` may also be an end of an interval, or "" for none. */
export function headOf(part: string, side: Head | "", head: Head, what?: Head): string {
  const english = (key: Head, values: Record<string, string> = {}) =>
    textIn(exportHeadText[key], "en", values);
  const sided = side === "" ? part : english("sided", { part, side: english(side) });
  return english(head, { part: sided, ...(what && { what: english(what) }) });
}
