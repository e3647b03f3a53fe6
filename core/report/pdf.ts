/// <reference path="./pdfmake.d.ts" />
import { fileURLToPath } from "node:url";
import pdfmake from "pdfmake";
import { CHART_SIZE, RAIL_SIZE } from "@/model/report_chart.ts";
import { BAND_INK, REPORT_COLOURS as C } from "@/model/report_colours.ts";
import { type Entry, type MainPage, mainPageOf, type TableRow } from "@/model/report_page.ts";
import type { ImageKey, ReportResponse } from "@/model/schema/report.ts";

/** A node of a pdfmake document definition. */
type Node = Record<string, unknown>;

const FONT = "Noto Sans KR";
const fontFile = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/noto-sans-kr/${name}`));
const regular = fontFile("400Regular/NotoSansKR_400Regular.ttf");
const bold = fontFile("700Bold/NotoSansKR_700Bold.ttf");
pdfmake.setFonts({ [FONT]: { normal: regular, bold, italics: regular, bolditalics: bold } });
pdfmake.setLocalAccessPolicy((path) => path === regular || path === bold);
pdfmake.setUrlAccessPolicy(() => false);

const MM = 72 / 25.4;
/** A4 with 14 mm at the sides, in points. */
const MARGIN = 14 * MM, WIDTH = 210 * MM - 2 * MARGIN;
const PICTURE_GAP = 3 * MM, PICTURE = (WIDTH - 2 * PICTURE_GAP) / 3;
/** The pictures give way when a long opinion and many warnings would not fit on the page otherwise. */
const PICTURE_SCALES = [1, 0.85, 0.7, 0.55];

export type Pictures = Record<ImageKey, Uint8Array<ArrayBuffer>>;

/**
 * The report as a PDF of A4 pages with embedded fonts. The same report and pictures give the same bytes.
 *
 * @param pictures PNG of each slice.
 */
export async function renderPdf(
  report: ReportResponse,
  pictures: Pictures,
): Promise<Uint8Array<ArrayBuffer>> {
  let rendered = { bytes: new Uint8Array(), pages: 0 };
  for (const scale of PICTURE_SCALES) {
    rendered = await renderAt(report, pictures, scale);
    if (rendered.pages <= 1) break;
  }
  return rendered.bytes;
}

/** @param scale Edge of the slice pictures, 1 for the whole width of the page. */
async function renderAt(
  report: ReportResponse,
  pictures: Pictures,
  scale: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; pages: number }> {
  const page = mainPageOf(report);
  let pages = 0;
  const created = new Date(report.generated_at);
  const buffer = await pdfmake.createPdf({
    pageSize: "A4",
    pageMargins: [MARGIN, 44, MARGIN, 50],
    lang: page.language,
    info: {
      title: page.title,
      creator: page.product,
      producer: page.product,
      creationDate: created,
      modDate: created,
    },
    defaultStyle: { font: FONT, fontSize: 8, color: C.ink, lineHeight: 1.05 },
    header: () => header(page),
    footer: (current: number, count: number) => {
      pages = count;
      return footer(mainPageOf(report, current, count));
    },
    content: [
      identity(page),
      ...(page.notice === null ? [] : [notice(page.notice)]),
      heading(page.picturesTitle, true),
      slices(page, pictures, scale),
      heading(page.tableTitle),
      ...(page.caution === null ? [] : [notice(page.caution, true)]),
      table(page),
      ...(page.legend === null
        ? []
        : [{ text: page.legend, fontSize: 6, color: C.soft, margin: [0, 3, 0, 0] }]),
      ...(page.charts.length === 0 ? [] : [heading(page.chartsTitle), charts(page)]),
      ...(page.chartsNote === null
        ? []
        : [{ text: page.chartsNote, fontSize: 6, color: C.soft, margin: [0, 1, 0, 0] }]),
      quality(page),
      ...(page.opinion === null ? [] : [heading(page.opinion.label), { text: page.opinion.value }]),
    ],
  }).getBuffer();
  return { bytes: new Uint8Array(buffer), pages };
}

function header(page: MainPage): Node {
  return {
    margin: [MARGIN, 20, MARGIN, 0],
    stack: [
      {
        columns: [
          {
            width: "*",
            text: [
              { text: "Sulcus", bold: true, fontSize: 13, color: C.brand },
              { text: `   ${page.title}`, fontSize: 10.5 },
            ],
          },
          {
            width: "auto",
            stack: [
              ...(page.hospital === "" ? [] : [{ text: page.hospital, alignment: "right", fontSize: 8 }]),
              ...(page.demo === null
                ? []
                : [{ text: page.demo, alignment: "right", fontSize: 7, bold: true, color: C.demo }]),
            ],
          },
        ],
      },
    ],
  };
}

function footer(page: MainPage): Node {
  return {
    margin: [MARGIN, 3, MARGIN, 0],
    stack: [
      { canvas: [{ type: "line", x1: 0, y1: 0, x2: WIDTH, y2: 0, lineWidth: 0.6, lineColor: C.line }] },
      { text: page.footer.norms, fontSize: 5.8, color: C.soft, margin: [0, 3, 0, 0] },
      {
        columns: [
          {
            width: "*",
            text: `${page.product}. ${page.footer.segmentation}. ${page.notDiagnosis}`,
            fontSize: 5.8,
            color: C.soft,
          },
          {
            width: "auto",
            text: `${page.footer.generated}     ${page.footer.page}`,
            noWrap: true,
            fontSize: 5.8,
            color: C.soft,
          },
        ],
        columnGap: 10,
      },
    ],
  };
}

function heading(text: string, isQuiet = false): Node {
  return isQuiet
    ? { text, fontSize: 6.5, color: C.soft, margin: [0, 6, 0, 2] }
    : { text, fontSize: 8.5, bold: true, color: C.brand, margin: [0, 7, 0, 2] };
}

function identity(page: MainPage): Node {
  const cell = ({ label, value }: Entry): Node => ({
    stack: [
      { text: label, fontSize: 6, color: C.soft },
      { text: value, fontSize: 8, bold: true, lineHeight: 1 },
    ],
  });
  const cells = page.identity.map(cell);
  return {
    table: {
      widths: [0.2, 0.22, 0.18, 0.19, 0.21].map((part) => part * WIDTH - 10),
      body: [
        [...cells.slice(0, 4), cells[4]!],
        [cells[5]!, cells[6]!, { ...cells[7]!, colSpan: 2 }, {}, cells[8]!],
      ],
    },
    layout: {
      fillColor: C.tint,
      hLineWidth: () => 0,
      vLineWidth: () => 0,
      paddingLeft: () => 6,
      paddingRight: () => 4,
      paddingTop: () => 3,
      paddingBottom: () => 3,
    },
  };
}

function notice(text: string, isAboveTable = false): Node {
  return {
    margin: isAboveTable ? [0, 0, 0, 3] : [0, 5, 0, 0],
    table: { widths: ["*"], body: [[{ text, fontSize: 7.5, bold: isAboveTable }]] },
    layout: {
      fillColor: C.notice,
      hLineWidth: () => 0,
      vLineWidth: (index: number) => index === 0 ? 2 : 0,
      vLineColor: () => C.noticeLine,
      paddingLeft: () => 6,
      paddingTop: () => 3,
      paddingBottom: () => 3,
    },
  };
}

function slices(page: MainPage, pictures: Pictures, scale: number): Node {
  return {
    columns: page.pictures.map((picture) => ({
      width: PICTURE,
      stack: [
        {
          image: `data:image/png;base64,${Buffer.from(pictures[picture.key]).toString("base64")}`,
          width: scale * PICTURE,
          alignment: "center",
        },
        { text: picture.caption, fontSize: 6.5, color: C.soft, alignment: "center", margin: [0, 1, 0, 0] },
      ],
    })),
    columnGap: PICTURE_GAP,
  };
}

function table(page: MainPage): Node {
  const { head } = page;
  const right = { alignment: "right" };
  const headCell = (text: string, more: Node = {}): Node => ({
    text,
    fontSize: 6.8,
    bold: true,
    color: C.brand,
    ...more,
  });
  const body = page.rows.map((row) => tableRow(row));
  return {
    table: {
      headerRows: 1,
      widths: ["*", 36, 36, 42, 31, 37, RAIL_SIZE.width, 97],
      body: [
        [
          headCell(head.region),
          headCell(head.left, right),
          headCell(head.right, right),
          headCell(head.total, right),
          headCell(head.icv, right),
          headCell(head.percentile, right),
          { svg: page.railHead, width: RAIL_SIZE.width },
          headCell(head.band),
        ],
        ...body,
      ],
    },
    layout: {
      hLineWidth: (index: number) => index === 1 || index === body.length + 1 ? 0.8 : index === 0 ? 0 : 0.4,
      hLineColor: (index: number) => index === 1 ? C.brand : C.line,
      vLineWidth: () => 0,
      paddingLeft: () => 2,
      paddingRight: () => 4,
      paddingTop: () => 2,
      paddingBottom: () => 1.6,
    },
  };
}

function tableRow(row: TableRow): Node[] {
  const number = (text: string, more: Node = {}): Node => ({ text, alignment: "right", ...more });
  const ink = BAND_INK[row.band?.level ?? 0];
  const isMarked = (row.band?.level ?? 0) > 0;
  return [
    { text: row.name, bold: row.key === "icv" || row.key === "brain" },
    number(row.left),
    number(row.right),
    number(row.total, { bold: true }),
    number(row.icvPercent),
    number(row.percentile, { bold: isMarked, color: ink }),
    row.rail === null ? { text: "" } : { svg: row.rail, width: RAIL_SIZE.width },
    row.band === null
      ? { text: row.note ?? "", fontSize: 6.8, color: C.soft }
      : { text: `${row.band.symbol} ${row.band.text}`, fontSize: 6.8, color: ink, bold: isMarked },
  ];
}

function charts(page: MainPage): Node {
  const width = (WIDTH - 10) / 2;
  return {
    columns: page.charts.map((chart) => ({
      width,
      svg: chart.svg,
      fit: [width, width * CHART_SIZE.height / CHART_SIZE.width],
    })),
    columnGap: 10,
  };
}

function quality(page: MainPage): Node {
  return {
    margin: [0, 5, 0, 0],
    text: page.quality.flatMap(({ label, value }, index) => [
      { text: `${index === 0 ? "" : "     "}${label}  `, fontSize: 7, color: C.soft },
      { text: value, fontSize: 7, bold: true },
    ]),
  };
}
