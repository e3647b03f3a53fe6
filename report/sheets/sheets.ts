import { checkupBodiesOf } from "@/report/sheets/checkup_sheet.ts";
import { coverBodyOf } from "@/report/sheets/cover_sheet.ts";
import { icvBodiesOf } from "@/report/sheets/icv_sheet.ts";
import { lesionChangeBodiesOf } from "@/report/sheets/lesion_change_sheet.ts";
import { longitudinalBodiesOf } from "@/report/sheets/longitudinal_sheet.ts";
import { mtaBodiesOf } from "@/report/sheets/mta_sheet.ts";
import { readingBodiesOf } from "@/report/sheets/reading_sheet.ts";
import { scoreBodiesOf } from "@/report/sheets/score_sheet.ts";
import { trajectoryBodiesOf } from "@/report/sheets/trajectory_sheet.ts";
import { wmhBodiesOf } from "@/report/sheets/wmh_sheet.ts";
import { mainBodyOf } from "@/report/sheets/main_sheet.ts";
import { formatInstant } from "@/report/model/format.ts";
import { watermarkSvg } from "@/report/charts/chart.ts";
import { MAIN_PAGE, type PageCode } from "@/model/report/pages.ts";
import { regionBodiesOf } from "@/report/sheets/regions_sheet.ts";
import { correctionNotices, findingsBodiesOf } from "@/report/sheets/findings_sheet.ts";
import type { Block, Sheet, SheetBody } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";

type AnyPage = PageCode | typeof MAIN_PAGE;

/** What stands on each page, by its code. */
const BODIES: Partial<Record<AnyPage, (report: ReportResponse) => SheetBody[]>> = {
  [MAIN_PAGE]: (report) => [mainBodyOf(report)],
  2: scoreBodiesOf,
  8: checkupBodiesOf,
  16: mtaBodiesOf,
  32: icvBodiesOf,
  64: (
    report,
  ) => [...longitudinalBodiesOf(report), ...trajectoryBodiesOf(report), ...lesionChangeBodiesOf(report)],
  128: wmhBodiesOf,
  512: regionBodiesOf,
  1024: readingBodiesOf,
};

/** Every page of a report in its order, in its language: the Main Page and the chosen ones. */
export function reportSheetsOf(report: ReportResponse): Sheet[] {
  const codes = [...report.page_list, MAIN_PAGE].toSorted((a, b) => a - b) as AnyPage[];
  // a score that there is not needs no page of its own where the Cover can say so
  const isOnCover = (code: AnyPage) =>
    code === 2 && report.atrophy_score === null && report.page_list.includes(1);
  const notices = correctionNotices(report);
  const bodies = codes.flatMap((code) => {
    const own = isOnCover(code) ? [] : BODIES[code]?.(report) ?? [];
    // what its readers found comes after the Main Page
    return code === MAIN_PAGE ? [...own, ...findingsBodiesOf(report)] : own;
  });
  // the Cover lists what follows
  if (report.page_list.includes(1)) bodies.unshift(coverBodyOf(report, bodies));
  return bodies.map((body, index) =>
    bound(notices.length > 0 ? withNotices(body, notices) : body, report, index + 1, bodies.length)
  );
}

/** Notices under what says whom a page is about. */
function withNotices(body: SheetBody, notices: readonly Block[]): SheetBody {
  const at =
    body.blocks.findIndex(({ kind }) => kind === "identity" || kind === "line" || kind === "entries") + 1;
  return { ...body, blocks: body.blocks.toSpliced(at, 0, ...notices) };
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
    logo: report.logo_url,
    demo: isDemo ? t(reportText.demo) : null,
    watermark: isDemo ? watermarkSvg("DEMO") : null,
    footer: {
      norms: [
        `${t(reportText.norms)}: ${reference.name}. ${reference.citation}`,
        reference.method_error ?? "",
      ]
        .filter(Boolean).join(". "),
      segmentation: `${t(reportText.segmentation)}: ${reference.segmentation}`,
      notDiagnosis: isDemo ? t(reportText.notDiagnosis) : "",
      generated: `${t(reportText.generated)}: ${formatInstant(report.generated_at, report.time_zone)}`,
      page: t(reportText.page, { page, pages }),
    },
  };
}
