import { checkupBodiesOf } from "@/report/sheets/checkup_sheet.ts";
import {
  allFindingsBodiesOf,
  conclusionBodiesOf,
  firstPageConclusion,
  isAnyLost,
  isLongForMain,
  isShortened,
  type PageNumbers,
} from "@/report/sheets/conclusion_sheet.ts";
import { divided } from "@/report/sheets/divide.ts";
import {
  coverBodyOf,
  coverWithoutText,
  hasRoomForText,
  withCoverFigures,
} from "@/report/sheets/cover_sheet.ts";
import { withFigures } from "@/report/sheets/figures.ts";
import { icvBodiesOf } from "@/report/sheets/icv_sheet.ts";
import { lesionChangeBodiesOf } from "@/report/sheets/lesion_change_sheet.ts";
import { longitudinalBodiesOf } from "@/report/sheets/longitudinal_sheet.ts";
import { mtaAloneBodiesOf, mtaBodiesOf } from "@/report/sheets/mta_sheet.ts";
import { readingBodiesOf } from "@/report/sheets/reading_sheet.ts";
import { scoreBlocksOf, scoreBodiesOf } from "@/report/sheets/score_sheet.ts";
import { trajectoryBodiesOf } from "@/report/sheets/trajectory_sheet.ts";
import { wmhBodiesOf } from "@/report/sheets/wmh_sheet.ts";
import { mainBodiesOf } from "@/report/sheets/main_sheet.ts";
import { formatInstant } from "@/report/model/format.ts";
import { headOf } from "@/report/model/page.ts";
import { lowerChart, watermarkSvg } from "@/report/charts/chart.ts";
import {
  CHECKUP_PAGE,
  ICV_PAGE,
  MAIN_PAGE,
  MTA_PAGE,
  type PageCode,
} from "@/model/report/pages.ts";
import { regionBodiesOf } from "@/report/sheets/regions_sheet.ts";
import { correctionNotices, findingsBodiesOf } from "@/report/sheets/findings_sheet.ts";
import { heightOf, withRoom, withTallDrawings } from "@/report/sheets/height.ts";
import { type Block, type Sheet, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import { withOneNote } from "@/report/sheets/withheld.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { qualityText } from "@/model/text/quality.ts";
import { coverPageText } from "@/model/text/report/pages/cover.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { reportText } from "@/model/text/report/report.ts";

type AnyPage = PageCode | typeof MAIN_PAGE;

/** Function that lays out each report page, by page code. */
const BODIES: Partial<
  Record<AnyPage, (report: ReportResponse, numbers: PageNumbers) => SheetBody[]>
> = {
  [MAIN_PAGE]: mainBodiesOf,
  2: scoreSheetOf,
  8: (report) => checkupBodiesOf(report),
  16: mtaAloneBodiesOf,
  32: (report) => icvBodiesOf(report),
  64: (report) => [...changeBodiesOf(report), ...lesionChangeBodiesOf(report)],
  128: wmhBodiesOf,
  512: regionBodiesOf,
  1024: readingBodiesOf,
};

/** Longitudinal volumes and percentiles, on one sheet when there are few studies. */
function changeBodiesOf(report: ReportResponse): SheetBody[] {
  const volumes = longitudinalBodiesOf(report), percentiles = trajectoryBodiesOf(report);
  const [first] = volumes, [second] = percentiles;
  if (!first || !second) return [...volumes, ...percentiles];
  const isSaid = (block: Block) =>
    block.kind === "notice" &&
    first.blocks.some((other) => other.kind === "notice" && other.text === block.text);
  const added = second.blocks.slice(headOf(report).length).filter((block) => !isSaid(block));
  const shared = [first.blocks, withLowerCharts(first.blocks)]
    .map((blocks) => ({ ...first, blocks: [...blocks, ...added] }))
    .find((sheet) => isFitting(sheet, report));
  return shared ? [shared] : [first, ...trajectoryBodiesOf(report, true)];
}

const withLowerCharts = (blocks: readonly Block[]): Block[] =>
  blocks.map((block) =>
    block.kind === "drawings" ? { ...block, drawings: block.drawings.map(lowerChart) } : block
  );

/** Numbers of sentences to try below the score; the first number that fits is used. */
const BELOW_SCORE = [30, 20, 16, 13, 11, 9, 7, 5, 4];

/** The page Atrophy Score, with findings below the score where there is room. */
function scoreSheetOf(report: ReportResponse, numbers: PageNumbers): SheetBody[] {
  const [score] = scoreBodiesOf(report), [all, more] = allFindingsBodiesOf(report);
  if (!score || !all || report.signed_text) return score ? [score] : [];
  const sheets: SheetBody[] = [
    ...more ? [] : [{
      pages: [...score.pages, ...all.pages],
      title: `${score.title} · ${all.title}`,
      blocks: [...score.blocks, ...all.blocks.slice(headOf(report).length)],
    }],
    ...BELOW_SCORE.map((most) => ({
      ...score,
      blocks: [...score.blocks, ...firstPageConclusion(report, most, false, numbers)],
    })),
  ];
  return [sheets.find((sheet) => isFitting(sheet, report)) ?? score];
}

const isFitting = ({ blocks }: SheetBody, report: ReportResponse): boolean =>
  heightOf([...blocks, ...correctionNotices(report)]) <= SHEET_HEIGHT;

/** Pages that share a sheet with the page ICV; a report has at most one such pair. */
const BESIDE_ICV = { [CHECKUP_PAGE]: checkupBodiesOf, [MTA_PAGE]: mtaBodiesOf } as const;

/** Lays out the page ICV and another page on one sheet if both fit, otherwise separately. */
function bodiesWithIcv(code: keyof typeof BESIDE_ICV, report: ReportResponse): SheetBody[] {
  const bodiesOfOther = BESIDE_ICV[code];
  for (const isShort of [false, true]) {
    const [other] = bodiesOfOther(report, isShort), [icv] = icvBodiesOf(report, isShort);
    if (!other || !icv) break;
    const blocks = [...other.blocks, ...icv.blocks.slice(headOf(report).length)];
    if (heightOf(blocks) + heightOf(correctionNotices(report)) <= SHEET_HEIGHT) {
      const pages = [...other.pages, ...icv.pages];
      return [{ pages, title: `${other.title} · ${icv.title}`, blocks }];
    }
  }
  return [...bodiesOfOther(report), ...icvBodiesOf(report)];
}

/** All pages of a report in printing order: the Main Page and the selected pages. */
export function reportSheetsOf(report: ReportResponse): Sheet[] {
  const bodies = numberedBodiesOf(report)
    .map((body) => filled(withFigures(withOneNote(body), report), report));
  return bodies.map((body, index) => bound(body, report, index + 1, bodies.length));
}

/**
 * Blank share of a sheet from which its table rows get more space.
 * `LEAST_BLANK` is the share that stays blank because heights are estimates.
 */
const ROOM_FROM = 0.05, LEAST_BLANK = 0.02;

/**
 * Enlarges drawings and the space between table rows on a page.
 * Does so only if a part of the sheet would otherwise be blank.
 */
function filled(body: SheetBody, report: ReportResponse): SheetBody {
  const notices = heightOf(correctionNotices(report)), used = heightOf(body.blocks) + notices;
  if (used >= (1 - ROOM_FROM) * SHEET_HEIGHT) return body;
  const tall = withTallDrawings(body.blocks);
  const variants = [tall, body.blocks].flatMap((blocks) => [
    ...([16, 12, 8, 4] as const).map((room) => withRoom(blocks, room)),
    blocks,
  ]);
  const blocks = variants.find((blocks) =>
    heightOf(blocks) + notices <= (1 - LEAST_BLANK) * SHEET_HEIGHT
  );
  return { ...body, blocks: blocks ?? body.blocks };
}

/** All pages; the first page refers by number to pages with findings that it has no room for. */
function numberedBodiesOf(report: ReportResponse): SheetBody[] {
  const layout = layoutOf(report);
  let numbers: PageNumbers = new Map(), bodies = bodiesOf(report, numbers, false, layout);
  const hasAll = isAnyLost(bodies, report);
  if (!hasAll && !isShortened(bodies, report.language)) return bodies;
  // two passes: the first page prints the other pages' numbers, which depend on its own length
  for (let pass = 0; pass < 2; pass++) {
    const pageNumbers = numbersOf(bodies);
    if (pass > 0 && isEqual(pageNumbers, numbers)) break;
    numbers = pageNumbers;
    bodies = bodiesOf(report, numbers, hasAll, layout);
  }
  return bodies;
}

/** Returns the sheets of a report page. */
type Layout = (code: AnyPage, numbers: PageNumbers) => readonly SheetBody[];

/** Caches the layout of each page; only pages that print page numbers are laid out again. */
function layoutOf(report: ReportResponse): Layout {
  const layouts = new Map<AnyPage, readonly SheetBody[]>();
  const hasPage = (code: PageCode) => report.page_list.includes(code);
  // without norms, Check-up has no curves and shares its sheet; MTA then has large pictures instead
  const neighbours = report.reference.in_range ? [16, 8] as const : [8, 16] as const;
  const beside = neighbours.find((code) => hasPage(code) && hasPage(ICV_PAGE));
  const bodiesOfPage = (code: AnyPage, numbers: PageNumbers) =>
    beside !== undefined && code === beside
      ? bodiesWithIcv(beside, report)
      : beside !== undefined && code === ICV_PAGE
      ? []
      : BODIES[code]?.(report, numbers) ?? [];
  return (code, numbers) => {
    const cachedLayout = layouts.get(code);
    if (cachedLayout) return cachedLayout;
    const bodies = bodiesOfPage(code, numbers).flatMap((body) => divided(body, report));
    const hasNumbers = code === 2 || code === MAIN_PAGE && !hasPage(1);
    if (!hasNumbers) layouts.set(code, bodies);
    return bodies;
  };
}

const isEqual = (one: PageNumbers, other: PageNumbers): boolean =>
  JSON.stringify([...one]) === JSON.stringify([...other]);

/** Numbers of the sheets of each report page, by the page's title. */
function numbersOf(bodies: readonly SheetBody[]): PageNumbers {
  const titles = bodies.flatMap(({ title }, index) =>
    title.split(" · ").map((each) => ({ each, number: index + 1 }))
  );
  const groups = Map.groupBy(titles, ({ each }) => each);
  return new Map([...groups].map(([each, all]) => [each, all.map(({ number }) => number)]));
}

/**
 * All pages of a report, still without page numbers.
 * @param numbers Page numbers that the first page prints as references.
 * @param hasAll Whether to add a page that lists all findings.
 */
function bodiesOf(
  report: ReportResponse,
  numbers: PageNumbers,
  hasAll: boolean,
  layout: Layout,
): SheetBody[] {
  const codes = [...report.page_list, MAIN_PAGE].toSorted((a, b) => a - b) as AnyPage[];
  const notices = correctionNotices(report), hasCover = codes.includes(1);
  const noticed = (bodies: readonly SheetBody[]) =>
    bodies.map((body) => withNotices(body, notices));
  const bodiesOfPages = (codes: readonly AnyPage[]) =>
    codes.flatMap((code) => {
      const pageBodies = layout(code, numbers);
      // pages with a long signed text and the readers' measurements follow the Main Page
      const text = !hasCover && isLongForMain(report) ? conclusionBodiesOf(report) : [];
      return code === MAIN_PAGE
        ? [...pageBodies, ...text, ...findingsBodiesOf(report)]
        : pageBodies;
    });
  const withAll = (bodies: readonly SheetBody[]) => {
    const isThere = bodies.some(({ pages }) => pages.includes("findings"));
    if (!hasAll || isThere) return joined(bodies, report);
    // inserted after the Main Page's second sheet, which contains only its charts
    const isMain = ({ pages }: SheetBody) => pages.includes(MAIN_PAGE);
    const last = bodies.findLastIndex(isMain);
    const at = last > 0 && isMain(bodies[last - 1]!) ? last + 1 : bodies.length;
    return joined(bodies.toSpliced(at, 0, ...allFindingsBodiesOf(report)), report);
  };
  if (!hasCover) return noticed(withAll(bodiesOfPages(codes)));
  const bodiesWithoutScore = bodiesOfPages(codes.filter((code) => code !== 2));
  let bodiesAfterCover = withAll(bodiesWithoutScore);
  const isApart = report.signed_text !== undefined &&
    !hasRoomForText(report, bodiesAfterCover, numbers);
  if (codes.includes(2)) {
    const score = scoreBlocksOf(report, textIn(pageTitle[2], report.language), true);
    const first = coverBodyOf(report, bodiesAfterCover, numbers, score);
    const shared = withNotices(score.length > 0 ? first : withCoverFigures(first, report), notices);
    // without a score, the Cover prints the reason
    if (!isApart && (score.length === 0 || heightOf(shared.blocks) <= SHEET_HEIGHT)) {
      return [shared, ...noticed(bodiesAfterCover)];
    }
    if (score.length > 0) {
      bodiesAfterCover = withAll([...scoreSheetOf(report, numbers), ...bodiesWithoutScore]);
    }
  }
  if (isApart) bodiesAfterCover.unshift(...conclusionBodiesOf(report));
  const [first, ...others] = bodiesAfterCover;
  if (!isApart && first) {
    const shared = coverBodyOf(report, bodiesAfterCover, numbers, [], 1);
    const [sheet, more] = joined([shared, first], report);
    if (!more) return noticed([sheet!, ...others]);
  }
  // the Cover has a table of contents of all other pages
  const cover = isApart
    ? coverWithoutText(report, bodiesAfterCover, numbers)
    : coverBodyOf(report, bodiesAfterCover, numbers);
  return noticed([withCoverFigures(cover, report), ...bodiesAfterCover]);
}

/**
 * Prints two neighbouring pages on one sheet if both fit, if necessary in smaller variants.
 * Such a sheet names the patient once.
 */
function joined(bodies: readonly SheetBody[], report: ReportResponse): SheetBody[] {
  const room = SHEET_HEIGHT - heightOf(correctionNotices(report)), sheets: SheetBody[] = [];
  for (const body of bodies) {
    const last = sheets.at(-1);
    const shared = last &&
      [last.blocks, ...last.shorter ?? []].values().flatMap((above) =>
        [body.blocks, ...body.shorter ?? []].map((below) =>
          sharedBlocks({ ...last, blocks: above }, { ...body, blocks: below }, report)
        )
      ).find((blocks) => heightOf(blocks) <= room);
    if (last && shared) {
      const title = last.title === body.title ? body.title : `${last.title} · ${body.title}`;
      const pages = [...new Set([...last.pages, ...body.pages])];
      sheets[sheets.length - 1] = { pages, title, blocks: shared };
    } else sheets.push(body);
  }
  return sheets;
}

/** Content blocks of two report pages, merged to be printed on one sheet. */
function sharedBlocks(last: SheetBody, body: SheetBody, report: ReportResponse): Block[] {
  const head = headOf(report).length, { language } = report;
  const start = body.blocks.findIndex(({ kind }) => !["identity", "notice"].includes(kind));
  const entries = last.blocks.flatMap((block) => block.kind === "entries" ? block.entries : []);
  const isSaid = (block: Block) =>
    block.kind === "identity" ||
    block.kind === "notice" && entries.some(({ value }) => value === block.text) ||
    last.blocks.some((other) => JSON.stringify(other) === JSON.stringify(block));
  const unsaidBlocks = body.blocks.filter((block, at) =>
    at >= Math.max(head, start) || !isSaid(block)
  );
  const isRated = entries.some(({ label }) =>
    label === textIn(coverPageText.coverRating, language)
  );
  const grade = textIn(qualityText.grade, language);
  const below = unsaidBlocks.map((block): Block =>
    block.kind === "line" && isRated
      ? { ...block, entries: block.entries.filter(({ label }) => label !== grade) }
      : block
  );
  const isNamed = unsaidBlocks[0]?.kind === "heading" || last.title === body.title;
  const added: Block[] = isNamed ? below : [{ kind: "heading", text: body.title }, ...below];
  return [...last.blocks, ...added];
}

/** Inserts notices below the line with the patient's name. */
function withNotices(body: SheetBody, notices: readonly Block[]): SheetBody {
  const isAboutWhom = (block: Block): boolean =>
    ["identity", "line", "entries"].includes(block.kind) ||
    block.kind === "split" && block.left.some(isAboutWhom);
  const at = body.blocks.findIndex(isAboutWhom) + 1;
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
      norms: report.report_type === "t2" ? null : normsLineOf(report),
      segmentation: `${t(reportText.segmentation)}: ${reference.segmentation}`,
      notDiagnosis: isDemo ? t(reportText.notDiagnosis) : "",
      generated: `${t(reportText.generated)}: ${
        formatInstant(report.generated_at, report.time_zone)
      }`,
      page: t(reportText.page, { page, pages }),
    },
  };
}

/** Citation of the norms, and the data on which the percentiles' error was measured. */
function normsLineOf({ language, reference }: ReportResponse): string {
  const norms = `${textIn(reportText.norms, language)}: ${reference.name}. ${reference.citation}`;
  return [norms, reference.method_error ?? ""].filter(Boolean).join(". ");
}
