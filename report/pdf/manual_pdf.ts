/// <reference path="./pdfmake.d.ts" />
import pdfmake from "pdfmake";
import { type Manual, readManual } from "@/model/site/manual.ts";
import { REPORT_COLOURS as C } from "@/report/charts/colours.ts";
import "@/report/pdf/pdf.ts";

/** What the pages say besides the text itself. */
interface ManualFrame {
  /** product and version, below every page */
  product: string;
  language: string;
}

type Node = Record<string, unknown>;

/** A page of contents, and the sections after it. */
function nodesOf({ title, sections }: Manual): Node[] {
  const heading = (text: string, size: number, top: number): Node => ({
    text,
    fontSize: size,
    bold: true,
    color: C.brand,
    margin: [0, top, 0, 4],
  });
  return [
    heading(title, 20, 0),
    {
      toc: { textMargin: [0, 2, 0, 2] },
      margin: [0, 4, 0, 8],
    },
    ...sections.flatMap((section) => [
      { ...heading(section.title, 13, 14), tocItem: true },
      ...section.lines.map(({ kind, text }): Node =>
        kind === "heading"
          ? { ...heading(text, 10.5, 8), color: C.ink }
          : kind === "item"
          ? { ul: [text], margin: [0, 2, 0, 0] }
          : { text, margin: [0, 2, 0, 2] }
      ),
    ]),
  ];
}

/** The manual as a PDF of A4 pages. The fonts are those of the report. */
export async function renderManual(
  markdown: string,
  { product, language }: ManualFrame,
): Promise<Uint8Array<ArrayBuffer>> {
  const manual = readManual(markdown);
  const buffer = await pdfmake.createPdf({
    pageSize: "A4",
    pageMargins: [57, 57, 57, 57],
    lang: language,
    info: { title: manual.title, creator: product, producer: product },
    defaultStyle: { font: "Noto Sans KR", fontSize: 10, color: C.ink, lineHeight: 1.25 },
    footer: (page: number, pages: number) => ({
      margin: [57, 16, 57, 0],
      columns: [
        { text: product, fontSize: 8, color: C.soft },
        { text: `${page} / ${pages}`, fontSize: 8, color: C.soft, alignment: "right" },
      ],
    }),
    content: nodesOf(manual),
  }).getBuffer();
  return new Uint8Array(buffer);
}
