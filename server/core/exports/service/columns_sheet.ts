import { minuteIn } from "@/model/time/site_time.ts";
import { type Language, textIn } from "@/model/text.ts";
import { exportHeadText } from "@/model/text/worklist/export_columns.ts";
import type { SheetColumn, SheetRows } from "@/server/core/exports/service/workbook.ts";
import type { Sheet } from "@/server/core/exports/service/xlsx.ts";

/** Makes the sheet that explains the columns of the data sheet, with the date of the export. */
export function columnsSheet(
  columns: readonly SheetColumn[],
  language: Language,
  made: { atMs: number; timeZone: string },
): Sheet {
  const say = (key: keyof typeof exportHeadText, values?: Record<string, string>) =>
    textIn(exportHeadText[key], language, values);
  return {
    title: say("columnsSheet"),
    columns: [
      { title: say("columnHead"), type: "text", width: 46 },
      { title: say("unitHead"), type: "text", width: 12 },
      { title: say("meaningHead"), type: "text", width: 70 },
    ],
    rows: (async function* (): SheetRows {
      for (const { title, unit = null, meaning = null } of columns) yield [title, unit, meaning];
      const time = minuteIn(made.timeZone, made.atMs);
      yield await Promise.resolve([null, null, say("madeAt", { time, zone: made.timeZone })]);
    })(),
  };
}
