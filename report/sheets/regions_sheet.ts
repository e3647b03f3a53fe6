import { percentileRailSvg, RAIL_SIZE, railHeadSvg } from "@/report/charts/chart.ts";
import { headOf, normBasisOf, railValueOf } from "@/report/model/page.ts";
import { bandOf, bandOfRank, possibleBandOf } from "@/model/norms/bands.ts";
import { fixed, formatPercentile, signed } from "@/report/model/format.ts";
import { isInverted, type Part, PARTS, type RegionGroup } from "@/model/regions/regions.ts";
import { printedPercentile, type RankedRow, shownRank } from "@/model/norms/rank_format.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { linearBlocksOf, linearHeightOf } from "@/report/sheets/linear_sheet.ts";
import {
  type Block,
  type Cell,
  SHEET_HEIGHT,
  type SheetBody,
  type TableRow,
} from "@/report/sheets/sheet.ts";
import { REGIONS_PAGE } from "@/model/report/pages.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { rankText } from "@/model/text/ranks.ts";
import { reportText } from "@/model/text/report/report.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { regionsPageText } from "@/model/text/report/pages/regions.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";

const LOBES: readonly RegionGroup[] = [
  "frontal",
  "parietal",
  "temporal",
  "occipital",
  "cingulate",
  "insula",
];
const DEEP: readonly RegionGroup[] = [
  "white matter",
  "medial temporal",
  "deep grey",
  "ventricle",
  "corpus callosum",
  "brain stem",
  "cerebellum",
];

/** Label of the white matter hypointensities, lesions that are dark in T1w. */
const HYPOINTENSITIES = 28;

/** Table cells for a percentile: number with interval, percentile scale (drawing), and symbol. */
function rankCells(
  row: RankedRow,
  isFluid: boolean,
  { language, threshold_list: thresholds }: ReportResponse,
): Cell[] {
  const rank = shownRank(row, "total");
  const [left = null, right = null] = (["left", "right"] as const).map((side) =>
    printedPercentile(shownRank(row, side))
  );
  const band = bandOfRank(rank, thresholds, isFluid, language), level = band?.level ?? 0;
  const rail = railValueOf(rank, level);
  return [
    { text: formatPercentile(rank, language), level, isQuiet: rank?.has_bands === false },
    rail === null ? {} : { svg: percentileRailSvg({ ...rail, left, right }, thresholds, isFluid) },
    { text: band?.symbol ?? "", level },
  ];
}

/** Width of a column with a percentile and its interval in small print, points. */
const SMALL_PERCENTILE_WIDTH = 62;

/** Row with the whole lobe's volumes and mean thickness, above the rows of the lobe's regions. */
function groupRow(group: RegionGroup, report: ReportResponse, hasThickness: boolean): TableRow {
  const { language } = report;
  const name = { text: REGION_GROUP_TEXT[group][language], isBold: true };
  const lobe = report.aggregates.find(({ key }) => key === group);
  if (!lobe) {
    return {
      isGroup: true,
      cells: [name, {}, {}, {}, {}, {}, ...(hasThickness ? [{}] : []), {}, {}, {}],
    };
  }
  return {
    isGroup: true,
    cells: [
      name,
      { text: fixed(lobe.volume_left) },
      { text: fixed(lobe.volume_right) },
      { text: fixed(lobe.volume_total), isBold: true },
      { text: fixed(lobe.icv_percent) },
      { text: signed(lobe.asymmetry_percent) },
      ...(hasThickness ? [{ text: `${fixed(lobe.thick_left)} / ${fixed(lobe.thick_right)}` }] : []),
      ...rankCells(lobe, false, report),
    ],
  };
}

function partRow(
  { part, labels }: Part,
  report: ReportResponse,
  hasThickness: boolean,
): TableRow | null {
  const { language } = report;
  const region = report.regions.find(({ brain_regions }) => brain_regions === part);
  if (!region) return null;
  const fluid = isInverted(labels[0]);
  const thickness = report.thickness?.find(({ brain_regions }) => brain_regions === part);
  const measured = (mm = 0) => fixed(mm > 0 ? mm : null);
  return {
    cells: [
      { text: partName(part, language) },
      { text: fixed(region.volume_left) },
      { text: fixed(region.volume_right) },
      { text: fixed(region.volume_total), isBold: true },
      { text: fixed(region.icv_percent) },
      { text: signed(region.asymmetry_percent) },
      ...(hasThickness
        ? [{ text: `${measured(thickness?.thick_left)} / ${measured(thickness?.thick_right)}` }]
        : []),
      ...rankCells(region, fluid, report),
    ],
  };
}

function tableOf(groups: readonly RegionGroup[], caption: string, report: ReportResponse): Block {
  const t = (text: Record<typeof report.language, string>) => textIn(text, report.language);
  const hasThickness = LOBES.includes(groups[0]!);
  // regions in the order of the report: the user's priority regions first, with their group
  const parts = report.regions.flatMap(({ part_index: [label] }) => {
    const part = PARTS.find(({ labels }) => labels[0] === label);
    return part && groups.includes(part.group) ? [part] : [];
  });
  const ordered = [...new Set(parts.map(({ group }) => group))];
  return {
    kind: "table",
    caption,
    isDense: true,
    columns: [
      { label: t(reportText.region), width: "*" },
      { label: t(reportText.left), width: 36, isNumber: true },
      { label: t(reportText.right), width: 36, isNumber: true },
      { label: t(reportText.total), width: 43, isNumber: true },
      { label: t(reportText.percentIcv), width: 35, isNumber: true },
      { label: t(regionsPageText.asymmetry), width: 40, isNumber: true },
      ...(hasThickness
        ? [{ label: t(regionsPageText.thicknessColumn), width: 57, isNumber: true }]
        : []),
      {
        label: t(reportText.percentile),
        width: SMALL_PERCENTILE_WIDTH,
        isNumber: true,
        isSmall: true,
      },
      {
        label: "",
        ...(report.reference.in_range ? { svg: railHeadSvg() } : {}),
        width: RAIL_SIZE.width + 6,
      },
      { label: "", width: 28 },
    ],
    rows: ordered.flatMap((group) => [
      groupRow(group, report, hasThickness),
      ...parts.filter((part) => part.group === group).flatMap((part) =>
        partRow(part, report, hasThickness) ?? []
      ),
    ]),
  };
}

/**
 * Sentence on why the T1w and FLAIR lesion volumes differ, for a report that has both.
 */
export const twoMeasurements = ({ regions, wmh, language }: ReportResponse): Block[] =>
  wmh && regions.some(({ part_index }) => part_index.includes(HYPOINTENSITIES))
    ? [{ kind: "small", text: textIn(regionsPageText.twoMeasurements, language) }]
    : [];

/** Explanation of the percentile symbols below a table; "!" only for a table that contains it. */
function bandKeyOf(report: ReportResponse, table: Block): string {
  const { threshold_list: thresholds, language } = report;
  const keys = thresholds.map((_, i) => thresholds.length - i).flatMap((level) =>
    [false, true].map((fluid) => {
      const band = bandOf(level, thresholds, fluid, language);
      return `${band.symbol} ${band.text}`;
    })
  );
  const possible = possibleBandOf(thresholds.length, thresholds, false, language);
  const usual = bandOf(0, thresholds, false, language);
  const hasDoubt = table.kind === "table" &&
    table.rows.some(({ cells }) => cells.at(-1)?.text?.includes("!"));
  return [
    ...keys,
    `${possible.symbol} ${possible.text}`,
    `${usual.symbol} ${usual.text}`,
    `≈ ${textIn(rankText.notDistinguishable, language)}`,
    ...hasDoubt ? [textIn(regionsPageText.doubtKey, language)] : [],
  ].join("   ");
}

/**
 * Whether blocks fit on a page together with the notices printed on every page.
 * @param beside Height in points that other blocks of the page need.
 */
const isRoomFor = (blocks: readonly Block[], report: ReportResponse, beside = 0): boolean =>
  heightOf([...blocks, ...correctionNotices(report)]) + beside <= SHEET_HEIGHT;

/**
 * The page Volume by Brain Regions, on two sheets.
 * Long notices remove the legend from the second sheet; longer ones divide its table of lobes.
 */
export function regionBodiesOf(report: ReportResponse): SheetBody[] {
  const t = (text: Record<typeof report.language, string>) => textIn(text, report.language);
  const legend = textIn(regionsPageText.regionsLegend, report.language, normBasisOf(report));
  const bodyOf = (
    groups: readonly RegionGroup[],
    heading: string,
    hasLegend = true,
  ): SheetBody => {
    const table = tableOf(groups, heading, report),
      small = (text: string) => ({ kind: "small", text }) as const;
    return {
      pages: [REGIONS_PAGE],
      title: t(pageTitle[REGIONS_PAGE]),
      blocks: [
        ...headOf(report),
        { kind: "heading", text: heading },
        table,
        ...(groups.includes("white matter") ? twoMeasurements(report) : []),
        ...(report.reference.in_range ? [small(bandKeyOf(report, table))] : []),
        ...(hasLegend ? [small(legend)] : []),
      ],
    };
  };
  const deep = bodyOf(DEEP, t(regionsPageText.regionsDeep)), linear = linearBlocksOf(report);
  const hasRoom = isRoomFor(deep.blocks, report, linearHeightOf(linear));
  const first: SheetBody[] = hasRoom || linear.length === 0
    ? [{ ...deep, blocks: [...deep.blocks, ...linear] }]
    : [deep, { ...deep, blocks: [...headOf(report), ...linear] }];
  const heading = t(regionsPageText.regionsCortex);
  const singleSheet = [true, false].map((hasLegend) => bodyOf(LOBES, heading, hasLegend))
    .find(({ blocks }) => isRoomFor(blocks, report));
  return [
    ...first,
    ...(singleSheet
      ? [singleSheet]
      : [LOBES.slice(0, 2), LOBES.slice(2)].map((part) => bodyOf(part, heading))),
  ];
}
