// Adds figures (pictures with captions) to a sheet that would otherwise have a large blank area.
import { mainPageOf } from "@/report/model/page.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { measuredStripOf } from "@/report/sheets/icv_sheet.ts";
import { hippocampiFiguresOf } from "@/report/sheets/mta_sheet.ts";
import { coverLesionsOf } from "@/report/sheets/wmh_sheet.ts";
import {
  type Block,
  PICTURE_SCALES,
  SHEET_HEIGHT,
  type SheetBody,
  type SheetPage,
} from "@/report/sheets/sheet.ts";
import {
  CHECKUP_PAGE,
  ICV_PAGE,
  MAIN_PAGE,
  MTA_PAGE,
  SCORE_PAGE,
  WMH_PAGE,
} from "@/model/report/pages.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";

/** Largest share of a sheet that may be blank without adding figures. */
export const MOST_BLANK = 0.15;
/** Blank share of a sheet from which it may repeat figures of another page. */
const REPEATED_FROM = 0.35;

/** Adds figures to a page if more than {@link MOST_BLANK} of its sheet would be blank. */
export function withFigures(body: SheetBody, report: ReportResponse): SheetBody {
  const used = heightOf([...body.blocks, ...correctionNotices(report)]);
  if (used >= (1 - MOST_BLANK) * SHEET_HEIGHT) return body;
  const isVeryBlank = used <= (1 - REPEATED_FROM) * SHEET_HEIGHT;
  for (const figure of figuresOf(body.pages, report, isVeryBlank)) {
    if (used + heightOf(figure) <= SHEET_HEIGHT) {
      return { ...body, blocks: [...body.blocks, ...figure] };
    }
  }
  return body;
}

/**
 * Variants of the figures for a page, from large to small; none for pages that have no figures.
 * @param isVeryBlank More than a third is blank, so figures of another page may be repeated.
 */
function figuresOf(
  pages: readonly SheetPage[],
  report: ReportResponse,
  isVeryBlank: boolean,
): Iterable<Block[]> {
  const { report_type: type } = report;
  const hasNorms = report.reference.in_range;
  const [first, ...others] = pages.filter((page) => page !== "findings");
  const isOnly = (page: SheetPage) => others.length === 0 && first === page;
  if (isOnly(MAIN_PAGE) && type === "t2") return lesionsOf(report);
  const isElsewhere = report.page_list.includes(MTA_PAGE);
  if (isOnly(MAIN_PAGE) && isElsewhere && !isVeryBlank) return [];
  if (isOnly(MAIN_PAGE) || isOnly(SCORE_PAGE)) return hippocampiFiguresOf(report);
  if (isOnly(CHECKUP_PAGE) && !hasNorms) return measuredOf(report);
  if (isOnly(ICV_PAGE) && !hasNorms) return regionsOf(report);
  return [];
}

/** The slices with the most lesions. Adds the volumes only if no table of the page has them. */
function* lesionsOf(report: ReportResponse): Generator<Block[]> {
  for (const blocks of coverLesionsOf(report)) {
    const figure = report.page_list.includes(WMH_PAGE)
      ? blocks
      : blocks.filter(({ kind }) => kind !== "table" && kind !== "notice");
    if (figure.some(({ kind }) => kind === "pictures")) yield figure;
  }
}

/** Pictures of the measured brain and ventricles in three planes, from large to small. */
function* measuredOf(report: ReportResponse): Generator<Block[]> {
  for (const scale of PICTURE_SCALES) {
    const strip = measuredStripOf(report, scale);
    if (strip.length > 0) yield strip;
  }
}

/** Pictures of the brain regions in three planes, as on the Main Page. */
function* regionsOf(report: ReportResponse): Generator<Block[]> {
  const { pictures, picturesTitle } = mainPageOf(report);
  if (pictures.length === 0) return;
  for (const scale of PICTURE_SCALES) {
    yield [
      { kind: "small", text: picturesTitle },
      { kind: "pictures", columns: 3, scale, pictures },
    ];
  }
}
