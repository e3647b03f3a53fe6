import { identityOf, noticeOf, seriesText } from "@/report/model/page.ts";
import { DASH, type Entry, formatInstant } from "@/report/model/format.ts";
import type { SheetBody } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { qualityText, warningText } from "@/model/text/quality.ts";
import { reportText } from "@/model/text/report/report.ts";
import { pageText, pageTitle } from "@/model/text/report/report_pages.ts";

/**
 * The Cover: who and what was examined, how good the analysis is, what follows, and the opinion.
 * @param rest The pages that follow.
 */
export function coverBodyOf(report: ReportResponse, rest: readonly SheetBody[]): SheetBody {
  const { language, qc } = report;
  const t = (text: Record<Language, string>) => textIn(text, language);
  const grade: Entry[] = [
    { label: t(qualityText.grade), value: qc.grade === null ? DASH : t(qualityText[qc.grade]) },
    {
      label: t(pageText.coverReasons),
      value: qc.warnings.length === 0
        ? t(report.report_type === "t2" ? reportText.flairOnly : reportText.noWarnings)
        : qc.warnings.map((code) => warningText(code, language)).join("; "),
    },
  ];
  return {
    title: t(pageTitle[1]),
    blocks: [
      { kind: "title", text: t(pageText.coverTitle), under: report.hospital_name },
      { kind: "heading", text: t(pageText.coverPatient) },
      ...(report.anonymized ? [{ kind: "small", text: t(pageText.anonymous) } as const] : []),
      { kind: "entries", columns: 3, entries: identityOf(report).slice(0, 6) },
      { kind: "heading", text: t(pageText.coverSeries) },
      {
        kind: "table",
        columns: [
          { label: t(pageText.coverType), width: 40 },
          { label: t(reportText.series), width: "*" },
          { label: t(reportText.acquisition), width: 142, isSmall: true },
          { label: t(reportText.scanner), width: 112, isSmall: true },
          { label: t(reportText.analysisDate), width: 96, isSmall: true },
        ],
        rows: report.series_list.map((series) => {
          const { acquisition, scanner } = seriesText(series, language);
          return {
            cells: [
              { text: series.type === "t1" ? "T1w" : "FLAIR", isBold: true },
              { text: series.description || DASH },
              { text: acquisition },
              { text: scanner },
              {
                text: series.analysis_date === null
                  ? DASH
                  : formatInstant(series.analysis_date, report.time_zone),
              },
            ],
          };
        }),
      },
      { kind: "heading", text: t(pageText.coverQuality) },
      { kind: "entries", columns: 1, entries: grade },
      { kind: "heading", text: t(reportText.opinion) },
      { kind: "text", text: report.opinion.message || t(pageText.noOpinion), isLarge: true },
      ...(report.page_list.includes(2) && report.atrophy_score === null
        ? [
          { kind: "heading", text: t(pageTitle[2]) } as const,
          { kind: "text", text: `${DASH}  ${t(pageText.scoreNone)} ${noticeOf(report) ?? ""}` } as const,
        ]
        : []),
      { kind: "heading", text: t(pageText.coverContents) },
      {
        kind: "table",
        columns: [{ label: "", width: "*" }, { label: t(pageText.coverPage), width: 40, isNumber: true }],
        rows: rest.flatMap(({ title }, index) =>
          index > 0 && rest[index - 1]!.title === title
            ? []
            : [{ cells: [{ text: title }, { text: String(index + 2) }] }]
        ),
      },
    ],
  };
}
