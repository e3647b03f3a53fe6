import { type Language, textIn } from "@/model/text.ts";
import {
  type ChartTexts,
  percentileRailSvg,
  railHeadSvg,
  type RailValue,
  referenceChartSvg,
} from "@/report/charts/chart.ts";
import type {
  MainRow,
  MainRowKey,
  PlaneKey,
  ReferenceChart,
  ReportResponse,
  ReportSeries,
} from "@/model/schema/report/report.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { Block } from "@/report/sheets/sheet.ts";
import { isDetermined, percentileOrdinal } from "@/model/norms/rank_format.ts";
import { sidesText } from "@/model/text/report/conclusion.ts";
import { rankBandText } from "@/model/text/ranks.ts";
import { lesionFigure, lesionFigureText } from "@/model/text/lesions/lesion_figure.ts";
import { partName } from "@/model/text/regions.ts";
import { type Band, bandOfRank, strengthOf } from "@/model/norms/bands.ts";
import {
  DASH,
  type Entry,
  fixed,
  formatInstant,
  formatPercentile,
  printedOpinion,
  signed,
} from "@/report/model/format.ts";
import { qualityText, qualityWarningText, warningsText } from "@/model/text/quality.ts";
import { type DoubtfulField, doubtsOf } from "@/model/patient/plausible.ts";
import { reportText } from "@/model/text/report/report.ts";
import { outlineNoteOf } from "@/report/model/outline_note.ts";

/** A table row of the Main Page, as printed. */
export interface MainTableRow {
  key: MainRowKey;
  name: string;
  left: string;
  right: string;
  total: string;
  icvPercent: string;
  /** small print below the total volume; `null` for a reliable volume */
  totalNote: { text: string; level: number } | null;
  percentile: string;
  /** SVG of the percentile scale (a bar from 0 to 100); `null` without a percentile */
  rail: string | null;
  /** percentile band of both sides together; its `level` is a colour strength, 0..3 */
  band: Band | null;
  /** percentile and its colour strength for each side; `null` without a percentile */
  leftRank: { text: string; level: number } | null;
  rightRank: { text: string; level: number } | null;
  /** left-right difference in percent, with its percentile */
  asymmetry: { text: string; level: number } | null;
  /** reason for a missing percentile or band, printed instead of the band */
  note: string | null;
}

/** Contents of the Main Page: texts, pictures and drawings. */
export interface MainPage {
  identity: Entry[];
  notice: string | null;
  /** warnings of the analysis, printed directly above the values; `null` without warnings */
  caution: string | null;
  /** statement that the scanner is not accepted for percentiles; `null` if it is accepted */
  provisional: string | null;
  picturesTitle: string;
  pictures: { key: PlaneKey; url: string; caption: string; alt: string }[];
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
  /** SVG of the numbers printed above the percentile scales */
  railHead: string;
  rows: MainTableRow[];
  /** explanation of the percentiles below the table; `null` without percentiles */
  legend: string | null;
  chartsTitle: string;
  charts: { key: ReferenceChart["key"]; svg: string; alt: string }[];
  chartsNote: string | null;
  quality: Entry[];
  opinion: Entry | null;
}

function rowName(key: MainRowKey, language: Language): string {
  const texts = {
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
  return texts[key][language];
}

/** Values to draw on a percentile scale; `null` without a percentile, or for a wide interval. */
export const railValueOf = (rank: PercentileRank | null, level: number): RailValue | null =>
  rank && isDetermined(rank)
    ? { total: rank.percentile, low: rank.low, high: rank.high, hasDot: rank.has_bands, level }
    : null;

function tableRow(row: MainRow, report: ReportResponse): MainTableRow {
  const { language, threshold_list: thresholds } = report;
  const missing = row.missing && {
    flair_needed: reportText.flairNeeded,
    t1_needed: reportText.t1Needed,
    not_measured: reportText.notMeasured,
    voxels_too_large: reportText.voxelsTooLarge,
    low_confidence: reportText.wmhLow,
    minimal: reportText.wmhMinimal,
  }[row.missing];
  const isUnreliable = row.key === "wmh" && report.wmh?.is_unreliable === true;
  const rank = row.rank_total, band = bandOfRank(rank, thresholds, row.is_inverted, language);
  const rail = railValueOf(rank, band?.level ?? 0);
  const sideOf = (rank: PercentileRank | null) =>
    rank && {
      text: formatPercentile(rank, language),
      level: bandOfRank(rank, thresholds, row.is_inverted, language)?.level ?? 0,
    };
  return {
    key: row.key,
    name: rowName(row.key, language),
    left: fixed(row.volume_left),
    right: fixed(row.volume_right),
    total: fixed(row.volume_total),
    // a volume of quality grade C is unreliable, and so is its percentage of the ICV
    icvPercent: isUnreliable ? DASH : fixed(row.icv_percent),
    totalNote: isUnreliable ? { text: textIn(lesionFigureText.under, language), level: 0 } : null,
    percentile: formatPercentile(rank, language),
    rail: rail && percentileRailSvg(
      { ...rail, left: row.np_left, right: row.np_right },
      thresholds,
      row.is_inverted,
    ),
    band,
    leftRank: sideOf(row.rank_left),
    rightRank: sideOf(row.rank_right),
    asymmetry: asymmetryOf(row.key, report),
    note: isUnreliable ? textIn(lesionFigureText.reason, language) : missing?.[language] ??
      (rank && !rank.has_bands ? withoutBand(rank)[language] : null),
  };
}

/** Reason why a percentile has no band: uncertain borders of the region, or a large error. */
const withoutBand = ({ doubt }: PercentileRank) =>
  doubt === "region" ? rankBandText.uncertainBorders : rankBandText.noBand;

/** Atlas part, or sum of parts, that has a left-right difference, for each row with two sides. */
const SIDED_ROWS: Partial<Record<MainRowKey, string>> = {
  cortex: "cortex",
  white_matter: "Cerebral white matter",
  hippocampus: "Hippocampus",
  amygdala: "Amygdala",
  thalamus: "Thalamus",
  lateral_ventricles: "Lateral ventricle",
};

/** Left-right difference of a row with its percentile; `null` without a difference. */
function asymmetryOf(
  key: MainRowKey,
  { asymmetries, language, reference }: ReportResponse,
): MainTableRow["asymmetry"] {
  const sides = reference.in_range && asymmetries?.find(({ part }) => part === SIDED_ROWS[key]);
  if (!sides) return null;
  const { percent, rank } = sides;
  return {
    text: textIn(rank.has_bands ? sidesText.asymmetry : sidesText.asymmetryAlone, language, {
      percent: signed(percent),
      percentile: percentileOrdinal(rank.percentile, language),
    }),
    level: rank.level > 0 ? 2 : 0,
  };
}

/** Reason for missing percentiles, or limitations of the values; `null` if there are none. */
export function noticeOf(report: ReportResponse): string | null {
  if (report.report_type === "t2") {
    return textIn(
      report.flair_structures ? reportText.flairOnlyStructures : reportText.flairOnly,
      report.language,
    );
  }
  const { reason, age_min: min, age_max: max } = report.reference;
  if (reason === null) return withoutIcvOf(report);
  const text = {
    quality: reportText.qualityLow,
    age_outside_norms: reportText.ageOutsideNorms,
    age_unknown: reportText.ageUnknown,
    sex_unknown: reportText.sexUnknown,
    scanner_stopped: reportText.scannerStopped,
    scanner_unread: reportText.scannerUnread,
    scanner_refused: reportText.scannerRefused,
  }[reason];
  return textIn(text, report.language, { min, max, age: report.patient.patient_age ?? DASH });
}

/** Explains why percentiles are by age and sex only; `null` when the ICV is used as well. */
function withoutIcvOf(
  { reference: { without_icv: reason }, language }: ReportResponse,
): string | null {
  if (!reason) return null;
  return textIn(reportText.withoutIcv, language, {
    reason: textIn(
      reason === "brain_extracted" ? reportText.withoutIcvExtracted : reportText.withoutIcvBeyond,
      language,
    ),
  });
}

/** Attributes by which percentiles are adjusted, as words; the ICV only where it is used. */
export const normBasisOf = ({ reference, language }: ReportResponse) => ({
  adjusted: textIn(
    reference.without_icv ? reportText.adjustedSex : reportText.adjustedIcv,
    language,
  ),
});

/** Caption of a norm curve: sex, and ICV where the norm depends on it. */
export const chartSubjectOf = ({ reference, icv, language }: ReportResponse, sex: string): string =>
  reference.without_icv
    ? textIn(reportText.chartSubjectSex, language, { sex })
    : textIn(reportText.chartSubject, language, { sex, icv: fixed(icv.volume, 0) });

/** Text shown in a chart that has no curve, with the reason. */
export function noCurveOf({ reference: { reason }, language }: ReportResponse): string {
  const text = {
    quality: reportText.noCurveQuality,
    age_outside_norms: reportText.noCurveAge,
    age_unknown: reportText.noCurveAgeUnknown,
    sex_unknown: reportText.noCurveSexUnknown,
    scanner_stopped: reportText.noCurveStopped,
    scanner_unread: reportText.noCurveUnread,
    scanner_refused: reportText.noCurveStopped,
  };
  return reason === null ? "" : textIn(text[reason], language);
}

/** Mark of a scanner that is not accepted, which is no warning about the analysis. */
const NOT_ACCEPTED = "scanner_not_accepted";

/** Codes of the warnings about the analysis. */
export const analysisWarnings = ({ qc }: ReportResponse): string[] =>
  qc.warnings.filter((code) => code !== NOT_ACCEPTED);

function cautionOf(report: ReportResponse): string | null {
  const { language } = report, warnings = analysisWarnings(report);
  if (warnings.length === 0) return null;
  const words = warningsText(warnings, language);
  return `${textIn(reportText.warnings, language)}: ${words}`;
}

const provisionalOf = ({ qc, language }: ReportResponse): string | null =>
  qc.warnings.includes(NOT_ACCEPTED)
    ? `${textIn(qualityWarningText.scanner_not_accepted, language)}.`
    : null;

function chartOf(chart: ReferenceChart, report: ReportResponse): MainPage["charts"][number] {
  const { language, patient, threshold_list: thresholds } = report;
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const title = t(
    chart.key === "hippocampus" ? reportText.hippocampusChart : reportText.ventricleChart,
  );
  const volume = fixed(chart.volume);
  const sexText = patient.patient_sex === null
    ? reportText.unknown
    : reportText[patient.patient_sex];
  const texts: ChartTexts = {
    title,
    subtitle: chartSubjectOf(report, t(sexText)),
    age: t(reportText.age),
    patient: t(reportText.chartPatient, { volume }),
    noCurve: noCurveOf(report),
  };
  const level = strengthOf(chart.rank?.level ?? 0, thresholds.length);
  const interval = chart.low === null || chart.high === null
    ? null
    : [chart.low, chart.high] as const;
  const middle = chart.curve.find((point) => point.age === patient.patient_age)?.p50;
  const alt = middle === undefined
    ? t(reportText.chartAltPlain, { title, volume })
    : t(reportText.chartAlt, { title, volume, age: patient.patient_age!, middle: fixed(middle) });
  const at = { age: patient.patient_age, volume: chart.volume, interval, level };
  return { key: chart.key, svg: referenceChartSvg(chart.curve, at, texts), alt };
}

/** Patient, dates and series, printed at the top of the Main Page. */
export function identityOf(report: ReportResponse): Entry[] {
  const { language, patient, series } = report;
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const sex = patient.patient_sex === null ? DASH : t(reportText[patient.patient_sex]);
  const age = patient.patient_age === null
    ? DASH
    : t(reportText.years, { age: patient.patient_age });
  const { acquisition, scanner } = seriesText(series, language);
  const doubts = doubtsOf(patient, Date.parse(report.generated_at));
  const { study_date_source: source } = patient;
  const date = patient.study_date ?? DASH;
  const studyDate = source === undefined
    ? date
    : t(source === "series" ? reportText.seriesDate : reportText.acquisitionDate, { value: date });
  const marked = (field: DoubtfulField, value: string) =>
    doubts.includes(field) ? t(reportText.doubtful, { value }) : value;
  return [
    { label: t(reportText.patientId), value: patient.patient_id || DASH },
    { label: t(reportText.name), value: patient.patient_name || DASH },
    { label: t(reportText.sexAge), value: `${sex} / ${marked("patient_age", age)}` },
    {
      label: t(reportText.birthDate),
      value: marked("patient_birthdate", patient.patient_birthdate ?? DASH),
    },
    { label: t(reportText.studyDate), value: marked("study_date", studyDate) },
    {
      label: t(reportText.analysisDate),
      value: report.analysis_date === null
        ? DASH
        : formatInstant(report.analysis_date, report.time_zone),
    },
    { label: t(reportText.series), value: series.description || DASH },
    { label: t(reportText.acquisition), value: acquisition, span: 2 },
    { label: t(reportText.scanner), value: scanner },
  ];
}

/** Total, periventricular and deep lesion volume in one entry; empty without FLAIR results. */
function wmhEntry({ wmh, language }: ReportResponse): Entry[] {
  if (!wmh) return [];
  const label = textIn(reportText.wmh, language);
  // a volume of quality grade C is printed alone, because its warning can cover only one number
  const value = wmh.is_unreliable
    ? lesionFigure(`${fixed(wmh.total)}\u00a0mL`, true, language)
    : textIn(reportText.wmhParts, language, {
      total: fixed(wmh.total),
      peri: fixed(wmh.peri),
      deep: fixed(wmh.deep),
      ratio: fixed(wmh.ratio_percent),
    });
  return [{ label, value }];
}

const PLANES = ["axial", "coronal", "sagittal"] as const;
const planesOf = ({ images }: ReportResponse) =>
  PLANES.flatMap((key) => images.flatMap((image) => image.key === key ? [{ ...image, key }] : []));

/** Cache of report heads: all pages of a report have the same head. */
const heads = new WeakMap<ReportResponse, readonly Block[]>();

/** Head of all pages except the first: patient, and reason for missing percentiles. */
export function headOf(report: ReportResponse): readonly Block[] {
  let head = heads.get(report);
  if (!head) {
    const notice = noticeOf(report);
    head = [
      { kind: "identity", entries: identityOf(report).slice(0, 5) },
      ...(notice === null ? [] : [{ kind: "notice", text: notice } as const]),
    ];
    heads.set(report, head);
  }
  return head;
}

/** Caption of a slice picture with plane and position: "axial  z = 12 mm". */
export const captionOf = (plane: PlaneKey, positionMm: number, language: Language): string =>
  `${textIn(reportText[plane], language)}  ${
    { axial: "z", coronal: "y", sagittal: "x" }[plane]
  } = ${Math.round(positionMm)}\u00a0mm`;

/** Descriptions of a series: slices with voxel size, and scanner with field strength. */
export function seriesText(
  series: ReportSeries,
  language: Language,
): { acquisition: string; scanner: string } {
  const voxel = series.voxel_mm === null
    ? null
    : `${series.voxel_mm.map((mm) => mm.toFixed(2)).join("\u00a0×\u00a0")}\u00a0mm`;
  const slices = series.slices === null
    ? null
    : textIn(reportText.slices, language, { slices: series.slices });
  // a contrast agent is mentioned, because the norms are from images without one
  const agent = series.has_contrast_agent ? textIn(reportText.contrastAgent, language) : null;
  const field = series.field_strength === null ? null : `${series.field_strength.toFixed(1)} T`;
  const joined = (...values: (string | null)[]) =>
    values.filter((value) => value).join(", ") || DASH;
  return { acquisition: joined(slices, voxel, agent), scanner: joined(series.manufacturer, field) };
}

/** The Main Page of a report in its language. */
export function mainPageOf(report: ReportResponse): MainPage {
  const { language } = report, isFlair = report.report_type === "t2";
  const t = (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);
  const altOf = (key: PlaneKey) =>
    isFlair
      ? reportText.flairPictureAlt
      : key === "sagittal"
      ? reportText.sagittalAlt
      : reportText.pictureAlt;
  return {
    identity: identityOf(report),
    notice: noticeOf(report),
    caution: cautionOf(report),
    provisional: provisionalOf(report),
    picturesTitle: [
      t(
        !isFlair
          ? reportText.pictures
          : report.flair_structures
          ? reportText.flairStructurePictures
          : reportText.flairPictures,
      ),
      ...report.outlined_place && !isFlair ? [outlineNoteOf(report.outlined_place, language)] : [],
    ].join(" "),
    pictures: planesOf(report).map((image) => ({
      key: image.key,
      url: image.url,
      caption: captionOf(image.key, image.position_mm, language),
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
    legend: isFlair || !report.reference.in_range
      ? null
      : t(reportText.legend, normBasisOf(report)),
    chartsTitle: t(reportText.curves),
    // charts without curves are omitted; the notice at the top of the page states the reason
    charts: report.main_page.charts.filter(({ curve }) => curve.length > 0)
      .map((chart) => chartOf(chart, report)),
    chartsNote: report.main_page.charts.some((chart) => chart.curve.length > 0)
      ? t(reportText.curveNote)
      : null,
    quality: [
      {
        label: t(reportText.icv),
        value: report.icv.volume === null ? DASH : `${report.icv.volume.toFixed(0)}\u00a0mL`,
      },
      ...(report.qc.brain_icv_percent === null ? [] : [{
        label: t(reportText.brainIcv),
        value: `${report.qc.brain_icv_percent.toFixed(1)}\u00a0%`,
      }]),
      ...(report.qc.grade === null
        ? []
        : [{ label: t(qualityText.grade), value: t(qualityText[report.qc.grade]) }]),
      // in a report on FLAIR alone, the table above already contains the lesion volumes
      ...(isFlair ? [] : wmhEntry(report)),
      // in a report on FLAIR alone, a notice at the top replaces the statement "no warnings"
      ...(analysisWarnings(report).length > 0 || isFlair
        ? []
        : [{ label: t(reportText.warnings), value: t(reportText.noWarnings) }]),
    ],
    // omits the opinion if a signed text or conclusion replaces it, or if the Cover (code 1) has it
    opinion: report.signed_text || report.opinion.message === "" || report.page_list.includes(1) ||
        report.opinion.is_suggested && report.conclusion
      ? null
      : { label: t(reportText.opinion), value: printedOpinion(report.opinion.message) },
  };
}
