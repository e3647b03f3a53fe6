import { mainBodyOf } from "@/model/report_main_sheet.ts";
import { printInstant } from "@/model/report_print.ts";
import { watermarkSvg } from "@/model/report_chart.ts";
import { MAIN_PAGE, type PageCode } from "@/model/report_pages.ts";
import { regionBodiesOf } from "@/model/report_regions_sheet.ts";
import type { Sheet, SheetBody } from "@/model/report_sheet.ts";
import type { ReportResponse } from "@/model/schema/report.ts";
import { textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report.ts";

type AnyPage = PageCode | typeof MAIN_PAGE;

/** What stands on each page, by its code. */
const BODIES: Partial<Record<AnyPage, (report: ReportResponse) => SheetBody[]>> = {
  [MAIN_PAGE]: (report) => [mainBodyOf(report)],
  512: regionBodiesOf,
};

/** Every page of a report in its order, in its language: the Main Page and the chosen ones. */
export function reportSheetsOf(report: ReportResponse): Sheet[] {
  const codes = [...report.page_list, MAIN_PAGE].toSorted((a, b) => a - b) as AnyPage[];
  const bodies = codes.flatMap((code) => BODIES[code]?.(report) ?? []);
  return bodies.map((body, index) => bound(body, report, index + 1, bodies.length));
}

function bound(body: SheetBody, report: ReportResponse, page: number, pages: number): Sheet {
  const { language, reference } = report, isDemo = report.cert_type === "DEMO";
  const t = (text: Record<typeof language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  return {
    ...body,
    language,
    product: `${report.product} ${report.version}`,
    report: t(reportText.title),
    hospital: report.hospital_name,
    demo: isDemo ? t(reportText.demo) : null,
    watermark: isDemo ? watermarkSvg("DEMO") : null,
    footer: {
      norms: `${t(reportText.norms)}: ${reference.name}. ${reference.citation}`,
      segmentation: `${t(reportText.segmentation)}: ${reference.segmentation}`,
      notDiagnosis: isDemo ? t(reportText.notDiagnosis) : "",
      generated: `${t(reportText.generated)}: ${printInstant(report.generated_at)}`,
      page: t(reportText.page, { page, pages }),
    },
  };
}
