/// <reference path="./pdfmake.d.ts" />
import pdfmake from "pdfmake";
import { REPORT_COLOURS as C } from "@/report/charts/colours.ts";
import "@/report/pdf/pdf.ts";

/** What the pages say besides the text itself. */
interface ManualFrame {
  /** product and version, below every page */
  product: string;
  language: string;
}

type Node = Record<string, unknown>;

/** Headings, lists and paragraphs of a plain Markdown text; nothing else of Markdown is read. */
function nodesOf(markdown: string): Node[] {
  const nodes: Node[] = [];
  for (const line of markdown.split("\n")) {
    if (line.startsWith("# ")) nodes.push({ text: line.slice(2), fontSize: 20, bold: true, color: C.brand });
    else if (line.startsWith("## ")) {
      nodes.push({ text: line.slice(3), fontSize: 13, bold: true, color: C.brand, margin: [0, 14, 0, 4] });
    } else if (line.startsWith("- ")) nodes.push({ ul: [line.slice(2)], margin: [0, 2, 0, 0] });
    else if (line.trim() !== "") nodes.push({ text: line, margin: [0, 2, 0, 2] });
  }
  return nodes;
}

/** The manual as a PDF of A4 pages. The fonts are those of the report. */
export async function renderManual(
  markdown: string,
  { product, language }: ManualFrame,
): Promise<Uint8Array<ArrayBuffer>> {
  const title = /^# (.*)$/m.exec(markdown)?.[1] ?? product;
  const buffer = await pdfmake.createPdf({
    pageSize: "A4",
    pageMargins: [57, 57, 57, 57],
    lang: language,
    info: { title, creator: product, producer: product },
    defaultStyle: { font: "Noto Sans KR", fontSize: 10, color: C.ink, lineHeight: 1.25 },
    footer: (page: number, pages: number) => ({
      margin: [57, 16, 57, 0],
      columns: [
        { text: product, fontSize: 8, color: C.soft },
        { text: `${page} / ${pages}`, fontSize: 8, color: C.soft, alignment: "right" },
      ],
    }),
    content: nodesOf(markdown),
  }).getBuffer();
  return new Uint8Array(buffer);
}
