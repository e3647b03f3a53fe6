import { WIDE_RAIL_SIZE, wideRailHeadSvg, wideRailSvg } from "@/model/report_gauges.ts";
import { headOf, mainPageOf } from "@/model/report_page.ts";
import { printPercentile } from "@/model/report_print.ts";
import type { SheetBody } from "@/model/report_sheet.ts";
import type { MainRowKey, ReportResponse } from "@/model/schema/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report.ts";
import { pageText, pageTitle } from "@/model/text/report_pages.ts";

const WHAT: [MainRowKey, Record<Language, string>][] = [
  ["brain", pageText.checkBrain],
  ["cortex", pageText.checkCortex],
  ["white_matter", pageText.checkWhiteMatter],
  ["hippocampus", pageText.checkHippocampus],
  ["amygdala", pageText.checkAmygdala],
  ["thalamus", pageText.checkThalamus],
  ["lateral_ventricles", pageText.checkVentricles],
  ["thickness", pageText.checkThickness],
];

/** Plain words for a band; `level` as strength, 0 to 3. */
function wordsOf(key: MainRowKey, level: number): Record<Language, string> {
  if (level === 0) return pageText.checkUsual;
  if (key === "lateral_ventricles") return level === 1 ? pageText.checkLarger : pageText.checkMuchLarger;
  if (key === "thickness") return level === 1 ? pageText.checkThinner : pageText.checkMuchThinner;
  return level === 1 ? pageText.checkSmaller : pageText.checkMuchSmaller;
}

/** The Check-up page: one dot a structure, in plain words. */
export function checkupBodiesOf(report: ReportResponse): SheetBody[] {
  const { language, threshold_list: thresholds } = report;
  const t = (text: Record<Language, string>) => textIn(text, language);
  const printed = mainPageOf(report).rows;
  return [{
    title: t(pageTitle[8]),
    blocks: [
      ...headOf(report),
      { kind: "text", text: t(pageText.checkLead), isLarge: true },
      {
        kind: "table",
        columns: [
          { label: t(pageText.checkPart), width: 118 },
          { label: t(pageText.checkWhat), width: "*" },
          { label: "", svg: wideRailHeadSvg(), width: WIDE_RAIL_SIZE.width + 6, isWide: true },
          { label: t(reportText.percentile), width: 44, isNumber: true },
          { label: t(pageText.checkWords), width: 94, isSmall: true },
        ],
        rows: WHAT.map(([key, what]) => {
          const row = report.main_page.rows.find((row) => row.key === key)!;
          const { name, band, note } = printed.find((row) => row.key === key)!;
          const level = band?.level ?? 0;
          return {
            cells: [
              { text: name.replace(/, mm$/, ""), isBold: true },
              { text: t(what), isQuiet: true },
              { svg: wideRailSvg(row.np_total, level, thresholds, row.is_inverted) },
              { text: printPercentile(row.np_total), level },
              { text: band === null ? note ?? "" : t(wordsOf(key, level)), level },
            ],
          };
        }),
      },
      { kind: "text", text: t(pageText.checkNote), isLarge: true },
    ],
  }];
}
