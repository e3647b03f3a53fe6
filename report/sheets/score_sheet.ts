import { contributionSize, contributionsSvg, GAUGE_SIZE, gaugeSvg } from "@/report/charts/gauges.ts";
import { headOf } from "@/report/model/page.ts";
import { bandOfRank, DASH, formatPercentile, signed } from "@/report/model/format.ts";
import { strengthOf } from "@/report/charts/chart.ts";
import type { Block, SheetBody } from "@/report/sheets/sheet.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { reportText } from "@/model/text/report/report.ts";
import { pageText, pageTitle } from "@/model/text/report/report_pages.ts";

/** Fluid counts up with its own sign, tissue with the other. */
const FLUID = "Inferior lateral ventricle";

/** The Atrophy Score page: a gauge and what it is made of. */
export function scoreBodiesOf(report: ReportResponse): SheetBody[] {
  const { atrophy_score: score, language, threshold_list: thresholds } = report;
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const title = t(pageTitle[2]), method: Block = { kind: "small", text: t(pageText.scoreMethod) };
  if (!score) {
    return [{
      title,
      blocks: [
        ...headOf(report),
        { kind: "heading", text: t(pageText.scoreLead) },
        { kind: "text", text: `${DASH}  ${t(pageText.scoreNone)}`, isLarge: true },
        method,
      ],
    }];
  }
  const printed = formatScore(score.score), low = 100 - score.rank.high, high = 100 - score.rank.low;
  const interval = { low: formatScore(low), high: formatScore(high) };
  const band = bandOfRank(score.rank, thresholds, false, language)!;
  const nameOf = (name: string) => name === "cortex" ? t(reportText.cortex) : partName(name, language);
  const items = score.items.map(({ brain_regions, z, rank }) => ({
    name: nameOf(brain_regions),
    rank,
    deviation: brain_regions === FLUID ? z : -z,
  }));
  return [{
    title,
    blocks: [
      ...headOf(report),
      { kind: "heading", text: t(pageText.scoreLead) },
      {
        kind: "split",
        share: 50,
        left: [{
          kind: "drawings",
          columns: 1,
          drawings: [{
            svg: gaugeSvg(score.score, [low, high], strengthOf(score.level, thresholds.length), thresholds, {
              value: printed,
              low: t(pageText.scoreLow),
              high: t(pageText.scoreHigh),
            }),
            ...GAUGE_SIZE,
            alt: t(pageText.scoreAlt, { score: printed, ...interval }),
          }],
        }],
        right: [
          { kind: "text", text: t(pageText.scoreText, { score: printed, ...interval }), isLarge: true },
          { kind: "text", text: `${band.symbol} ${t(pageText.scoreBand, { band: band.text })}` },
        ],
      },
      { kind: "heading", text: t(pageText.scoreParts) },
      {
        kind: "split",
        share: 62,
        left: [{
          kind: "drawings",
          columns: 1,
          drawings: [{
            svg: contributionsSvg(
              items.map(({ name, deviation }) => ({ name, deviation, value: signed(deviation, 2) })),
              { axis: t(pageText.scoreAxis), low: t(pageText.scoreLow), high: t(pageText.scoreHigh) },
            ),
            ...contributionSize(items.length),
            alt: t(pageText.scorePartsAlt, {
              list: items.map(({ name, deviation }) => `${name} ${signed(deviation, 2)}`).join(", "),
            }),
          }],
        }],
        right: [{
          kind: "table",
          columns: [
            { label: t(reportText.region), width: "*" },
            { label: t(pageText.scoreDeviation), width: 50, isNumber: true },
            { label: t(reportText.percentile), width: 58, isNumber: true },
          ],
          rows: items.map(({ name, deviation, rank }) => ({
            cells: [{ text: name }, { text: signed(deviation, 2) }, {
              text: formatPercentile(rank, language),
            }],
          })),
        }],
      },
      method,
    ],
  }];
}

/** One decimal; never 0 or 100. */
const formatScore = (score: number): string =>
  score < 0.1 ? "<0.1" : score > 99.9 ? ">99.9" : score.toFixed(1);
