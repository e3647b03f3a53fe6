declare module "pdfmake" {
  /** The part of pdfmake 0.3 used here; pdfmake has no types of its own. */
  interface PdfMake {
    setFonts(
      fonts: Record<string, { normal: string; bold: string; italics: string; bolditalics: string }>,
    ): void;
    setLocalAccessPolicy(allow: (path: string) => boolean): void;
    /** files in memory, which pdfmake reads in preference to files on the disk */
    readonly fonts: Record<string, unknown>;
    readonly virtualfs: { writeFileSync(name: string, content: Uint8Array): void };
    setUrlAccessPolicy(allow: (url: string) => boolean): void;
    createPdf(definition: Record<string, unknown>): { getBuffer(): Promise<Uint8Array> };
  }
  const pdfmake: PdfMake;
  export default pdfmake;
}

declare module "pdfmake/js/Renderer.js" {
  /** A handle of pdfkit for marked content (a part of a page that has a structure element). */
  export type PdfContent = { readonly refs: unknown };
  /** A handle of pdfkit for an element of the structure tree. */
  export interface PdfElement {
    add(child: PdfElement | PdfContent): PdfElement;
  }
  /** The part of pdfkit 0.19 used here, on which pdfmake draws. */
  export interface TaggedDocument {
    options: { tagged?: boolean };
    struct(role: string, options: { alt?: string; scope?: string }): PdfElement;
    addStructure(element: PdfElement): void;
    markStructureContent(role: string): PdfContent;
    markContent(tag: "Artifact"): void;
    endMarkedContent(): void;
  }
  export interface Line {
    /** parts of the line in reading order; `x` from the line's left edge, points */
    inlines: readonly {
      tag?: unknown;
      x: number;
      width: number;
      text: string;
      bidiLevel?: number;
    }[];
  }
  interface Drawn {
    tag?: unknown;
  }
  class Renderer {
    pdfDocument: TaggedDocument;
    renderLine(line: Line, x: number, y: number): void;
    renderImage(image: Drawn): void;
    renderSVG(svg: Drawn): void;
    renderVector(vector: unknown): void;
  }
  const module: { default: typeof Renderer };
  export default module;
}

declare module "pdfmake/js/PDFDocument.js" {
  /** Cache of shaped words: glyphs by word. */
  export type ShapedWords = Record<string, unknown>;
  /** A font file as fontkit reads it. */
  export interface FontFile {
    readonly characterSet: readonly number[];
    layout(text: string): { glyphs: readonly { id: number; codePoints: readonly number[] }[] };
  }
  /** A font embedded in one document: the subset of a font file that the document uses. */
  export interface EmbeddedFont {
    /** the file, as read by fontkit */
    readonly font: FontFile;
    /** extent above and below the baseline, and line gap, thousandths of the font size */
    readonly ascender: number;
    readonly descender: number;
    readonly lineGap: number;
    layoutCache?: ShapedWords | null;
    /** width of a text in points */
    widthOfString(text: string, size: number, features?: unknown): number;
    readonly constructor: new (document: PDFDocument, font: FontFile, id: string) => EmbeddedFont;
  }
  class PDFDocument {
    /** embedded fonts by path and by name; written at the end of the document */
    readonly _fontFamilies: Record<string, EmbeddedFont>;
    constructor(
      fonts: unknown,
      images: unknown,
      patterns: unknown,
      attachments: unknown,
      options: unknown,
      virtualfs: unknown,
    );
    _fontCount: number;
    provideFont(family: string, bold: boolean, italics: boolean): EmbeddedFont;
    getFontFile(family: string, bold: boolean, italics: boolean): unknown;
  }
  const module: { default: typeof PDFDocument };
  export default module;
}
