/// <reference path="./pdfmake.d.ts" />
// The only methods of pdfmake that are replaced, because it has no option for them. Its version is
// pinned; report/pdf/pdfmake_overrides_test.ts fails if a method has another form.
//  - renderLine, renderImage, renderSVG, renderVector: pdfmake writes no structure tree
//    (PDF/UA; https://github.com/bpampuch/pdfmake/issues/942), and no right-to-left lines
//  - provideFont: fonts would be read and words shaped again for each document, which doubles the
//    time of a report (docs/adr/pages/0050)
import documentModule from "pdfmake/js/PDFDocument.js";
import rendererModule from "pdfmake/js/Renderer.js";
import { mark } from "@/report/pdf/pdf_tags.ts";
import { orderLine } from "@/report/pdf/text/font_runs.ts";
import { cachedFont } from "@/report/pdf/text/pdf_fonts.ts";
import { withoutJoiners } from "@/report/pdf/text/whole_words.ts";

const document = documentModule.default.prototype, { provideFont } = document;
document.provideFont = function (...style) {
  return cachedFont(this, style, provideFont);
};

const renderer = rendererModule.default.prototype;
const { renderLine, renderImage, renderSVG, renderVector } = renderer;
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
