import { OVERALL, UNRELIABLE } from "@/model/drift/charts.ts";
import type { Measure } from "@/model/norms/norms.ts";
import type { DriftGroup } from "@/model/schema/report/drift.ts";
import { type Language, textIn } from "@/model/text.ts";
import { driftText } from "@/model/text/settings/drift.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";

/** Name of a control chart. */
export function chartText(name: string, language: Language): string {
  if (name === OVERALL || name === UNRELIABLE) return textIn(driftText[name], language);
  const [measure, key] = name.split(":") as [Measure, string];
  return measureText(measure, key, language);
}

/** Control charts that signal a change, each with its direction and date. */
export const movedText = (moved: DriftGroup["moved"], language: Language): string =>
  moved.map(({ name, direction, date }) =>
    textIn(date === null ? driftText.movedUndated : driftText.movedSince, language, {
      name: chartText(name, language),
      direction: textIn(driftText[direction], language),
      date: date ?? "",
    })
  ).join(", ");
