// Parses the rows of a report's tables, from the printed sheets.
import type { Block, Cell, Sheet, TableRow } from "@/report/sheets/sheet.ts";
import { partInSentence } from "@/model/findings/sentences.ts";
import { PARTS } from "@/model/regions/regions.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { reportText } from "@/model/text/report/report.ts";
import { regionsPageText } from "@/model/text/report/pages/regions.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

/** A row of a table as printed; absent fields have no column in that table. */
export interface PrintedRow {
  page: string;
  left: string;
  right: string;
  total: string;
  percentile: string;
  leftPercentile?: string;
  rightPercentile?: string;
  /** left-right difference in percent, with its sign */
  asymmetry?: string;
  /** whether the small print about the sides is in the colour of a finding */
  isAsymmetryMarked?: boolean;
  asymmetryPercentile?: string;
  /** sign: "▼", "(▼)", "≈", "○", "!"; empty without a percentile */
  symbol: string;
  /** colour strength of each side's percentile */
  leftLevel?: number;
  rightLevel?: number;
  /** cortical thickness, mm */
  thickness?: readonly [left: string, right: string];
  /** whether the row is a lobe of the cortex */
  isLobe: boolean;
}

export const blocksOf = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) =>
    block.kind === "split" ? [...blocksOf(block.left), ...blocksOf(block.right)] : [block]
  );
export const rowsOf = (blocks: readonly Block[]): TableRow[] =>
  blocksOf(blocks).flatMap((block) => block.kind === "table" ? block.rows : []);

/** Names of parts in sentences, by their names in tables. */
const MAIN_NAMES = new Map<string, string>([
  [reportText.icv.en, partInSentence("icv", "en")],
  [reportText.brain.en, partInSentence("brain", "en")],
  [reportText.cortex.en, partInSentence("cortex", "en")],
  [reportText.whiteMatter.en, partInSentence("Cerebral white matter", "en")],
  [reportText.lateralVentricles.en, partInSentence("Lateral ventricle", "en")],
  ...["Hippocampus", "Amygdala", "Thalamus"].map((part) =>
    [partName(part, "en"), partInSentence(part, "en")] as const
  ),
]);
const GROUP_NAMES = new Map<string, string>(
  Object.entries(REGION_GROUP_TEXT).map(([key, { en }]) => [en, partInSentence(key, "en")]),
);
const PART_NAMES = new Map<string, string>(
  PARTS.map(({ part }) => [partName(part, "en"), partInSentence(part, "en")]),
);

const words = (cell: Cell | undefined): string => cell?.text ?? "";

function mainRow(name: string, cells: readonly Cell[]): PrintedRow {
  const [about, left, right, total, , percentile, , band] = cells;
  const sides = /^Asymmetry (\S+?)\u00a0%(?:, (.*))?$/.exec(about?.under ?? "");
  return {
    page: pageTitle[4].en,
    left: words(left),
    right: words(right),
    total: words(total),
    percentile: words(percentile),
    ...(left?.under && { leftPercentile: left.under, leftLevel: left.underLevel ?? 0 }),
    ...(right?.under && { rightPercentile: right.under, rightLevel: right.underLevel ?? 0 }),
    ...(sides && {
      asymmetry: sides[1]!,
      isAsymmetryMarked: (about!.underLevel ?? 0) > 0,
      ...(sides[2] && { asymmetryPercentile: sides[2] }),
    }),
    symbol: /^[▽▼△▲≈○!()]+(?= )/.exec(words(band))?.[0] ?? "",
    isLobe: name === partInSentence("cortex", "en"),
  };
}

function regionRow(cells: readonly Cell[], hasThickness: boolean, isLobe: boolean): PrintedRow {
  const [, left, right, total, , asymmetry, ...others] = cells.map(words);
  const [mm, percentile, , symbol] = hasThickness ? others : ["", ...others];
  const [leftMm, rightMm] = mm!.split(" / ");
  return {
    page: pageTitle[512].en,
    left: left!,
    right: right!,
    total: total!,
    percentile: percentile!,
    asymmetry: asymmetry!,
    symbol: symbol!,
    ...(rightMm !== undefined && { thickness: [leftMm!, rightMm] }),
    isLobe,
  };
}

/** Minimum number of cells in a row of regions; other tables on the sheet have fewer. */
const LEAST_CELLS = 9;

/** Rows of all tables in English, by the part's name in sentences. */
export function printedRows(sheets: readonly Sheet[]): Map<string, PrintedRow[]> {
  const rows = new Map<string, PrintedRow[]>();
  const add = (name: string, row: PrintedRow) => rows.set(name, [...rows.get(name) ?? [], row]);
  for (const { title, blocks } of sheets) {
    for (const block of blocksOf(blocks)) {
      if (block.kind !== "table") continue;
      const hasThickness = block.columns.some(({ label }) =>
        label === regionsPageText.thicknessColumn.en
      );
      for (const { cells, isGroup } of block.rows) {
        const name = words(cells[0]);
        if (
          title.split(" · ").includes(pageTitle[4].en) && MAIN_NAMES.has(name) && cells.length === 8
        ) {
          add(MAIN_NAMES.get(name)!, mainRow(MAIN_NAMES.get(name)!, cells));
        } else if (
          title.split(" · ").includes(pageTitle[4].en) && name === reportText.thickness.en
        ) {
          // the columns of volumes contain thickness in mm here
          const { left, right, ...row } = mainRow("thickness", cells);
          add("thickness", { ...row, left, right });
        } else if (
          title.split(" · ").includes(pageTitle[512].en) && cells.length >= LEAST_CELLS
        ) {
          const isNamedGroup = isGroup === true && words(cells[3]) !== "";
          const known = isNamedGroup
            ? GROUP_NAMES.get(name)
            : isGroup
            ? undefined
            : PART_NAMES.get(name);
          if (known) add(known, regionRow(cells, hasThickness, isNamedGroup));
        }
      }
    }
  }
  return rows;
}
