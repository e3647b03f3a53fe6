import { MTA_PAGE } from "@/model/report/pages.ts";
import { chartOf, lowerChart, referenceChartSvg } from "@/report/charts/chart.ts";
import { captionOf, chartSubjectOf, headOf, noCurveOf } from "@/report/model/page.ts";
import { bandOfRank } from "@/model/norms/bands.ts";
import { DASH, fixed, formatInstant, formatPercentile, signed } from "@/report/model/format.ts";
import { correctionNotices } from "@/report/sheets/findings_sheet.ts";
import { heightOf } from "@/report/sheets/height.ts";
import {
  type Cell,
  PERCENTILE_WIDTH,
  PICTURE_SCALES,
  SHEET_HEIGHT,
  type SheetBody,
} from "@/report/sheets/sheet.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { CurvePoint, ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, textIn } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { mtaPageText } from "@/model/text/report/pages/mta.ts";
import { pageTitle } from "@/model/text/report/report_page_names.ts";

type Hippocampus = NonNullable<ReportResponse["hippocampus"]>;
type Grades = NonNullable<ReportResponse["mta"]>;
type Block = SheetBody["blocks"][number];

/** Number of blocks of {@link volumeBlocks}. Share of a sheet kept blank: heights are estimates. */
const VOLUME_BLOCKS = 3, LEAST_BLANK = 0.02;

/** Smallest size of the hippocampus pictures on the Cover, percent of the available width. */
const LEAST_SCALE = 55;

/** Column width in points, enough for an MTA grade with its comparison on one line. */
const MTA_WIDTH = 84;

/** Returns a text in the report's language. */
const textsOf =
  ({ language }: ReportResponse) =>
  (text: Record<Language, string>, values: Record<string, string | number> = {}) =>
    textIn(text, language, values);

/**
 * The page Hospital-MTA: both hippocampi, and the grade that a physician read from the images.
 * @param isShort Uses lower charts, for a sheet shared with another page.
 */
export function mtaBodiesOf(report: ReportResponse, isShort = false): SheetBody[] {
  const { hippocampus, mta } = report, t = textsOf(report);
  if (!hippocampus || !mta) return [];
  const title = t(pageTitle[MTA_PAGE]), pictures = pictureBlocks(report);
  const tables = [...volumeBlocks(report, hippocampus), ...gradeBlocks(report, mta)];
  const curves = curveBlocks(report, hippocampus, isShort);
  const note: Block = { kind: "small", text: t(mtaPageText.mtaNote) };
  const blocks: Block[] = [
    ...headOf(report),
    // half of the page's width, because names and percentiles of the tables need more than 38 %
    { kind: "split", share: 50, left: pictures, right: tables },
    ...curves,
    note,
  ];
  return [{ pages: [MTA_PAGE], title, blocks }];
}

/** The page Hospital-MTA on its own sheet; without norm curves its pictures fill the width. */
export function mtaAloneBodiesOf(report: ReportResponse): SheetBody[] {
  return mtaBodiesOf(report).map(({ pages, title, blocks }) => {
    const large = blocks.flatMap((block) =>
      block.kind === "split" ? [...block.left, ...block.right] : [block]
    );
    return blocks.some(({ kind }) => kind === "drawings")
      ? { pages, title, ...arrangedOf(blocks, report) }
      : { pages, title, blocks: large, shorter: [blocks] };
  });
}

/** Arranges a page with norm curves: pictures above the tables if they fit, or beside them. */
function arrangedOf(
  blocks: readonly Block[],
  report: ReportResponse,
): Pick<SheetBody, "blocks" | "shorter"> {
  const at = blocks.findIndex(({ kind }) => kind === "split"), beside = blocks[at];
  const room = SHEET_HEIGHT - heightOf(correctionNotices(report)), usual = [...blocks];
  if (beside?.kind !== "split") return { blocks: usual };
  const [left, right] = [beside.right.slice(0, VOLUME_BLOCKS), beside.right.slice(VOLUME_BLOCKS)];
  const tables: Block = { kind: "split", share: 50, left, right };
  const above = PICTURE_SCALES.map((scale) =>
    usual.toSpliced(
      at,
      1,
      ...beside.left.map((block) => block.kind === "pictures" ? { ...block, scale } : block),
      tables,
    )
  ).find((variant) => heightOf(variant) <= (1 - LEAST_BLANK) * room);
  return above ? { blocks: above, shorter: [usual] } : { blocks: usual };
}

/**
 * Figures of the hippocampi for the Cover of a report without percentiles, from large to small.
 * They show slices and volumes; with quality grade C only slices: the volumes are unreliable.
 */
export function* coverHippocampiOf(report: ReportResponse): Generator<Block[]> {
  const { hippocampus, reference } = report;
  const [caption, pictures] = pictureBlocks(report);
  if (!hippocampus || !caption || pictures?.kind !== "pictures") return;
  for (const scale of PICTURE_SCALES.filter((scale) => scale >= LEAST_SCALE)) {
    const strip: Block[] = [caption, { ...pictures, scale }];
    const [heading, ...volumes] = volumeBlocks(report, hippocampus, false);
    yield [
      heading!,
      ...reference.reason === "quality"
        ? strip
        : [{ kind: "split", share: 50, left: strip, right: volumes } as const],
    ];
  }
}

/**
 * Figures of the hippocampi for a page with blank space, from large to small.
 * With quality grade C only slices are shown, because the volumes are unreliable.
 */
export function* hippocampiFiguresOf(report: ReportResponse): Generator<Block[]> {
  const { hippocampus } = report, [caption, pictures] = pictureBlocks(report);
  if (!hippocampus || !caption || pictures?.kind !== "pictures") return;
  const [heading, ...volumes] = volumeBlocks(report, hippocampus);
  const isReliable = report.reference.reason !== "quality";
  for (const scale of PICTURE_SCALES) {
    yield [heading!, caption, { ...pictures, scale }, ...isReliable ? volumes : []];
  }
  yield* coverHippocampiOf(report);
}

/** Pictures of the coronal slice through the hippocampi, with and without outlines. */
function pictureBlocks(report: ReportResponse): Block[] {
  const t = textsOf(report);
  const pictures = report.images.filter(({ key }) =>
    key === "hippocampi" || key === "hippocampi_plain"
  ).map((
    { key, url, position_mm },
  ) => ({
    key,
    url,
    caption: captionOf("coronal", position_mm, report.language),
    alt: t(key === "hippocampi" ? mtaPageText.mtaPictureAlt : mtaPageText.mtaPlainAlt),
  }));
  if (pictures.length === 0) return [];
  return [
    { kind: "small", text: `${t(mtaPageText.mtaPicture)}. ${t(reportText.pictures)}` },
    { kind: "pictures", columns: 2, scale: 100, pictures },
  ];
}

/** Columns of a table with right and left side; `width` of one side's column, points. */
function sideColumns(report: ReportResponse, width: number) {
  const t = textsOf(report);
  return [
    { label: t(reportText.measure), width: "*" as const },
    { label: t(reportText.left), width, isNumber: true },
    { label: t(reportText.right), width, isNumber: true },
  ];
}

/** A row of a table with right and left side. */
const sideRow = (label: string, left: string, right: string) => ({
  cells: [{ text: label }, { text: left, isBold: true }, { text: right, isBold: true }],
});

const levelOf = (rank: PercentileRank | null, { threshold_list, language }: ReportResponse) =>
  bandOfRank(rank, threshold_list, false, language)?.level ?? 0;

/** Volumes of hippocampi and temporal horns. @param isCompared Whether to print percentiles. */
function volumeBlocks(
  report: ReportResponse,
  hippocampus: Hippocampus,
  isCompared = true,
): Block[] {
  const t = textsOf(report), { language } = report;
  const ranks = [null, hippocampus.rank_left, hippocampus.rank_right];
  const percentiles = sideRow(
    t(mtaPageText.mtaPercentile),
    formatPercentile(hippocampus.rank_left, language),
    formatPercentile(hippocampus.rank_right, language),
  );
  return [
    { kind: "heading", text: t(mtaPageText.mtaVolumes) },
    {
      kind: "table",
      caption: t(mtaPageText.mtaVolumes),
      columns: sideColumns(report, PERCENTILE_WIDTH),
      rows: [
        sideRow(
          t(mtaPageText.mtaHippocampus),
          fixed(hippocampus.left),
          fixed(hippocampus.right),
        ),
        ...isCompared
          ? [{
            cells: percentiles.cells.map((cell, column) => ({
              ...cell,
              level: levelOf(ranks[column] ?? null, report),
            })),
          }]
          : [],
        sideRow(
          t(mtaPageText.mtaHorn),
          fixed(hippocampus.inf_lat_vent_left),
          fixed(hippocampus.inf_lat_vent_right),
        ),
        sideRow(
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
  ];
}

/** The MTA grades read by a physician, with the cut-off for the patient's age. */
function gradeBlocks(report: ReportResponse, mta: Grades): Block[] {
  const t = textsOf(report), { cutoff } = mta;
  const grade = (value: number | null): Cell => ({
    text: value === null ? DASH : String(value),
    isBold: true,
    ...value !== null && cutoff !== null && {
      under: t(value >= cutoff ? mtaPageText.mtaAbove : mtaPageText.mtaUsual),
    },
  });
  const isEntered = mta.entered_at !== null && (mta.left !== null || mta.right !== null);
  return [
    { kind: "heading", text: t(mtaPageText.mtaGrade) },
    {
      kind: "table",
      caption: t(mtaPageText.mtaGrade),
      columns: sideColumns(report, MTA_WIDTH),
      rows: [{ cells: [{ text: "MTA" }, grade(mta.left), grade(mta.right)] }],
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
        : t(mtaPageText.mtaCutoff, { age: report.patient.patient_age!, cutoff }),
    },
  ];
}

/**
 * Norm curves of the hippocampi that have a percentile. Without norms, the notice at the top states
 * the reason; a side with uncertain borders is named on page one.
 */
function curveBlocks(report: ReportResponse, hippocampus: Hippocampus, isShort: boolean): Block[] {
  const t = textsOf(report);
  // the right hippocampus is drawn on the left, as in the pictures (radiological convention)
  const drawings = [
    ["mtaRightCurve", {
      curve: hippocampus.curve_right,
      volume: hippocampus.right,
      interval: hippocampus.interval_right,
      rank: hippocampus.rank_right,
    }],
    ["mtaLeftCurve", {
      curve: hippocampus.curve_left,
      volume: hippocampus.left,
      interval: hippocampus.interval_left,
      rank: hippocampus.rank_left,
    }],
  ] as const;
  const drawn = drawings.filter(([, { curve }]) => curve.length > 0);
  return drawn.length === 0 ? [] : [
    { kind: "heading", text: t(reportText.curves) },
    {
      kind: "drawings",
      columns: 2,
      drawings: drawn.map(([title, side]) => {
        const drawing = hippocampusChart(report, t(mtaPageText[title]), side);
        return isShort ? lowerChart(drawing) : drawing;
      }),
    },
  ];
}

/** Volume and norm curve of the hippocampus of one side. */
interface Side {
  curve: readonly CurvePoint[];
  volume: number;
  interval: readonly [number, number] | null;
  rank: PercentileRank | null;
}

function hippocampusChart(
  report: ReportResponse,
  title: string,
  { curve, volume, interval, rank }: Side,
) {
  const t = textsOf(report), { patient_sex, patient_age } = report.patient;
  const sex = t(patient_sex === null ? reportText.unknown : reportText[patient_sex]);
  return {
    ...chartOf((height) =>
      referenceChartSvg(
        curve,
        { age: patient_age, volume, interval, level: levelOf(rank, report) },
        {
          title,
          subtitle: chartSubjectOf(report, sex),
          age: t(reportText.age),
          patient: t(reportText.chartPatient, { volume: fixed(volume) }),
          noCurve: noCurveOf(report),
        },
        height,
      )
    ),
    alt: t(reportText.chartAltPlain, { title, volume: fixed(volume) }),
  };
}
