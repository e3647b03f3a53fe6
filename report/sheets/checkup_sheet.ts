import { WIDE_RAIL_SIZE, wideRailHeadSvg, wideRailSvg } from "@/report/charts/gauges.ts";
import { strengthOf } from "@/model/norms/bands.ts";
import { headOf, mainPageOf, railValueOf } from "@/report/model/page.ts";
import { DASH, fixed } from "@/report/model/format.ts";
import type { Cell, Column, SheetBody } from "@/report/sheets/sheet.ts";
import type { MainRow, MainRowKey, ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { checkupPageText } from "@/model/text/report/pages/checkup.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

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

/** Plain words for a level, 1 to 3. */
function deviationOf(key: MainRowKey, level: number): Record<Language, string> {
  if (key === "lateral_ventricles") {
    return level === 1 ? checkupPageText.checkLarger : checkupPageText.checkMuchLarger;
  }
  if (key === "thickness") {
    return level === 1 ? checkupPageText.checkThinner : checkupPageText.checkMuchThinner;
  }
  return level === 1 ? checkupPageText.checkSmaller : checkupPageText.checkMuchSmaller;
}

/** Plain words for a rank: firm, possible, usual, or not to be told from usual; `null` without a band. */
function wordsOf(
  { key, rank_total: rank }: MainRow,
  thresholds: readonly number[],
  language: Language,
): string | null {
  if (!rank?.has_bands) return null;
  const strength = (level: number) => strengthOf(level, thresholds.length);
  const t = (text: Record<Language, string>) => textIn(text, language);
  if (rank.level > 0) return t(deviationOf(key, strength(rank.level)));
  if (rank.doubt !== null) return t(checkupPageText.checkDoubt);
  if (rank.possible_level > 0) {
    return t(
      key === "lateral_ventricles"
        ? checkupPageText.checkMaybeLarger
        : key === "thickness"
        ? checkupPageText.checkMaybeThinner
        : checkupPageText.checkMaybeSmaller,
    );
  }
  return t(rank.is_usual ? checkupPageText.checkUsual : checkupPageText.checkUnsure);
}

/** Volume of a row in plain figures. */
const sizeOf = ({ key, volume_total }: MainRow): string =>
  volume_total === null ? DASH : `${fixed(volume_total)} ${key === "thickness" ? "mm" : "mL"}`;

/** The Check-up page: one dot a structure, in plain words; without norms, its size alone. */
export function checkupBodiesOf(report: ReportResponse): SheetBody[] {
  const { language, threshold_list: thresholds } = report, hasNorms = report.reference.in_range;
  const t = (text: Record<Language, string>) => textIn(text, language);
  const { rows: printed, pictures, picturesTitle } = mainPageOf(report);
  const rails: Column[] = [
    { label: "", svg: wideRailHeadSvg(), width: WIDE_RAIL_SIZE.width + 6, isWide: true },
    { label: t(reportText.percentile), width: 56, isNumber: true },
    { label: t(checkupPageText.checkWords), width: 88, isSmall: true },
  ];
  return [{
    title: t(pageTitle[8]),
    blocks: [
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
        columns: [
          { label: t(checkupPageText.checkPart), width: hasNorms ? 106 : 150 },
          { label: t(checkupPageText.checkWhat), width: "*" },
          ...(hasNorms ? rails : [{ label: t(checkupPageText.checkSize), width: 90, isNumber: true }]),
        ],
        rows: WHAT.map(([key, what]) => {
          const row = report.main_page.rows.find((row) => row.key === key)!;
          const { name, band, note, percentile } = printed.find((row) => row.key === key)!;
          const level = band?.level ?? 0, rank = row.rank_total;
          const compared: Cell[] = [
            rank === null ? {} : { svg: wideRailSvg(railValueOf(rank, level), thresholds, row.is_inverted) },
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
    ],
  }];
}
