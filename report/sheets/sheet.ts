import type { Entry } from "@/report/model/format.ts";
import type { Language } from "@/model/text.ts";

/** Width of the printed area between the margins of A4, points. */
export const SHEET_WIDTH = (210 - 2 * 14) * 72 / 25.4;
/** Height between header and footer, points. */
export const SHEET_HEIGHT = 297 * 72 / 25.4 - 44 - 50;

/** A cell of a table: words, or a drawing. `level`: strength of the band it is in, 0..3. */
export interface Cell {
  text?: string;
  svg?: string;
  level?: number;
  isBold?: boolean;
  isQuiet?: boolean;
  /** small print on a line of its own, with the strength of its band */
  under?: string;
  underLevel?: number;
}

/** A column. `width` in points with its padding; "*" takes the remaining width. */
export interface Column {
  label: string;
  svg?: string;
  width: number | "*";
  isNumber?: boolean;
  /** holds long rails */
  isWide?: boolean;
  /** smaller print, for words */
  isSmall?: boolean;
}

export interface TableRow {
  cells: Cell[];
  /** tinted: names the rows under it */
  isGroup?: boolean;
}

interface SheetPicture {
  /** names the picture's bytes in the PDF */
  key: string;
  url: string;
  caption: string;
  alt: string;
}

/** A drawing with its size in points, which is its proportion: it fills its place. */
export interface Drawing {
  svg: string;
  width: number;
  height: number;
  /** description for screen readers */
  alt: string;
}

/** Blocks of a page, from top to bottom. Both renderers know every kind. */
export type Block =
  | { kind: "identity"; entries: Entry[] }
  | { kind: "entries"; columns: 1 | 2 | 3; entries: Entry[] }
  | { kind: "line"; entries: Entry[] }
  | { kind: "notice"; text: string; isStrong?: boolean }
  | { kind: "heading"; text: string }
  | { kind: "title"; text: string; under: string }
  | { kind: "small"; text: string }
  // `isWritten`: a person wrote it, and its spaces and ends of lines are kept
  | { kind: "text"; text: string; isLarge?: boolean; isWritten?: boolean }
  | { kind: "list"; items: string[] }
  | { kind: "pictures"; columns: 1 | 2 | 3 | 4; scale: PictureScale; pictures: SheetPicture[] }
  | { kind: "drawings"; columns: 1 | 2; drawings: Drawing[] }
  // `caption` describes the table for screen readers; it is not printed
  | { kind: "table"; caption: string; isDense?: boolean; columns: Column[]; rows: TableRow[] }
  | { kind: "split"; share: 35 | 50 | 62; left: Block[]; right: Block[] };

/** Edge of the pictures, percent of the place they have. */
export type PictureScale = 100 | 85 | 70 | 55 | 40;

/** One page before it is bound: everything between header and footer. */
export interface SheetBody {
  title: string;
  blocks: Block[];
}

/** One page of A4 as both renderers print it. */
export interface Sheet extends SheetBody {
  language: Language;
  product: string;
  report: string;
  hospital: string;
  /** address of the hospital's logo; the PDF has its picture as `logo` */
  logo: string | null;
  /** `null` unless the certificate is DEMO */
  demo: string | null;
  /** SVG behind the page; `null` unless the certificate is DEMO */
  watermark: string | null;
  footer: {
    /** `null` where nothing is compared with norms */
    norms: string | null;
    segmentation: string;
    notDiagnosis: string;
    generated: string;
    page: string;
  };
}

/**
 * Lines that words take, a little more than they will: Korean letters are nearly as wide as high.
 * @param size Points.
 * @param width Points.
 */
export function linesOf(text: string, size: number, width: number): number {
  return text.split("\n").reduce((lines, line) => {
    let length = 0;
    for (const letter of line) length += /[\u1100-\uffef]/.test(letter) ? 0.95 : 0.56;
    return lines + Math.max(1, Math.ceil(length * size * 1.04 / width));
  }, 0);
}
