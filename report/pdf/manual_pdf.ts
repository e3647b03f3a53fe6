/// <reference path="./pdfmake.d.ts" />
import pdfmake from "pdfmake";
import { type Manual, type ManualSection, piecesOf, readManual } from "@/model/site/manual.ts";
import { REPORT_COLOURS as C } from "@/report/charts/colours.ts";
import "@/report/pdf/pdf.ts";
import { printable } from "@/report/pdf/text/printable.ts";

/** Texts printed in the PDF in addition to the manual's sections. */
interface ManualFrame {
  /** product and version, printed at the bottom of each page */
  product: string;
  language: string;
  /** JPEG bytes of a picture, by the picture's name */
  picture: (name: string) => Promise<Uint8Array>;
}

type Node = Record<string, unknown>;

const heading = (text: string, size: number, top: number): Node => ({
  text,
  fontSize: size,
  bold: true,
  color: C.brand,
  margin: [0, top, 0, 4],
});
/** Makes pdfmake text of a manual line, with names of controls in bold. */
const textOf = (text: string) =>
  piecesOf(text).map(({ text, isControl }) => ({ text, bold: isControl }));
const TEXT_WIDTH_PT = 460;

/** Makes pdfmake nodes for the lines of a section. Steps are numbered within a task. */
function linesOf(lines: ManualSection["lines"]): Node[] {
  let steps = 0;
  return lines.map(({ kind, text, name }): Node => {
    if (kind === "heading") steps = 0;
    switch (kind) {
      case "heading":
        return { ...heading(text, 10.5, 8), color: C.ink };
      case "item":
        return { ul: [{ text: textOf(text) }], margin: [0, 2, 0, 0] };
      case "step":
        return { ol: [{ text: textOf(text) }], start: ++steps, margin: [0, 2, 0, 0] };
      case "picture":
        return {
          stack: [
            { image: name, fit: [TEXT_WIDTH_PT, 300] },
            { text, fontSize: 8, color: C.soft, margin: [0, 2, 0, 6] },
          ],
          unbreakable: true,
          margin: [0, 6, 0, 0],
        };
      default:
        return { text: textOf(text), margin: [0, 2, 0, 2] };
    }
  });
}

/** Makes a table of contents, followed by the sections of the manual. */
const nodesOf = ({ title, sections }: Manual): Node[] => [
  heading(title, 20, 0),
  { toc: { textMargin: [0, 2, 0, 2] }, margin: [0, 4, 0, 8] },
  ...sections.flatMap((
    { title, lines },
  ) => [{ ...heading(title, 13, 14), tocItem: true }, ...linesOf(lines)]),
];

/** Converts pictures of the manual to pdfmake's format. */
async function imagesOf(
  { sections }: Manual,
  picture: ManualFrame["picture"],
): Promise<Record<string, string>> {
  const names = sections.flatMap(({ lines }) => lines).flatMap(({ kind, name }) =>
    kind === "picture" && name ? [name] : []
  );
  return Object.fromEntries(
    await Promise.all(
      names.map(async (
        name,
      ) => [name, `data:image/jpeg;base64,${Buffer.from(await picture(name)).toString("base64")}`]),
    ),
  );
}

/** Renders the manual as a PDF of A4 pages, with the fonts of the report. */
export async function renderManual(
  markdown: string,
  { product, language, picture }: ManualFrame,
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
    images: await imagesOf(manual, picture),
    content: printable(nodesOf(manual)),
  }).getBuffer();
  return new Uint8Array(buffer);
}
