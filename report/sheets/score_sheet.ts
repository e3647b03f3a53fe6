import {
  contributionSize,
  contributionsSvg,
  GAUGE_SIZE,
  gaugeSvg,
} from "@/report/charts/gauges.ts";
import { headOf, normBasisOf } from "@/report/model/page.ts";
import { isPartOfScore } from "@/model/findings/missing.ts";
import { bandOfRank, strengthOf } from "@/model/norms/bands.ts";
import { scoreDigits } from "@/model/norms/rank_format.ts";
import { DASH, formatPercentile, signed } from "@/report/model/format.ts";
import { type Block, PERCENTILE_WIDTH, type SheetBody } from "@/report/sheets/sheet.ts";
import { SCORE_PAGE } from "@/model/report/pages.ts";
import { withheldNote } from "@/report/sheets/withheld.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { reportText } from "@/model/text/report/report.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { scorePageText } from "@/model/text/report/pages/score.ts";
import { tableCaption } from "@/model/text/report/report_tables.ts";

/** The measure that counts as atrophy when high: fluid. Low values of tissue count as atrophy. */
const FLUID = "Inferior lateral ventricle";

/** The page Atrophy Score, used when the score is not on the Cover. */
export function scoreBodiesOf(report: ReportResponse): SheetBody[] {
  const { language } = report;
  const t = (text: Record<Language, string>) => textIn(text, language);
  const blocks: Block[] = report.atrophy_score
    ? scoreBlocksOf(report, t(scorePageText.scoreLead))
    : [
      { kind: "heading", text: t(scorePageText.scoreLead) },
      { kind: "text", text: `${DASH}  ${noScoreText(report)}`, isLarge: true },
      { kind: "small", text: t(scorePageText.scoreMethod) },
    ];
  return [{
    pages: [SCORE_PAGE],
    title: t(pageTitle[SCORE_PAGE]),
    blocks: [...headOf(report), ...blocks],
  }];
}

/** Reason for a missing Atrophy Score. */
export function noScoreText({ reference, conclusion, language }: ReportResponse): string {
  const isMissing = reference.reason === null &&
    conclusion?.findings.some((finding) => finding.kind === "missing" && isPartOfScore(finding));
  return textIn(isMissing ? scorePageText.scoreMissing : scorePageText.scoreNone, language);
}

/**
 * Gauge and measures of the Atrophy Score; empty without a score.
 * @param isShared For the Cover, which has less space.
 */
export function scoreBlocksOf(report: ReportResponse, heading: string, isShared = false): Block[] {
  const { atrophy_score: score, language, threshold_list: thresholds } = report;
  if (!score) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const printed = scoreDigits(score.score),
    low = 100 - score.rank.high,
    high = 100 - score.rank.low;
  const interval = { low: scoreDigits(low), high: scoreDigits(high) };
  const band = bandOfRank(score.rank, thresholds, false, language)!;
  return [
    { kind: "heading", text: heading },
    {
      kind: "split",
      share: isShared ? 35 : 50,
      left: [{
        kind: "drawings",
        columns: 1,
        drawings: [{
          svg: gaugeSvg(
            score.score,
            [low, high],
            strengthOf(score.level, thresholds.length),
            thresholds,
            {
              value: printed,
              low: t(scorePageText.scoreLow),
              high: t(scorePageText.scoreHigh),
            },
          ),
          ...GAUGE_SIZE,
          alt: t(scorePageText.scoreAlt, { score: printed, ...interval }),
        }],
      }],
      right: [
        {
          kind: "text",
          text: t(scorePageText.scoreText, {
            ...normBasisOf(report),
            score: countOf(score.score, language),
            interval: rangeOf(low, high, language),
          }),
          isLarge: !isShared,
        },
        { kind: "text", text: `${band.symbol} ${t(scorePageText.scoreBand, { band: band.text })}` },
      ],
    },
    { kind: "heading", text: t(scorePageText.scoreParts) },
    partsOf(score, language, isShared),
    ...withheldNote(score.items.map(({ rank }) => rank), language),
    { kind: "small", text: t(scorePageText.scoreMethod) },
  ];
}

/** The four measures of the score as bars and in a table. */
function partsOf(
  score: NonNullable<ReportResponse["atrophy_score"]>,
  language: Language,
  isShared: boolean,
): Block {
  const t = (text: Record<Language, string>, values: Record<string, string> = {}) =>
    textIn(text, language, values);
  const nameOf = (name: string) =>
    name === "cortex" ? t(reportText.cortex) : partName(name, language);
  const items = score.items.map(({ brain_regions, z, rank }) => ({
    name: nameOf(brain_regions),
    rank,
    deviation: brain_regions === FLUID ? z : -z,
  }));
  return {
    kind: "split",
    share: isShared ? 50 : 62,
    left: [{
      kind: "drawings",
      columns: 1,
      drawings: [{
        svg: contributionsSvg(
          items.map(({ name, deviation }) => ({ name, deviation, value: signed(deviation, 2) })),
          {
            axis: t(scorePageText.scoreAxis),
            low: t(scorePageText.scoreLow),
            high: t(scorePageText.scoreHigh),
          },
        ),
        ...contributionSize(items.length),
        alt: t(scorePageText.scorePartsAlt, {
          list: items.map(({ name, deviation }) => `${name} ${signed(deviation, 2)}`).join(", "),
        }),
      }],
    }],
    right: [{
      kind: "table",
      caption: t(tableCaption.score),
      columns: [
        { label: t(reportText.region), width: "*" },
        { label: t(scorePageText.scoreDeviation), width: 50, isNumber: true },
        { label: t(reportText.percentile), width: PERCENTILE_WIDTH, isNumber: true },
      ],
      rows: items.map(({ name, deviation, rank }) => ({
        cells: [{ text: name }, { text: signed(deviation, 2) }, {
          text: formatPercentile(rank, language),
        }],
      })),
    }],
  };
}

/** How many of 1,000 comparable people have a lower score, for the sentence below the score. */
function countOf(score: number, language: Language): string {
  if (score < 0.1) return textIn(scorePageText.scoreUnder, language);
  if (score > 99.9) return textIn(scorePageText.scoreOver, language);
  return textIn(scorePageText.scoreCount, language, { n: Math.round(10 * score) });
}

/** Ends of the score's interval as printed; a single number when they are equal. */
function rangeOf(low: number, high: number, language: Language): string {
  const [from, to] = [scoreDigits(low), scoreDigits(high)];
  return from === to ? from : textIn(scorePageText.scoreRange, language, { low: from, high: to });
}
