import { analysisWarnings, identityOf, noticeOf, seriesText } from "@/report/model/page.ts";
import { DASH, type Entry, formatInstant, printedOpinion } from "@/report/model/format.ts";
import { firstPageConclusion, type PageNumbers } from "@/report/sheets/conclusion_sheet.ts";
import { disagreementOf } from "@/report/sheets/disagreement.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { MOST_BLANK } from "@/report/sheets/figures.ts";
import { heightOf, withRoom } from "@/report/sheets/height.ts";
import { noScoreText } from "@/report/sheets/score_sheet.ts";
import { coverHippocampiOf } from "@/report/sheets/mta_sheet.ts";
import { coverLesionsOf } from "@/report/sheets/wmh_sheet.ts";
import { type Block, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import { COVER_PAGE, MTA_PAGE, SCORE_PAGE } from "@/model/report/pages.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { qualityText, warningsText } from "@/model/text/quality.ts";
import { reportText } from "@/model/text/report/report.ts";
import { coverPageText } from "@/model/text/report/pages/cover.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

/** Returns a text of the Cover in the report's language. */
export type Words = (text: Record<Language, string>) => string;

/**
 * The Cover (first page): patient and study, quality grade, list of pages, and conclusion.
 * @param rest The pages after the Cover.
 * @param score Blocks of the Atrophy Score to be printed on the Cover;
 * empty if the Atrophy Score is on a separate page or not selected.
 * @param firstPage Page number of the next page: 1 if it is printed below the Cover.
 */
export function coverBodyOf(
  report: ReportResponse,
  rest: readonly SheetBody[],
  numbers: PageNumbers,
  score: readonly Block[] = [],
  firstPage = 2,
): SheetBody {
  return coversOf(report, rest, numbers, score, false, firstPage).find((cover) =>
    fits(report, cover)
  ) ??
    coverWith(report, rest, numbers, score, FEWEST_ON_COVER, false, firstPage, true);
}

/** Whether the whole signed text fits on the Cover, possibly with fewer suggested sentences. */
export const hasRoomForText = (
  report: ReportResponse,
  rest: readonly SheetBody[],
  numbers: PageNumbers,
): boolean => coversOf(report, rest, numbers, [], false).some((cover) => fits(report, cover));

/** The Cover of a report with the signed text on a separate page. */
export const coverWithoutText = (
  report: ReportResponse,
  rest: readonly SheetBody[],
  numbers: PageNumbers,
): SheetBody =>
  coversOf(report, rest, numbers, [], true).find((cover) => fits(report, cover)) ??
    coverWith(report, rest, numbers, [], FEWEST_ON_COVER, true, 2, true);

/** Largest space that is added to table rows on a page with blank space, points. */
const MOST_ROOM = 16;

/**
 * Adds figures to the Cover (first page) where a third of the page would otherwise be blank.
 * The figures show the lesions of FLAIR alone, or else the hippocampi.
 * Studies without percentiles have figures, because a physician must review the images.
 * Studies with percentiles have figures only if few findings leave the Cover blank.
 * Figures of the page Hospital-MTA are repeated only if the Cover's tables cannot fill the space.
 */
export function withCoverFigures(cover: SheetBody, report: ReportResponse): SheetBody {
  const spaced = { ...cover, blocks: withRoom(cover.blocks, MOST_ROOM) };
  const isRepeated = report.page_list.includes(MTA_PAGE) && isFull(report, spaced);
  const figures = report.report_type === "t2"
    ? coverLesionsOf(report)
    : isRepeated || report.reference.reason === null && isFull(report, cover)
    ? [].values()
    : coverHippocampiOf(report);
  const contents = textIn(coverPageText.coverContents, report.language);
  const at = cover.blocks.findIndex((block) => block.kind === "heading" && block.text === contents);
  return figures.map((blocks) => ({
    ...cover,
    blocks: cover.blocks.toSpliced(at, 0, ...blocks),
  })).find((variant) => fits(report, variant)) ?? cover;
}

const isFull = (report: ReportResponse, { blocks }: SheetBody): boolean =>
  heightOf([...blocks, ...correctionNotices(report)]) >= (1 - MOST_BLANK) * SHEET_HEIGHT;

const fits = (report: ReportResponse, { blocks }: SheetBody): boolean =>
  heightOf([...blocks, ...correctionNotices(report)]) <= SHEET_HEIGHT;

/** Variants of the Cover with a decreasing number of suggested sentences. */
function* coversOf(
  report: ReportResponse,
  rest: readonly SheetBody[],
  numbers: PageNumbers,
  score: readonly Block[],
  isApart: boolean,
  firstPage = 2,
): Generator<SheetBody> {
  for (let most = MOST_ON_COVER; most > FEWEST_ON_COVER; most--) {
    yield coverWith(report, rest, numbers, score, most, isApart, firstPage);
  }
}

function coverWith(
  report: ReportResponse,
  rest: readonly SheetBody[],
  numbers: PageNumbers,
  score: readonly Block[],
  most: number,
  isApart: boolean,
  firstPage = 2,
  isDense = score.length > 0,
): SheetBody {
  const t: Words = (text) => textIn(text, report.language);
  // on a crowded Cover the hospital's name is omitted, because the header contains it
  const under = isDense ? "" : report.hospital_name;
  const title: Block = { kind: "title", text: t(coverPageText.coverTitle), under };
  const patient: Block[] = [
    { kind: "heading", text: t(coverPageText.coverPatient) },
    ...(report.anonymized ? [{ kind: "small", text: t(coverPageText.anonymous) } as const] : []),
    { kind: "entries", columns: 3, entries: identityOf(report).slice(0, 6) },
  ];
  const series: Block[] = [
    { kind: "heading", text: t(coverPageText.coverSeries) },
    seriesTable(report, t),
  ];
  const quality: Block[] = [
    { kind: "heading", text: t(coverPageText.coverQuality) },
    { kind: "entries", columns: 1, entries: gradeOf(report, t) },
  ];
  const opinion: Block[] = conclusionBlocks(report, t, most, isApart, numbers);
  const contents: Block[] = [
    { kind: "heading", text: t(coverPageText.coverContents) },
    ...contentsBlocks(rest, score.length > 0, isDense, firstPage, t),
  ];
  if (score.length > 0) {
    return {
      pages: [COVER_PAGE, SCORE_PAGE],
      title: `${t(pageTitle[COVER_PAGE])} · ${t(pageTitle[SCORE_PAGE])}`,
      blocks: [
        title,
        {
          kind: "split",
          share: 62,
          left: [...patient, ...opinion],
          right: [...quality, ...contents],
        },
        ...series,
        ...score,
      ],
    };
  }
  const noScore: Block[] = report.page_list.includes(2) && report.atrophy_score === null
    ? [
      { kind: "heading", text: t(pageTitle[2]) },
      { kind: "text", text: `${DASH}  ${noScoreText(report)} ${noticeOf(report) ?? ""}` },
    ]
    : [];
  return {
    pages: [COVER_PAGE],
    title: t(pageTitle[COVER_PAGE]),
    blocks: [title, ...patient, ...series, ...quality, ...opinion, ...noScore, ...contents],
  };
}

/** Maximum and minimum number of sentences on the Cover. */
const MOST_ON_COVER = 12, FEWEST_ON_COVER = 3;

/**
 * The signed text, or the conclusion marked as the software's suggestion.
 * An opinion (prepared comment) that a user selected follows; a signed text already contains it.
 * Reports of earlier versions have only a suggested opinion.
 * @param most Maximum number of sentences. @param isApart The signed text has a separate page.
 */
function conclusionBlocks(
  report: ReportResponse,
  t: Words,
  most: number,
  isApart: boolean,
  numbers: PageNumbers,
): Block[] {
  const { opinion, conclusion, signed_text: signed } = report;
  const hasOpinion = opinion.message !== "" && !(conclusion && opinion.is_suggested);
  return [
    ...firstPageConclusion(report, most, isApart, numbers),
    ...(!signed && (hasOpinion || !conclusion)
      ? [
        { kind: "heading", text: t(reportText.opinion) } as const,
        {
          kind: "text",
          text: printedOpinion(opinion.message) || t(coverPageText.noOpinion),
          isLarge: true,
        } as const,
        ...disagreementOf(report),
      ]
      : []),
  ];
}

function gradeOf(report: ReportResponse, t: Words): Entry[] {
  const { language, qc, report_type } = report, warnings = analysisWarnings(report);
  return [
    {
      label: t(coverPageText.coverRating),
      value: qc.grade === null ? DASH : t(qualityText[qc.grade]),
    },
    {
      label: t(coverPageText.coverReasons),
      value: warnings.length === 0
        ? (report_type === "t2" ? noticeOf(report) : null) ?? t(reportText.noWarnings)
        : warningsText(warnings, language),
    },
    ...(warnings.length === qc.warnings.length
      ? []
      : [{ label: t(reportText.percentile), value: t(coverPageText.coverProvisional) }]),
  ];
}

function seriesTable({ language, series_list, time_zone }: ReportResponse, t: Words): Block {
  return {
    kind: "table",
    caption: t(coverPageText.coverSeries),
    columns: [
      { label: t(coverPageText.coverType), width: 40 },
      { label: t(reportText.series), width: "*" },
      { label: t(reportText.acquisition), width: 142, isSmall: true },
      { label: t(reportText.scanner), width: 112, isSmall: true },
      { label: t(reportText.analysisDate), width: 96, isSmall: true },
    ],
    rows: series_list.map((series) => {
      const { acquisition, scanner } = seriesText(series, language), { analysis_date: at } = series;
      return {
        cells: [
          { text: series.type === "t1" ? "T1w" : "FLAIR", isBold: true },
          { text: series.description || DASH },
          { text: acquisition },
          { text: scanner },
          { text: at === null ? DASH : formatInstant(at, time_zone) },
        ],
      };
    }),
  };
}

/**
 * Table of contents on the Cover: one row per report page, with the number of its first sheet.
 * On a crowded Cover without the Atrophy Score, the rows are in two tables side by side.
 */
function contentsBlocks(
  rest: readonly SheetBody[],
  hasScore: boolean,
  isDense: boolean,
  firstPage: number,
  t: Words,
): Block[] {
  const row = (title: string, page: number) => ({
    cells: [{ text: title }, { text: String(page) }],
  });
  const rows = [
    ...(hasScore ? [row(t(pageTitle[2]), 1)] : []),
    ...rest.flatMap(({ title }, index) =>
      index > 0 && rest[index - 1]!.title === title
        ? []
        // two report pages on one sheet have a joined title, and get a row each
        : title.split(" · ").map((page) => row(page, index + firstPage))
    ),
  ];
  const tableOf = (some: typeof rows): Block => ({
    kind: "table",
    caption: t(coverPageText.coverContents),
    isDense,
    columns: [{ label: "", width: "*" }, {
      label: t(coverPageText.coverPage),
      width: 40,
      isNumber: true,
    }],
    rows: some,
  });
  if (!isDense || hasScore || rows.length < 2) return [tableOf(rows)];
  const half = Math.ceil(rows.length / 2);
  return [{
    kind: "split",
    share: 50,
    left: [tableOf(rows.slice(0, half))],
    right: [tableOf(rows.slice(half))],
  }];
}
