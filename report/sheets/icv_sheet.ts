import { ICV_PAGE } from "@/model/report/pages.ts";
import { chartOf, lowerChart, referenceChartSvg } from "@/report/charts/chart.ts";
import { bellSvg } from "@/report/charts/gauges.ts";
import { ICV_MEAN_ML, ICV_SD_ML } from "@/model/norms/norms.ts";
import { captionOf, headOf, noCurveOf } from "@/report/model/page.ts";
import { rangeDigits } from "@/model/norms/rank_format.ts";
import { DASH, fixed, formatPercentile } from "@/report/model/format.ts";
import type { Block, Drawing, PictureScale, SheetBody } from "@/report/sheets/sheet.ts";
import { planeKey, type ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { icvPageText } from "@/model/text/report/pages/icv.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

/**
 * The page ICV (intracranial volume): rank of the volume among people of the same sex.
 * The page also states how much of the intracranial volume the brain fills.
 * @param isShort For a sheet with another page: pictures beside the table, and lower charts.
 */
export function icvBodiesOf(report: ReportResponse, isShort = false): SheetBody[] {
  const { icv, language } = report;
  if (icv.volume === null) return [];
  return [{
    pages: [ICV_PAGE],
    title: textIn(pageTitle[ICV_PAGE], language),
    blocks: icvBlocksOf(report, icv.volume, isShort),
    ...!isShort && { shorter: [icvBlocksOf(report, icv.volume, true)] },
  }];
}

const textsOf =
  ({ language }: ReportResponse) =>
  (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);

/** Pictures of the measured brain, ventricles and intracranial space in three planes. */
export function measuredStripOf(report: ReportResponse, scale: PictureScale): Block[] {
  const { icv, language } = report, t = textsOf(report);
  const pictures = planeKey.options.flatMap((plane) =>
    report.images.filter(({ key }) => key === `mask_${plane}`).map(({ key, url, position_mm }) => ({
      key,
      url,
      caption: captionOf(plane, position_mm, language),
      alt: t(icvPageText.icvPictureAlt, { plane: t(reportText[plane]) }),
    }))
  );
  return pictures.length === 0 ? [] : [
    {
      kind: "small",
      text: t(icv.has_outline === false ? icvPageText.icvPicturesPlain : icvPageText.icvPictures),
    },
    { kind: "pictures", columns: 3, scale, pictures },
  ];
}

function icvBlocksOf(report: ReportResponse, volume: number, isShort: boolean): Block[] {
  const { icv, language, patient, qc } = report, t = textsOf(report);
  const brain = report.main_page.rows.find(({ key }) => key === "brain")?.volume_total ?? null;
  const band = icv.curve.find(({ age }) => age === patient.patient_age);
  const row = (label: string, value: string) => ({
    cells: [{ text: label }, { text: value, isBold: true }],
  });
  const drawings = chartsOf(report, volume);
  const strip = measuredStripOf(report, 100);
  const table: Block[] = [
    { kind: "heading", text: t(reportText.icv) },
    {
      kind: "table",
      caption: t(reportText.icv),
      columns: [
        { label: t(reportText.measure), width: "*" },
        { label: t(reportText.value), width: isShort ? 74 : 110, isNumber: true },
      ],
      rows: [
        row(t(icvPageText.icvVolume), fixed(volume)),
        row(t(icvPageText.icvPercentile), formatPercentile(icv.rank, language)),
        row(t(icvPageText.icvBrain), fixed(brain)),
        row(t(icvPageText.icvRatio), fixed(qc.brain_icv_percent)),
        row(
          t(icvPageText.icvRatioBand),
          band ? rangeDigits(fixed(band.p5), fixed(band.p95), language) : DASH,
        ),
      ],
    },
  ];
  return [
    ...headOf(report),
    ...(isShort
      ? [{ kind: "split", share: 50, left: strip, right: table } as const]
      : [...strip, ...table]),
    ...(drawings.length === 0 ? [] : [
      { kind: "heading", text: t(reportText.curves) } as const,
      {
        kind: "drawings",
        columns: 2,
        drawings: isShort ? drawings.map(lowerChart) : drawings,
      } as const,
    ]),
    { kind: "text", text: t(icvPageText.icvNote) },
  ];
}

/** Charts of the page ICV that have a curve; the notice at the top explains missing charts. */
function chartsOf(report: ReportResponse, volume: number): Drawing[] {
  const { icv, language, patient, qc } = report, t = textsOf(report), noCurve = noCurveOf(report);
  const { patient_sex: sex } = patient, ratio = fixed(qc.brain_icv_percent);
  const sexText = t(sex === null ? reportText.unknown : reportText[sex]);
  const bell = () =>
    chartOf((height) =>
      bellSvg(
        sex === null ? null : { mean: ICV_MEAN_ML[sex], sd: ICV_SD_ML },
        volume,
        {
          title: t(icvPageText.icvBell),
          subtitle: t(icvPageText.icvBellSubject, { sex: sexText }),
          axis: "mL",
          value: t(icvPageText.icvPatient, { value: fixed(volume, 0) }),
          noCurve,
        },
        height,
      )
    );
  const curve = () =>
    chartOf((height) =>
      referenceChartSvg(
        icv.curve,
        { age: patient.patient_age, volume: qc.brain_icv_percent ?? 0, level: 0 },
        {
          title: t(icvPageText.icvCurve),
          subtitle: t(reportText.chartSubject, { sex: sexText, icv: fixed(volume, 0) }),
          age: t(reportText.age),
          patient: t(icvPageText.icvPatient, { value: ratio }),
          noCurve,
        },
        height,
      )
    );
  return [
    ...icv.np === null || sex === null ? [] : [{
      ...bell(),
      alt: t(icvPageText.icvBellAlt, {
        value: fixed(volume, 0),
        percentile: formatPercentile(icv.rank, language),
      }),
    }],
    ...icv.curve.length === 0 ? [] : [{ ...curve(), alt: `${t(icvPageText.icvCurve)}: ${ratio}` }],
  ];
}
