/// <reference path="../../report/pdf/pdfmake.d.ts" />
// Dossier as A4 pages with the fonts of the report. Links are printed as plain text.
import pdfmake from "pdfmake";
import { REPORT_COLOURS as C } from "@/report/charts/colours.ts";
import "@/report/pdf/pdf.ts";
import { type Block, piecesOf, type Text } from "@/tools/dossier/blocks.ts";

type Node = Record<string, unknown>;

const MARGIN_PT = 36;
const plain = (text: Text) => piecesOf(text).map((piece) => piece.text).join("");

const isPart = (block: Block | undefined) => block?.kind === "heading" && block.level === 2;

/** Allows line breaks at the slashes of long paths. */
const breakable = (text: Text) => plain(text).replaceAll(/([/_])(?=\w)/g, "$1\u200b");

function nodeOf(block: Block): Node {
  switch (block.kind) {
    case "heading":
      return {
        text: block.text,
        fontSize: block.level === 1 ? 14 : 10.5,
        bold: true,
        color: C.brand,
        margin: [0, block.level === 1 ? 12 : 7, 0, 3],
        ...(block.level === 1 && { tocItem: true }),
        ...(block.isOnNewPage && { pageBreak: "before" }),
      };
    case "paragraph":
      return { text: plain(block.text), margin: [0, 2, 0, 3] };
    case "list":
      return { ul: block.items.map(plain), margin: [0, 2, 0, 3] };
    case "table":
      return {
        table: {
          headerRows: 1,
          dontBreakRows: true,
          widths: block.widths ?? block.head.map(() => "*"),
          body: [
            block.head.map((text) => ({ text, bold: true })),
            ...block.rows.map((row) => row.map((cell) => ({ text: breakable(cell) }))),
          ],
        },
        layout: "lightHorizontalLines",
        fontSize: 7.5,
        margin: [0, 4, 0, 4],
      };
  }
}

/** Makes the PDF nodes of all blocks; a heading stays on one page with the paragraph below it. */
function nodesOf(blocks: readonly Block[]): Node[] {
  const nodes: Node[] = [];
  for (const [n, block] of blocks.entries()) {
    const isBelowPart = block.kind === "paragraph" && isPart(blocks[n - 1]);
    if (isBelowPart) {
      nodes.push({ stack: [nodes.pop()!, nodeOf(block)], unbreakable: true });
    } else nodes.push(nodeOf(block));
  }
  return nodes;
}

export async function pdfOf(
  title: string,
  blocks: readonly Block[],
): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = await pdfmake.createPdf({
    pageSize: "A4",
    pageOrientation: "landscape",
    pageMargins: [MARGIN_PT, MARGIN_PT, MARGIN_PT, MARGIN_PT],
    lang: "en",
    info: { title, creator: "Sulcus", producer: "Sulcus" },
    defaultStyle: { font: "Noto Sans KR", fontSize: 9.5, color: C.ink, lineHeight: 1.2 },
    footer: (page: number, pages: number) => ({
      margin: [MARGIN_PT, 12, MARGIN_PT, 0],
      columns: [
        { text: title, fontSize: 8, color: C.soft },
        { text: `${page} / ${pages}`, fontSize: 8, color: C.soft, alignment: "right" },
      ],
    }),
    content: [
      { text: title, fontSize: 20, bold: true, color: C.brand },
      { toc: { textMargin: [0, 2, 0, 2] }, margin: [0, 4, 0, 8] },
      ...nodesOf(blocks),
    ],
  }).getBuffer();
  return new Uint8Array(buffer);
}
