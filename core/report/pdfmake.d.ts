declare module "pdfmake" {
  /** What is used of pdfmake 0.3; it has no types of its own. */
  interface PdfMake {
    setFonts(
      fonts: Record<string, { normal: string; bold: string; italics: string; bolditalics: string }>,
    ): void;
    setLocalAccessPolicy(allow: (path: string) => boolean): void;
    setUrlAccessPolicy(allow: (url: string) => boolean): void;
    createPdf(definition: Record<string, unknown>): { getBuffer(): Promise<Uint8Array> };
  }
  const pdfmake: PdfMake;
  export default pdfmake;
}
