import {
  type Block,
  type Cell,
  columnWidths,
  IDENTITY_SHARES,
  SHEET_WIDTH,
  type TableRoom,
} from "@/report/sheets/sheet.ts";
import { linesOf } from "@/report/sheets/text_width.ts";

/** Line height relative to the font size; share of a column's width that bold letters can use. */
const LINE = 1.52, RESERVE = 0.98;
const COLUMN_GAP = 10, PICTURE_GAP = 6;
/** Height in points of small print below the text of a table cell. */
const UNDER = 9.2;

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
const wordsHeight = (text: string, size: number, width: number, isBold = false): number =>
  linesOf(text, size, width * RESERVE, isBold) * size * LINE;

/**
 * Estimates the total height of blocks in points: as in the PDF, plus a small margin.
 * Lines in the browser are lower than in the PDF.
 * @param width Column width, points.
 */
export const heightOf = (blocks: readonly Block[], width = SHEET_WIDTH): number =>
  sum(blocks.map((block) => blockHeight(block, width)));

/** Adds space between the rows of all tables, for a page with blank space. */
export const withRoom = (blocks: readonly Block[], room: TableRoom): Block[] =>
  blocks.map((block) =>
    block.kind === "table"
      ? { ...block, room }
      : block.kind === "split"
      ? { ...block, left: withRoom(block.left, room), right: withRoom(block.right, room) }
      : block
  );

/** Replaces drawings by their tall variants, for a page with blank space. */
export const withTallDrawings = (blocks: readonly Block[]): Block[] =>
  blocks.map((block) =>
    block.kind === "drawings"
      ? { ...block, drawings: block.drawings.map(({ tall, ...usual }) => ({ ...usual, ...tall })) }
      : block
  );

/** Cache of block heights: a layout tries the same blocks in several arrangements. */
const heights = new WeakMap<Block, { width: number; height: number }>();

/** Height of a block, which must not be changed later because the height is cached. */
function blockHeight(block: Block, width: number): number {
  const cached = heights.get(block);
  if (cached?.width === width) return cached.height;
  const height = computeHeight(block, width);
  heights.set(block, { width, height });
  return height;
}

function computeHeight(block: Block, width: number): number {
  switch (block.kind) {
    case "title":
      return 18 + wordsHeight(block.text, 20, width, true) +
        (block.under === "" ? 0 : wordsHeight(block.under, 11, width));
    case "heading":
      return 9 + wordsHeight(block.text, 8.5, width, true);
    case "identity":
      return identityHeight(block.entries);
    case "small":
      return 5 + wordsHeight(block.text, 6.2, width);
    case "text":
      return block.isLarge
        ? 5 + wordsHeight(block.text, 9, width)
        : wordsHeight(block.text, 8, width);
    case "notice":
      return 11 + wordsHeight(block.text, 7.5, width - 16, block.isStrong);
    case "line":
      return 5 + wordsHeight(
        block.entries.map(({ label, value }) => `${label}  ${value}`).join("     "),
        7,
        width,
        true,
      ) + 2;
    case "entries":
      return entriesHeight(block, width);
    case "table":
      return tableHeight(block, width);
    case "pictures": {
      if (block.pictures.length === 0) return 0;
      const column = (width - (block.columns - 1) * PICTURE_GAP) / block.columns;
      const edge = column * block.scale / 100;
      const captions = block.pictures.map(({ caption }) => wordsHeight(caption, 6.5, column));
      return Math.ceil(block.pictures.length / block.columns) *
        (edge + 8.2 + Math.max(...captions));
    }
    case "drawings": {
      const each = (width - (block.columns - 1) * COLUMN_GAP) / block.columns;
      const heights = block.drawings.map(({ width, height }) => each * height / width);
      // a row of drawings is as high as its highest drawing
      const rows = heights.flatMap((_, at) =>
        at % block.columns === 0 ? [Math.max(...heights.slice(at, at + block.columns))] : []
      );
      return sum(rows) + 8 * rows.length - 4;
    }
    case "list":
      return sum(block.items.map((text) => wordsHeight(text, 8, width - 12) + 2));
    case "split": {
      const leftWidth = (width - COLUMN_GAP) * block.share / 100;
      return Math.max(
        heightOf(block.left, leftWidth),
        heightOf(block.right, width - COLUMN_GAP - leftWidth),
      );
    }
  }
}

/** Height of rows of small labels above bold values; an entry may span several columns of a row. */
function identityHeight(entries: Extract<Block, { kind: "identity" }>["entries"]): number {
  let height = 0, lines = 1, column = 0;
  const endRow = () => {
    height += 15.3 + 11.6 * lines;
    lines = 1;
    column = 0;
  };
  for (const { value, span = 1 } of entries) {
    if (column + span > IDENTITY_SHARES.length) endRow();
    const share = sum(IDENTITY_SHARES.slice(column, column + span));
    lines = Math.max(lines, linesOf(value, 8, share * SHEET_WIDTH - 10, true));
    column += span;
  }
  if (column > 0) endRow();
  return height;
}

function entriesHeight(
  { entries, columns }: Extract<Block, { kind: "entries" }>,
  width: number,
): number {
  let height = 0;
  for (let at = 0; at < entries.length; at += columns) {
    const lines = entries.slice(at, at + columns)
      .map(({ value }) => linesOf(value, 8, (width / columns - 6) * RESERVE, true));
    height += 13.5 + 11.6 * Math.max(...lines);
  }
  return height;
}

function tableHeight(
  { columns, rows, isDense, room }: Extract<Block, { kind: "table" }>,
  width: number,
): number {
  const widths = columnWidths(columns, width);
  const rowHeight = (cells: readonly Cell[], size: number) =>
    (isDense ? 3.3 : 4) + (room ?? 0) + Math.max(...cells.map(({ text = "", ...cell }, index) => {
      const column = columns[index]!, own = widths[index]!;
      const isBold = cell.isBold || (cell.level ?? 0) > 0;
      return (cell.under ? UNDER : 0) +
        wordsHeight(text, column.isSmall ? Math.min(size, 6.8) : size, own - 6, isBold);
    }));
  return rowHeight(columns.map(({ label }) => ({ text: label, isBold: true })), 6.8) +
    sum(rows.map(({ cells }) => rowHeight(cells, isDense ? 7.5 : 8)));
}
