/// <reference path="./pdfmake.d.ts" />
// Replaces the methods of pdfmake that have no option for our needs.
// The version of pdfmake is pinned. The renderer does not start if a method has other parameters.
//  - renderLine, renderImage, renderSVG, renderVector: to write a structure tree (PDF/UA), which
//    pdfmake lacks (https://github.com/bpampuch/pdfmake/issues/942), and right-to-left lines
//  - provideFont: to cache fonts and shaped words, which halves the time of a report
//    (docs/adr/pages/0050)
import documentModule from "pdfmake/js/PDFDocument.js";
import rendererModule from "pdfmake/js/Renderer.js";
import { mark } from "@/report/pdf/pdf_tags.ts";
import { orderLine } from "@/report/pdf/text/font_runs.ts";
import { cachedFont } from "@/report/pdf/text/pdf_fonts.ts";
import { withoutJoiners } from "@/report/pdf/text/whole_words.ts";

const document = documentModule.default.prototype, { provideFont } = document;
const renderer = rendererModule.default.prototype;
const { renderLine, renderImage, renderSVG, renderVector } = renderer;

const parameters = [renderLine, renderImage, renderSVG, renderVector, provideFont].map((method) =>
  method.length
);
if (parameters.join() !== "3,1,1,1,3") {
  throw new Error(
    `Cannot replace methods of pdfmake: other parameters than expected, ${parameters}`,
  );
}

document.provideFont = function (...style) {
  return cachedFont(this, style, provideFont);
};

renderer.renderLine = function (line, x, y) {
  for (const inline of line.inlines) inline.text = withoutJoiners(inline.text);
  orderLine(line.inlines);
  mark(this.pdfDocument, line.inlines[0]?.tag, () => renderLine.call(this, line, x, y));
};
renderer.renderImage = function (image) {
  mark(this.pdfDocument, image.tag, () => renderImage.call(this, image));
};
renderer.renderSVG = function (svg) {
  mark(this.pdfDocument, svg.tag, () => renderSVG.call(this, svg));
};
renderer.renderVector = function (vector) {
  mark(this.pdfDocument, undefined, () => renderVector.call(this, vector));
};
