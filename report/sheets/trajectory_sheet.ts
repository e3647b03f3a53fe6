import { yearsBetween } from "@/model/norms/annual_change.ts";
import { percentileOrdinal } from "@/model/norms/rank_format.ts";
import { TRAJECTORY_SIZE, trajectorySvg } from "@/report/charts/trajectory.ts";
import { DASH } from "@/report/model/format.ts";
import { headOf } from "@/report/model/page.ts";
import { acquisitionNotices } from "@/report/sheets/acquisition.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { otherPersonNotices } from "@/report/sheets/other_persons.ts";
import { type Block, SHEET_HEIGHT, type SheetBody } from "@/report/sheets/sheet.ts";
import { LONGITUDINAL_PAGE } from "@/model/report/pages.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { reportText } from "@/model/text/report/report.ts";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";
import { trajectoryText as texts } from "@/model/text/report/report_trajectory.ts";

const KEYS = ["brain", "hippocampus", "lateral_ventricles"] as const;
/** Measures for which the smallest detectable change is printed, in this order. */
const LIMITED = ["brain", "cortex", "white_matter", "hippocampus", "lateral_ventricles"] as const;

/**
 * Chart of percentiles over all studies, with notices about studies that were not compared.
 * The smallest change that is reported is printed below the chart.
 * @param isAlone On its own sheet, with a chart as high as the sheet allows.
 */
export function trajectoryBodiesOf(report: ReportResponse, isAlone = false): SheetBody[] {
  const bodies = HEIGHTS.map((height) => trajectoryBodies(report, height));
  return bodies.slice(isAlone ? 0 : -1).find(([body]) =>
    !body || heightOf([...body.blocks, ...correctionNotices(report)]) <= SHEET_HEIGHT
  ) ?? bodies.at(-1)!;
}

/** Heights of the chart to try, points; a sheet shared with another page uses the last one. */
const HEIGHTS = [
  TRAJECTORY_SIZE.height * 1.8,
  TRAJECTORY_SIZE.height * 1.4,
  TRAJECTORY_SIZE.height,
];

function trajectoryBodies(report: ReportResponse, height: number): SheetBody[] {
  const { trajectory, language } = report;
  if (!trajectory || trajectory.length < 2) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const dates = trajectory.map(({ study_date }) => study_date);
  const lines = KEYS.map((key) => ({
    name: nameOf(key, language),
    percentiles: trajectory.map(({ percentiles }) => percentiles[key] ?? null),
  }));
  const title = t(texts.chart);
  return [{
    pages: [LONGITUDINAL_PAGE],
    title: t(pageTitle[LONGITUDINAL_PAGE]),
    blocks: [
      ...headOf(report),
      ...notComparedOf(report),
      { kind: "heading", text: title },
      {
        kind: "drawings",
        columns: 1,
        drawings: [{
          svg: trajectorySvg(lines, dates.map((date) => yearsBetween(dates[0]!, date)), dates, {
            percentile: t(texts.percentile),
          }, { ...TRAJECTORY_SIZE, height }),
          width: TRAJECTORY_SIZE.width,
          height,
          alt: `${title}: ${
            lines.map(({ name, percentiles }) =>
              `${name} ${percentiles.map((value) => value ?? DASH).join(", ")}`
            ).join("; ")
          }`,
        }],
      },
      {
        kind: "table",
        caption: title,
        columns: [
          { label: t(longitudinalPageText.visitDate), width: "*" },
          ...lines.map(({ name }) => ({ label: name, width: 110, isNumber: true })),
        ],
        rows: trajectory.map(({ pid, study_date }, visit) => ({
          cells: [
            { text: study_date, isBold: pid === report.pid },
            ...lines.map(({ percentiles }) => {
              const value = percentiles[visit];
              return { text: value == null ? DASH : percentileOrdinal(value, language) };
            }),
          ],
        })),
      },
      { kind: "small", text: t(texts.note) },
      { kind: "small", text: limitsOf(report) },
    ],
  }];
}

function nameOf(key: typeof LIMITED[number], language: Language): string {
  if (key === "hippocampus") return partName("Hippocampus", language);
  const names = {
    brain: reportText.brain,
    cortex: reportText.cortex,
    white_matter: longitudinalPageText.changeWhiteMatter,
    lateral_ventricles: reportText.lateralVentricles,
  };
  return textIn(names[key], language);
}

/** Notices about studies that cannot be used for changes, with the reasons. */
function notComparedOf(report: ReportResponse): Block[] {
  const { longitudinal, left_out_visits, trajectory = [], language } = report;
  const ofScanner = (
    isConcerned: (visit: NonNullable<ReportResponse["trajectory"]>[number]) => boolean | undefined,
    text: Record<Language, string>,
  ): Block[] => {
    const dates = trajectory.filter(isConcerned).map(({ study_date }) => study_date);
    // at a site that has accepted no scanner, the list would have the date of every study
    if (text === texts.provisional && dates.length > 0 && dates.length === trajectory.length) {
      return [{ kind: "small", text: textIn(texts.allProvisional, language) }];
    }
    return dates.length === 0
      ? []
      : [{ kind: "notice", text: textIn(text, language, { dates: dates.join(", ") }) }];
  };
  return [
    ...acquisitionNotices(longitudinal ?? [], language),
    ...ofScanner(
      ({ is_stopped, is_unread, is_refused }) => is_stopped && !is_unread && !is_refused,
      texts.stopped,
    ),
    ...ofScanner(({ is_refused }) => is_refused, texts.refused),
    ...ofScanner(({ is_unread }) => is_unread, texts.unread),
    ...ofScanner(({ is_provisional }) => is_provisional, texts.provisional),
    ...otherPersonNotices(report),
    ...(left_out_visits ?? []).length === 0 ? [] : [
      {
        kind: "notice",
        text: textIn(texts.gradeC, language, { dates: left_out_visits!.join(", ") }),
      } as const,
    ],
  ];
}

function limitsOf({ change_limits: limits, language }: ReportResponse): string {
  if (!limits) return textIn(texts.limitsUsual, language);
  const limitedKeys = LIMITED.filter((key) => limits.percent[key] !== undefined);
  return textIn(texts.limitsSite, language, {
    n: limits.pairs,
    limits: limitedKeys.map((key) =>
      `${nameOf(key, language)} ${limits.percent[key]!.toFixed(1)}\u00a0%`
    )
      .join(", "),
  });
}
