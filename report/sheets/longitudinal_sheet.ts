import { LONGITUDINAL_PAGE } from "@/model/report/pages.ts";
import { MIN_YEARS, yearsBetween } from "@/model/norms/annual_change.ts";
import { CHART_SIZE, referenceChartSvg } from "@/report/charts/chart.ts";
import { chartSubjectOf, headOf, noCurveOf } from "@/report/model/page.ts";
import { fixed, signed } from "@/report/model/format.ts";
import { acquisitionMark, acquisitionNotices } from "@/report/sheets/acquisition.ts";
import type { Block, SheetBody } from "@/report/sheets/sheet.ts";
import type { CurvePoint, ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName } from "@/model/text/regions.ts";
import { reportText } from "@/model/text/report/report.ts";
import { findingsText } from "@/model/text/report/report_findings.ts";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

const TRACKED = [
  "brain",
  "cortex",
  "white_matter",
  "hippocampus",
  "lateral_ventricles",
  "thickness",
] as const;
const HEADS = [
  longitudinalPageText.visitBrain,
  longitudinalPageText.visitCortex,
  longitudinalPageText.visitWhiteMatter,
  longitudinalPageText.visitHippocampus,
  longitudinalPageText.visitVentricles,
  longitudinalPageText.visitThickness,
] as const;

/**
 * Minimum number of years shown before the first and after the last study.
 * `MIN_SPAN_YEARS` is the minimum length of the age axis.
 */
const MARGIN_YEARS = 2, MIN_SPAN_YEARS = 6;

/** Age range that covers all studies of the patient, within the ages of the norm curve. */
function windowOf(
  ages: readonly number[],
  curve: readonly CurvePoint[],
): [from: number, to: number] {
  const first = Math.min(...ages), last = Math.max(...ages);
  const margin = Math.max(MARGIN_YEARS, (MIN_SPAN_YEARS - (last - first)) / 2);
  const within = (age: number) =>
    Math.min(Math.max(age, curve[0]?.age ?? age), curve.at(-1)?.age ?? age);
  return [within(first - margin), within(last + margin)];
}

/**
 * The page Longitudinal for T1w: measured values of all studies of the patient.
 * It also prints the annual change of each measure, and norm curves with the values.
 */
export function longitudinalBodiesOf(report: ReportResponse): SheetBody[] {
  const { longitudinal: visits, language, patient } = report;
  if (!visits || visits.length < 2) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const first = visits[0]!,
    last = visits.at(-1)!,
    years = yearsBetween(first.study_date, last.study_date);
  const names = [
    t(reportText.brain),
    t(reportText.cortex),
    t(longitudinalPageText.changeWhiteMatter),
    partName("Hippocampus", language),
    t(reportText.lateralVentricles),
    t(reportText.thickness),
  ];
  const noteOf = (key: string) =>
    years < MIN_YEARS
      ? t(longitudinalPageText.changeShort)
      : last.protocol_differences.length > 0
      ? t(longitudinalPageText.changeOther)
      : last.within_error.includes(key)
      ? t(longitudinalPageText.changeWithin)
      : "";
  const sex = t(
    patient.patient_sex === null ? reportText.unknown : reportText[patient.patient_sex],
  );
  const ageAt = (date: string) =>
    patient.patient_age === null || patient.study_date === null
      ? null
      : patient.patient_age + yearsBetween(patient.study_date, date);
  const charts = report.main_page.charts.filter(({ curve }) => curve.length > 0).map((chart) => {
    const at = visits.flatMap((visit) => {
      const age = ageAt(visit.study_date), volume = visit.values[chart.key];
      return age === null || volume === undefined ? [] : [{ pid: visit.pid, age, volume }];
    });
    const title = t(
      chart.key === "hippocampus" ? reportText.hippocampusChart : reportText.ventricleChart,
    );
    const ownPoint = at.find(({ pid }) => pid === report.pid);
    const volume = ownPoint?.volume ?? chart.volume;
    return {
      svg: referenceChartSvg(
        chart.curve,
        {
          age: patient.patient_age,
          volume,
          level: 0,
          ...(at.length > 1 ? { ages: windowOf(at.map(({ age }) => age), chart.curve) } : {}),
          visits: at.filter(({ pid }) => pid !== report.pid),
        },
        {
          title,
          subtitle: chartSubjectOf(report, sex),
          age: t(reportText.age),
          patient: t(reportText.chartPatient, { volume: fixed(volume) }),
          noCurve: noCurveOf(report),
        },
      ),
      ...CHART_SIZE,
      alt: `${title}: ${
        visits.map((visit) => `${visit.study_date} ${fixed(visit.values[chart.key])}`).join(", ")
      }`,
    };
  });
  return [{
    pages: [LONGITUDINAL_PAGE],
    title: t(pageTitle[LONGITUDINAL_PAGE]),
    blocks: [
      ...headOf(report),
      ...acquisitionNotices(visits, language),
      { kind: "heading", text: t(longitudinalPageText.visits) },
      {
        kind: "table",
        caption: t(longitudinalPageText.visits),
        columns: [
          { label: t(longitudinalPageText.visitDate), width: "*" },
          ...HEADS.map((head) => ({ label: t(head), width: 66, isNumber: true })),
        ],
        rows: visits.map((visit) => ({
          cells: [
            {
              text: `${visit.study_date}${acquisitionMark(visits, visit)}`,
              isBold: visit.pid === report.pid,
            },
            ...TRACKED.map((key) => ({ text: fixed(visit.values[key]) })),
          ],
        })),
      },
      { kind: "small", text: t(longitudinalPageText.visitsTogether) },
      ...correctedVisits(report),
      { kind: "heading", text: t(longitudinalPageText.change, { years: years.toFixed(1) }) },
      {
        kind: "table",
        caption: t(longitudinalPageText.change, { years: years.toFixed(1) }),
        columns: [
          { label: t(reportText.region), width: "*" },
          { label: t(longitudinalPageText.changeFirst), width: 58, isNumber: true },
          { label: t(longitudinalPageText.changeLast), width: 58, isNumber: true },
          { label: t(longitudinalPageText.changeYear), width: 78, isNumber: true },
          { label: t(longitudinalPageText.changeNorm), width: 78, isNumber: true },
          { label: "", width: 108, isSmall: true },
        ],
        rows: TRACKED.map((key, i) => ({
          cells: [
            { text: names[i]! },
            { text: fixed(first.values[key]) },
            { text: fixed(last.values[key]) },
            { text: signed(last.annual_change_percent[key], 2), isBold: true },
            { text: signed(report.norm_change_percent[key], 2) },
            { text: noteOf(key), isQuiet: true },
          ],
        })),
      },
      ...(charts.length === 0 ? [] : [
        { kind: "heading", text: t(reportText.curves) } as const,
        { kind: "drawings", columns: 2, drawings: charts } as const,
      ]),
      {
        kind: "small",
        text: [
          t(longitudinalPageText.changeNote, {
            limits: t(
              report.change_limits
                ? longitudinalPageText.changeLimitsSite
                : longitudinalPageText.changeLimits,
            ),
          }),
          ...charts.length === 0 ? [] : [t(longitudinalPageText.changeCurves)],
        ].join(" "),
      },
    ],
  }];
}

/** Notice about studies with manually corrected results; empty without any. */
function correctedVisits({ findings, longitudinal, language }: ReportResponse): Block[] {
  const dates = (longitudinal ?? []).filter(({ pid }) => findings?.corrected_visits.includes(pid))
    .map(({ study_date }) => study_date);
  return dates.length === 0 ? [] : [{
    kind: "notice",
    text: textIn(findingsText.visitCorrected, language, { dates: dates.join(", ") }),
  }];
}
