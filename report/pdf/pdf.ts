/// <reference path="./pdfmake.d.ts" />
import pdfmake from "pdfmake";
import { REPORT_COLOURS as C } from "@/report/charts/colours.ts";
import { type Block, type Sheet, SHEET_WIDTH } from "@/report/sheets/sheet.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { FONT } from "@/report/pdf/text/pdf_fonts.ts";
import { nodesOf } from "@/report/pdf/pdf_blocks.ts";
import "@/report/pdf/pdfmake_overrides.ts";
import { printable } from "@/report/pdf/text/printable.ts";
import { type Node, tagged } from "@/report/pdf/pdf_tags.ts";

pdfmake.setUrlAccessPolicy(() => false);

/** A4 page size with side margins of 14 mm, in points. */
const MARGIN = 14 * 72 / 25.4;

/** Key of the hospital's logo in the dictionary of pictures. */
export const LOGO = "logo";

/** PNG of each picture of a report, by the picture's key. */
export type Pictures = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/**
 * Renders a report as a PDF of A4 pages with embedded fonts, one page per sheet.
 * Equal reports and pictures give identical bytes, so that files can be compared.
 *
 * @param pictures PNG of every picture in the report.
 */
export async function renderPdf(
  report: ReportResponse,
  pictures: Pictures,
): Promise<Uint8Array<ArrayBuffer>> {
  const sheets = reportSheetsOf(report), first = sheets[0]!;
  const created = new Date(report.generated_at);
  const used = new Set(sheets.flatMap(({ blocks }) => picturesOf(blocks)));
  // pdfmake would fail for a logo URL without a picture
  const hasLogo = first.logo !== null && LOGO in pictures;
  if (hasLogo) used.add(LOGO);
  const images = Object.entries(pictures).filter(([key]) => used.has(key)).map(([key, png]) => [
    key,
    `data:image/png;base64,${Buffer.from(png).toString("base64")}`,
  ]);
  const definition = {
    pageSize: "A4",
    pageMargins: [MARGIN, 44, MARGIN, 50],
    // structure, language and title metadata (PDF/UA) require PDF 1.7
    version: "1.7",
    tagged: true,
    displayTitle: true,
    language: first.language,
    info: {
      title: first.report,
      creator: first.product,
      producer: first.product,
      creationDate: created,
      modDate: created,
    },
    defaultStyle: { font: FONT, fontSize: 8, color: C.ink, lineHeight: LINE_HEIGHTS[0] },
    images: Object.fromEntries(images),
  };
  const isLast = LINE_HEIGHTS.length - 1, closeness = sheets.map(() => 0);
  for (;;) {
    const pages = sheets.map(() => 0);
    const content = sheets.map((sheet, at) =>
      sectionOf(sheet, hasLogo, LINE_HEIGHTS[closeness[at]!]!, () => pages[at]!++)
    );
    const buffer = await pdfmake.createPdf({
      ...definition,
      content: printable(tagged(content)),
    }).getBuffer();
    // heights of pages are estimates: if one is too high for the paper, its lines are set closer
    const closer = closeness.map((level, at) =>
      pages[at]! > 1 && level < isLast ? level + 1 : level
    );
    if (closer.every((level, at) => level === closeness[at])) return new Uint8Array(buffer);
    closeness.splice(0, closer.length, ...closer);
  }
}

/** Line heights relative to the font's: usual, and closer for pages too high for the paper. */
const LINE_HEIGHTS = [1.05, 0.99, 0.93] as const;

/**
 * Makes a pdfmake section with header and footer from one page of the report.
 * @param count Called for each printed page; one sheet should give one page.
 */
const sectionOf = (
  sheet: Sheet,
  hasLogo: boolean,
  lineHeight: number,
  count: () => void,
): Node => ({
  section: { stack: nodesOf(sheet.blocks), lineHeight },
  background: sheet.watermark === null ? null : () => [{ svg: sheet.watermark }],
  header: () => {
    count();
    return printable(header(sheet, hasLogo));
  },
  footer: () => printable(footer(sheet)),
});

const picturesOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) =>
    block.kind === "pictures"
      ? block.pictures.map(({ key }) => key)
      : block.kind === "split"
      ? picturesOf([...block.left, ...block.right])
      : []
  );

function header(sheet: Sheet, hasLogo: boolean): Node {
  return {
    margin: [MARGIN, 20, MARGIN, 0],
    columnGap: 6,
    columns: [
      {
        width: "*",
        text: [
          { text: "Sulcus", bold: true, fontSize: 13, color: C.brand },
          { text: `   ${sheet.report}`, fontSize: 10.5 },
          { text: `   ${sheet.title}`, fontSize: 10.5, bold: true, color: C.brand },
        ],
      },
      {
        width: "auto",
        stack: [
          ...(sheet.hospital === ""
            ? []
            : [{ text: sheet.hospital, alignment: "right", fontSize: 8 }]),
          ...(sheet.demo === null
            ? []
            : [{ text: sheet.demo, alignment: "right", fontSize: 7, bold: true, color: C.demo }]),
        ],
      },
      ...(hasLogo ? [{ width: "auto", image: LOGO, fit: [80, 20] }] : []),
    ],
  };
}

function footer({ product, footer }: Sheet): Node {
  const small = { fontSize: 5.8, color: C.soft };
  const productLine = `${product}. ${footer.segmentation}. ${footer.notDiagnosis}`;
  return {
    margin: [MARGIN, 3, MARGIN, 0],
    stack: [
      {
        canvas: [{
          type: "line",
          x1: 0,
          y1: 0,
          x2: SHEET_WIDTH,
          y2: 0,
          lineWidth: 0.6,
          lineColor: C.line,
        }],
      },
      {
        margin: [0, 3, 0, 0],
        columns: [
          // two lines fit next to the date; the sentence below them gets the full width
          { width: "*", text: footer.norms ?? productLine, ...small },
          { width: "auto", text: `${footer.generated}     ${footer.page}`, noWrap: true, ...small },
        ],
        columnGap: 10,
      },
      ...(footer.norms === null ? [] : [{ text: productLine, ...small }]),
    ],
  };
}
