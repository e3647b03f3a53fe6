import type { Entry } from "@/report/model/format.ts";
import type { Language } from "@/model/text.ts";

/** Width of the printed area between the A4 margins, points. */
export const SHEET_WIDTH = (210 - 2 * 14) * 72 / 25.4;
/** Height between header and footer, points. */
export const SHEET_HEIGHT = 297 * 72 / 25.4 - 44 - 50;

/** Width of a column in which a percentile with its interval never wraps, points. */
export const PERCENTILE_WIDTH = 70;

/** A table cell: text, or a drawing. `level`: strength of its band, 0..3. */
export interface Cell {
  text?: string;
  svg?: string;
  level?: number;
  isBold?: boolean;
  isQuiet?: boolean;
  /** small print on a separate line, with the strength of its band */
  under?: string;
  underLevel?: number;
}

/** A column. `width` in points including padding; "*" takes the remaining width. */
export interface Column {
  label: string;
  svg?: string;
  width: number | "*";
  isNumber?: boolean;
  /** contains long rails */
  isWide?: boolean;
  /** smaller font, for longer texts */
  isSmall?: boolean;
}

/** Widths of a table's columns, points: the columns "*" share the remaining width. */
export function columnWidths(columns: readonly Column[], width: number): number[] {
  const given = columns.reduce((sum, { width }) => sum + (width === "*" ? 0 : width), 0);
  const stars = columns.filter(({ width }) => width === "*").length;
  return columns.map((column) =>
    column.width === "*" ? (width - given) / Math.max(1, stars) : column.width
  );
}

export interface TableRow {
  cells: Cell[];
  /** tinted group heading for the following rows */
  isGroup?: boolean;
}

interface SheetPicture {
  /** key of the picture's bytes in the PDF */
  key: string;
  url: string;
  caption: string;
  alt: string;
}

/**
 * A drawing with its size in points, which defines its aspect ratio:
 * it is scaled to the available space.
 */
export interface Drawing {
  svg: string;
  width: number;
  height: number;
  /** the same drawing for a page with space */
  tall?: { svg: string; height: number };
  /** description for screen readers */
  alt: string;
}

/** Additional height of a table's rows, points; report.css has a class for each value. */
export type TableRoom = 4 | 8 | 12 | 16;

/** Blocks of a page, from top to bottom. Both renderers support every kind. */
export type Block =
  | { kind: "identity"; entries: Entry[] }
  | { kind: "entries"; columns: 1 | 2 | 3; entries: Entry[] }
  | { kind: "line"; entries: Entry[] }
  | { kind: "notice"; text: string; isStrong?: boolean }
  | { kind: "heading"; text: string }
  | { kind: "title"; text: string; under: string }
  | { kind: "small"; text: string }
  // `isWritten`: text typed by a user, so that spaces and line breaks are preserved
  | { kind: "text"; text: string; isLarge?: boolean; isWritten?: boolean }
  | { kind: "list"; items: string[] }
  | { kind: "pictures"; columns: 1 | 2 | 3 | 4; scale: PictureScale; pictures: SheetPicture[] }
  | { kind: "drawings"; columns: 1 | 2; drawings: Drawing[] }
  // `caption` describes the table for screen readers; it is not printed
  // `room`: additional height of each row on a page with space, points
  | {
    kind: "table";
    caption: string;
    isDense?: boolean;
    room?: TableRoom;
    columns: Column[];
    rows: TableRow[];
  }
  | { kind: "split"; share: 35 | 50 | 62; left: Block[]; right: Block[] };

/** Width of pictures, percent of the available space. */
export const PICTURE_SCALES = [100, 85, 70, 55, 40] as const;
export type PictureScale = (typeof PICTURE_SCALES)[number];

/** One page before page numbers are added: everything between header and footer. */
export interface SheetBody {
  title: string;
  blocks: Block[];
  /** the same page in less and less space, for a sheet with another page */
  shorter?: readonly Block[][];
}

/** Widths of the columns of an `identity` block, as shares of the sheet's width. */
export const IDENTITY_SHARES = [0.19, 0.255, 0.175, 0.165, 0.215] as const;

/** One A4 page as both renderers print it. */
export interface Sheet extends Omit<SheetBody, "shorter"> {
  language: Language;
  product: string;
  report: string;
  hospital: string;
  /** address of the hospital's logo; the PDF uses its picture `logo` */
  logo: string | null;
  /** watermark text; `null` unless the certificate is DEMO */
  demo: string | null;
  /** watermark as SVG behind the page; `null` unless the certificate is DEMO */
  watermark: string | null;
  footer: {
    /** citation of the norms; `null` when nothing is compared with norms */
    norms: string | null;
    segmentation: string;
    notDiagnosis: string;
    generated: string;
    page: string;
  };
}
