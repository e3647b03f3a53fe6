import { type Language, textIn } from "@/model/text.ts";
import {
  type ChartTexts,
  percentileRailSvg,
  railHeadSvg,
  referenceChartSvg,
  strengthOf,
} from "@/model/report_chart.ts";
import type { ImageKey, MainRow, MainRowKey, ReferenceChart, ReportResponse } from "@/model/schema/report.ts";
import { partName } from "@/model/text/regions.ts";
import { qualityText, qualityWarningOf } from "@/model/text/quality.ts";
import { reportText } from "@/model/text/report.ts";

/** Stands where there is no value. */
export const DASH = "–";

/** One labelled value. */
export interface Entry {
  label: string;
  value: string;
}

export interface TableRow {
  key: MainRowKey;
  name: string;
  left: string;
  right: string;
  total: string;
  icvPercent: string;
  percentile: string;
  /** SVG; `null` without a percentile */
  rail: string | null;
  /** `level`: how many thresholds the value is beyond */
  band: { symbol: string; text: string; level: number } | null;
  /** instead of the band: what is missing */
  note: string | null;
}

/** Everything that stands on the Main Page, as text, pictures and drawings: both renderers print this. */
export interface MainPage {
  language: Language;
  product: string;
  title: string;
  /** `null` unless the certificate is DEMO */
  demo: string | null;
  notDiagnosis: string;
  hospital: string;
  identity: Entry[];
  notice: string | null;
  /** what the analysis warns of, `null` when nothing; stands right above the figures it is about */
  caution: string | null;
  picturesTitle: string;
  pictures: { key: ImageKey; url: string; caption: string; alt: string }[];
  tableTitle: string;
  head: {
    region: string;
    left: string;
    right: string;
    total: string;
    icv: string;
    percentile: string;
    band: string;
  };
  /** SVG: the scale of the rails */
  railHead: string;
  rows: TableRow[];
  /** `null` without percentiles */
  legend: string | null;
  chartsTitle: string;
  charts: { key: ReferenceChart["key"]; svg: string; alt: string }[];
  chartsNote: string | null;
  quality: Entry[];
  opinion: Entry | null;
  footer: { norms: string; segmentation: string; generated: string; page: string };
}

/** "1st", "25th" in English; the number alone in Korean, where the word follows it. */
export function ordinal(value: number, language: Language): string {
  if (language === "ko") return String(value);
  const tens = value % 100, ones = value % 10;
  const end = tens >= 11 && tens <= 13 ? "th" : ["th", "st", "nd", "rd"][ones] ?? "th";
  return `${value}${end}`;
}

/** A percentile as printed: one decimal towards the ends, where it matters. */
export function printPercentile(percentile: number | null): string {
  if (percentile === null) return DASH;
  if (percentile < 0.1) return "<0.1";
  if (percentile > 99.9) return ">99.9";
  return percentile < 10 || percentile > 90 ? percentile.toFixed(1) : percentile.toFixed(0);
}

const fixed = (value: number | null, digits = 2): string => value === null ? DASH : value.toFixed(digits);

/** "2026-11-21 02:55 UTC" */
const printInstant = (instant: string): string => `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;

/** What a band says: a direction and a percentile, never a disease. */
export function bandOf(
  level: number,
  thresholds: readonly number[],
  isInverted: boolean,
  language: Language,
): { symbol: string; text: string; level: number } {
  // level k: beyond the k highest thresholds, so the k-th from the end is the deepest one crossed
  const crossed = thresholds[thresholds.length - level], widest = thresholds[thresholds.length - 1]!;
  const at = (threshold: number) => ordinal(isInverted ? 100 - threshold : threshold, language);
  const symbol = level === 0 ? "○" : isInverted ? ["△", "▲", "▲▲"][level - 1]! : ["▽", "▼", "▼▼"][level - 1]!;
  if (crossed === undefined) {
    const text = isInverted ? reportText.notAbove : reportText.notBelow;
    return { symbol, text: textIn(text, language, { percentile: at(widest) }), level };
  }
  // with one threshold its mark is the strong one
  const mark = thresholds.length === 1 ? (isInverted ? "▲" : "▼") : symbol;
  const text = isInverted ? reportText.above : reportText.below;
  return {
    symbol: mark,
    text: textIn(text, language, { percentile: at(crossed) }),
    level: strengthOf(level, thresholds.length),
  };
}

const warningText = (code: string, language: Language): string => qualityWarningOf(code)?.[language] ?? code;

function rowName(key: MainRowKey, language: Language): string {
  const named = {
    icv: reportText.icv,
    brain: reportText.brain,
    cortex: reportText.cortex,
    white_matter: reportText.whiteMatter,
    lateral_ventricles: reportText.lateralVentricles,
    wmh: reportText.wmh,
    thickness: reportText.thickness,
  };
  if (key === "hippocampus") return partName("Hippocampus", language);
  if (key === "amygdala") return partName("Amygdala", language);
  if (key === "thalamus") return partName("Thalamus", language);
  return named[key][language];
}

function tableRow(row: MainRow, report: ReportResponse): TableRow {
  const { language, threshold_list: thresholds } = report;
  const missing = row.missing && {
    flair_needed: reportText.flairNeeded,
    t1_needed: reportText.t1Needed,
    not_measured: reportText.notMeasured,
    low_confidence: reportText.wmhLow,
    minimal: reportText.wmhMinimal,
  }[row.missing];
  const level = row.band === null ? 0 : strengthOf(row.band, thresholds.length);
  return {
    key: row.key,
    name: rowName(row.key, language),
    left: fixed(row.volume_left),
    right: fixed(row.volume_right),
    total: fixed(row.volume_total),
    icvPercent: fixed(row.icv_percent),
    percentile: printPercentile(row.np_total),
    rail: row.np_total === null ? null : percentileRailSvg(
      { left: row.np_left, right: row.np_right, total: row.np_total, level },
      thresholds,
      row.is_inverted,
    ),
    band: row.band === null ? null : bandOf(row.band, thresholds, row.is_inverted, language),
    note: missing?.[language] ?? null,
  };
}

function noticeOf(report: ReportResponse): string | null {
  if (report.report_type === "t2") return textIn(reportText.flairOnly, report.language);
  const { reason, age_min: min, age_max: max } = report.reference;
  if (reason === null) return null;
  const text = {
    quality: reportText.qualityLow,
    age_outside_norms: reportText.ageOutsideNorms,
    age_unknown: reportText.ageUnknown,
    sex_unknown: reportText.sexUnknown,
  }[reason];
  return textIn(text, report.language, { min, max, age: report.patient.patient_age ?? DASH });
}

function cautionOf({ qc, language }: ReportResponse): string | null {
  if (qc.warnings.length === 0) return null;
  const words = qc.warnings.map((code) => warningText(code, language)).join("; ");
  return `${textIn(reportText.warnings, language)}: ${words}`;
}

function chartOf(chart: ReferenceChart, report: ReportResponse): MainPage["charts"][number] {
  const { language, patient, threshold_list: thresholds } = report;
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const title = t(chart.key === "hippocampus" ? reportText.hippocampusChart : reportText.ventricleChart);
  const volume = fixed(chart.volume);
  const sexText = patient.patient_sex === null ? reportText.unknown : reportText[patient.patient_sex];
  const texts: ChartTexts = {
    title,
    subtitle: t(reportText.chartSubject, { sex: t(sexText), icv: fixed(report.icv.volume, 0) }),
    age: t(reportText.age),
    patient: t(reportText.chartPatient, { volume }),
    noCurve: t(reportText.noCurve),
  };
  const distance = chart.np === null ? 100 : chart.is_inverted ? 100 - chart.np : chart.np;
  const level = strengthOf(thresholds.filter((threshold) => distance < threshold).length, thresholds.length);
  const middle = chart.curve.find((point) => point.age === patient.patient_age)?.p50;
  const alt = middle === undefined
    ? t(reportText.chartAltPlain, { title, volume })
    : t(reportText.chartAlt, { title, volume, age: patient.patient_age!, middle: fixed(middle) });
  const at = { age: patient.patient_age, volume: chart.volume, level };
  return { key: chart.key, svg: referenceChartSvg(chart.curve, at, texts), alt };
}

function identityOf(report: ReportResponse): Entry[] {
  const { language, patient, series } = report;
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const sex = patient.patient_sex === null ? DASH : t(reportText[patient.patient_sex]);
  const age = patient.patient_age === null ? DASH : t(reportText.years, { age: patient.patient_age });
  const voxel = series.voxel_mm === null
    ? null
    : `${series.voxel_mm.map((mm) => mm.toFixed(2)).join("\u00a0×\u00a0")}\u00a0mm`;
  const slices = series.slices === null ? null : t(reportText.slices, { slices: series.slices });
  const field = series.field_strength === null ? null : `${series.field_strength.toFixed(1)} T`;
  const joined = (...values: (string | null)[]) => values.filter((value) => value).join(", ") || DASH;
  return [
    { label: t(reportText.patientId), value: patient.patient_id || DASH },
    { label: t(reportText.name), value: patient.patient_name || DASH },
    { label: t(reportText.sexAge), value: `${sex} / ${age}` },
    { label: t(reportText.birthDate), value: patient.patient_birthdate ?? DASH },
    { label: t(reportText.studyDate), value: patient.study_date ?? DASH },
    {
      label: t(reportText.analysisDate),
      value: report.analysis_date === null ? DASH : printInstant(report.analysis_date),
    },
    { label: t(reportText.series), value: series.description || DASH },
    { label: t(reportText.acquisition), value: joined(slices, voxel) },
    { label: t(reportText.scanner), value: joined(series.manufacturer, field) },
  ];
}

/** The parts of the lesion volume. */
function wmhEntry({ wmh, language }: ReportResponse): Entry[] {
  if (!wmh) return [];
  const value = textIn(reportText.wmhParts, language, {
    total: fixed(wmh.total),
    peri: fixed(wmh.peri),
    deep: fixed(wmh.deep),
    ratio: fixed(wmh.ratio_percent),
  });
  return [{ label: textIn(reportText.wmh, language), value }];
}

/** The Main Page of a report, in its language. */
export function mainPageOf(report: ReportResponse, page = 1, pages = 1): MainPage {
  const { language } = report, isFlair = report.report_type === "t2";
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const altOf = (key: ImageKey) =>
    isFlair
      ? reportText.flairPictureAlt
      : key === "sagittal"
      ? reportText.sagittalAlt
      : reportText.pictureAlt;
  return {
    language,
    product: `${report.product} ${report.version}`,
    title: t(reportText.title),
    demo: report.cert_type === "DEMO" ? t(reportText.demo) : null,
    notDiagnosis: report.cert_type === "DEMO" ? t(reportText.notDiagnosis) : "",
    hospital: report.hospital_name,
    identity: identityOf(report),
    notice: noticeOf(report),
    caution: cautionOf(report),
    picturesTitle: t(isFlair ? reportText.flairPictures : reportText.pictures),
    pictures: report.images.map((image) => ({
      key: image.key,
      url: image.url,
      caption: `${t(reportText[image.key])}  ${{ axial: "z", coronal: "y", sagittal: "x" }[image.key]} = ${
        Math.round(image.position_mm)
      } mm`,
      alt: t(altOf(image.key), { plane: t(reportText[image.key]) }),
    })),
    tableTitle: t(reportText.volumes),
    head: {
      region: t(reportText.region),
      left: t(reportText.left),
      right: t(reportText.right),
      total: t(reportText.total),
      icv: t(reportText.percentIcv),
      percentile: t(reportText.percentile),
      band: t(reportText.band),
    },
    railHead: railHeadSvg(),
    rows: report.main_page.rows.map((row) => tableRow(row, report)),
    legend: isFlair ? null : t(reportText.legend),
    chartsTitle: t(reportText.curves),
    charts: report.main_page.charts.map((chart) => chartOf(chart, report)),
    chartsNote: report.main_page.charts.some((chart) => chart.curve.length > 0)
      ? t(reportText.curveNote)
      : null,
    quality: [
      {
        label: t(reportText.icv),
        value: report.icv.volume === null ? DASH : `${report.icv.volume.toFixed(0)} mL`,
      },
      ...(report.qc.brain_icv_percent === null
        ? []
        : [{ label: t(reportText.brainIcv), value: `${report.qc.brain_icv_percent.toFixed(1)} %` }]),
      ...(report.qc.grade === null
        ? []
        : [{ label: t(qualityText.grade), value: t(qualityText[report.qc.grade]) }]),
      ...wmhEntry(report),
      ...(report.qc.warnings.length > 0
        ? []
        : [{ label: t(reportText.warnings), value: t(reportText.noWarnings) }]),
    ],
    opinion: report.opinion.message === ""
      ? null
      : { label: t(reportText.opinion), value: report.opinion.message },
    footer: {
      norms: `${t(reportText.norms)}: ${report.reference.name}. ${report.reference.citation}`,
      segmentation: `${t(reportText.segmentation)}: ${report.reference.segmentation}`,
      generated: `${t(reportText.generated)}: ${printInstant(report.generated_at)}`,
      page: t(reportText.page, { page, pages }),
    },
  };
}
