// Defines the columns of a table of studies: head and cell of each column.
import { ANY_CONTRAST_SPREAD } from "@/model/norms/any_contrast_error.ts";
import { printedInterval, printedPercentile } from "@/model/norms/rank_format.ts";
import { linearOf, type PrintedLinear, printedValue } from "@/model/linear/printed_linear.ts";
import { isCortex, isInverted, isMeasured, PARTS } from "@/model/regions/regions.ts";
import { minuteIn } from "@/model/time/site_time.ts";
import type { ExportColumns, ExportField } from "@/model/schema/report/excel.ts";
import type { FlairStructure } from "@/model/schema/studies/flair_structure.ts";
import type { AnalysisStatus } from "@/model/schema/studies/study.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type {
  Aggregate,
  QualityGrade,
  RegionData,
  ThicknessData,
} from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { partName } from "@/model/text/regions.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { reportText } from "@/model/text/report/report.ts";
import {
  exportFieldText,
  exportHeadText,
  exportMeaningText,
  exportStatusText,
} from "@/model/text/worklist/export_columns.ts";
import { exportRegionText } from "@/model/text/worklist/export_regions.ts";
import { EVERYTHING, EXPORT_SUMS } from "@/model/worklist/export_columns.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { isUnsearched, type LesionSite } from "@/model/regions/lesion_site.ts";
import { lesionSearchText } from "@/model/text/lesions/lesion_place.ts";
import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";
import { signedLabel } from "@/report/model/signed_label.ts";
import type { SheetCell, SheetColumn } from "@/server/core/exports/service/workbook.ts";
import type { AnalysisResults, FlairResults } from "@/server/core/analyses/storage/analyses.ts";
import type { AppliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { flairStructuresOf } from "@/server/core/analyses/service/files/flair_structures.ts";
import type { LesionData } from "@/model/measured/lesion_data.ts";
import { siteTimeZone } from "@/server/core/site/service/license.ts";
import { bandNameOf } from "@/server/core/norms/service/band_names.ts";

/** Counts of lesions that changed since the previous study; a reader's rejections are excluded. */
export interface ChangeCounts {
  since: string;
  /** high-confidence changes, and changes confirmed by a reader */
  kinds: Readonly<Record<LesionChangeKind, number>>;
  possible: number;
  confirmed: number;
}

/** A study with its completed results, as read for a table. */
export interface ExportedStudy {
  row: PatientRow;
  results: AnalysisResults | null;
  flair: FlairResults | null;
  /** counts of lesion changes; absent without an up-to-date comparison */
  changes?: ChangeCounts;
  /** norms applied to the percentiles; absent: only the published norms */
  norms?: AppliedNorms;
  /** the physician's signed text; absent if no text is signed */
  signed?: SignedText;
}

/** A study with all values that are computed from its results. */
interface ReadStudy extends ExportedStudy {
  lesions: LesionData | null;
  /** deep structures measured on FLAIR without T1w, by their first label */
  structures: ReadonlyMap<number, FlairStructure>;
  icvMl: number | null;
  /** ICV for volumes in percent of the ICV; `null` if not measured or implausible */
  wholeMl: number | null;
  t1Grade: QualityGrade | null;
  regions: ReadonlyMap<number, RegionData>;
  thickness: ReadonlyMap<number, ThicknessData>;
  sums: ReadonlyMap<string, Aggregate>;
  /** text about percentiles that are withheld because of the scanner; `null`: not withheld */
  withheld: "withheld" | "unread" | "refused" | null;
  /** whether the scanner is not yet accepted, so that percentiles are provisional */
  isProvisional: boolean;
}

/** A column of a table of studies, with the function that computes a study's cell. */
export interface ExportColumn extends SheetColumn {
  cell(study: ReadStudy): SheetCell;
}

const round2 = (value: number) => Math.round(value * 100) / 100;
const localMinute = (instant: string | null): SheetCell =>
  !instant ? null : minuteIn(siteTimeZone(), Date.parse(instant));

const statusIn = (status: AnalysisStatus | null, language: Language): SheetCell =>
  status && textIn(exportStatusText[status], language);

/**
 * Cell of a lesion volume or ratio. With grade C the cell is a text, "8.52 (not reliable)":
 * sums and means of a spreadsheet then leave unreliable values out.
 */
const lesionField = (
  unit: "mL" | "%",
  figureOf: (lesions: LesionData, study: ReadStudy) => number | null,
) => ({
  type: "number" as const,
  unit,
  cell: (study: ReadStudy, language: Language): SheetCell => {
    const figure = study.lesions && figureOf(study.lesions, study);
    return figure !== null && study.lesions?.wmh_detail.is_unreliable
      ? lesionFigure(figure.toFixed(2), true, language)
      : figure;
  },
});

/**
 * Cell with the number or volume of the lesions at a site.
 * Where lesions are not searched for, the cell is a text that says so.
 */
const placeField = (wanted: LesionSite, part: "count" | "volume") => ({
  type: "number" as const,
  cell: ({ lesions }: ReadStudy, language: Language): SheetCell => {
    const places = lesions?.wmh_detail.places, at = places?.find(({ site }) => site === wanted);
    if (!at) return places ? 0 : null;
    if (isUnsearched(at)) return textIn(lesionSearchText.notSearched, language);
    return part === "volume" && lesions?.wmh_detail.is_unreliable
      ? lesionFigure(at.volume.toFixed(2), true, language)
      : at[part];
  },
  ...(part === "volume" && { unit: "mL" as const }),
});

/** Cell with a ventricle width or angle, or with an end of its range. */
const linearField = (
  key: PrintedLinear,
  part: "value" | "low" | "high",
  unit?: "mm" | "°",
) => ({
  type: "number" as const,
  ...(unit && { unit }),
  cell: ({ results }: ReadStudy): SheetCell => printedValue(linearOf(results), key)?.[part] ?? null,
});

/** Type and cell of each study column, by the name of the field. */
const FIELDS: Record<
  ExportField,
  {
    type: SheetColumn["type"];
    unit?: "mL" | "%" | "mm" | "°";
    width?: number;
    cell: (study: ReadStudy, language: Language) => SheetCell;
  }
> = {
  number: { type: "number", width: 8, cell: ({ row }) => row.pid },
  patient_id: { type: "text", width: 16, cell: ({ row }) => row.patient_id },
  name: { type: "text", width: 22, cell: ({ row }) => row.patient_name },
  sex: {
    type: "text",
    width: 6,
    cell: ({ row }) => row.patient_sex === null ? null : row.patient_sex === "male" ? "M" : "F",
  },
  age: { type: "number", width: 6, cell: ({ row }) => row.patient_age },
  birth_date: { type: "date", width: 12, cell: ({ row }) => row.patient_birthdate },
  study_date: { type: "date", width: 12, cell: ({ row }) => row.study_date },
  labels: {
    type: "text",
    width: 20,
    cell: ({ row }) => row.label_list.map((label) => label.label_name).join(", ") || null,
  },
  t1_status: {
    type: "text",
    cell: ({ row }, language) => statusIn(row.t1_analysis_status, language),
  },
  t1_analysed: { type: "time", width: 17, cell: ({ row }) => localMinute(row.t1_analysis_date) },
  t2_status: {
    type: "text",
    cell: ({ row }, language) => statusIn(row.t2_analysis_status, language),
  },
  t2_analysed: { type: "time", width: 17, cell: ({ row }) => localMinute(row.t2_analysis_date) },
  t1_grade: { type: "text", width: 10, cell: ({ t1Grade }) => t1Grade },
  t2_grade: { type: "text", width: 10, cell: ({ flair }) => flair?.grade ?? null },
  thickness_absent: {
    type: "text",
    cell: ({ results }, language) =>
      results?.thicknessReason ? textIn(reportText.voxelsTooLarge, language) : null,
  },
  icv: { type: "number", unit: "mL", cell: ({ icvMl }) => icvMl === null ? null : round2(icvMl) },
  evans_index: linearField("evans", "value"),
  evans_index_low: linearField("evans", "low"),
  evans_index_high: linearField("evans", "high"),
  frontal_horns: linearField("frontal_horns", "value", "mm"),
  frontal_horns_low: linearField("frontal_horns", "low", "mm"),
  frontal_horns_high: linearField("frontal_horns", "high", "mm"),
  third_ventricle: linearField("third_ventricle", "value", "mm"),
  third_ventricle_low: linearField("third_ventricle", "low", "mm"),
  third_ventricle_high: linearField("third_ventricle", "high", "mm"),
  callosal_angle: linearField("callosal_angle", "value", "°"),
  callosal_angle_low: linearField("callosal_angle", "low", "°"),
  callosal_angle_high: linearField("callosal_angle", "high", "°"),
  norms: {
    type: "text",
    width: 24,
    cell: ({ results, norms, withheld, isProvisional }, language) =>
      withheld
        ? textIn(exportHeadText[withheld], language)
        : results
        ? normsName(norms?.name, language) +
          (isProvisional ? `; ${textIn(exportHeadText.provisional, language)}` : "")
        : null,
  },
  white_matter: { type: "number", unit: "mL", cell: ({ lesions }) => lesions?.wm ?? null },
  wmh: lesionField("mL", ({ wmh }) => wmh),
  wmh_icv: lesionField(
    "%",
    ({ wmh }, { wholeMl }) => wholeMl === null ? null : round2(100 * wmh / wholeMl),
  ),
  wmh_white_matter: lesionField("%", ({ wmh_detail }) => wmh_detail.ratio_percent),
  wmh_deep: lesionField("mL", ({ deep_wmh }) => deep_wmh),
  wmh_peri: lesionField("mL", ({ peri_wmh }) => peri_wmh),
  lesions: { type: "number", cell: ({ lesions }) => lesions?.wmh_detail.lesion_count ?? null },
  lesions_pv: placeField("periventricular", "count"),
  lesions_pv_ml: placeField("periventricular", "volume"),
  lesions_jc: placeField("juxtacortical", "count"),
  lesions_jc_ml: placeField("juxtacortical", "volume"),
  lesions_dwm: placeField("deep_white", "count"),
  lesions_dwm_ml: placeField("deep_white", "volume"),
  lesions_it: placeField("infratentorial", "count"),
  lesions_it_ml: placeField("infratentorial", "volume"),
  lesions_dgm: placeField("deep_grey", "count"),
  lesions_dgm_ml: placeField("deep_grey", "volume"),
  lesions_since: { type: "date", width: 12, cell: ({ changes }) => changes?.since ?? null },
  lesions_new: { type: "number", cell: ({ changes }) => changes?.kinds.new ?? null },
  lesions_enlarging: { type: "number", cell: ({ changes }) => changes?.kinds.enlarging ?? null },
  lesions_shrinking: { type: "number", cell: ({ changes }) => changes?.kinds.shrinking ?? null },
  lesions_gone: { type: "number", cell: ({ changes }) => changes?.kinds.gone ?? null },
  lesions_possible: { type: "number", cell: ({ changes }) => changes?.possible ?? null },
  lesions_confirmed: { type: "number", cell: ({ changes }) => changes?.confirmed ?? null },
  conclusion: { type: "text", width: 60, cell: ({ signed }) => signed?.text ?? null },
  conclusion_signed: {
    type: "text",
    width: 32,
    cell: ({ signed }, language) => signed ? signedLabel(signed, language, siteTimeZone()) : null,
  },
};

const SIDES = ["left", "right", "total"] as const;
type Side = (typeof SIDES)[number];
/**
 * Columns of a percentile: value, ends of its 80 % interval, and name of its band.
 * A value without reliable bands and an interval that says too little are empty cells.
 */
const RANK = ["percentile", "low", "high", "band"] as const;

const rankCell = (
  rank: PercentileRank | null | undefined,
  what: (typeof RANK)[number],
  isFluid: boolean,
  language: Language,
): SheetCell => {
  if (!rank) return null;
  if (what === "band") return bandNameOf(rank, isFluid, language);
  return what === "percentile" ? printedPercentile(rank) : printedInterval(rank)?.[what] ?? null;
};

/** Name of an atlas part in heads of table columns. */
export const columnPartName = (part: string, language: Language): string =>
  Object.hasOwn(exportRegionText, part)
    ? textIn(exportRegionText[part as keyof typeof exportRegionText], language)
    : partName(part, language);

/** Percentile columns of a part: the measure, and attributes by which people are compared. */
const RANK_HEADS = {
  rank_sex: ["volume", "basisSex"],
  rank_icv: ["volume", "basisIcv"],
  rank_thickness: ["thickness", "basisSex"],
} as const;

/** Head of a column with a percentile, its interval or its band; `part` includes the side. */
export function rankTitle(
  head: keyof typeof RANK_HEADS,
  part: string,
  what: (typeof RANK)[number],
  isFluid: boolean,
  language: Language,
): string {
  const say = (key: keyof typeof exportHeadText, values: Record<string, string>) =>
    textIn(exportHeadText[key], language, values);
  const [measureKey, basisKey] = RANK_HEADS[head];
  const values = { measure: say(measureKey, { part }), basis: say(basisKey, {}) };
  if (what === "band") return say(isFluid ? "bandFluid" : "bandTissue", values);
  const measure = say("percentile", values);
  return what === "percentile" ? measure : say(`${what}End`, { measure });
}

/** Head of a column with a volume measured on FLAIR alone, or with an end of its interval. */
export function flairTitle(
  key: "flair_volume" | "flair_low" | "flair_high",
  part: string,
  language: Language,
): string {
  const say = (key: keyof typeof exportHeadText, values: Record<string, string>) =>
    textIn(exportHeadText[key], language, values);
  const measure = say("inMl", { measure: say("flair_volume", { part }) });
  if (key === "flair_volume") return measure;
  return say(key === "flair_low" ? "lowEnd" : "highEnd", { measure });
}

/** Creates the table columns that a user has selected, with heads in a language. */
class ColumnMaker {
  constructor(private readonly choice: ExportColumns, private readonly language: Language) {}

  has(measure: ExportColumns["measures"][number]): boolean {
    return this.choice.measures.includes(measure);
  }

  say(key: keyof typeof exportHeadText, values?: Record<string, string>): string {
    return textIn(exportHeadText[key], this.language, values);
  }

  meaning(key: keyof typeof exportMeaningText): string {
    return textIn(exportMeaningText[key], this.language);
  }

  sided(part: string, side: Side | ""): string {
    return side === "" ? part : this.say("sided", { part, side: this.say(side) });
  }

  fields(): ExportColumn[] {
    return this.choice.fields.map((key) => ({
      title: textIn(exportFieldText[key], this.language),
      meaning: this.meaning(key),
      ...FIELDS[key],
      cell: (study) => FIELDS[key].cell(study, this.language),
    }));
  }

  volume(part: string, cell: ExportColumn["cell"]): ExportColumn {
    return {
      title: this.say("inMl", { measure: this.say("volume", { part }) }),
      meaning: this.meaning("volume"),
      type: "number",
      unit: "mL",
      cell,
    };
  }

  ranks(
    head: keyof typeof RANK_HEADS,
    part: string,
    isFluid: boolean,
    rankOf: (study: ReadStudy) => PercentileRank | null | undefined,
  ): ExportColumn[] {
    return RANK.map((what) => ({
      title: rankTitle(head, part, what, isFluid, this.language),
      meaning: this.meaning(what === "band" ? isFluid ? "bandFluid" : "bandTissue" : what),
      type: what === "band" ? "text" : "number",
      ...what === "band" ? {} : { unit: this.say("percentUnit") },
      cell: (study) =>
        study.withheld && what === "band"
          ? this.say(study.withheld)
          : rankCell(rankOf(study), what, isFluid, this.language),
    }));
  }

  icvPercent(part: string, cell: ExportColumn["cell"]): ExportColumn {
    const title = this.say("ofIcv", { measure: this.say("volume", { part }) });
    return { title, meaning: this.meaning("icv_percent"), type: "number", unit: "%", cell };
  }

  region(part: string, labels: readonly number[]): ExportColumn[] {
    const [first] = labels as [number], isPair = labels.length === 2, isFluid = isInverted(first);
    const name = columnPartName(part, this.language),
      of = ({ regions }: ReadStudy) => regions.get(first);
    const sides: readonly [Side | "", Side][] = isPair
      ? SIDES.map((side) => [side, side])
      : [["", "total"]];
    return [
      ...this.has("volume")
        ? sides.map(([word, side]) =>
          this.volume(this.sided(name, word), (study) => of(study)?.[`volume_${side}`] ?? null)
        )
        : [],
      ...this.has("icv_percent")
        ? [
          this.icvPercent(this.sided(name, isPair ? "total" : ""), (study) =>
            of(study)?.icv_percent ?? null),
        ]
        : [],
      ...([["rank_sex", "rank_volume"], ["rank_icv", "rank_icv"]] as const).flatMap((
        [measure, field],
      ) =>
        this.has(measure)
          ? sides.flatMap(([word, side]) =>
            this.ranks(
              measure,
              this.sided(name, word),
              isFluid,
              (study) => of(study)?.[`${field}_${side}`],
            )
          )
          : []
      ),
    ];
  }

  /** Columns of a part measured on FLAIR without T1w, with the interval of its total. */
  flair(part: string, [first, second]: readonly number[]): ExportColumn[] {
    if (!this.has("flair_volume") || ANY_CONTRAST_SPREAD[part] === undefined) return [];
    const name = columnPartName(part, this.language),
      of = ({ structures }: ReadStudy) => structures.get(first!);
    const column = (
      word: Side | "",
      key: "flair_volume" | "flair_low" | "flair_high",
      cell: ExportColumn["cell"],
    ) => ({
      title: flairTitle(key, this.sided(name, word), this.language),
      meaning: this.meaning(key),
      type: "number" as const,
      unit: "mL" as const,
      cell,
    });
    const sides: readonly [Side | "", Side][] = second === undefined
      ? [["", "total"]]
      : SIDES.map((side) => [side, side]);
    return [
      ...sides.map(([word, side]) =>
        column(word, "flair_volume", (study) => of(study)?.[`volume_${side}`] ?? null)
      ),
      ...(["low", "high"] as const).map((end) =>
        column(
          second === undefined ? "" : "total",
          `flair_${end}`,
          (study) => of(study)?.[end] ?? null,
        )
      ),
    ];
  }

  sum(key: (typeof EXPORT_SUMS)[number]): ExportColumn[] {
    const name = this.say(key), of = ({ sums }: ReadStudy) => sums.get(key);
    return [
      ...this.has("volume")
        ? SIDES.map((side) =>
          this.volume(this.sided(name, side), (study) => of(study)?.[`volume_${side}`] ?? null)
        )
        : [],
      ...this.has("icv_percent")
        ? [this.icvPercent(this.sided(name, "total"), (study) => of(study)?.icv_percent ?? null)]
        : [],
      ...this.has("rank_icv")
        ? SIDES.flatMap((side) =>
          this.ranks(
            "rank_icv",
            this.sided(name, side),
            false,
            (study) => of(study)?.[`rank_icv_${side}`],
          )
        )
        : [],
    ];
  }

  thickness(part: string, label: number): ExportColumn[] {
    const name = columnPartName(part, this.language),
      of = ({ thickness }: ReadStudy) => thickness.get(label);
    const sides = ["left", "right"] as const;
    return [
      ...this.has("thickness")
        ? sides.map((side): ExportColumn => ({
          title: this.say("inMm", {
            measure: this.say("thickness", { part: this.sided(name, side) }),
          }),
          meaning: this.meaning("thickness"),
          type: "number",
          unit: "mm",
          // a stored thickness of 0 means that the region was too small to be measured
          cell: (study) => of(study)?.[`thick_${side}`] || null,
        }))
        : [],
      ...this.has("rank_thickness")
        ? sides.flatMap((side) =>
          this.ranks(
            "rank_thickness",
            this.sided(name, side),
            false,
            (study) => of(study)?.[`rank_thick_${side}`],
          )
        )
        : [],
    ];
  }
}

/**
 * Table columns that a user has selected. Volumes are in mL, thickness in mm, percentiles 0..100.
 * Instants in the table are in the site's time zone.
 */
export function exportColumnsOf(
  choice: ExportColumns = EVERYTHING,
  language: Language = "en",
): ExportColumn[] {
  const make = new ColumnMaker(choice, language), chosen = new Set(choice.parts);
  const parts = PARTS.filter(({ part }) => chosen.has(part));
  return [
    ...make.fields(),
    ...parts.filter(({ labels }) => isMeasured(labels[0])).flatMap(({ part, labels }) =>
      make.region(part, labels)
    ),
    ...EXPORT_SUMS.filter((key) => chosen.has(key)).flatMap((key) => make.sum(key)),
    ...parts.filter(({ labels }) => labels.length === 2 && isCortex(labels[0])).flatMap((
      { part, labels },
    ) => make.thickness(part, labels[0])),
    ...parts.flatMap(({ part, labels }) => make.flair(part, labels)),
  ];
}

/** Computes the values from which the cells of a study's row are made. */
function readStudy(study: ExportedStudy): ReadStudy {
  const { row, results, flair, norms } = study;
  const figures = measureStudy({ patient: row, t1: results, flair, method: norms?.method });
  const byLabel = <T extends { part_index: number[] }>(list: readonly T[]) =>
    new Map(list.map((row) => [row.part_index[0]!, row]));
  const { icvMm3, wholeMm3 } = figures;
  return {
    ...study,
    lesions: figures.lesions,
    structures: byLabel(flairStructuresOf(flair, results)),
    icvMl: icvMm3 === null ? null : icvMm3 / 1000,
    wholeMl: wholeMm3 === null ? null : wholeMm3 / 1000,
    t1Grade: figures.quality?.grade ?? null,
    regions: byLabel(figures.regions),
    thickness: byLabel(figures.thickness ?? []),
    sums: new Map(figures.aggregates.map((sum) => [sum.key, sum])),
    withheld: figures.normReason === "scanner_stopped"
      ? "withheld"
      : figures.normReason === "scanner_unread"
      ? "unread"
      : figures.normReason === "scanner_refused"
      ? "refused"
      : null,
    isProvisional: figures.normWarnings.includes("scanner_not_accepted"),
  };
}

/** Cells of a study's row for the given columns. */
export function excelRowOf(columns: readonly ExportColumn[], study: ExportedStudy): SheetCell[] {
  const read = readStudy(study);
  return columns.map(({ cell }) => cell(read));
}
