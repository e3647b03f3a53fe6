import { CHART_SIZE, lowerChart, referenceChartSvg } from "@/report/charts/chart.ts";
import { captionOf, chartSubjectOf, headOf, noCurveOf } from "@/report/model/page.ts";
import { bandOfRank } from "@/model/norms/bands.ts";
import { DASH, fixed, formatInstant, formatPercentile, signed } from "@/report/model/format.ts";
import type { SheetBody } from "@/report/sheets/sheet.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { CurvePoint, ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { mtaPageText } from "@/model/text/report/pages/mta.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

/**
 * The Hospital-MTA page: both hippocampi, and the grade that a physician read from the images.
 * @param isShort Shared sheet: lower charts.
 */
export function mtaBodiesOf(report: ReportResponse, isShort = false): SheetBody[] {
  const { hippocampus, mta, language, patient, threshold_list: thresholds } = report;
  if (!hippocampus || !mta) return [];
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const sex = t(
    patient.patient_sex === null ? reportText.unknown : reportText[patient.patient_sex],
  );
  const pictures = report.images.filter(({ key }) =>
    key === "hippocampi" || key === "hippocampi_plain"
  ).map(({ key, url, position_mm }) => ({
    key,
    url,
    caption: captionOf("coronal", position_mm, language),
    alt: t(key === "hippocampi" ? mtaPageText.mtaPictureAlt : mtaPageText.mtaPlainAlt),
  }));
  const levelOf = (rank: PercentileRank | null) =>
    bandOfRank(rank, thresholds, false, language)?.level ?? 0;
  const chart = (
    title: string,
    curve: readonly CurvePoint[],
    volume: number,
    interval: readonly [number, number] | null,
    rank: PercentileRank | null,
  ) => ({
    svg: referenceChartSvg(curve, {
      age: patient.patient_age,
      volume,
      interval,
      level: levelOf(rank),
    }, {
      title,
      subtitle: chartSubjectOf(report, sex),
      age: t(reportText.age),
      patient: t(reportText.chartPatient, { volume: fixed(volume) }),
      noCurve: noCurveOf(report),
    }),
    ...CHART_SIZE,
    alt: t(reportText.chartAltPlain, { title, volume: fixed(volume) }),
  });
  const both = (label: string, left: string, right: string) => ({
    cells: [{ text: label }, { text: left, isBold: true }, { text: right, isBold: true }],
  });
  const percentiles = both(
    t(mtaPageText.mtaPercentile),
    formatPercentile(hippocampus.rank_left, language),
    formatPercentile(hippocampus.rank_right, language),
  );
  const { cutoff } = mta;
  const grade = (value: number | null) =>
    value === null
      ? DASH
      : cutoff === null
      ? String(value)
      : `${value} (${t(value >= cutoff ? mtaPageText.mtaAbove : mtaPageText.mtaUsual)})`;
  const columns = (width: number) => [
    { label: t(reportText.measure), width: "*" as const },
    { label: t(reportText.left), width, isNumber: true },
    { label: t(reportText.right), width, isNumber: true },
  ];
  const isEntered = mta.entered_at !== null && (mta.left !== null || mta.right !== null);
  return [{
    title: t(pageTitle[16]),
    blocks: [
      ...headOf(report),
      {
        kind: "split",
        share: 62,
        left: pictures.length === 0 ? [] : [
          { kind: "small", text: `${t(mtaPageText.mtaPicture)}. ${t(reportText.pictures)}` },
          { kind: "pictures", columns: 2, scale: 100, pictures },
        ],
        right: [
          { kind: "heading", text: t(mtaPageText.mtaVolumes) },
          {
            kind: "table",
            caption: t(mtaPageText.mtaVolumes),
            columns: columns(54),
            rows: [
              both(
                t(mtaPageText.mtaHippocampus),
                fixed(hippocampus.left),
                fixed(hippocampus.right),
              ),
              {
                cells: percentiles.cells.map((cell, i) => ({
                  ...cell,
                  level: levelOf([null, hippocampus.rank_left, hippocampus.rank_right][i] ?? null),
                })),
              },
              both(
                t(mtaPageText.mtaHorn),
                fixed(hippocampus.inf_lat_vent_left),
                fixed(hippocampus.inf_lat_vent_right),
              ),
              both(
                t(mtaPageText.mtaOccupancy),
                fixed(hippocampus.hoc_left),
                fixed(hippocampus.hoc_right),
              ),
            ],
          },
          {
            kind: "line",
            entries: [{ label: t(mtaPageText.mtaAsymmetry), value: signed(hippocampus.asymmetry) }],
          },
          { kind: "heading", text: t(mtaPageText.mtaGrade) },
          {
            kind: "table",
            caption: t(mtaPageText.mtaGrade),
            columns: columns(68),
            rows: [both("MTA", grade(mta.left), grade(mta.right))],
          },
          {
            kind: "small",
            text: isEntered
              ? t(mta.entered_by ? mtaPageText.mtaEntered : mtaPageText.mtaEnteredUnnamed, {
                name: mta.entered_by ?? "",
                at: formatInstant(mta.entered_at!, report.time_zone),
              })
              : t(mtaPageText.mtaMissing),
          },
          {
            kind: "small",
            text: cutoff === null
              ? t(mtaPageText.mtaNoCutoff)
              : t(mtaPageText.mtaCutoff, { age: patient.patient_age!, cutoff }),
          },
        ],
      },
      // without curves, the notice at the top explains the reason
      ...(hippocampus.curve_left.length === 0 ? [] : [
        {
          kind: "heading",
          text: t(reportText.curves),
        } as const,
        {
          kind: "drawings",
          columns: 2,
          drawings: [
            // as in the picture, the patient's right side is on the left
            chart(
              t(mtaPageText.mtaRightCurve),
              hippocampus.curve_right,
              hippocampus.right,
              hippocampus.interval_right,
              hippocampus.rank_right,
            ),
            chart(
              t(mtaPageText.mtaLeftCurve),
              hippocampus.curve_left,
              hippocampus.left,
              hippocampus.interval_left,
              hippocampus.rank_left,
            ),
          ].map((drawing) => isShort ? lowerChart(drawing) : drawing),
        } as const,
      ]),
      { kind: "small", text: t(mtaPageText.mtaNote) },
    ],
  }];
}
