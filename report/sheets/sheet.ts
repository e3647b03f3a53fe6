import type { Entry } from "@/report/model/format.ts";
import type { MAIN_PAGE, PageCode } from "@/model/report/pages.ts";
import type { Language } from "@/model/text.ts";

/** Width of the printed area of an A4 page between its margins, points. */
export const SHEET_WIDTH = (210 - 2 * 14) * 72 / 25.4;
/** Height of the printed area between header and footer, points. */
export const SHEET_HEIGHT = 297 * 72 / 25.4 - 44 - 50;

/** Column width in points, enough for a percentile with its interval on one line. */
export const PERCENTILE_WIDTH = 70;

/** A table cell: text or a drawing. `level`: colour strength of the percentile in it, 0..3. */
export interface Cell {
  text?: string;
  svg?: string;
  level?: number;
  isBold?: boolean;
  isQuiet?: boolean;
  /** small print on a separate line below the text, and the `level` of the percentile in it */
  under?: string;
  underLevel?: number;
}

/** A column of a table. `width` in points including padding; "*" takes the remaining width. */
export interface Column {
  label: string;
  svg?: string;
  width: number | "*";
  isNumber?: boolean;
  /** whether the cells contain the wide form of the percentile scale (a drawing from 0 to 100) */
  isWide?: boolean;
  /** whether the font is smaller, for longer texts */
  isSmall?: boolean;
}

/** Widths of a table's columns, points; columns of width "*" share the remaining width. */
export function columnWidths(columns: readonly Column[], width: number): number[] {
  const fixedWidth = columns.reduce((sum, { width }) => sum + (width === "*" ? 0 : width), 0);
  const stars = columns.filter(({ width }) => width === "*").length;
  return columns.map((column) =>
    column.width === "*" ? (width - fixedWidth) / Math.max(1, stars) : column.width
  );
}

export interface TableRow {
  cells: Cell[];
  /** whether the row is the tinted heading of the rows below it */
  isGroup?: boolean;
}

interface SheetPicture {
  /** key of the picture's PNG in the PDF */
  key: string;
  url: string;
  caption: string;
  alt: string;
}

/**
 * An SVG drawing, which is scaled to the available width.
 * Its size in points defines the aspect ratio only.
 */
export interface Drawing {
  svg: string;
  width: number;
  height: number;
  /** taller variant of the drawing, for a page with blank space */
  tall?: { svg: string; height: number };
  /** description of the drawing for screen readers */
  alt: string;
}

/** Space added to each row of a table, points; report.css has a class for each value. */
export type TableRoom = 4 | 8 | 12 | 16;

/** Elements of a page, from top to bottom. PDF and HTML renderer support every kind. */
export type Block =
  | { kind: "identity"; entries: Entry[] }
  | { kind: "entries"; columns: 1 | 2 | 3; entries: Entry[] }
  | { kind: "line"; entries: Entry[] }
  | { kind: "notice"; text: string; isStrong?: boolean }
  | { kind: "heading"; text: string }
  | { kind: "title"; text: string; under: string }
  | { kind: "small"; text: string }
  // `isWritten`: a user has typed the text, so that spaces and line breaks are preserved
  | { kind: "text"; text: string; isLarge?: boolean; isWritten?: boolean }
  | { kind: "list"; items: string[] }
  | { kind: "pictures"; columns: 1 | 2 | 3 | 4; scale: PictureScale; pictures: SheetPicture[] }
  | { kind: "drawings"; columns: 1 | 2; drawings: Drawing[] }
  // `caption` describes the table for screen readers; it is not printed
  // `room`: space added to each row on a page with blank space, points
  | {
    kind: "table";
    caption: string;
    isDense?: boolean;
    room?: TableRoom;
    columns: Column[];
    rows: TableRow[];
  }
  | { kind: "split"; share: 35 | 50 | 62; left: Block[]; right: Block[] };

/** Sizes of pictures, percent of the available width. */
export const PICTURE_SCALES = [100, 85, 70, 55, 40] as const;
export type PictureScale = (typeof PICTURE_SCALES)[number];

/**
 * A report page on a sheet: the code of a page that every report has or that a user can choose.
 * Three pages without a code are added when needed:
 * the signed text, a list of all findings, and the measurements and key images.
 */
export type SheetPage = PageCode | typeof MAIN_PAGE | "conclusion" | "findings" | "images";

/** One sheet (printed A4 page) before page numbers are added: all between header and footer. */
export interface SheetBody {
  /** the report pages on the sheet, in the order of their titles in `title` */
  pages: readonly SheetPage[];
  title: string;
  blocks: Block[];
  /** smaller variants of the same page, used to print it on one sheet with another page */
  shorter?: readonly Block[][];
}

/** Widths of the columns of an `identity` block, as fractions of the printed width. */
export const IDENTITY_SHARES = [0.19, 0.255, 0.175, 0.165, 0.215] as const;

/** One sheet (A4 page) with header and footer, as PDF and HTML renderer print it. */
export interface Sheet extends Omit<SheetBody, "shorter"> {
  language: Language;
  product: string;
  report: string;
  hospital: string;
  /** URL of the hospital's logo for the HTML page; the PDF uses the picture with key `logo` */
  logo: string | null;
  /** watermark text; `null` unless the certificate is DEMO */
  demo: string | null;
  /** watermark as SVG behind the page; `null` unless the certificate is DEMO */
  watermark: string | null;
  footer: {
    /** citation of the norms; `null` when the report compares no values with norms */
    norms: string | null;
    segmentation: string;
    notDiagnosis: string;
    generated: string;
    page: string;
  };
}
