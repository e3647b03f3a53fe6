import { headOf } from "@/report/model/page.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";

/**
 * Divides a report page that is too high for one sheet because of long names or many notices.
 * Each further sheet repeats the line with the patient's name.
 * Tables and lists are divided between rows; other blocks are never divided.
 */
export function divided(body: SheetBody, report: ReportResponse): SheetBody[] {
  const room = SHEET_HEIGHT - heightOf(correctionNotices(report)), head = headOf(report);
  if (heightOf(body.blocks) <= room) return [body];
  const sheets: Block[][] = [[]];
  const remaining = [...body.blocks];
  for (let block = remaining.shift(); block; block = remaining.shift()) {
    const sheet = sheets.at(-1)!, isEmpty = sheets.length > 1 && sheet.length === head.length;
    const roomLeft = room - heightOf(sheet);
    // a heading is printed on the same sheet as the block below it
    const blocksBelow = isTitleOf(block, remaining[0]) ? leastOf(remaining[0]!) : [];
    if (heightOf([block, ...blocksBelow]) <= roomLeft) {
      sheet.push(block);
      continue;
    }
    const parts = block.kind === "table"
      ? splitTable(block, roomLeft)
      : block.kind === "list"
      ? splitList(block, roomLeft)
      : null;
    if (parts) {
      sheet.push(parts[0]);
      remaining.unshift(parts[1]);
    } else if (isEmpty) {
      sheet.push(block);
    } else {
      remaining.unshift(block);
    }
    if (remaining.length > 0) sheets.push([...head]);
  }
  return sheets.map((blocks) => ({ pages: body.pages, title: body.title, blocks }));
}

/** Whether a block is the title of the block after it. */
const isTitleOf = (block: Block, next: Block | undefined): boolean =>
  next !== undefined &&
  (block.kind === "heading" || block.kind === "small" && next.kind === "pictures");

/** The part of a block that must be on the same sheet as its title: of a table or list, one row. */
const leastOf = (block: Block): Block[] => [
  block.kind === "table"
    ? { ...block, rows: block.rows.slice(0, 1) }
    : block.kind === "list"
    ? { ...block, items: block.items.slice(0, 1) }
    : block,
];

/**
 * Divides a list into the items that fit into `room` points and the remaining items.
 * `null` if no item fits.
 */
function splitList(list: Extract<Block, { kind: "list" }>, room: number): [Block, Block] | null {
  const { items } = list;
  let count = items.length - 1;
  while (count > 0 && heightOf([{ ...list, items: items.slice(0, count) }]) > room) count--;
  return count <= 0
    ? null
    : [{ ...list, items: items.slice(0, count) }, { ...list, items: items.slice(count) }];
}

/**
 * Divides a table into the rows that fit into `room` points and the remaining rows.
 * `null` if no row fits.
 */
function splitTable(
  table: Extract<Block, { kind: "table" }>,
  room: number,
): [Block, Block] | null {
  const { rows } = table;
  let count = rows.length - 1;
  while (count > 0 && heightOf([{ ...table, rows: rows.slice(0, count) }]) > room) count--;
  // the heading of a group of rows is printed on the same sheet as the group's first row
  while (count > 0 && rows[count - 1]!.isGroup) count--;
  return count === 0
    ? null
    : [{ ...table, rows: rows.slice(0, count) }, { ...table, rows: rows.slice(count) }];
}
