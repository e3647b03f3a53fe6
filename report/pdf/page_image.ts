import { PDFiumLibrary } from "@hyzyla/pdfium";

/** Resolution of page images in dpi, at which letters of 7 pt are 15 pixels high. */
const DPI = 150, POINTS_PER_INCH = 72;

/** A page of a PDF document as an image. */
export interface PageImage {
  width: number;
  height: number;
  /** RGB pixels, row by row from the top */
  rgb: Uint8Array<ArrayBuffer>;
  /** number of pages of the whole document */
  pages: number;
}

let library: Promise<PDFiumLibrary> | undefined;

/**
 * Renders one PDF page with PDFium (WebAssembly); uses about 30 MB while a document is open.
 * @param at Page index from 0. @throws {RangeError} for an unknown page.
 */
export async function pageImage(pdf: Uint8Array, at: number): Promise<PageImage> {
  const pdfium = await (library ??= PDFiumLibrary.init());
  const document = await pdfium.loadDocument(pdf);
  try {
    const pages = document.getPageCount();
    if (at >= pages) throw new RangeError(`Cannot draw page ${at + 1}: there are ${pages}`);
    const { width, height, data } = await document.getPage(at).render({
      scale: DPI / POINTS_PER_INCH,
      colorSpace: "BGRA",
      render: ({ data }) => Promise.resolve(data),
    });
    const rgb = new Uint8Array(3 * width * height);
    for (let from = 0, to = 0; to < rgb.length; from += 4) {
      rgb[to++] = data[from + 2]!;
      rgb[to++] = data[from + 1]!;
      rgb[to++] = data[from]!;
    }
    return { width, height, rgb, pages };
  } finally {
    document.destroy();
  }
}
