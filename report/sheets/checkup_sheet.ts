import { CHECKUP_PAGE } from "@/model/report/pages.ts";
import { WIDE_RAIL_SIZE, wideRailHeadSvg, wideRailSvg } from "@/report/charts/gauges.ts";
import { isClearOfLow, isLowLevel } from "@/model/norms/bands.ts";
import { headOf, mainPageOf, railValueOf } from "@/report/model/page.ts";
import { DASH, fixed } from "@/report/model/format.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { chartBlocks, SMALL_CHART } from "@/report/sheets/main_sheet.ts";
import {
  type Block,
  type Cell,
  type Column,
  PERCENTILE_WIDTH,
  SHEET_HEIGHT,
  type SheetBody,
} from "@/report/sheets/sheet.ts";
import type { MainRow, MainRowKey, ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { checkupPageText } from "@/model/text/report/pages/checkup.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { tableCaption } from "@/model/text/report/report_tables.ts";

const WHAT: [MainRowKey, Record<Language, string>][] = [
  ["brain", checkupPageText.checkBrain],
  ["cortex", checkupPageText.checkCortex],
  ["white_matter", checkupPageText.checkWhiteMatter],
  ["hippocampus", checkupPageText.checkHippocampus],
  ["amygdala", checkupPageText.checkAmygdala],
  ["thalamus", checkupPageText.checkThalamus],
  ["lateral_ventricles", checkupPageText.checkVentricles],
  ["thickness", checkupPageText.checkThickness],
];

/** Plain words for a value outside, possibly outside, or at the end of the normal range. */
function deviationOf(key: MainRowKey): Record<"is" | "may" | "end", Record<Language, string>> {
  if (key === "lateral_ventricles") {
    return {
      is: checkupPageText.checkLarger,
      may: checkupPageText.checkMaybeLarger,
      end: checkupPageText.checkUpper,
    };
  }
  const end = checkupPageText.checkLower;
  return key === "thickness"
    ? { is: checkupPageText.checkThinner, may: checkupPageText.checkMaybeThinner, end }
    : { is: checkupPageText.checkSmaller, may: checkupPageText.checkMaybeSmaller, end };
}

/**
 * Plain words for a percentile. As in the suggested opinion (a prepared comment),
 * "low" means below the lowest threshold. `null` without a percentile band.
 */
function wordsOf(
  { key, rank_total: rank, is_inverted }: MainRow,
  thresholds: readonly number[],
  language: Language,
): string | null {
  if (!rank?.has_bands) return null;
  const t = (text: Record<Language, string>) => textIn(text, language), words = deviationOf(key);
  if (isLowLevel(rank.level, thresholds)) return t(words.is);
  if (rank.doubt !== null) return t(checkupPageText.checkDoubt);
  if (isLowLevel(rank.possible_level, thresholds)) return t(words.may);
  if (!isClearOfLow(rank, thresholds, is_inverted)) return t(checkupPageText.checkUnsure);
  return t(rank.level > 0 ? words.end : checkupPageText.checkUsual);
}

/** Volume or thickness of a table row, with its unit. */
const sizeOf = ({ key, volume_total }: MainRow): string =>
  volume_total === null ? DASH : `${fixed(volume_total)}\u00a0${key === "thickness" ? "mm" : "mL"}`;

/**
 * The page Check-up: one dot per structure, with plain words; without norms only its volume.
 * @param isShort Omits the norm curves, for a sheet shared with another page.
 */
export function checkupBodiesOf(report: ReportResponse, isShort = false): SheetBody[] {
  const { language, threshold_list: thresholds } = report, hasNorms = report.reference.in_range;
  const t = (text: Record<Language, string>) => textIn(text, language);
  const page = mainPageOf(report), { rows: printed, pictures, picturesTitle } = page;
  const rails: Column[] = [
    { label: "", svg: wideRailHeadSvg(), width: WIDE_RAIL_SIZE.width + 6, isWide: true },
    { label: t(reportText.percentile), width: PERCENTILE_WIDTH, isNumber: true },
    { label: t(checkupPageText.checkWords), width: 88, isSmall: true },
  ];
  const blocks: Block[] = [
    ...headOf(report),
    ...(pictures.length === 0 ? [] : [
      { kind: "small", text: picturesTitle } as const,
      { kind: "pictures", columns: 3, scale: 100, pictures } as const,
    ]),
    {
      kind: "text",
      text: t(hasNorms ? checkupPageText.checkLead : checkupPageText.checkLeadPlain),
      isLarge: true,
    },
    {
      kind: "table",
      caption: t(tableCaption.checkup),
      columns: [
        { label: t(checkupPageText.checkPart), width: hasNorms ? 106 : 150 },
        { label: t(checkupPageText.checkWhat), width: "*" },
        ...(hasNorms
          ? rails
          : [{ label: t(checkupPageText.checkSize), width: 90, isNumber: true }]),
      ],
      rows: WHAT.map(([key, what]) => {
        const row = report.main_page.rows.find((row) => row.key === key)!;
        const { name, band, note, percentile } = printed.find((row) => row.key === key)!;
        const level = band?.level ?? 0, rank = row.rank_total;
        const compared: Cell[] = [
          rank === null
            ? {}
            : { svg: wideRailSvg(railValueOf(rank, level), thresholds, row.is_inverted) },
          { text: percentile, level },
          { text: wordsOf(row, thresholds, language) ?? note ?? "", level },
        ];
        return {
          cells: [
            { text: name.replace(/, mm$/, ""), isBold: true },
            { text: t(what), isQuiet: true },
            ...(hasNorms ? compared : [{ text: sizeOf(row), isBold: true }]),
          ],
        };
      }),
    },
    {
      kind: "text",
      text: t(hasNorms ? checkupPageText.checkNote : checkupPageText.checkNotePlain),
      isLarge: true,
    },
  ];
  // norm curves fill the page if they fit
  const room = SHEET_HEIGHT - heightOf([...blocks, ...correctionNotices(report)]);
  const charts = isShort ? [] : [1, SMALL_CHART].map((share) => chartBlocks(page, share))
    .find((charts) => heightOf(charts) <= room) ?? [];
  return [{
    pages: [CHECKUP_PAGE],
    title: t(pageTitle[CHECKUP_PAGE]),
    blocks: [...blocks, ...charts],
  }];
}
