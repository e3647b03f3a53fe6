import { CHART_SIZE, RAIL_SIZE } from "@/report/charts/chart.ts";
import { headOf, type MainPage, mainPageOf, type MainTableRow } from "@/report/model/page.ts";
import { rangeDigits } from "@/model/norms/rank_format.ts";
import { DASH, fixed } from "@/report/model/format.ts";
import {
  firstPageConclusion,
  isLongForMain,
  type PageNumbers,
} from "@/report/sheets/conclusion_sheet.ts";
import { disagreementOf } from "@/report/sheets/disagreement.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { otherPersonNotices } from "@/report/sheets/other_persons.ts";
import {
  type Block,
  type Cell,
  PERCENTILE_WIDTH,
  PICTURE_SCALES,
  type PictureScale,
  SHEET_HEIGHT,
  type SheetBody,
  type TableRow,
} from "@/report/sheets/sheet.ts";
import { MAIN_PAGE, WMH_PAGE } from "@/model/report/pages.ts";
import { withheldNote } from "@/report/sheets/withheld.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { reportText } from "@/model/text/report/report.ts";
import { flairStructuresText } from "@/model/text/report/report_structures.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { wmhPageText } from "@/model/text/report/pages/wmh.ts";
import { tableCaption } from "@/model/text/report/report_tables.ts";

/** Width of a column with one side's volume and its percentile in small print, points. */
const SIDE_WIDTH = 54;

/** Adds small print below the text of a table cell. */
const under = (small: { text: string; level: number } | null): Pick<Cell, "under" | "underLevel"> =>
  small === null ? {} : { under: small.text, underLevel: small.level };

function tableOf(page: MainPage, language: ReportResponse["language"]): Block {
  const { head } = page;
  const rows = page.rows.map((row): TableRow => {
    const level = row.band?.level ?? 0, isWhole = row.key === "icv" || row.key === "brain";
    return {
      cells: [
        { text: row.name, isBold: isWhole, ...under(row.asymmetry) },
        { text: row.left, ...under(row.leftRank) },
        { text: row.right, ...under(row.rightRank) },
        { text: row.total, isBold: true, ...under(row.totalNote) },
        { text: row.icvPercent },
        { text: row.percentile, level },
        row.rail === null ? {} : { svg: row.rail },
        row.band
          ? { text: `${row.band.symbol} ${row.band.text}`, level }
          : { text: row.note ?? "", isQuiet: true },
      ],
    };
  });
  return {
    kind: "table",
    caption: textIn(tableCaption.main, language),
    columns: [
      { label: head.region, width: "*" },
      { label: head.left, width: SIDE_WIDTH, isNumber: true },
      { label: head.right, width: SIDE_WIDTH, isNumber: true },
      { label: head.total, width: 42, isNumber: true },
      { label: head.icv, width: 32, isNumber: true },
      { label: head.percentile, width: PERCENTILE_WIDTH, isNumber: true },
      // the scale above the percentile bars is omitted when no row has a bar
      {
        label: "",
        ...(page.rows.some(({ rail }) => rail !== null) ? { svg: page.railHead } : {}),
        width: RAIL_SIZE.width + 6,
      },
      { label: head.band, width: 80, isSmall: true },
    ],
    rows,
  };
}

/** A volume in percent of the ICV; a dash if the ICV was not measured or is implausible. */
const icvShare = (ml: number, icv: ReportResponse["icv"]): string =>
  fixed(icv.volume === null || icv.is_implausible ? null : 100 * ml / icv.volume);

/**
 * Table of the Main Page for FLAIR alone: no sides, percentiles or rows that need a T1w series.
 * Lesion volumes are listed here only if the report has no page WMH.
 */
function flairTableOf(page: MainPage, report: ReportResponse): Block {
  const { language, wmh, icv } = report;
  const t = (text: Record<typeof language, string>) => textIn(text, language);
  const share = (ml: number) => wmh?.is_unreliable ? DASH : icvShare(ml, icv);
  const volume = (figure: number | null) =>
    lesionFigure(fixed(figure), wmh?.is_unreliable, language);
  const rowOf = (key: MainTableRow["key"]) => page.rows.find((row) => row.key === key)!;
  const row = (
    name: string,
    value: string,
    percent: string,
    note = "",
    isBold = false,
  ): TableRow => ({
    cells: [
      { text: name, isBold },
      { text: value, isBold: true },
      { text: percent },
      { text: note, isQuiet: true },
    ],
  });
  const icvRow = rowOf("icv"), lesions = rowOf("wmh");
  const lesionTotal = lesionFigure(lesions.total, wmh?.is_unreliable, language);
  return {
    kind: "table",
    caption: t(tableCaption.flair),
    columns: [
      { label: t(reportText.measure), width: "*" },
      { label: t(reportText.value), width: 80, isNumber: true },
      { label: page.head.icv, width: 60, isNumber: true },
      { label: "", width: 150, isSmall: true },
    ],
    rows: [
      row(`${icvRow.name}, mL`, icvRow.total, "", icvRow.note ?? "", true),
      row(`${lesions.name}, mL`, lesionTotal, lesions.icvPercent, lesions.note ?? "", true),
      ...(wmh === null || report.page_list.includes(WMH_PAGE) ? [] : [
        row(t(wmhPageText.wmhPeri), volume(wmh.peri), share(wmh.peri)),
        row(t(wmhPageText.wmhDeep), volume(wmh.deep), share(wmh.deep)),
        row(t(wmhPageText.wmhWhiteMatter), fixed(wmh.wm), share(wmh.wm)),
        row(t(wmhPageText.wmhRatio), volume(wmh.ratio_percent), ""),
        row(t(wmhPageText.wmhCount), String(wmh.lesion_count), ""),
      ]),
    ],
  };
}

/** Table of deep structures measured on FLAIR alone, with the error of each total. */
function flairStructureBlocks(
  { flair_structures: structures, language, icv }: ReportResponse,
): Block[] {
  if (!structures) return [];
  const t = (text: Record<typeof language, string>) => textIn(text, language);
  const number = { width: 62, isNumber: true };
  return [
    { kind: "heading", text: t(flairStructuresText.title) },
    {
      kind: "table",
      caption: t(tableCaption.flairStructures),
      columns: [
        { label: t(reportText.region), width: "*" },
        { label: t(flairStructuresText.left), ...number },
        { label: t(flairStructuresText.right), ...number },
        { label: t(flairStructuresText.total), ...number },
        { label: t(reportText.percentIcv), ...number },
        { label: t(flairStructuresText.interval), width: 90, isNumber: true },
      ],
      rows: structures.map((row): TableRow => ({
        cells: [
          { text: partName(row.brain_regions, language) },
          { text: fixed(row.volume_left) },
          { text: fixed(row.volume_right) },
          { text: fixed(row.volume_total), isBold: true },
          { text: icvShare(row.volume_total, icv) },
          { text: rangeDigits(fixed(row.low), fixed(row.high), language) },
        ],
      })),
    },
    { kind: "small", text: t(reportText.flairStructuresNote) },
  ];
}

/** Ranks of the sides in rows that do not state the reason for a missing percentile themselves. */
const unexplainedRanks = ({ main_page }: ReportResponse) =>
  main_page.rows.filter(({ rank_total }) => rank_total?.has_bands !== false)
    .flatMap(({ rank_left, rank_right }) => [rank_left, rank_right]);

/** Maximum number of suggested sentences on the Main Page of a report without a Cover. */
const MOST_ON_MAIN = 3;

/** The conclusion on the Main Page; empty if the report has a Cover, which contains it. */
const commentBlocks = (report: ReportResponse, numbers: PageNumbers): Block[] =>
  report.page_list.includes(1)
    ? []
    : firstPageConclusion(report, MOST_ON_MAIN, isLongForMain(report), numbers);

/** Height of the charts on a crowded page, as a share of the usual height. */
export const SMALL_CHART = 0.7;

/** Norm charts over age, with an explanation below. */
export const chartBlocks = (page: MainPage, share = 1): Block[] => [
  ...(page.charts.length === 0 ? [] : [
    { kind: "heading", text: page.chartsTitle } as const,
    {
      kind: "drawings",
      columns: 2,
      // a drawing keeps its proportions, so a lower drawing is also narrower
      drawings: page.charts.map(({ svg, alt }) => ({
        svg,
        alt,
        width: CHART_SIZE.width,
        height: share * CHART_SIZE.height,
      })),
    } as const,
  ]),
  ...(page.chartsNote === null ? [] : [{ kind: "small", text: page.chartsNote } as const]),
];

/**
 * The Main Page. A long opinion, warnings and notices of corrections reduce its pictures.
 * If one sheet is not enough, the charts are printed on a second sheet.
 */
export function mainBodiesOf(report: ReportResponse, numbers: PageNumbers): SheetBody[] {
  const page = mainPageOf(report), room = SHEET_HEIGHT - heightOf(correctionNotices(report));
  const fitting = (page: MainPage, chartShare = 1) => {
    for (const scale of PICTURE_SCALES) {
      const body = mainBodyOf(report, page, numbers, scale, chartShare);
      if (heightOf(body.blocks) <= room) return body;
    }
    return null;
  };
  const body = fitting(page) ?? fitting(page, SMALL_CHART);
  if (body) return [body];
  const short = { ...page, charts: [], chartsNote: null };
  return [
    fitting(short) ?? mainBodyOf(report, short, numbers, PICTURE_SCALES.at(-1)!),
    {
      pages: [MAIN_PAGE],
      title: textIn(pageTitle[MAIN_PAGE], report.language),
      blocks: [...headOf(report), ...chartBlocks(page)],
    },
  ];
}

function mainBodyOf(
  report: ReportResponse,
  page: MainPage,
  numbers: PageNumbers,
  scale: PictureScale,
  chartShare = 1,
): SheetBody {
  const isFlair = report.report_type === "t2";
  const small = (text: string | null): Block[] => text === null ? [] : [{ kind: "small", text }];
  return {
    pages: [MAIN_PAGE],
    title: textIn(pageTitle[MAIN_PAGE], report.language),
    blocks: [
      { kind: "identity", entries: page.identity },
      ...(page.notice === null ? [] : [{ kind: "notice", text: page.notice } as const]),
      ...otherPersonNotices(report),
      ...(page.pictures.length === 0 ? [] : [
        { kind: "small", text: page.picturesTitle } as const,
        { kind: "pictures", columns: 3, scale, pictures: page.pictures } as const,
      ]),
      { kind: "heading", text: page.tableTitle },
      ...(page.caution === null
        ? []
        : [{ kind: "notice", text: page.caution, isStrong: true } as const]),
      isFlair ? flairTableOf(page, report) : tableOf(page, report.language),
      ...flairStructureBlocks(report),
      ...small(page.provisional),
      ...small(page.legend),
      ...withheldNote(unexplainedRanks(report), report.language),
      ...chartBlocks(page, chartShare),
      { kind: "line", entries: page.quality },
      ...commentBlocks(report, numbers),
      ...(page.opinion === null ? [] : [
        { kind: "heading", text: page.opinion.label } as const,
        { kind: "text", text: page.opinion.value } as const,
        ...disagreementOf(report),
      ]),
    ],
  };
}
