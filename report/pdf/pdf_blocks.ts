import { BAND_INK, REPORT_COLOURS as C } from "@/report/charts/colours.ts";
import type { Entry } from "@/report/model/format.ts";
import {
  type Block,
  type Cell,
  type Column,
  columnWidths,
  IDENTITY_SHARES,
  SHEET_WIDTH,
  type TableRow,
} from "@/report/sheets/sheet.ts";
import type { Node } from "@/report/pdf/pdf_tags.ts";

/** Left and right padding of a table cell, points. */
const PAD_LEFT = 2, PAD_RIGHT = 4;
/** Width of the line beside a notice, and distance of the line from the text, points. */
const NOTICE_LINE = 2, NOTICE_LEFT = 6;
const COLUMN_GAP = 10, PICTURE_GAP = 8.5;

/** Converts report blocks (table, list, notice …) to pdfmake nodes, for a width in points. */
export const nodesOf = (blocks: readonly Block[], width = SHEET_WIDTH): Node[] =>
  blocks.map((block) => nodeOf(block, width));

function nodeOf(block: Block, width: number): Node {
  switch (block.kind) {
    case "identity":
      return identity(block.entries);
    case "entries":
      return entries(block.entries, block.columns, width);
    case "line":
      return line(block.entries);
    case "notice":
      return notice(block.text, block.isStrong === true, width);
    case "heading":
      return {
        text: block.text,
        role: "H2",
        fontSize: 8.5,
        bold: true,
        color: C.brand,
        margin: [0, 7, 0, 2],
      };
    case "title":
      return {
        margin: [0, 12, 0, 6],
        stack: [
          { text: block.text, role: "H1", fontSize: 20, bold: true, color: C.brand },
          ...(block.under === "" ? [] : [{ text: block.under, fontSize: 11, color: C.soft }]),
        ],
      };
    case "small":
      return { text: block.text, fontSize: 6.2, color: C.soft, margin: [0, 3, 0, 2] };
    case "text":
      return {
        text: block.text,
        ...(block.isLarge ? { fontSize: 9, margin: [0, 2, 0, 3] } : {}),
        ...(block.isWritten ? { preserveLeadingSpaces: true } : {}),
      };
    case "list":
      return {
        ul: block.items.map((text) => ({ text, margin: [0, 0, 0, 2] })),
        markerColor: C.curve,
      };
    case "pictures":
      return pictures(block, width);
    case "drawings":
      return drawings(block, width);
    case "table":
      return table(block, width);
    case "split": {
      const leftWidth = (width - COLUMN_GAP) * block.share / 100,
        right = width - COLUMN_GAP - leftWidth;
      return {
        columns: [
          { width: leftWidth, stack: nodesOf(block.left, leftWidth) },
          { width: right, stack: nodesOf(block.right, right) },
        ],
        columnGap: COLUMN_GAP,
      };
    }
  }
}

const labelled = ({ label, value }: Entry): Node => ({
  stack: [
    { text: label, fontSize: 6, color: C.soft },
    { text: value, fontSize: 8, bold: true, lineHeight: 1 },
  ],
});

function identity(list: readonly Entry[]): Node {
  const body: Node[][] = [];
  let room = 0;
  for (const entry of list) {
    const span = entry.span ?? 1;
    if (room < span) {
      body.push([]);
      room = IDENTITY_SHARES.length;
    }
    body.at(-1)!.push(
      { ...labelled(entry), colSpan: span },
      ...Array.from({ length: span - 1 }, () => ({})),
    );
    room -= span;
  }
  body.at(-1)?.push(...Array.from({ length: room }, () => ({})));
  return {
    isLayout: true,
    table: { widths: IDENTITY_SHARES.map((part) => part * SHEET_WIDTH - 10), body },
    layout: {
      fillColor: C.tint,
      fillOpacity: 0.8,
      hLineWidth: () => 0,
      vLineWidth: () => 0,
      paddingLeft: () => 6,
      paddingRight: () => 4,
      paddingTop: () => 3,
      paddingBottom: () => 3,
    },
  };
}

function entries(list: readonly Entry[], columns: number, width: number): Node {
  const each = width / columns;
  const rows = Math.ceil(list.length / columns);
  const body = Array.from(
    { length: rows },
    (_, row) =>
      Array.from({ length: columns }, (_, column) => {
        const entry = list[row * columns + column];
        return entry ? labelled(entry) : {};
      }),
  );
  return {
    isLayout: true,
    table: { widths: Array.from({ length: columns }, () => each - 6), body },
    layout: {
      hLineWidth: (index: number) => index === 0 ? 0 : 0.4,
      hLineColor: () => C.line,
      vLineWidth: () => 0,
      paddingLeft: () => PAD_LEFT,
      paddingRight: () => PAD_RIGHT,
      paddingTop: () => 2,
      paddingBottom: () => 2,
    },
  };
}

function line(list: readonly Entry[]): Node {
  return {
    margin: [0, 5, 0, 0],
    text: list.flatMap(({ label, value }, index) => [
      { text: `${index === 0 ? "" : "     "}${label}  `, fontSize: 7, color: C.soft },
      { text: value, fontSize: 7, bold: true },
    ]),
  };
}

function notice(text: string, isStrong: boolean, width: number): Node {
  const inner = width - NOTICE_LINE - NOTICE_LEFT - PAD_RIGHT;
  return {
    margin: isStrong ? [0, 0, 0, 3] : [0, 5, 0, 0],
    isLayout: true,
    table: { widths: [inner], body: [[{ text, fontSize: 7.5, bold: isStrong }]] },
    layout: {
      fillColor: C.notice,
      hLineWidth: () => 0,
      vLineWidth: (index: number) => index === 0 ? NOTICE_LINE : 0,
      vLineColor: () => C.noticeLine,
      paddingLeft: () => NOTICE_LEFT,
      paddingRight: () => PAD_RIGHT,
      paddingTop: () => 3,
      paddingBottom: () => 3,
    },
  };
}

function pictures(block: Extract<Block, { kind: "pictures" }>, width: number): Node {
  const { columns } = block, edge = (width - (columns - 1) * PICTURE_GAP) / columns;
  const rows: Node[] = [];
  for (let at = 0; at < block.pictures.length; at += columns) {
    rows.push({
      columns: block.pictures.slice(at, at + columns).map((picture) => ({
        width: edge,
        stack: [
          {
            image: picture.key,
            alt: picture.alt,
            width: edge * block.scale / 100,
            alignment: "center",
          },
          {
            text: picture.caption,
            fontSize: 6.5,
            color: C.soft,
            alignment: "center",
            margin: [0, 1, 0, 0],
          },
        ],
      })),
      columnGap: PICTURE_GAP,
      margin: [0, at === 0 ? 0 : 4, 0, 0],
    });
  }
  return { stack: rows };
}

function drawings(block: Extract<Block, { kind: "drawings" }>, width: number): Node {
  const { columns } = block, each = (width - (columns - 1) * COLUMN_GAP) / columns;
  const rows: Node[] = [];
  for (let at = 0; at < block.drawings.length; at += columns) {
    rows.push({
      columns: block.drawings.slice(at, at + columns).map((drawing) => ({
        width: each,
        svg: drawing.svg,
        alt: drawing.alt,
        fit: [each, each * drawing.height / drawing.width],
      })),
      columnGap: COLUMN_GAP,
      margin: [0, at === 0 ? 0 : 8, 0, 0],
    });
  }
  return { stack: rows };
}

function table(
  { columns, rows, isDense, room }: Extract<Block, { kind: "table" }>,
  width: number,
): Node {
  // pdfmake would widen a column "*" for a long word; in a column of fixed width it breaks the word
  const widths = columnWidths(columns, width).map((width) => width - PAD_LEFT - PAD_RIGHT);
  const body = rows.map((row) => cellsOf(row, columns, isDense === true));
  const head = columns.map(({ label, svg, isNumber }): Node =>
    svg === undefined
      ? {
        text: label,
        fontSize: 6.8,
        bold: true,
        color: C.brand,
        ...(isNumber ? { alignment: "right" } : {}),
      }
      : { svg }
  );
  return {
    table: {
      headerRows: 1,
      widths,
      body: [head, ...body],
    },
    layout: {
      fillColor: (index: number) => rows[index - 1]?.isGroup ? C.tint : null,
      hLineWidth: (index: number) =>
        index === 1 || index === body.length + 1 ? 0.8 : index === 0 ? 0 : 0.4,
      hLineColor: (index: number) => index === 1 ? C.brand : C.line,
      vLineWidth: () => 0,
      paddingLeft: () => PAD_LEFT,
      paddingRight: () => PAD_RIGHT,
      paddingTop: () => (isDense ? 1.7 : 2) + (room ?? 0) / 2,
      paddingBottom: () => (isDense ? 1.2 : 1.6) + (room ?? 0) / 2,
    },
  };
}

function cellsOf(row: TableRow, columns: readonly Column[], isDense: boolean): Node[] {
  return row.cells.map((cell: Cell, index): Node => {
    if (cell.svg !== undefined) return { svg: cell.svg };
    const { isNumber, isSmall } = columns[index]!, level = cell.level ?? 0;
    const alignment = isNumber ? { alignment: "right" as const } : {};
    const words: Node = {
      text: cell.text ?? "",
      ...alignment,
      ...(isSmall ? { fontSize: 6.8 } : isDense ? { fontSize: 7.5 } : {}),
      ...(cell.isBold || level > 0 ? { bold: true } : {}),
      ...(cell.isQuiet ? { color: C.soft } : level > 0 ? { color: BAND_INK[level] } : {}),
    };
    if (cell.under === undefined) return words;
    const strength = cell.underLevel ?? 0;
    const small = { text: cell.under, ...alignment, fontSize: 6, bold: strength > 0 };
    return { stack: [words, { ...small, color: strength > 0 ? BAND_INK[strength] : C.soft }] };
  });
}
